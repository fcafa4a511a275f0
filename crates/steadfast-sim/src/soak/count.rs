//! A counter of tokens that no model has: its weights are rolled.

use steadfast_core::rules::Tokenizer;

use crate::dice::Dice;

/// Counts words, other characters and bytes with weights of its own.
#[derive(Clone, Debug)]
pub struct Synthetic {
    id: String,
    /// Hundredths of a token for a Latin letter, another character, and a text.
    latin: u64,
    other: u64,
    text: u64,
    exact: bool,
}

impl Synthetic {
    pub fn roll(dice: &mut Dice) -> Synthetic {
        let (latin, other, text) = (5 + dice.below(120), 20 + dice.below(300), dice.below(400));
        let exact = dice.chance(50);
        Synthetic {
            id: format!("synthetic/{latin}-{other}-{text}-{exact}"),
            latin,
            other,
            text,
            exact,
        }
    }
}

impl Tokenizer for Synthetic {
    fn id(&self) -> &str {
        &self.id
    }

    fn count(&self, text: &str) -> u32 {
        let latin = text.bytes().filter(u8::is_ascii).count() as u64;
        let all = text.chars().count() as u64;
        let sum = self.text + latin * self.latin + (all - latin) * self.other;
        u32::try_from(sum.div_ceil(100)).unwrap_or(u32::MAX)
    }

    fn is_exact(&self) -> bool {
        self.exact
    }
}

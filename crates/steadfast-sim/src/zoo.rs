//! Models that fail in conversations, each in one way, and one that does not.
//!
//! Each is a function of the text of its request (and of its seed, where it
//! errs by chance), read as a model on the wire would read it: roles and words.
//! None looks at what kind of part a text is, and none knows whether Steadfast or
//! anything else made the request.
//!
//! ```text
//! request ─► hear (orders, each with who said it, how far from the end, under
//!            which label) ─► mind (which of them this model goes by)
//!            ─► write (an answer, a call) or retell (a summary)
//! ```

mod hear;
mod mind;
mod order;
mod words;
mod write;

use async_trait::async_trait;
use steadfast::drill::SUMMARISE;
use steadfast::model::Model;
use steadfast_core::context::Request;
use steadfast_core::proposal::{ModelError, Reply};

use crate::dice::Dice;
use crate::model::mark;

use hear::Prompt;

/// How a model fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mind {
    /// Goes by what is labelled as in force, else by the user's last word on each
    /// thing; reads all of its prompt. The control.
    Diligent,
    /// The same, of the last 600 tokens of its prompt alone.
    ShortSighted,
    /// Goes by the last command of each kind, whoever gave it.
    Suggestible,
    /// Forgets commands, the more so the further they stand from the end.
    Forgetful,
    /// Slips into the other language now and then, and into that of the page
    /// before it where the command is far away.
    Mixing,
    /// Goes by what is labelled as in force and by the message before it alone.
    ByLabel,
    /// Writes properly, and retells without numbers and negations.
    Blurring,
}

impl Mind {
    pub const ALL: [Mind; 7] = [
        Mind::Diligent,
        Mind::ShortSighted,
        Mind::Suggestible,
        Mind::Forgetful,
        Mind::Mixing,
        Mind::ByLabel,
        Mind::Blurring,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Mind::Diligent => "diligent",
            Mind::ShortSighted => "short_sighted",
            Mind::Suggestible => "suggestible",
            Mind::Forgetful => "forgetful",
            Mind::Mixing => "mixing",
            Mind::ByLabel => "by_label",
            Mind::Blurring => "blurring",
        }
    }

    pub fn find(name: &str) -> Option<Mind> {
        Mind::ALL.into_iter().find(|mind| mind.name() == name)
    }

    /// What it makes of a request.
    fn reply(self, request: &Request, dice: &mut Dice) -> Reply {
        let prompt = Prompt::of(request);
        let asked = prompt.transcript(SUMMARISE);
        if let Some(told) = asked {
            let told = Prompt::of_transcript(told);
            let obeyed = mind::obeys(self, &told, dice);
            return Reply::say(self.name(), &write::retold(self, &obeyed));
        }
        let obeyed = mind::obeys(self, &prompt, dice);
        let may = |tool: &str| request.tools.iter().any(|one| one.name.as_str() == tool);
        if let Some((tool, args)) = write::call(&prompt, &obeyed)
            && may(tool)
        {
            return Reply::call(self.name(), &[(tool, args)]);
        }
        Reply::say(self.name(), &write::answer(&prompt, &obeyed))
    }
}

/// A model of the zoo.
#[derive(Clone, Debug)]
pub struct Talker {
    pub mind: Mind,
    pub seed: u64,
}

#[async_trait]
impl Model for Talker {
    fn name(&self) -> &str {
        self.mind.name()
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        let mut dice = Dice::of(&[self.seed, mark(request)]);
        Ok(self.mind.reply(request, &mut dice))
    }
}

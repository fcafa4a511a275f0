//! How long a text is asked to be, and how long it is.

use super::sentences::is_han;

/// A length that the task asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) count: usize,
    pub(super) unit: Unit,
    pub(super) bound: Bound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// 字: Chinese characters, marks, Latin words.
    Zi,
    Words,
    /// Unicode characters, as JSON Schema counts them.
    Chars,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    AtMost,
    /// Close to it, and not above.
    About,
    AtLeast,
}

impl Length {
    /// The first length that a text asks for: `300 字以内`, `不少于 500 字`,
    /// `about 200 words`, `a 150-word summary`. Of a range the upper end counts.
    pub(super) fn asked_in(text: &str) -> Option<Length> {
        let lower = text.to_lowercase();
        lower
            .match_indices(|c: char| c.is_ascii_digit())
            .find_map(|(at, _)| {
                // Only at the start of a number.
                let inside =
                    lower[..at].ends_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
                if inside { None } else { asked_at(&lower, at) }
            })
    }

    /// The length of a text in this unit, as word processors count it. Marks that
    /// scripts share count where in doubt.
    pub(super) fn of(self, text: &str) -> usize {
        match self.unit {
            Unit::Chars => text.chars().count(),
            Unit::Zi | Unit::Words => {
                let mut in_word = false;
                text.chars().fold(0, |count, c| {
                    let marks = self.unit == Unit::Zi && !c.is_ascii() && !c.is_alphanumeric();
                    let single = is_han(c) || marks && !c.is_whitespace();
                    let stays = in_word && !single && !c.is_whitespace();
                    let starts = c.is_alphanumeric() && !single && !in_word;
                    in_word = stays || starts;
                    count + usize::from(single || starts)
                })
            }
        }
    }
}

fn asked_at(text: &str, at: usize) -> Option<Length> {
    let rest = text[at..].trim_start_matches(|c: char| c.is_ascii_digit() || c == ',');
    let count = text[at..text.len() - rest.len()]
        .replace(',', "")
        .parse()
        .ok()?;
    let after = rest.trim_start_matches([' ', '-']);
    let unit = unit_of(after)?;
    let before = text[..at].trim_end();
    let ends = |words: &[&str]| words.iter().any(|word| before.ends_with(word));
    let follows = |words: &[&str]| words.iter().any(|word| after.starts_with(word));
    let bound = if ends(&[
        "不少于",
        "至少",
        "不低于",
        "at least",
        "more than",
        "over",
        "minimum",
    ]) || follows(&["字以上", "个字以上", "words or more"])
    {
        Bound::AtLeast
    } else if ends(&[
        "约",
        "大约",
        "左右",
        "about",
        "around",
        "approximately",
        "roughly",
        "写",
    ]) || follows(&["字左右", "个字左右", "字上下"])
    {
        Bound::About
    } else {
        Bound::AtMost
    };
    Some(Length { count, unit, bound })
}

fn unit_of(after: &str) -> Option<Unit> {
    let zi = after
        .strip_prefix("个字")
        .or_else(|| after.strip_prefix('字'));
    if let Some(rest) = zi {
        // 字段, 字节 and the like are other things.
        let other = rest.starts_with(['段', '节', '符', '母', '典', '体', '面']);
        return (!other).then_some(Unit::Zi);
    }
    let word = after
        .strip_prefix("words")
        .or_else(|| after.strip_prefix("word"))?;
    (!word.starts_with(char::is_alphabetic)).then_some(Unit::Words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_in_both_languages() {
        let asked = |text| Length::asked_in(text).map(|l| (l.count, l.unit, l.bound));
        assert_eq!(
            asked("写一篇 300 字以内的摘要"),
            Some((300, Unit::Zi, Bound::AtMost))
        );
        assert_eq!(asked("不少于500字"), Some((500, Unit::Zi, Bound::AtLeast)));
        assert_eq!(asked("约 1,200 个字"), Some((1200, Unit::Zi, Bound::About)));
        assert_eq!(asked("300-500字"), Some((500, Unit::Zi, Bound::AtMost)));
        assert_eq!(
            asked("in about 200 words"),
            Some((200, Unit::Words, Bound::About))
        );
        assert_eq!(
            asked("a 150-word summary"),
            Some((150, Unit::Words, Bound::AtMost))
        );
        assert_eq!(asked("3 个字段，V2.6，10 wordsmiths"), None);
    }

    #[test]
    fn lengths_are_counted_as_a_word_processor_does() {
        let zi = Length {
            count: 0,
            unit: Unit::Zi,
            bound: Bound::AtMost,
        };
        assert_eq!(zi.of("你好，世界。"), 6);
        assert_eq!(zi.of("AI工作流 v2.6"), 5);
        assert_eq!(zi.of("# 标题\n\n- a\n- b"), 4);
        let words = Length {
            unit: Unit::Words,
            ..zi
        };
        assert_eq!(words.of("Keep long tasks on course."), 5);
    }
}

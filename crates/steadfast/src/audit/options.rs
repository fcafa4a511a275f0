//! How a log is to be looked at: what the workflow file cannot say, since it
//! speaks of agents that run under it.
//!
//! ```yaml
//! free: [think, calculate]
//! virtual:
//!   - skill: user_confirms
//!     role: user
//!     says: ["yes", "go ahead", "确认"]
//!   - skill: user_replies
//!     role: user
//! ignore_messages: ["###STOP###"]
//! arguments: true
//! ```

use std::collections::BTreeSet;

use serde::Deserialize;

use super::error::Error;
use super::run::Role;
use super::urging;

/// Settings of one audit.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Skills that may be called at any time and count for nothing.
    pub free: BTreeSet<String>,
    /// Messages that count as calls. The first rule that fits a message is taken.
    #[serde(rename = "virtual")]
    pub virtual_skills: Vec<VirtualSkill>,
    /// User messages with one of these texts are marks of a test bench, no words.
    pub ignore_messages: Vec<String>,
    /// Whether arguments must follow from what was said or returned.
    pub arguments: bool,
    /// Whether the same call with the same arguments counts as repeated where
    /// the workflow would let it pass.
    pub exact_repeats: bool,
    /// Whether rows of calls that go in circles are looked for.
    pub circles: bool,
    /// Names of arguments and fields of results that do not count there: labels
    /// for a screen, time stamps.
    pub cosmetic: BTreeSet<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            free: BTreeSet::new(),
            virtual_skills: Vec::new(),
            ignore_messages: Vec::new(),
            arguments: true,
            exact_repeats: true,
            circles: true,
            cosmetic: BTreeSet::new(),
        }
    }
}

/// A message that stands for a call of a skill of the workflow.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VirtualSkill {
    /// The skill, as the workflow names it.
    pub skill: String,
    #[serde(default = "by_user", deserialize_with = "role")]
    pub role: Role,
    /// Phrases of which the message must hold one: whole words, case aside;
    /// Chinese as it stands. None given: any message fits.
    #[serde(default)]
    pub says: Vec<String>,
    /// Phrases of which it must hold none.
    #[serde(default)]
    pub unless: Vec<String>,
}

impl Options {
    /// Reads options from YAML or JSON.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for anything else, and for unknown fields.
    pub fn parse(text: &str) -> Result<Options, Error> {
        // Words stay words: `yes` and `no` are no booleans.
        let options = serde_saphyr::options! {
            strict_booleans: true,
            with_snippet: false,
        };
        serde_saphyr::from_str_with_options(text, options).map_err(|error| Error::Options {
            why: error.to_string(),
        })
    }

    /// The skill that a message stands for.
    pub(super) fn virtual_skill(&self, role: Role, text: &str) -> Option<&str> {
        let fits = |rule: &&VirtualSkill| {
            rule.role == role
                && (rule.says.is_empty() || urging::says_any(text, &rule.says))
                && !urging::says_any(text, &rule.unless)
        };
        self.virtual_skills
            .iter()
            .find(fits)
            .map(|rule| rule.skill.as_str())
    }

    /// Whether a message is a mark of a test bench.
    pub(super) fn is_ignored(&self, text: &str) -> bool {
        self.ignore_messages.iter().any(|mark| text.trim() == mark)
    }
}

fn by_user() -> Role {
    Role::User
}

fn role<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Role, D::Error> {
    match String::deserialize(from)?.as_str() {
        "user" => Ok(Role::User),
        "assistant" => Ok(Role::Assistant),
        "system" => Ok(Role::System),
        other => Err(serde::de::Error::custom(format!(
            "`{other}` is no role: `user`, `assistant` or `system`"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_fits_is_taken() {
        let options = Options::parse(
            "virtual:\n- {skill: yes_said, says: [yes, 确认], unless: [not yet]}\n- {skill: said}\n",
        )
        .unwrap();
        let skill = |text| options.virtual_skill(Role::User, text);
        assert_eq!(skill("Yes, please."), Some("yes_said"));
        assert_eq!(skill("我确认"), Some("yes_said"));
        assert_eq!(skill("yes, but not yet"), Some("said"));
        assert_eq!(skill("yesterday"), Some("said"));
        assert_eq!(options.virtual_skill(Role::Assistant, "yes"), None);
    }

    #[test]
    fn unknown_fields_are_refused() {
        let error = Options::parse("fre: [a]").unwrap_err();
        assert_eq!(error.code(), "A0006");
    }
}

//! One value put into a settings file that people wrote: comments, order and
//! everything else stay as they are.
//!
//! The text is changed by lines, and then read again: only where it says exactly
//! what it said, and the new value beside it, is it given back. A file that is
//! spelled in a way that lines do not tell (inline tables, dotted keys) is left
//! alone.

use std::collections::BTreeMap;
use std::path::PathBuf;

use steadfast_core::handling::Handling;
use toml::{Table, Value};

use super::layer::spelled;
use super::{Origin, Resolved, Settings};

/// The file was not changed: these are the lines to put into it by hand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("model `{model}` is not spelled so that it can be changed by a program")]
pub struct NotEdited {
    pub model: String,
    pub lines: String,
}

impl Resolved {
    /// The file that describes a model. None where no file does.
    pub fn file_of_model(&self, name: &str) -> Option<PathBuf> {
        let prefix = format!("{}.", spelled(&["models".to_owned(), name.to_owned()]));
        let mut values = self.values.iter();
        values.find_map(|(path, (_, origin))| match origin {
            Origin::File { file, .. } if path.starts_with(&prefix) => Some(file.clone()),
            _ => None,
        })
    }
}

/// The lines that say how a model is handled, for a file that has none of it.
pub fn handling_lines(name: &str, handling: &Handling) -> String {
    let head = spelled(&["models".to_owned(), name.to_owned()]);
    let values = values(handling).into_iter();
    let lines = values.map(|(key, value)| format!("{key} = {value}\n"));
    format!("[{head}]\n{}", lines.collect::<String>())
}

/// The text of a settings file in which a model that it describes is handled so.
/// What `handling` does not say stays.
///
/// # Errors
///
/// [`NotEdited`] where the file does not read, does not describe the model in a
/// table of its own, or says a value in a way that a line does not hold.
pub fn with_handling(text: &str, name: &str, handling: &Handling) -> Result<String, NotEdited> {
    let refused = || NotEdited {
        model: name.to_owned(),
        lines: handling_lines(name, handling),
    };
    let expected = expected(text, name, handling).ok_or_else(refused)?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (key, value) in values(handling) {
        set(&mut lines, name, &key, &value);
    }
    let changed = lines.join("\n") + "\n";
    match toml::from_str::<Settings>(&changed) {
        Ok(settings) if settings == expected => Ok(changed),
        _ => Err(refused()),
    }
}

/// What the changed file must say.
fn expected(text: &str, name: &str, handling: &Handling) -> Option<Settings> {
    let mut settings: Settings = toml::from_str(text).ok()?;
    let model = settings.models.get_mut(name)?;
    model.contract_markup = handling.markup.or(model.contract_markup);
    if let Some(patience) = handling.retry.patience_ms {
        model.retry.get_or_insert_default().patience_ms = Some(patience);
    }
    Some(settings)
}

/// Keys of a model's table, and their values as TOML.
fn values(handling: &Handling) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    if let Some(markup) = handling.markup {
        let word = Value::try_from(markup).expect("a mark-up is a word");
        values.insert("contract_markup".to_owned(), word.to_string());
    }
    if let Some(patience) = handling.retry.patience_ms {
        values.insert("retry.patience_ms".to_owned(), patience.to_string());
    }
    values
}

/// Replaces or adds one line of the model's table.
fn set(lines: &mut Vec<String>, name: &str, key: &str, value: &str) {
    let (table, leaf) = match key.split_once('.') {
        Some((sub, leaf)) => (vec!["models", name, sub], leaf),
        None => (vec!["models", name], key),
    };
    // `[models.m.retry]` where it is there, else a dotted key in `[models.m]`.
    let (head, leaf) = match head(lines, &table) {
        Some(at) => (Some(at), leaf),
        None => (head(lines, &["models", name]), key),
    };
    let Some(at) = head else { return };
    let line = format!("{leaf} = {value}");
    let inside = lines[at + 1..]
        .iter()
        .position(|line| line.trim_start().starts_with('['));
    let end = inside.map_or(lines.len(), |count| at + 1 + count);
    let known = (at + 1..end).find(|at| {
        let said = lines[*at].trim_start().strip_prefix(leaf);
        said.is_some_and(|rest| rest.trim_start().starts_with('='))
    });
    match known {
        Some(at) => lines[at] = line,
        None => lines.insert(at + 1, line),
    }
}

/// The line that begins a table.
fn head(lines: &[String], path: &[&str]) -> Option<usize> {
    lines.iter().position(|line| {
        let line = line.trim();
        if !line.starts_with('[') || line.starts_with("[[") {
            return false;
        }
        let Ok(table) = line.parse::<Table>() else {
            return false;
        };
        named(&table).is_some_and(|keys| keys == path)
    })
}

/// The keys of a document that is one table's head.
fn named(table: &Table) -> Option<Vec<&str>> {
    let mut keys = Vec::new();
    let mut at = table;
    while let Some((key, value)) = at.iter().next() {
        keys.push(key.as_str());
        at = value.as_table()?;
    }
    Some(keys)
}

#[cfg(test)]
mod tests {
    use steadfast_core::handling::RetryChange;
    use steadfast_core::workflow::spec::Markup;

    use super::*;

    fn handling(patience_ms: Option<u64>) -> Handling {
        Handling {
            markup: Some(Markup::Xml),
            retry: RetryChange {
                patience_ms,
                ..RetryChange::default()
            },
        }
    }

    const FILE: &str = "# ours\nmodel = \"m\"\n\n[models.m] # the new one\nkind = \"extractive\"\n\n[models.\"a b\"]\nkind = \"extractive\"\n";

    #[test]
    fn a_line_is_added_and_the_rest_stays() {
        let changed = with_handling(FILE, "m", &handling(None)).unwrap();
        let expected = FILE.replace("new one\n", "new one\ncontract_markup = \"xml\"\n");
        assert_eq!(changed, expected);
        let again = changed.replace("xml", "json");
        assert_eq!(
            with_handling(&again, "m", &handling(None)).unwrap(),
            changed
        );
        let quoted = with_handling(FILE, "a b", &handling(Some(60_000))).unwrap();
        assert!(quoted.contains("[models.\"a b\"]\nretry.patience_ms = 60000\n"));
    }

    #[test]
    fn a_table_of_its_own_is_found() {
        let text = format!("{FILE}\n[models.m.retry]\nfactor = 2\npatience_ms = 5\n");
        let changed = with_handling(&text, "m", &handling(Some(9_000))).unwrap();
        assert!(
            changed.contains("factor = 2\npatience_ms = 9000\n"),
            "{changed}"
        );
    }

    /// What lines do not tell is not touched, and what to write is said.
    #[test]
    fn other_spellings_are_refused() {
        for text in [
            "models = { m = { kind = \"extractive\" } }\n",
            "models.m.kind = \"extractive\"\n",
            "[models.other]\nkind = \"extractive\"\n",
            "not toml",
        ] {
            let refused = with_handling(text, "m", &handling(None)).unwrap_err();
            assert_eq!(refused.lines, "[models.m]\ncontract_markup = \"xml\"\n");
        }
        let inline = "[models.m]\nkind = \"extractive\"\nretry = { factor = 2 }\n";
        assert!(with_handling(inline, "m", &handling(Some(1))).is_err());
    }
}

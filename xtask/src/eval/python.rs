//! Calls as Python writes them, with literals for arguments:
//! `mv(source='a.txt', destination="b", force=True)`.

use anyhow::{Result, bail};
use serde_json::{Map, Number, Value};

/// Name and arguments; one without a name is called by its place.
pub(super) fn call(text: &str) -> Result<(String, Value)> {
    let mut reader = Reader { rest: text.trim() };
    let name = reader.name();
    if name.is_empty() || !reader.take('(') {
        bail!("`{text}` is no call");
    }
    let mut args = Map::new();
    while !reader.take(')') {
        let before = reader.rest;
        let word = reader.name();
        let named = !word.is_empty() && reader.take('=');
        if !named {
            reader.rest = before;
        }
        let value = reader.value()?;
        let key = if named {
            word
        } else {
            format!("arg{}", args.len())
        };
        args.insert(key, value);
        if !reader.take(',') && !reader.rest.trim_start().starts_with(')') {
            bail!("`{text}` breaks off at `{}`", reader.rest);
        }
    }
    Ok((name, Value::Object(args)))
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn name(&mut self) -> String {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
        let (name, rest) = rest.split_at(end.unwrap_or(rest.len()));
        self.rest = rest;
        name.to_owned()
    }

    fn take(&mut self, c: char) -> bool {
        match self.rest.trim_start().strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self) -> Result<Value> {
        let rest = self.rest.trim_start();
        match rest.chars().next() {
            Some(quote @ ('\'' | '"')) => self.string(quote).map(Value::String),
            Some('[') => self.list('[', ']'),
            Some('(') => self.list('(', ')'),
            Some('{') => self.dict(),
            _ => self.bare(),
        }
    }

    fn string(&mut self, quote: char) -> Result<String> {
        self.take(quote);
        let mut text = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, other)) => text.push(other),
                    None => break,
                },
                c if c == quote => {
                    self.rest = &self.rest[at + c.len_utf8()..];
                    return Ok(text);
                }
                c => text.push(c),
            }
        }
        bail!("a text without an end")
    }

    fn list(&mut self, open: char, close: char) -> Result<Value> {
        self.take(open);
        let mut all = Vec::new();
        while !self.take(close) {
            all.push(self.value()?);
            if !self.take(',') && !self.rest.trim_start().starts_with(close) {
                bail!("a list breaks off at `{}`", self.rest);
            }
        }
        Ok(Value::Array(all))
    }

    fn dict(&mut self) -> Result<Value> {
        self.take('{');
        let mut all = Map::new();
        while !self.take('}') {
            let key = match self.value()? {
                Value::String(text) => text,
                other => other.to_string(),
            };
            if !self.take(':') {
                bail!("a key without a value at `{}`", self.rest);
            }
            all.insert(key, self.value()?);
            if !self.take(',') && !self.rest.trim_start().starts_with('}') {
                bail!("a dict breaks off at `{}`", self.rest);
            }
        }
        Ok(Value::Object(all))
    }

    fn bare(&mut self) -> Result<Value> {
        let rest = self.rest.trim_start();
        let end = rest
            .find([',', ')', ']', '}', ':', ' '])
            .unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        Ok(match word {
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "None" => Value::Null,
            _ => match (word.parse::<i64>(), word.parse::<f64>()) {
                (Ok(whole), _) => Value::from(whole),
                (_, Ok(number)) => Number::from_f64(number).map_or(Value::Null, Value::Number),
                _ => bail!("`{word}` is no literal"),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn literals() {
        let (name, args) =
            call(r#"post(content='it\'s', tags=["ha", '#b'], n=-2, x=1.5, d={'k': True}, e=None)"#)
                .unwrap();
        assert_eq!(name, "post");
        assert_eq!(
            args,
            json!({"content": "it's", "tags": ["ha", "#b"], "n": -2, "x": 1.5, "d": {"k": true}, "e": null})
        );
        assert_eq!(call("ls()").unwrap(), ("ls".to_owned(), json!({})));
        assert_eq!(
            call("cd('x')").unwrap(),
            ("cd".to_owned(), json!({"arg0": "x"}))
        );
        assert!(call("cd(folder='x'").is_err());
        assert!(call("cd").is_err());
    }
}

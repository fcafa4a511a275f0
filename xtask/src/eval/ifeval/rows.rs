//! Recorded answers and verdicts, joined with the arguments of their
//! constraints by the prompt.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Map, Value};

use super::super::text;

/// One constraint on one answer.
pub(super) struct Row {
    pub(super) file: String,
    /// Line of the file, from 1.
    pub(super) line: usize,
    /// `en:keywords:existence`.
    pub(super) kind: String,
    pub(super) arguments: Map<String, Value>,
    pub(super) response: String,
    /// The verdict of the reference.
    pub(super) followed: bool,
}

const INPUT: &str = "_input_data.jsonl";

/// What a prompt asks: constraint types with their arguments.
type Asked = BTreeMap<String, Vec<(Vec<String>, Vec<Map<String, Value>>)>>;

/// All rows of a folder, and how many answers had to be left out.
pub(super) fn read(folder: &Path) -> Result<(Vec<Row>, usize)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    files.sort();
    let name = |path: &Path| {
        path.file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    };
    let is_input = |path: &&PathBuf| name(path).trim_end_matches(".gz").ends_with(INPUT);
    let mut asked = Asked::new();
    for path in files.iter().filter(is_input) {
        read_asked(path, &mut asked)?;
    }
    let (mut rows, mut left_out) = (Vec::new(), 0);
    for path in files.iter().filter(|path| !is_input(path)) {
        let name = name(path);
        if name.trim_end_matches(".gz").ends_with(".jsonl") {
            left_out += read_answers(path, &name, &asked, &mut rows)?;
        }
    }
    Ok((rows, left_out))
}

fn objects(path: &Path) -> Result<Vec<Value>> {
    let text = text(path)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            serde_json::from_str(line).with_context(|| format!("a line of {}", path.display()))
        })
        .collect()
}

fn strings(value: &Value) -> Vec<String> {
    let all = value.as_array().into_iter().flatten();
    all.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn read_asked(path: &Path, asked: &mut Asked) -> Result<()> {
    for object in objects(path)? {
        let Some(prompt) = object["prompt"].as_str() else {
            continue;
        };
        let arguments = object["kwargs"].as_array().into_iter().flatten();
        let mut arguments: Vec<Map<String, Value>> = arguments
            .map(|one| one.as_object().cloned().unwrap_or_default())
            .collect();
        let ids = strings(&object["instruction_id_list"]);
        // A constraint whose arguments are missing is one that is not covered.
        arguments.resize(ids.len(), Map::new());
        asked
            .entry(prompt.to_owned())
            .or_default()
            .push((ids, arguments));
    }
    Ok(())
}

fn read_answers(path: &Path, name: &str, asked: &Asked, rows: &mut Vec<Row>) -> Result<usize> {
    let mut left_out = 0;
    for (index, object) in objects(path)?.into_iter().enumerate() {
        let ids = strings(&object["instruction_id_list"]);
        let verdicts: Option<Vec<bool>> = object["follow_instruction_list"]
            .as_array()
            .and_then(|all| all.iter().map(Value::as_bool).collect());
        let of_prompt = object["prompt"]
            .as_str()
            .and_then(|prompt| asked.get(prompt));
        let arguments = of_prompt.and_then(|all| all.iter().find(|(own, _)| *own == ids));
        let verdicts = verdicts.filter(|verdicts| verdicts.len() == ids.len());
        let (Some(verdicts), Some((_, arguments))) = (verdicts, arguments) else {
            left_out += 1;
            continue;
        };
        let response = object["response"].as_str().unwrap_or_default();
        for ((kind, followed), arguments) in ids.into_iter().zip(verdicts).zip(arguments) {
            rows.push(Row {
                file: name.to_owned(),
                line: index + 1,
                kind,
                arguments: arguments.clone(),
                response: response.to_owned(),
                followed,
            });
        }
    }
    Ok(left_out)
}

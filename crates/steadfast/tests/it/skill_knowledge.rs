//! Search over a folder: relevance in both languages, places, and what is
//! skipped and said so.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use steadfast_core::event::skill::SkillFailure;

use crate::skill_calls::{builtin, call};

fn example() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/content-pipeline")
}

async fn search(base: &Path, args: Value) -> Value {
    builtin("search_knowledge", json!({}), base)
        .call(&call(args))
        .await
        .unwrap()
}

/// `source:line heading` of each reference.
fn places(result: &Value) -> Vec<String> {
    let references = result["references"].as_array().unwrap();
    let show = |one: &Value| format!("{}:{}", one["source"].as_str().unwrap(), one["line"]);
    references.iter().map(show).collect()
}

async fn first(keywords: Value) -> String {
    let result = search(&example(), json!({ "keywords": keywords, "count": 1 })).await;
    places(&result).pop().unwrap_or_default()
}

#[tokio::test]
async fn the_right_passage_comes_first_in_both_languages() {
    for (keywords, place) in [
        (json!(["审批", "参数"]), "approvals.zh.md:5"),
        (json!(["状态机", "子流程"]), "state-machine.zh.md:13"),
        (json!("长输入 稀释"), "context-budget.zh.md:5"),
        (json!(["irreversible", "timeouts"]), "idempotency.en.md:9"),
        (json!(["replaying", "hashes"]), "durable-log.en.md:13"),
        (
            json!(["Injected orders", "fence"]),
            "prompt-injection.en.md:13",
        ),
        (json!(["回归用例", "失败模式"]), "regression-cases.zh.txt:1"),
        (json!(["STEP_1", "extract_keywords"]), "contracts.zh.md:9"),
    ] {
        assert_eq!(first(keywords.clone()).await, place, "{keywords}");
    }
}

/// Words that are in no file find nothing, and that is a result.
#[tokio::test]
async fn nothing_found_is_a_result() {
    let result = search(&example(), json!({ "keywords": ["zebra", "斑马鱼"] })).await;
    assert_eq!(
        result,
        json!({ "references": [], "searched": 12, "skipped": [], "skipped_count": 0 })
    );
}

#[tokio::test]
async fn a_reference_names_its_place_and_quotes_it() {
    let folder = tempfile::tempdir().unwrap();
    let knowledge = folder.path().join("knowledge");
    fs::create_dir_all(knowledge.join("deep")).unwrap();
    fs::write(
        knowledge.join("deep/notes.md"),
        "# 笔记 Notes\n\nNothing here.\n\n## 幂等\n\n同一个键重复调用，\n只生效一次。\n\n### Keys\n\nA key is\nmade once.\n",
    )
    .unwrap();
    fs::write(knowledge.join("other.txt"), "Title line\n\nunrelated\n").unwrap();
    let result = search(
        folder.path(),
        json!({ "keywords": ["幂等", "键"], "count": 1 }),
    )
    .await;
    assert_eq!(
        result,
        json!({
            "references": [{
                "source": "deep/notes.md",
                "title": "笔记 Notes",
                "heading": "笔记 Notes › 幂等",
                "line": 7,
                "excerpt": "同一个键重复调用，只生效一次。",
                "score": result["references"][0]["score"],
            }],
            "searched": 2,
            "skipped": [],
            "skipped_count": 0,
        })
    );
    assert!(result["references"][0]["score"].as_f64().unwrap() > 0.0);
    let result = search(folder.path(), json!({ "keywords": "keys" })).await;
    assert_eq!(
        result["references"][0]["excerpt"],
        json!("A key is made once.")
    );
}

/// Each excerpt is within its bound, and its words stand in the file.
#[tokio::test]
async fn excerpts_are_quotations() {
    let result = search(
        &example(),
        json!({ "keywords": ["模型", "model", "校验", "check"], "count": 20 }),
    )
    .await;
    let references = result["references"].as_array().unwrap();
    assert!(references.len() > 10);
    let squeeze = |text: &str| text.split_whitespace().collect::<String>();
    for one in references {
        let excerpt = one["excerpt"].as_str().unwrap();
        let file = example()
            .join("knowledge")
            .join(one["source"].as_str().unwrap());
        let text = fs::read_to_string(file).unwrap();
        assert!(squeeze(&text).contains(&squeeze(excerpt)), "{excerpt}");
        assert!(excerpt.chars().count() <= 400, "{excerpt}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_named_and_the_order_is_fixed() {
    let folder = tempfile::tempdir().unwrap();
    let knowledge = folder.path().join("knowledge");
    fs::create_dir(&knowledge).unwrap();
    fs::write(folder.path().join("secret.md"), "secret word\n").unwrap();
    for name in ["b.md", "a.md", "c.TXT"] {
        fs::write(knowledge.join(name), "the same word\n").unwrap();
    }
    fs::write(knowledge.join("gbk.txt"), b"word \xd6\xd0\xce\xc4").unwrap();
    fs::write(knowledge.join("large.md"), "word ".repeat(300_000)).unwrap();
    fs::write(knowledge.join(".hidden.md"), "word").unwrap();
    fs::write(knowledge.join("image.png"), "word").unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path().join("secret.md"), knowledge.join("out.md"))
            .unwrap();
        std::os::unix::fs::symlink(&knowledge, knowledge.join("ring")).unwrap();
    }
    let result = search(folder.path(), json!({ "keywords": ["word", "secret"] })).await;
    assert_eq!(places(&result), ["a.md:1", "b.md:1", "c.TXT:1"]);
    assert_eq!(result["searched"], json!(3));
    #[cfg(unix)]
    assert_eq!(
        result["skipped"],
        json!([
            { "source": "gbk.txt", "reason": "not UTF-8 (at byte 5)" },
            { "source": "large.md", "reason": "it has 1500000 bytes, more than 1048576" },
            { "source": "out.md", "reason": "a link; links are not followed" },
            { "source": "ring", "reason": "a link; links are not followed" },
        ])
    );
    assert_eq!(
        result,
        search(folder.path(), json!({ "keywords": ["word", "secret"] })).await
    );
}

#[tokio::test]
async fn limits_and_empty_queries_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let knowledge = folder.path().join("knowledge");
    fs::create_dir(&knowledge).unwrap();
    let skill = builtin("search_knowledge", json!({}), folder.path());
    let error = skill
        .call(&call(json!({ "keywords": ["的", "the"] })))
        .await
        .unwrap_err();
    assert_eq!(error.message, "the keywords hold no word to search for");
    for n in 0..2_001 {
        fs::write(knowledge.join(format!("{n}.md")), "x").unwrap();
    }
    let error = skill
        .call(&call(json!({ "keywords": "x" })))
        .await
        .unwrap_err();
    assert_eq!(
        (error.class, error.message.as_str()),
        (
            SkillFailure::Reported,
            "the knowledge folder holds more than 2000 text files; split it"
        )
    );
    fs::remove_dir_all(&knowledge).unwrap();
    let error = skill
        .call(&call(json!({ "keywords": "x" })))
        .await
        .unwrap_err();
    assert!(
        error.message.contains("cannot be read: No such file"),
        "{}",
        error.message
    );
}

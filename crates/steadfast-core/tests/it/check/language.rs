//! Language of the prose, code and quotations aside.

use steadfast_core::ledger::Rule;

use super::verdict;

fn language(answer: &str, language: &str) -> String {
    let said = verdict(
        answer,
        &Rule::Language {
            language: language.to_owned(),
        },
    );
    said.split(", allowed")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// An answer wholly in Chinese breaks English; a Chinese quotation does not.
#[test]
fn r89_a_quotation_in_another_language_is_no_breach() {
    let chinese = "报告已经写好，主要结论如下。".repeat(15);
    assert_eq!(
        language(&chinese, "en"),
        "broken: 100 % of the prose in Chinese"
    );
    let quoting = "The minister said “我们将继续扩大对外开放” at the meeting, and the press wrote \
                   about it at length the next day.";
    assert_eq!(language(quoting, "en"), "kept");
    assert_eq!(
        language(quoting, "zh"),
        "broken: 100 % of the prose in English"
    );
}

/// A status summary in English breaks Chinese; identifiers, paths and quoted
/// errors within Chinese do not.
#[test]
fn r90_identifiers_and_quoted_errors_are_no_language() {
    let english = "I have updated the parser and added tests for all of the edge cases.\n\
                   - src/parser.rs\n- tests/parser.rs\n";
    assert_eq!(
        language(english, "zh"),
        "broken: 100 % of the prose in English"
    );
    let chinese = "已经在 `commit` 3f2a9c 中修改了 src/a.rs，之前的报错是 \"cannot borrow `x` as mutable \
                   more than once at a time\"，现在测试全部通过。\n\n```\nerror[E0499]: cannot borrow\n```\n";
    assert_eq!(language(chinese, "zh"), "kept");
    assert_eq!(
        language(chinese, "en"),
        "broken: 100 % of the prose in Chinese"
    );
}

#[test]
fn mixed_answers() {
    // Terms within sentences.
    let terms = "我们用 Kubernetes 部署 API gateway，再用 Prometheus 监控 latency。";
    assert_eq!(language(terms, "zh"), "kept");
    // Half and half breaks both.
    let half = "这是第一段，介绍了项目的背景、目标和主要的风险。\n\n\
                This is the second part, and it says what has been done and what is still open.\n";
    assert_eq!(language(half, "zh"), "broken: 54 % of the prose in English");
    assert_eq!(language(half, "en"), "broken: 45 % of the prose in Chinese");
    // A list of titles in a longer Chinese text.
    let titles = format!(
        "{}\n- Attention Is All You Need\n- Deep Residual Learning\n",
        "本文综述了近年来深度学习领域的若干重要工作，并对其影响作了比较。".repeat(3)
    );
    assert_eq!(language(&titles, "zh"), "kept");
}

#[test]
fn languages_of_one_script() {
    let spanish = "El informe está listo y lo puede ver en la carpeta que le hemos enviado.";
    assert_eq!(
        language(spanish, "en"),
        "broken: 100 % of the prose in Spanish"
    );
    assert_eq!(language(spanish, "es"), "kept");
    assert_eq!(
        language("レポートは完了しました。ご確認をお願いします。", "zh"),
        "broken: 100 % of the prose in Japanese"
    );
    assert_eq!(language("東京は日本の首都です。", "ja"), "kept");
}

#[test]
fn too_little_or_unknown_is_not_kept() {
    assert_eq!(
        language("Berlin", "en"),
        "not checked: too few words to tell"
    );
    assert_eq!(
        language("Something", "tlh"),
        "not checked: no rule here checks `tlh`"
    );
    // Nothing is written, so nothing is in another language.
    assert_eq!(language("42", "en"), "kept");
    // Code alone says nothing of the language; a whole answer in a fence does.
    assert_eq!(
        language("```rust\nlet total = 1;\n```", "zh"),
        "not checked: the answer does not name it in a form that is certain"
    );
    assert_eq!(
        language(
            "```markdown\nThe report is done and in the folder.\n```",
            "zh"
        ),
        "broken: 100 % of the prose in English"
    );
}

//! Each reader on mutated seeds, and on 1 MB of the worst that can be made for
//! its format.
//!
//! What goes up with the square of its input needs hours for a megabyte, so a
//! generous limit in time tells it from what does not, on any machine.

use std::time::{Duration, Instant};

/// Size of the worst inputs.
const WORST_BYTES: usize = 1_000_000;
/// For one reader on one of them.
const LIMIT: Duration = Duration::from_secs(120);
/// Mutants of each seed.
const MUTANTS: u64 = 400;

type Reader = fn(&[u8]);

/// SplitMix64: the same mutants in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        if n == 0 {
            0
        } else {
            usize::try_from(z % n as u64).unwrap()
        }
    }
}

/// Pieces that mean something to one of the formats.
const TOKENS: &[&[u8]] = &[
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"\n",
    b"\n\n",
    b"data: ",
    b"event: ",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"99999999999999999999",
    b"\\ud800",
    b"\\u0000",
    b"&a ",
    b"*a",
    b"<<: ",
    b"!!binary ",
    b"|",
    b">",
    b"---",
    b"#",
    b"\xff",
    b"\xe4\xbd",
    b"\xef\xbb\xbf",
    b"tool_calls",
    b"\"index\":18446744073709551615",
    b"[DONE]",
    b"S1",
    b"RETRY",
    b"result",
    b"? ",
    b"\r",
    b"\0",
];

fn mutant(seed: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len() + 1);
        match dice.below(6) {
            0 if !bytes.is_empty() => {
                let at = at.min(bytes.len() - 1);
                bytes[at] ^= 1 << dice.below(8);
            }
            1 => drop(bytes.drain(at..(at + dice.below(20)).min(bytes.len()).max(at))),
            2 => {
                let end = (at + dice.below(60)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = dice.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            3 => bytes.truncate(at),
            _ => {
                let token = TOKENS[dice.below(TOKENS.len())];
                bytes.splice(at..at, token.iter().copied());
            }
        }
    }
    bytes
}

/// A piece again and again, up to the size.
fn many(piece: &[u8]) -> Vec<u8> {
    piece
        .iter()
        .copied()
        .cycle()
        .take(WORST_BYTES / piece.len() * piece.len())
        .collect()
}

fn framed(before: &[u8], piece: &[u8], after: &[u8]) -> Vec<u8> {
    [before, &many(piece), after].concat()
}

/// What hurts readers of any kind.
fn worst() -> Vec<Vec<u8>> {
    let mut dice = Dice(42);
    let noise: Vec<u8> = (0..WORST_BYTES)
        .map(|_| u8::try_from(dice.below(256)).unwrap())
        .collect();
    vec![
        noise,
        many(b"["),
        many(b"{\"a\":"),
        many(b"[]"),
        many(b"a"),
        many(b"\n"),
        many(b" "),
        many(b"\""),
        many(b"\\"),
        many(b"9"),
        many(b"\xff"),
        many("汉".as_bytes()),
        many(b"\0"),
        many(b"\xef\xbb\xbf"),
        framed(b"\"", b"\\u0041", b"\""),
        framed(b"\"", b"a", b""),
        framed(b"[", b"0,", b"0]"),
        framed(b"{", b"\"a\":1,", b"\"a\":1}"),
    ]
}

fn hold(name: &str, read: Reader, seeds: &[&[u8]], own: Vec<Vec<u8>>) {
    let mut dice = Dice(7);
    for seed in seeds {
        read(seed);
        for _ in 0..MUTANTS {
            read(&mutant(seed, &mut dice));
        }
    }
    let grown = seeds.iter().map(|seed| many(seed));
    for (number, bytes) in worst().into_iter().chain(own).chain(grown).enumerate() {
        let began = Instant::now();
        read(&bytes);
        let took = began.elapsed();
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
        assert!(took < LIMIT, "{name}: {took:?} for input {number}: {start}");
    }
}

#[cfg(feature = "openai")]
#[test]
fn openai_streams() {
    let seeds: &[&[u8]] = &[
        b"data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hi \\u4f60\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"a\\\"\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\":1}\"}}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\ndata: [DONE]\n\n",
        b"{\"model\":\"m\",\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"message\":{\"role\":\"assistant\",\"content\":\"<think>x</think>y\",\"tool_calls\":null}}],\"usage\":{\"prompt_tokens\":1}}",
        b"data: {\"error\":{\"message\":\"no\",\"code\":429}}\n\n",
    ];
    let call = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"id\":\"x\",\"function\":{\"name\":\"a\",\"arguments\":\"1\"}}]}}]}\n\n";
    let own = vec![
        many(b"data: \n"),
        many(b"data: x\n"),
        many(b":\n\n"),
        framed(
            b"data: {\"choices\":[{\"delta\":{\"content\":\"",
            b"a",
            b"\"}}]}\n\n",
        ),
        many(b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"<think>\"}}]}\n\n"),
        framed(
            &many(call),
            b"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
            b"",
        ),
    ];
    hold("openai", super::openai_stream, seeds, own);
}

#[cfg(feature = "anthropic")]
#[test]
fn anthropic_streams() {
    let seeds: &[&[u8]] = &[
        b"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"c\",\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"look\",\"input\":{}}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":1}\"}}\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":9}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
        b"{\"id\":\"m\",\"model\":\"c\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}",
    ];
    let block = b"data: {\"type\":\"content_block_start\",\"index\":7,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n";
    let own = vec![
        many(b"event: ping\ndata: {\"type\":\"ping\"}\n\n"),
        many(block),
        many(b"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n"),
    ];
    hold("anthropic", super::anthropic_stream, seeds, own);
}

#[test]
fn logs_of_agents() {
    let seeds: &[&[u8]] = &[
        br#"{"id":"r","messages":[{"role":"user","content":"pay B-100 now"},{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"search","arguments":"{\"q\":\"B-100\"}"}}]},{"role":"tool","tool_call_id":"1","content":"{\"ok\":1}"},{"role":"assistant","content":"Paid."}]}"#,
        br#"[{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"draft","input":{"n":70}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x","is_error":true}]}]"#,
        b"{\"ts\":1.5,\"workflow\":\"w\",\"from\":\"S1\",\"to\":\"S2\",\"skill\":\"search\",\"result_hash\":\"x\"}\n{\"ts\":1.6,\"workflow\":\"w\",\"from\":\"S2\",\"to\":\"DONE\",\"skill\":\"check\",\"task\":\"t\"}\n",
        br#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b","name":"execute_tool search","startTimeUnixNano":"5","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":"search"}},{"key":"gen_ai.tool.call.arguments","value":{"stringValue":"{}"}}],"status":{"code":2}}]}]}]}"#,
    ];
    let own = vec![
        framed(b"{\"messages\":[", br#"{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"search","arguments":"{}"}}]},"#, b"{\"role\":\"user\",\"content\":\"x\"}]}"),
        framed(b"{\"messages\":[", br#"{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"nobody","arguments":"{\"a\":123}"}}]},"#, b"{\"role\":\"user\",\"content\":\"x\"}]}"),
        framed(b"{\"messages\":[{\"role\":\"user\",\"content\":\"", b"ab12 ", b"\"},{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"search\",\"arguments\":\"{\\\"q\\\":\\\"zz99\\\"}\"}}]}]}"),
        framed(b"[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"search\",\"arguments\":\"{\\\"q\\\":\\\"", b"ab12 ", b"\\\"}\"}}]}]"),
        many(b"{\"from\":\"S1\",\"to\":\"S2\",\"skill\":\"search\"}\n"),
        many(b"{\"from\":\"S1\",\"to\":\"S1_RETRY\",\"skill\":\"search\",\"task\":\"t\"}\n"),
        many(b"{\"from\":\"S2\",\"to\":\"S9\",\"skill\":\"draft\",\"workflow\":\"w\"}\n"),
        many(b"{\"role\":\"user\",\"content\":\"x\"}\n"),
        framed(b"[", br#"{"traceId":"a","name":"execute_tool search","attributes":{"gen_ai.tool.name":"search"}},"#, b"{}]"),
    ];
    hold("audit", super::audited, seeds, own);
}

#[test]
fn stored_logs() {
    let seeds: &[&[u8]] = &[
        br#"{"v":1,"seq":4,"ts":1700000000000000,"epoch":1,"source":{"type":"runtime"},"kind":"task_paused","body":{},"prev":"b3:0000000000000000000000000000000000000000000000000000000000000000"}"#,
        br#"{"v":1,"seq":5,"ts":1,"epoch":1,"source":{"type":"runtime"},"kind":"state_entered","body":{"to":{"state":"S1"}},"prev":"b3:0000000000000000000000000000000000000000000000000000000000000000"}"#,
        br#"{"v":99,"seq":5,"ts":1,"epoch":1,"source":{"type":"runtime"},"kind":"later","body":[[[]]],"prev":"b3:00"}"#,
    ];
    let own = vec![
        framed(br#"{"v":1,"seq":4,"ts":1,"epoch":1,"source":{"type":"runtime"},"kind":""#, b"x", br#"","body":{},"prev":"b3:0000000000000000000000000000000000000000000000000000000000000000"}"#),
        framed(br#"{"v":1,"seq":4,"ts":1,"epoch":1,"source":{"type":"runtime"},"kind":"task_paused","body":"#, b"[", b""),
    ];
    hold("log", super::log, seeds, own);
}

/// An export of a task that ran, by its lines.
async fn exported() -> Vec<Vec<u8>> {
    use std::sync::Arc;

    use steadfast_core::content::Salt;
    use steadfast_core::event::task::Window;
    use steadfast_core::task::Start;
    use steadfast_store::{MemoryLog, Takeover};

    let log = Arc::new(MemoryLog::new());
    let workflow = serde_json::json!({
        "workflow_id": "w", "initial_state": "A",
        "states": {"A": {"skill": "look", "on_success": "DONE"}},
        "skills": {"look": {"kind": "function", "effect": "read"}},
    });
    let start = Start {
        workflow: serde_json::from_value(workflow).unwrap(),
        principal: "ann".into(),
        input: "look at 汉字".to_owned(),
        documents: vec![("page".to_owned(), "a page".to_owned())],
        facts: std::collections::BTreeMap::new(),
        parent: None,
        window: Window {
            tokens: 16_000,
            output_tokens: 1_000,
        },
        budget: steadfast_core::budget::BudgetChange::default(),
    };
    let model = crate::model::Script::new().say("no").say("no").build();
    let skills = crate::skill::Skills::default();
    let driver = crate::driver::Driver::new(log.clone(), Arc::new(model), skills);
    let id = steadfast_core::id::TaskId::new("t");
    driver.start(&id, Salt([1; 32]), start).await.unwrap();
    driver.run(&id, Takeover::Force).await.unwrap();
    let mut bytes = Vec::new();
    let written = steadfast_store::transfer::export(log.as_ref(), &id, &mut bytes);
    written.await.unwrap();
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines.map(<[u8]>::to_vec).collect()
}

#[tokio::test]
async fn exports() {
    let lines = exported().await;
    assert!(lines.len() > 4, "it is an export");
    let whole = lines.concat();
    let read = steadfast_store::transfer::survey(|| Ok(whole.as_slice()));
    assert!(read.unwrap().is_whole(), "the seed is a sound one");
    let seeds: &[&[u8]] = &[&whole];
    let header = &lines[0];
    let mut own: Vec<Vec<u8>> = lines[1..]
        .iter()
        .map(|line| framed(header, line, b""))
        .collect();
    own.push(framed(header, b"{\"content\":\"b3:", b""));
    own.push(framed(header, b"[", b""));
    own.push(framed(header, b"\n", b""));
    hold("export", super::export, seeds, own);
}

#[test]
fn recordings_and_scripts() {
    let zeros = "0".repeat(64);
    let header = "{\"recording\":1,\"hash_alg\":\"blake3\",\"model\":\"m\"}\n";
    let call = format!(
        "{{\"key\":\"b3:{zeros}\",\"n\":0,\"outcome\":{{\"error\":{{\"class\":\"timeout\",\"message\":\"x\"}}}}}}\n"
    );
    let tape = format!("{header}{call}");
    assert!(crate::model::recorded::is_recording(tape.as_bytes()));
    let seeds: &[&[u8]] = &[
        tape.as_bytes(),
        b"- call: { skill: look, args: { a: 1 } }\n- say: All is paid.\n",
    ];
    let own = vec![
        framed(header.as_bytes(), call.as_bytes(), b""),
        framed(header.as_bytes(), b"{\"key\":", b""),
        many(b"- say: x\n"),
        many(b"- call: { skill: a }\n"),
    ];
    hold("replies", super::replies, seeds, own);
}

#[test]
fn settings_files() {
    let seeds: &[&[u8]] = &[
        b"model = \"m\"\n[providers.p]\nkind = \"openai\"\nkey = \"env:K\"\nheaders = { x-a = \"text:b\" }\nretry = { factor = 2 }\n[models.m]\nprovider = \"p\"\nprice = { input = 0.1, output = 2, currency = \"USD\" }\ncontract_markup = \"xml\"\n",
        b"[models.\"a.b\"]\nkind = \"scripted\"\nfile = 'x'\nparameters = { extra = { a = [1, 2] } }\n",
    ];
    let tables = |piece: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        for number in 0.. {
            text += &piece(number);
            if text.len() > WORST_BYTES {
                break;
            }
        }
        text.into_bytes()
    };
    let own = vec![
        tables(&|n| format!("[models.m{n}]\nkind = \"extractive\"\n")),
        tables(&|n| format!("[models.m{n}]\nprovider = \"gone\"\n")),
        tables(&|n| format!("unknown{n} = 1\n")),
        framed(b"model = \"", b"\\u0041", b"\"\n"),
        framed(b"", b"a.", b"a = 1\n"),
        framed(b"[models.m.parameters.extra]\na = ", b"[", b""),
        framed(b"a = ", b"{ a = ", b""),
    ];
    hold("settings", super::settings, seeds, own);
}

#[test]
fn workflow_files() {
    let seeds: &[&[u8]] = &[
        b"workflow_id: w\ninitial_state: S1\nstates:\n  S1: &s { skill: look, on_success: S2, on_failure: S1_RETRY, with: { a: \"receipts.S2\" } }\n  S2:\n    <<: *s\n    on_success: [{ when: \"result.ok\", to: DONE }, { to: S1 }]\nskills:\n  look: { kind: command, effect: read, input: { type: object }, config: { command: [./look] } }\n",
        br#"{"workflow_id":"w","initial_state":"S1","states":{"S1":{"skills":["a",{"skill":"b","requires":["a"]}],"on_success":"DONE"}},"guards":{"order":"observe"}}"#,
        b"skills:\n  no: { kind: function }\n  010: { description: \"1.10\" }\n",
    ];
    let mut laughs = b"a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_vec();
    for level in 1..40 {
        let line = format!(
            "a{level}: &a{level} [{}]\n",
            vec![format!("*a{}", level - 1); 9].join(", ")
        );
        laughs.extend_from_slice(line.as_bytes());
    }
    let states = |piece: &dyn Fn(usize) -> String| {
        let mut text = "workflow_id: w\ninitial_state: S0\nstates:\n".to_owned();
        for number in 0.. {
            text += &piece(number);
            if text.len() > WORST_BYTES {
                break;
            }
        }
        text.into_bytes()
    };
    let own = vec![
        laughs,
        many(b"- "),
        many(b"? "),
        many(b"a: &a [*a]\n"),
        many(b"&a "),
        many(b"!x "),
        many(b"{a: "),
        many(b"- - - -\n"),
        framed(b"a: |\n", b"  x\n", b""),
        framed(b"workflow_id: \"", b"\\x41", b"\""),
        many(b"%YAML 1.2\n"),
        many(b"--- a\n"),
        states(&|n| format!("  S{n}: {{ skill: a, on_success: S{} }}\n", n + 1)),
        states(&|n| format!("  S{n}: {{ skill: a, on_success: S0, skip_when: \"a.b.c == 1\" }}\n")),
        states(&|n| format!("  S{n}: {{ nonsense: 1 }}\n")),
    ];
    hold("workflow", super::workflow, seeds, own);
}

#[test]
fn schemas_and_arguments() {
    let seeds: &[&[u8]] = &[
        b"{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"type\":\"string\",\"pattern\":\"^(a+)+$\",\"maxLength\":9}}}\n{\"a\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"}",
        b"{\"$defs\":{\"n\":{\"properties\":{\"n\":{\"$ref\":\"#/$defs/n\"}}}},\"$ref\":\"#/$defs/n\"}\n{\"n\":{\"n\":{}}}",
        b"{\"anyOf\":[{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"enum\":[1,2]}},{\"not\":{}}]}\n[1,2,3]",
    ];
    let own = vec![
        framed(
            b"{\"type\":\"string\",\"pattern\":\"^(a|a)*$\"}\n\"",
            b"a",
            b"b\"",
        ),
        framed(
            b"{\"type\":\"string\",\"pattern\":\"^(a+)+\\\\1$\"}\n\"",
            b"a",
            b"b\"",
        ),
        framed(b"{\"uniqueItems\":true}\n[", b"[0],", b"0]"),
        framed(b"{\"items\":{\"type\":\"string\"}}\n[", b"1,", b"2]"),
        framed(b"{\"allOf\":[", b"{},", b"{}]}\n1"),
        framed(b"", b"{\"not\":", b"\n1"),
    ];
    hold("arguments", super::arguments, seeds, own);
}

#[test]
fn expressions() {
    let seeds: &[&[u8]] = &[
        b"has(receipts.S1) && receipts['S2/S1'].n > 3 || 'x' in facts\n{\"receipts\":{\"S1\":1},\"facts\":{\"x\":2}}",
        b"input.list.map(x, x * 2).filter(y, y > 1).size() > 0\n{\"input\":{\"list\":[1,2,3]}}",
        b"input.text.matches('^(a+)+$')\n{\"input\":{\"text\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"}}",
    ];
    let own = vec![
        framed(
            b"input.all(x, input.all(y, x == y))\n{\"input\":[",
            b"1,",
            b"1]}",
        ),
        framed(b"input.matches('^(a|a)*$')\n{\"input\":\"", b"a", b"b\"}"),
        many(b"a+"),
        many(b"!"),
        many(b"("),
        many(b"a.b."),
    ];
    hold("expression", super::expression, seeds, own);
}

#[test]
fn inputs_of_measurements() {
    let seeds: &[&[u8]] = &[
        "写一篇\n\"x\"\n{\"input\":\"a\",\"documents\":[\"f\",{\"name\":\"n\",\"text\":\"t\"}],\"kind\":\"k\"}\n".as_bytes(),
    ];
    hold(
        "inputs",
        super::inputs,
        seeds,
        vec![many(b"a\n"), many(b"{\"input\":\"a\"}\n")],
    );
}

/// What hurts readers of language.
fn wordy() -> Vec<Vec<u8>> {
    [
        "“a” ",
        "\"a\" ",
        "‘",
        "不超过500元，",
        "at most 1,200 words, ",
        "not ",
        "不",
        "五百",
        "1,",
        "5 万 ",
        "12/",
        "http://a.b/ ",
        "a@b.c ",
        "```\n",
        "```json\n{\"a\":1}\n```\n",
        "> a\n",
        "- a\n",
        "# a\n",
        "| a | b |\n",
        "A. ",
        "user: a\n",
        "改成英文。",
        "the user asked to send it. ",
        "<a ",
        "(",
        "（",
    ]
    .iter()
    .map(|piece| many(piece.as_bytes()))
    .collect()
}

#[test]
fn messages_of_users() {
    let seeds: &[&[u8]] = &[
        "改成英文，控制在 1500 字以内，不得对外发送。预算不超过五百元，只用官方来源。".as_bytes(),
        "Under 300 words, only cite gov sites, never publish; \"keep it long\" was her line. Just this once."
            .as_bytes(),
    ];
    hold("message", super::message, seeds, wordy());
}

#[test]
fn answers() {
    let seeds: &[&[u8]] = &[
        "```json\n{\"a\": [1, \"二\"]}\n```".as_bytes(),
        "# 标题\n\n见 https://www.gov.cn/a?b=c 与 [x](http://u@evil-gov.cn.example:80/)。"
            .as_bytes(),
        b"a,b\n\"c,\"\"d\",e\n<p>x</p>",
    ];
    hold("answer", super::answer, seeds, wordy());
}

/// Mutants alone: a megabyte of each kind is read in time that grows with it,
/// but takes minutes in a build for tests.
#[test]
fn summaries() {
    let seeds: &[&[u8]] = &[
        "预算不得超过 500 元。张三于 2026-03-01 批准。\n---\n预算约 500 元，李四批准。".as_bytes(),
        b"All 12 tests failed on v1.2; do not ship.\n---\nSome tests passed; the user asked to ship.",
    ];
    let mut dice = Dice(7);
    for seed in seeds {
        super::summary(seed);
        for _ in 0..MUTANTS {
            super::summary(&mutant(seed, &mut dice));
        }
    }
}

/// Each entry point has its target for cargo-fuzz, and each target its entry.
/// The targets themselves need a nightly compiler, so CI does not build them.
#[test]
fn each_reader_has_its_target() {
    let fuzz = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let names = |text: &str, before: &str, after: &str| {
        let rest = text.split(before).skip(1);
        let names = rest
            .filter_map(|rest| rest.split_once(after))
            .map(|(name, _)| name.to_owned());
        names.collect::<std::collections::BTreeSet<String>>()
    };
    let entries = names(include_str!("../fuzz.rs"), "\npub fn ", "(bytes: &[u8])");
    assert!(entries.len() >= 11, "{entries:?}");
    let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    assert_eq!(names(&manifest, "\n[[bin]]\nname = \"", "\""), entries);
    for name in entries {
        let target = fuzz.join("fuzz_targets").join(format!("{name}.rs"));
        let text = std::fs::read_to_string(&target).unwrap();
        let called = format!("fuzz_target!(|data: &[u8]| steadfast::fuzz::{name}(data));");
        assert!(text.contains(&called), "{}: {text}", target.display());
    }
}

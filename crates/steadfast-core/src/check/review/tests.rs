use super::*;

const ANSWER: &str = "Dear Sam,\n\nthe report is late because Kim is lazy.\n\nRegards";

fn asked() -> Vec<Asked> {
    let one = |id, text: &str| Asked {
        constraint: ConstraintId(id),
        text: text.to_owned(),
    };
    vec![one(1, "always be polite"), one(2, "blame nobody")]
}

fn verdicts(text: &str) -> Vec<Verdict> {
    let reply = Reply::say("judge", text);
    read(&reply, &asked(), ANSWER).into_values().collect()
}

fn unsure(because: Unclear) -> Verdict {
    Verdict::CannotTell { because }
}

#[test]
fn a_verdict_is_one_of_three_and_broken_rests_on_words() {
    let text = r#"{"verdicts":[
        {"constraint":"c1","verdict":"kept","quote":""},
        {"constraint":"c2","verdict":"broken","quote":"Kim is lazy"}]}"#;
    let start = ANSWER.find("Kim").expect("it stands there") as u64;
    let broken = Verdict::Broken {
        start,
        end: start + "Kim is lazy".len() as u64,
    };
    assert_eq!(verdicts(text), [Verdict::Kept, broken]);
    assert_eq!(
        verdicts(&format!("```json\n{text}\n```")),
        [Verdict::Kept, broken]
    );
}

#[test]
fn whatever_cannot_be_taken_at_its_word_is_never_kept() {
    use Unclear::{LeftOut, NoSuchWords, Said, Unreadable};
    let one = |verdict: &str, quote: &str| {
        format!(r#"{{"verdicts":[{{"constraint":"c1","verdict":"{verdict}","quote":"{quote}"}}]}}"#)
    };
    let both = |because| [unsure(because), unsure(LeftOut)];
    assert_eq!(verdicts(&one("cannot_tell", "")), both(Said));
    assert_eq!(verdicts(&one("broken", "Kim is stupid")), both(NoSuchWords));
    assert_eq!(verdicts(&one("broken", "")), both(NoSuchWords));
    assert_eq!(verdicts(&one("broken", " ")), both(NoSuchWords));
    for garbage in [
        "",
        "kept",
        "Both are kept.",
        "{}",
        "[]",
        r#"{"verdicts":{"c1":"kept"}}"#,
        r#"{"verdicts":[{"constraint":"c1","verdict":"yes","quote":""}]}"#,
        r#"{"verdicts":[{"constraint":"c1","verdict":"kept","quote":"","sure":true}]}"#,
        &one("kept", "")[1..],
    ] {
        assert_eq!(verdicts(garbage), [unsure(Unreadable); 2], "{garbage}");
    }
    // Two words about one constraint, and one about none that was asked.
    let twice = r#"{"verdicts":[
        {"constraint":"c1","verdict":"kept","quote":""},
        {"constraint":"c1","verdict":"broken","quote":"Kim"},
        {"constraint":"c9","verdict":"kept","quote":""}]}"#;
    assert_eq!(verdicts(twice), both(Unreadable));
}

#[test]
fn a_reply_that_was_cut_says_nothing() {
    let text = r#"{"verdicts":[{"constraint":"c1","verdict":"kept","quote":""}]}"#;
    for finish in [Finish::Length, Finish::ContentFilter, Finish::ToolCalls] {
        let reply = Reply {
            finish,
            ..Reply::say("judge", text)
        };
        let found: Vec<Verdict> = read(&reply, &asked(), ANSWER).into_values().collect();
        assert_eq!(found, [unsure(Unclear::Unreadable); 2]);
    }
}

#[test]
fn a_reviewer_sees_the_constraints_the_text_and_its_instructions() {
    let request = request(&asked(), ANSWER, "f00d");
    let texts: Vec<String> = request.messages.iter().map(Message::text).collect();
    assert_eq!(texts.len(), 2);
    assert!(texts[0].contains("</text f00d>"));
    assert_eq!(
        texts[1],
        format!(
            "The constraints:\n[{{\"constraint\":\"c1\",\"text\":\"always be polite\"}},\
             {{\"constraint\":\"c2\",\"text\":\"blame nobody\"}}]\n\n<text f00d>\n{ANSWER}\n</text f00d>"
        )
    );
    assert!(request.tools.is_empty());
    let names = &request.answer_schema["properties"]["verdicts"]["items"]["properties"];
    assert_eq!(names["constraint"]["enum"], json!(["c1", "c2"]));
}

#[test]
fn a_reviewer_is_spoken_to_in_the_language_of_the_constraints() {
    let asked = [Asked {
        constraint: ConstraintId(3),
        text: "语气要正式".to_owned(),
    }];
    let request = request(&asked, ANSWER, "f00d");
    assert!(request.messages[0].text().starts_with("请按约束逐条判断"));
}

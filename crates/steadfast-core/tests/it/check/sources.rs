//! Cited sources: hosts on the borders of labels, grades, invented ones.

use steadfast_core::check::{self, KnownSource, RETRIEVED};
use steadfast_core::ledger::Rule;
use steadfast_core::ledger::rule::{SourceMatch, SourceMode};

use super::{context, shown, verdict};

fn only(domains: &[&str]) -> Rule {
    let domains = domains
        .iter()
        .map(|name| SourceMatch::Domain((*name).to_owned()));
    Rule::Sources {
        mode: SourceMode::Allow,
        sources: domains.collect(),
    }
}

/// Hosts other than the allowed ones, however they look like them.
#[test]
fn r92_hosts_are_compared_label_by_label() {
    let rule = only(&["gov.example", "nih.example"]);
    for address in [
        "https://a.gov.example/x",
        "https://GOV.example:443/y",
        "http://ｇｏｖ。example/",
    ] {
        assert_eq!(
            verdict(&format!("见 {address} 。"), &rule),
            "kept",
            "{address}"
        );
    }
    for (address, host) in [
        ("https://gov.example.evil.test", "gov.example.evil.test"),
        ("https://notgov.example", "notgov.example"),
        ("http://evil.test/?u=gov.example", "evil.test"),
        ("https://gov.example@evil.test/x", "evil.test"),
        ("https:\\\\evil.test\\@gov.example", "evil.test"),
        ("https://evil-gov.example", "evil-gov.example"),
        ("https://gоv.example/", "xn--gv-fmc.example"),
        ("http://2130706433/gov.example", "127.0.0.1"),
        ("[gov.example](//evil.test/gov.example)", "evil.test"),
        ("www.evil.test", "www.evil.test"),
        ("evil.com/gov.example", "evil.com"),
    ] {
        let said = verdict(&format!("来源：{address}"), &rule);
        let wanted = format!(
            "broken: {host}, allowed citing only gov.example and below, nih.example and below"
        );
        assert_eq!(said.split(" @").next(), Some(wanted.as_str()), "{address}");
    }
}

#[test]
fn denied_hosts_by_name_too() {
    let rule = Rule::Sources {
        mode: SourceMode::Deny,
        sources: vec![SourceMatch::Domain("blog.example".to_owned())],
    };
    assert_eq!(
        verdict("据 me.blog.example 报道，……", &rule),
        "broken: me.blog.example, allowed not citing blog.example and below @1 “me.blog.example”"
    );
    assert_eq!(
        verdict(
            "According to myblog.example and https://x.test/blog.example.",
            &rule
        ),
        "kept"
    );
}

/// A report may cite only what was retrieved; gaps in the numbering are told.
#[test]
fn r93_invented_sources() {
    let known = ["https://a.test/1", "https://b.test/2?x=1"].map(|address| KnownSource {
        address: address.to_owned(),
        grades: vec![],
        retrieved: true,
    });
    let rule = Rule::Sources {
        mode: SourceMode::Allow,
        sources: vec![SourceMatch::Grade(RETRIEVED.to_owned())],
    };
    let judge = |answer: &str| shown(&check::check_rule(answer, &rule, &context(&known)));
    let good = "A [1]. B [2].\n\n[1] https://a.test/1/\n[2] http://b.test/2?x=1#part\n";
    assert_eq!(judge(good), "kept");
    let invented = "A [1]. B [2]. C [22].\n\n[1] https://a.test/1\n[2] https://b.test/2?x=1\n\
                    [22] https://example.com/made-up\n";
    assert_eq!(
        judge(invented),
        "broken: example.com; the numbering leaves out 3, 4, 5, 6, 7, allowed citing only \
         sources retrieved in this task @5 “https://example.com/made-up”"
    );
    // A number that is in no list.
    assert_eq!(
        judge("A [1]. C [3].\n\n[1] https://a.test/1\n"),
        "broken: [3], allowed citing only sources retrieved in this task @1 “[3]”"
    );
    // The same host is not the same source.
    assert!(judge("See https://a.test/other.").starts_with("broken"));
}

#[test]
fn grades_and_what_is_not_known() {
    let rule = Rule::Sources {
        mode: SourceMode::Allow,
        sources: vec![SourceMatch::Grade("official".to_owned())],
    };
    let known = [KnownSource {
        address: "stats.test".to_owned(),
        grades: vec!["official".to_owned()],
        retrieved: false,
    }];
    let judge = |answer: &str| shown(&check::check_rule(answer, &rule, &context(&known)));
    assert_eq!(judge("https://www.stats.test/a"), "kept");
    assert!(judge("https://other.test/a").starts_with("broken: other.test"));
    // No source carries the grade, so nobody can tell.
    assert_eq!(
        verdict("https://other.test/a", &rule),
        "not checked: no rule here checks `official`"
    );
    // Numbers without a list cite something, and it cannot be seen what.
    assert_eq!(
        verdict("As shown [1].", &only(&["gov.cn"])),
        "not checked: the answer does not name it in a form that is certain"
    );
}

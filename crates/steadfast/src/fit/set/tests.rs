use super::*;

fn file(group: &str, id: &str, input: &str, reason: Option<&str>, tags: &[&str]) -> File {
    File {
        path: format!("cases/{group}/{id}.yaml").into(),
        group: group.to_owned(),
        case: Case {
            case_id: id.to_owned(),
            input: input.to_owned(),
            expected_path: vec!["S1".to_owned()],
            added_reason: reason.map(str::to_owned),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..Case::default()
        },
    }
}

fn kinds(set: &Set) -> BTreeMap<Kind, usize> {
    Kind::ALL
        .into_iter()
        .map(|kind| (kind, set.of(kind)))
        .collect()
}

#[test]
fn a_full_tree_gives_ten_ten_five_five() {
    let mut files = Vec::new();
    for at in 0..20 {
        files.push(file("format", &format!("n{at}"), "写一段文字", None, &[]));
        files.push(file("leak", &format!("u{at}"), "快点写", None, &[]));
        files.push(file("order", &format!("o{at}"), "先查后写", None, &[]));
        let id = format!("p{at}");
        files.push(file("drift", &id, "Write it.", Some("2026-03"), &[]));
    }
    let set = minimal(&files, 1).unwrap();
    let expected = Kind::ALL.map(|kind| (kind, kind.wanted()));
    assert_eq!(kinds(&set), BTreeMap::from(expected));
    assert_eq!((set.members.len(), set.made()), (30, 0));
    assert_eq!(set.short(), []);
    let ids: BTreeSet<&str> = set
        .members
        .iter()
        .map(|one| one.file.case.case_id.as_str())
        .collect();
    assert_eq!(ids.len(), 30, "no case serves twice");
}

#[test]
fn a_tag_beats_what_the_words_say() {
    let files = [
        file("leak", "a", "快点写", None, &["normal"]),
        file("order", "b", "Write.", None, &["past"]),
        file("leak", "c", "Write.", None, &["adversarial"]),
    ];
    let set = minimal(&files, 1).unwrap();
    let of = |id: &str| {
        let member = set.members.iter().find(|one| one.file.case.case_id == id);
        member.map(|one| one.kind)
    };
    assert_eq!(of("a"), Some(Kind::Normal));
    assert_eq!(of("b"), Some(Kind::Past));
    assert_eq!(of("c"), Some(Kind::Adversarial));
}

/// Only tempting inputs are made up; the rest is told as missing.
#[test]
fn few_cases_are_filled_up_by_temptations_alone() {
    let files = [file("leak", "a", "把正文整理成短文", Some("2026"), &[])];
    let set = minimal(&files, 7).unwrap();
    assert_eq!(set, minimal(&files, 7).unwrap());
    assert_ne!(set, minimal(&files, 8).unwrap());
    assert_eq!((set.of(Kind::Past), set.made()), (1, 10));
    assert_eq!(set.short().len(), 3);
    for member in set.members.iter().filter(|one| one.made_from.is_some()) {
        assert!(member.file.case.input.contains("把正文整理成短文"));
        assert_eq!(member.file.case.expected_path, ["S1"]);
    }
}

/// Its own script would answer in the place of the model that is tried.
#[test]
fn the_model_of_a_case_stays_out() {
    let mut one = file("leak", "a", "写", None, &[]);
    one.case.model = Some(crate::cases::ModelSpec::Named("extractive".to_owned()));
    one.case.repeats = Some(9);
    let set = minimal(&[one], 1).unwrap();
    let case = &set.members.last().unwrap().file.case;
    assert_eq!((&case.model, case.repeats), (&None, None));
}

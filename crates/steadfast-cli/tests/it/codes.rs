//! Every error code that stands in the workspace's sources has a page, every
//! page a code, and each page says what it must.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// String literals of a capital letter and four digits.
fn codes_in(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split('"')
        .filter(|word| {
            let bytes = word.as_bytes();
            bytes.len() == 5
                && bytes[0].is_ascii_uppercase()
                && bytes[1..].iter().all(u8::is_ascii_digit)
        })
        .map(str::to_owned)
}

fn sources(folder: &Path, codes: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, codes);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            codes.extend(codes_in(&std::fs::read_to_string(&path).unwrap()));
        }
    }
}

fn all_codes() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let source = entry.unwrap().path().join("src");
        if source.is_dir() {
            sources(&source, &mut codes);
        }
    }
    codes
}

fn pages() -> BTreeSet<String> {
    let entries = std::fs::read_dir(root().join("docs/errors")).unwrap();
    let stem = |path: PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    entries.map(|entry| stem(entry.unwrap().path())).collect()
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let (codes, pages) = (all_codes(), pages());
    // The scan is only worth something if it finds what is known to be there.
    for known in steadfast_store::CODES
        .iter()
        .copied()
        .chain(["C0001", "G0015", "T0008", "W0001"])
    {
        assert!(
            codes.contains(known),
            "{known} was not found in the sources"
        );
    }
    let missing: Vec<&String> = codes.difference(&pages).collect();
    let stray: Vec<&String> = pages.difference(&codes).collect();
    assert!(
        missing.is_empty() && stray.is_empty(),
        "without a page: {missing:?}; without a code: {stray:?}"
    );
}

#[test]
fn every_page_says_what_it_must() {
    for code in pages() {
        let page =
            std::fs::read_to_string(root().join("docs/errors").join(format!("{code}.md"))).unwrap();
        assert!(page.starts_with(&format!("# {code}")), "{code}: its title");
        for part in ["**Meaning.**", "**Cause.**", "**What to do.**"] {
            assert!(page.contains(part), "{code}: {part}");
        }
    }
}

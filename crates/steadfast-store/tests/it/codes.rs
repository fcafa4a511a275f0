//! Every error code has its page, and every page its code.

use std::collections::BTreeSet;
use std::path::Path;

use steadfast_store::CODES;

#[test]
fn every_code_has_a_page() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    let found: BTreeSet<String> = std::fs::read_dir(&pages)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('L'))
        .collect();
    let expected: BTreeSet<String> = CODES.iter().map(|code| format!("{code}.md")).collect();
    assert_eq!(found, expected);
    for code in CODES {
        let text = std::fs::read_to_string(pages.join(format!("{code}.md"))).unwrap();
        assert!(text.starts_with(&format!("# {code}")), "{code}");
        assert!(text.contains("**What to do.**"), "{code}");
    }
}

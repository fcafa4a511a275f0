//! `fidelity`: the pair that differs with its places, and the exit code.

use expect_test::expect;

use crate::harness::Case;

#[test]
fn the_pair_has_its_places() {
    let case = Case::new();
    case.write("source.md", "报告已导出。\n预算不得超过 500 元。\n");
    case.write("good.md", "预算不超过 500 元，报告已导出。\n");
    case.write("bad.md", "报告已导出。\n预算约 500 元。\n");
    case.check(
        &["fidelity", "source.md", "good.md"],
        expect![[r#"
            exit 0
            --- stderr
            good.md: 1 claims, 0 findings
        "#]],
    );
    case.check(
        &["fidelity", "source.md", "bad.md"],
        expect![[r#"
            exit 3
            --- stdout
            bound: another bound on the number
              bad.md:2:3: 约 500 元
              source.md:2:3: 不得超过 500 元
            --- stderr
            bad.md: 2 claims, 1 findings
        "#]],
    );
}

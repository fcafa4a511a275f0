//! The encoder against its reference. Needs the fetched files; without them
//! each test says so and passes over.

use std::path::PathBuf;

use steadfast_recall::encoder::{DIMENSIONS, Encoder, Unreadable};

/// The folder with `weights.npz` and `sp.model`.
const FOLDER: &str = "STEADFAST_ENCODER";

#[allow(clippy::print_stderr, reason = "a passed-over test says so")]
fn fetched() -> Option<Encoder> {
    let folder = std::env::var_os(FOLDER).map(PathBuf::from);
    let Some(folder) = folder else {
        eprintln!("skipped: {FOLDER} does not name a folder with the encoder's files");
        return None;
    };
    Some(Encoder::open(&folder).expect("the folder holds the encoder"))
}

/// First numbers as the reference implementation in Python (version 0.2.1 of
/// the package that carries the weights) gives them, rounded to four places.
#[test]
fn agrees_with_the_reference() {
    let Some(encoder) = fetched() else { return };
    let expected: [(&str, [f32; 6]); 5] = [
        (
            "The customer's address is missing.",
            [-0.0634, -0.0247, -0.0764, 0.003, -0.0421, -0.0139],
        ),
        (
            "用户所在的城市是上海。",
            [-0.0496, -0.0389, -0.0136, 0.0623, 0.0522, -0.0836],
        ),
        (
            "deploy   the release ½ ﬁx 2026-11-30",
            [0.0576, -0.0449, 0.0626, 0.0071, -0.1009, 0.0052],
        ),
        ("", [0.1521, 0.0314, 0.0396, 0.0355, 0.0067, -0.0049]),
        ("城市", [0.1119, -0.0341, 0.0557, 0.0415, 0.022, -0.0572]),
    ];
    for (text, first) in expected {
        let vector = encoder.encode(text);
        assert_eq!(vector.len(), DIMENSIONS);
        for (got, wanted) in vector.iter().zip(first) {
            assert!((got - wanted).abs() < 2e-4, "{text}: {got} for {wanted}");
        }
        let length: f32 = vector.iter().map(|v| v * v).sum();
        assert!((length - 1.0).abs() < 1e-4, "{text}: length {length}");
    }
}

#[test]
fn meaning_across_languages() {
    let Some(encoder) = fetched() else { return };
    let cosine = |a: &str, b: &str| -> f32 {
        let (a, b) = (encoder.encode(a), encoder.encode(b));
        a.iter().zip(&b).map(|(x, y)| x * y).sum()
    };
    let query = "用户的地址";
    let near = cosine(query, "the city where the customer lives");
    let far = cosine(query, "the build failed with a syntax error");
    assert!(near > far + 0.1, "{near} and {far}");
}

#[test]
fn a_folder_without_the_files() {
    let error = Encoder::open(&PathBuf::from("/nowhere")).expect_err("there is nothing");
    assert!(matches!(error, Unreadable::File { .. }), "{error}");
}

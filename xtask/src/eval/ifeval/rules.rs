//! The constraint types of the sets as typed rules. A type, an argument or a
//! relation that is not known here is not covered, and counted so.

use serde_json::{Map, Value};
use steadfast::core::ledger::Rule;
use steadfast::core::ledger::rule::{Bound, Format, LengthUnit, LetterCase, Matching, Part};

/// The rules that together say what a constraint asks; each must be kept.
pub(super) fn of(language: &str, kind: &str, arguments: &Map<String, Value>) -> Option<Vec<Rule>> {
    if !matches!(language, "en" | "es") {
        return None;
    }
    let asked = Arguments(arguments);
    let structure = |part, bound| vec![Rule::Structure { part, bound }];
    Some(match kind {
        "keywords:existence" => asked.phrases("keywords", &Bound::at_least(1), false)?,
        "keywords:forbidden_words" => asked.phrases("forbidden_words", &Bound::at_most(0), true)?,
        "keywords:frequency" => {
            let bound = asked.bound("relation", "frequency")?;
            vec![phrase(asked.text("keyword")?, bound, false)]
        }
        "keywords:letter_frequency" => vec![Rule::Letters {
            letters: asked.text("letter")?.to_owned(),
            bound: asked.bound("let_relation", "let_frequency")?,
        }],
        "language:response_language" => vec![Rule::Language {
            language: asked.text("language")?.to_owned(),
        }],
        "length_constraints:number_sentences" => {
            asked.length(LengthUnit::Sentences, "num_sentences")?
        }
        "length_constraints:number_words" => asked.length(LengthUnit::Words, "num_words")?,
        "length_constraints:number_paragraphs" => vec![Rule::Length {
            unit: LengthUnit::Paragraphs,
            bound: Bound::exactly(asked.count("num_paragraphs")?),
        }],
        "length_constraints:nth_paragraph_first_word" => vec![Rule::ParagraphStart {
            paragraph: u32::try_from(asked.count("nth_paragraph")?).ok()?,
            paragraphs: u32::try_from(asked.count("num_paragraphs")?).ok(),
            word: asked.text("first_word")?.to_owned(),
        }],
        "detectable_content:number_placeholders" => structure(
            Part::Placeholders,
            Bound::at_least(asked.count("num_placeholders")?),
        ),
        "detectable_content:postscript" => {
            let marker = asked.text("postscript_marker")?.to_owned();
            structure(Part::Postscript { marker }, Bound::at_least(1))
        }
        "detectable_format:number_bullet_lists" => {
            structure(Part::Bullets, Bound::exactly(asked.count("num_bullets")?))
        }
        "detectable_format:number_highlighted_sections" => structure(
            Part::Highlights,
            Bound::at_least(asked.count("num_highlights")?),
        ),
        "detectable_format:multiple_sections" => {
            let marker = Some(asked.text("section_spliter")?.to_owned());
            structure(
                Part::Sections { marker },
                Bound::at_least(asked.count("num_sections")?),
            )
        }
        "detectable_format:constrained_response" => vec![Rule::OneOf {
            options: options(language),
        }],
        "detectable_format:json_format" => vec![Rule::Format {
            format: Format::Json { schema: None },
        }],
        "detectable_format:title" => structure(Part::Title, Bound::at_least(1)),
        "combination:two_responses" => structure(Part::Responses, Bound::exactly(2)),
        "combination:repeat_prompt" => vec![Rule::Repeat {
            text: asked.text("prompt_to_repeat")?.to_owned(),
        }],
        "startend:end_checker" => vec![Rule::EndsWith {
            text: asked.text("end_phrase")?.to_owned(),
        }],
        "startend:quotation" => vec![Rule::Quoted],
        "change_case:capital_word_frequency" => vec![Rule::CapitalWords {
            bound: asked.bound("capital_relation", "capital_frequency")?,
        }],
        "change_case:english_capital" | "change_case:spanish_capital" => {
            case(LetterCase::Upper, language)
        }
        "change_case:english_lowercase" | "change_case:spanish_lowercase" => {
            case(LetterCase::Lower, language)
        }
        "punctuation:no_comma" => vec![Rule::Punctuation {
            marks: ",".to_owned(),
            bound: Bound::at_most(0),
        }],
        "punctuation:question_marks" => structure(Part::Questions, Bound::at_least(1)),
        "punctuation:exclamation_marks" => structure(Part::Exclamations, Bound::at_least(1)),
        "special_character:enie" => words_with("ñ", Bound::exactly(asked.count("let_frequency")?)),
        "special_character:dieresis" => {
            words_with("ü", Bound::exactly(asked.count("let_frequency")?))
        }
        "special_character:tildes" => words_with("áéíóú", asked.bound("relation", "num_words")?),
        _ => return None,
    })
}

/// The answers that the sets allow where they ask for one of a few.
fn options(language: &str) -> Vec<String> {
    let options: &[&str] = match language {
        "es" => &["Sí.", "No.", "Quizás."],
        _ => &[
            "My answer is yes.",
            "My answer is no.",
            "My answer is maybe.",
        ],
    };
    options.iter().map(|option| (*option).to_owned()).collect()
}

fn case(case: LetterCase, language: &str) -> Vec<Rule> {
    let language = language.to_owned();
    vec![Rule::Case { case }, Rule::Language { language }]
}

fn words_with(letters: &str, bound: Bound<u64>) -> Vec<Rule> {
    let letters = letters.to_owned();
    vec![Rule::WordsWithLetters { letters, bound }]
}

fn phrase(text: &str, bound: Bound<u64>, whole_words: bool) -> Rule {
    let matching = Matching {
        case_sensitive: false,
        whole_words,
    };
    Rule::Phrase {
        text: text.trim().to_owned(),
        bound,
        matching,
    }
}

/// The arguments of one constraint.
struct Arguments<'a>(&'a Map<String, Value>);

impl Arguments<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    fn count(&self, name: &str) -> Option<u64> {
        let value = self.0.get(name)?;
        // Some sets write whole numbers as `3.0`.
        let whole = || {
            let value = value.as_f64().filter(|value| value.fract() == 0.0)?;
            format!("{value:.0}").parse::<u64>().ok()
        };
        value.as_u64().or_else(whole)
    }

    /// A bound of a relation in words and a number.
    fn bound(&self, relation: &str, number: &str) -> Option<Bound<u64>> {
        let number = self.count(number)?;
        Some(match self.text(relation)?.trim().to_lowercase().as_str() {
            "at least" | "al menos" | "como mínimo" => Bound::at_least(number),
            "at most" | "como máximo" | "no more than" => Bound::at_most(number),
            "less than" | "menos de" | "fewer than" => Bound::less_than(number),
            "more than" | "más de" => Bound::more_than(number),
            "exactly" | "exactamente" => Bound::exactly(number),
            _ => return None,
        })
    }

    fn length(&self, unit: LengthUnit, number: &str) -> Option<Vec<Rule>> {
        let bound = self.bound("relation", number)?;
        Some(vec![Rule::Length { unit, bound }])
    }

    fn phrases(&self, name: &str, bound: &Bound<u64>, whole_words: bool) -> Option<Vec<Rule>> {
        let all = self.0.get(name)?.as_array()?;
        all.iter()
            .map(|one| Some(phrase(one.as_str()?, bound.clone(), whole_words)))
            .collect()
    }
}

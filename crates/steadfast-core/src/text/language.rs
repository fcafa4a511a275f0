//! Which language a text is in: by script, and within a script by its commonest
//! small words and its own letters.
//!
//! Own statistics and no crate: the usual ones rank trigrams through hash maps
//! whose order differs from run to run. For the languages that share the Latin
//! script a few words of evidence are asked for; with less, the answer is that
//! it is not known. Names, paths and identifiers count for no language.

mod words;

use words::{Family, LATIN};

/// What a text is written in, by counted letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scripts {
    pub han: u32,
    pub kana: u32,
    pub hangul: u32,
    /// Words, in scripts that part them by blanks.
    pub latin: u32,
    pub cyrillic: u32,
    pub arabic: u32,
    pub devanagari: u32,
    /// Letters of any other script, and of which language that is.
    pub other: u32,
    pub other_language: Option<&'static str>,
}

/// A Latin word says about as much as one and a half Han characters.
const WORD_WEIGHT: u32 = 3;
const HAN_WEIGHT: u32 = 2;

/// A script, as far as languages are told apart by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Script {
    /// Han with or without kana.
    EastAsian,
    Hangul,
    Latin,
    Cyrillic,
    Arabic,
    Devanagari,
    Other,
}

impl Scripts {
    pub fn of(text: &str) -> Scripts {
        let mut found = Scripts::default();
        for chunk in text.split(char::is_whitespace) {
            found.add_chunk(chunk);
        }
        found
    }

    /// A chunk between blanks. Chinese stands next to names of code without a
    /// blank, so its ASCII parts are looked at by themselves.
    fn add_chunk(&mut self, chunk: &str) {
        let mut before = None;
        let mut rest = chunk;
        while !rest.is_empty() {
            let ascii = rest.bytes().take_while(u8::is_ascii).count();
            let end = if ascii > 0 {
                ascii
            } else {
                rest.find(|c: char| c.is_ascii()).unwrap_or(rest.len())
            };
            let (part, behind) = rest.split_at(end);
            rest = behind;
            if is_identifier(part) {
                before = None;
            } else {
                self.add_letters(part, &mut before);
            }
        }
    }

    fn add_letters(&mut self, part: &str, before: &mut Option<Script>) {
        for c in part.chars() {
            let script = script_of(c);
            // A word counts once, where it begins.
            let begins = *before != script;
            match script {
                Some(Script::EastAsian) if is_kana(c) => self.kana += 1,
                Some(Script::EastAsian) => self.han += 1,
                Some(Script::Hangul) => self.hangul += 1,
                Some(Script::Latin) if begins => self.latin += 1,
                Some(Script::Cyrillic) if begins => self.cyrillic += 1,
                Some(Script::Arabic) if begins => self.arabic += 1,
                Some(Script::Devanagari) if begins => self.devanagari += 1,
                Some(Script::Other) => {
                    self.other += 1;
                    self.other_language = self.other_language.or_else(|| single(c));
                }
                _ => {}
            }
            let joins = matches!(c, '\'' | '’' | '-') || is_combining(c);
            if !joins {
                *before = script;
            }
        }
    }

    pub fn add(&mut self, other: &Scripts) {
        self.han += other.han;
        self.kana += other.kana;
        self.hangul += other.hangul;
        self.latin += other.latin;
        self.cyrillic += other.cyrillic;
        self.arabic += other.arabic;
        self.devanagari += other.devanagari;
        self.other += other.other;
        self.other_language = self.other_language.or(other.other_language);
    }

    /// How much stands in one script, in units in which scripts compare.
    pub fn weight(&self, script: Script) -> u32 {
        let (count, weight) = match script {
            Script::EastAsian => (self.han + self.kana, HAN_WEIGHT),
            Script::Hangul => (self.hangul, HAN_WEIGHT),
            Script::Latin => (self.latin, WORD_WEIGHT),
            Script::Cyrillic => (self.cyrillic, WORD_WEIGHT),
            Script::Arabic => (self.arabic, WORD_WEIGHT),
            Script::Devanagari => (self.devanagari, WORD_WEIGHT),
            Script::Other => (self.other, 1),
        };
        count.saturating_mul(weight)
    }

    pub fn total(&self) -> u32 {
        ALL.iter().map(|script| self.weight(*script)).sum()
    }

    /// The script of most of it; none where there are no letters.
    pub fn main(&self) -> Option<Script> {
        let most = ALL.iter().max_by_key(|script| self.weight(**script))?;
        (self.weight(*most) > 0).then_some(*most)
    }
}

const ALL: [Script; 7] = [
    Script::EastAsian,
    Script::Hangul,
    Script::Latin,
    Script::Cyrillic,
    Script::Arabic,
    Script::Devanagari,
    Script::Other,
];

/// Paths, addresses, names of variables and the like. Chinese text comes in
/// long chunks too, so only ASCII ones are asked.
fn is_identifier(chunk: &str) -> bool {
    if !chunk.is_ascii() {
        return false;
    }
    let inner = chunk.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let marks = ['_', '/', '\\', '@', '=', '{', '<', '(', '#'];
    let dotted = inner.split_once('.').is_some_and(|(before, after)| {
        before.len() > 1 && after.starts_with(|c: char| c.is_ascii_alphanumeric())
    });
    inner.contains(marks)
        || dotted
        || inner.bytes().any(|b| b.is_ascii_digit())
        || inner.contains("::")
}

fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}')
}

fn is_combining(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

fn script_of(c: char) -> Option<Script> {
    match c {
        'a'..='z' | 'A'..='Z' | '\u{aa}' | '\u{ba}' => Some(Script::Latin),
        '\u{c0}'..='\u{24f}' if !matches!(c, '×' | '÷') => Some(Script::Latin),
        '\u{1e00}'..='\u{1eff}' => Some(Script::Latin),
        '\u{3005}'..='\u{3007}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => Some(Script::EastAsian),
        _ if is_kana(c) && !matches!(c, '・' | 'ー' | '゛' | '゜') => Some(Script::EastAsian),
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => {
            Some(Script::Hangul)
        }
        '\u{400}'..='\u{52f}' => Some(Script::Cyrillic),
        '\u{620}'..='\u{64a}' | '\u{66e}'..='\u{6d5}' | '\u{750}'..='\u{77f}' => {
            Some(Script::Arabic)
        }
        '\u{900}'..='\u{963}' => Some(Script::Devanagari),
        _ if single(c).is_some() => Some(Script::Other),
        _ => None,
    }
}

/// The language of a script that, for us, has one.
fn single(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{370}'..='\u{3ff}' => "el",
        '\u{531}'..='\u{587}' => "hy",
        '\u{5d0}'..='\u{5ea}' => "he",
        '\u{980}'..='\u{9ff}' => "bn",
        '\u{a00}'..='\u{a7f}' => "pa",
        '\u{a80}'..='\u{aff}' => "gu",
        '\u{b80}'..='\u{bff}' => "ta",
        '\u{c00}'..='\u{c7f}' => "te",
        '\u{c80}'..='\u{cff}' => "kn",
        '\u{d00}'..='\u{d7f}' => "ml",
        '\u{d80}'..='\u{dff}' => "si",
        '\u{e00}'..='\u{e7f}' => "th",
        '\u{e80}'..='\u{eff}' => "lo",
        '\u{1000}'..='\u{109f}' => "my",
        '\u{10a0}'..='\u{10ff}' => "ka",
        '\u{1780}'..='\u{17ff}' => "km",
        _ => return None,
    })
}

/// The script that a language is written in; none for one that is not known
/// here.
pub fn script(language: &str) -> Option<Script> {
    Some(match primary(language) {
        "zh" | "ja" => Script::EastAsian,
        "ko" => Script::Hangul,
        "ru" | "uk" | "bg" => Script::Cyrillic,
        "ar" | "fa" | "ur" => Script::Arabic,
        "hi" | "mr" | "ne" => Script::Devanagari,
        "el" | "hy" | "he" | "bn" | "pa" | "gu" | "ta" | "te" | "kn" | "ml" | "si" | "th"
        | "lo" | "my" | "ka" | "km" => Script::Other,
        other => {
            LATIN.iter().find(|profile| profile.tag == other)?;
            Script::Latin
        }
    })
}

/// `zh` of `zh-Hans-CN`.
pub fn primary(tag: &str) -> &str {
    tag.split(['-', '_']).next().unwrap_or(tag)
}

/// The language of a text; none where there is too little to tell.
pub fn detect(text: &str) -> Option<&'static str> {
    let scripts = Scripts::of(text);
    match scripts.main()? {
        Script::EastAsian => Some(east_asian(&scripts)),
        Script::Hangul => Some("ko"),
        Script::Other => scripts.other_language,
        Script::Latin => best(Family::Latin, text),
        Script::Cyrillic => best(Family::Slavic, text).or(Some("ru")),
        Script::Arabic => Some(arabic(text)),
        Script::Devanagari => Some(devanagari(text)),
    }
}

/// Japanese has a kana for every few Han characters; a Chinese text may name
/// one.
pub(crate) fn east_asian(scripts: &Scripts) -> &'static str {
    if scripts.kana * 8 > scripts.han {
        "ja"
    } else {
        "zh"
    }
}

fn arabic(text: &str) -> &'static str {
    let has = |letters: &str| text.chars().filter(|c| letters.contains(*c)).count();
    let (urdu, persian) = (has("ٹڈڑںےھہ"), has("پچژگکی"));
    if urdu * 40 > text.chars().count() {
        "ur"
    } else if persian * 40 > text.chars().count() {
        "fa"
    } else {
        "ar"
    }
}

fn devanagari(text: &str) -> &'static str {
    let count = |words: &[&str]| {
        let all = text.split(|c: char| c.is_whitespace() || c == '।');
        all.filter(|word| words.contains(word)).count()
    };
    let hindi = count(&[
        "है",
        "हैं",
        "के",
        "का",
        "की",
        "में",
        "से",
        "और",
        "को",
        "पर",
        "यह",
        "कि",
    ]);
    let marathi = count(&[
        "आहे",
        "आहेत",
        "आणि",
        "व",
        "या",
        "ही",
        "हे",
        "तर",
        "नाही",
        "मध्ये",
    ]);
    let nepali = count(&[
        "छ",
        "छन्",
        "र",
        "हो",
        "पनि",
        "लागि",
        "गर्न",
        "हुन्छ",
        "यो",
        "भएको",
    ]);
    // A letter that Hindi and Nepali write in names at most.
    let marathi = marathi + text.matches('ळ').count();
    if marathi > hindi && marathi >= nepali {
        "mr"
    } else if nepali > hindi {
        "ne"
    } else {
        "hi"
    }
}

/// How much speaks for each language of a family, in words.
fn evidence(family: Family, text: &str) -> Vec<u32> {
    let mut scores = vec![0_u32; family.profiles().len()];
    let lower = text.to_lowercase();
    for word in lower.split(|c: char| !c.is_alphabetic() && !is_combining(c)) {
        if !word.is_empty() && word.len() <= WORD_BYTES_MAX {
            family.add(word, &mut scores);
        }
    }
    scores
}

/// A longer one is no word.
const WORD_BYTES_MAX: usize = 64;

/// The language that most speaks for; the first of equals.
fn best(family: Family, text: &str) -> Option<&'static str> {
    let scores = evidence(family, text);
    let top = leader(&scores, None)?;
    (scores[top] > 0).then(|| family.profiles()[top].tag)
}

/// The place of the highest score, one left out.
fn leader(scores: &[u32], without: Option<usize>) -> Option<usize> {
    let all = (0..scores.len()).filter(|index| Some(*index) != without);
    all.max_by_key(|index| (scores[*index], scores.len() - index))
}

/// What speaks for `language` and the most that speaks for another of its
/// script, with that one's tag. None for a language without a table.
pub(crate) fn duel(language: &str, text: &str) -> Option<(u32, u32, &'static str)> {
    let language = primary(language);
    let family = match script(language)? {
        Script::Latin => Family::Latin,
        Script::Cyrillic => Family::Slavic,
        _ => return None,
    };
    let scores = evidence(family, text);
    let tags = family.profiles();
    let own = tags.iter().position(|profile| profile.tag == language)?;
    let other = leader(&scores, Some(own))?;
    Some((scores[own], scores[other], tags[other].tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_the_world() {
        for (text, language) in [
            ("报告已经完成，请查收。", "zh"),
            ("報告已經完成，請查收。", "zh"),
            ("レポートは完了しました。ご確認ください。", "ja"),
            ("보고서가 완료되었습니다.", "ko"),
            ("The report is done, and it is in the folder.", "en"),
            ("THE REPORT IS DONE AND WAITS FOR YOU.", "en"),
            ("El informe está listo y lo tienes en la carpeta.", "es"),
            ("O relatório está pronto e não há mais nada a fazer.", "pt"),
            ("Le rapport est prêt, il est dans le dossier.", "fr"),
            ("Der Bericht ist fertig und liegt im Ordner.", "de"),
            ("Il rapporto è pronto ed è nella cartella.", "it"),
            ("Het rapport is klaar en staat in de map.", "nl"),
            ("Raportti on valmis ja se on kansiossa.", "fi"),
            ("Raport jest gotowy i znajduje się w folderze.", "pl"),
            ("Báo cáo đã hoàn thành và được lưu trong thư mục.", "vi"),
            ("Ripoti iko tayari na ni ya mwaka huu kwa wote.", "sw"),
            ("Отчёт готов, он находится в папке.", "ru"),
            ("Звіт готовий, він знаходиться в теці.", "uk"),
            ("Докладът е готов и се намира в папката.", "bg"),
            ("التقرير جاهز في المجلد.", "ar"),
            ("گزارش آماده است و در پوشه قرار دارد.", "fa"),
            ("رپورٹ تیار ہے اور فولڈر میں ہے۔", "ur"),
            ("रिपोर्ट तैयार है और फ़ोल्डर में है।", "hi"),
            ("अहवाल तयार आहे आणि फोल्डरमध्ये आहे.", "mr"),
            ("รายงานเสร็จแล้ว", "th"),
            ("הדוח מוכן.", "he"),
        ] {
            assert_eq!(detect(text), Some(language), "{text}");
        }
        assert_eq!(detect("42 – 17 😀"), None);
        assert_eq!(detect("Berlin"), None);
    }

    #[test]
    fn identifiers_are_no_words() {
        let scripts = Scripts::of("请看 src/a.rs 与 parse_all，以及 Vec::new 和 commit");
        assert_eq!((scripts.han, scripts.latin), (6, 1));
    }
}

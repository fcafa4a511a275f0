//! Counting text as word processors do: each CJK character or punctuation mark
//! is one, each Latin word or number is one. Half of a text's length in one
//! script must not weigh more than half in the other.

/// Whether a character belongs to Chinese, Japanese or Korean writing alone:
/// letters, punctuation and full-width forms.
pub fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3134f}')
}

/// Marks that Chinese shares with other scripts. They are Chinese punctuation
/// where they touch Chinese.
fn is_shared(c: char) -> bool {
    matches!(c, '“' | '”' | '‘' | '’' | '—' | '…' | '·')
}

/// The number of CJK characters and punctuation marks, Latin words and numbers.
///
/// A Latin word runs to the next space or CJK character, as `format_check`,
/// `3.5` or `don't`; marks that stand alone count nothing.
pub fn count_words(text: &str) -> usize {
    let mut count = 0;
    let mut in_word = false;
    let mut after_cjk = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let before_cjk = chars.peek().is_some_and(|next| is_cjk(*next));
        if is_shared(c) {
            if after_cjk || before_cjk {
                in_word = false;
                count += 1;
            }
        } else if is_cjk(c) {
            in_word = false;
            after_cjk = true;
            count += usize::from(c != '\u{3000}');
        } else if c.is_whitespace() {
            in_word = false;
        } else {
            after_cjk = false;
            if c.is_alphanumeric() && !in_word {
                in_word = true;
                count += 1;
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::count_words;

    #[test]
    fn both_scripts_count_as_in_a_word_processor() {
        let cases = [
            ("", 0),
            ("你好，世界。", 6),
            ("Steadfast keeps long tasks on course.", 6),
            ("调用 format_check 3 次", 5),
            ("AI工作流", 4),
            ("don’t stop – it's “3.5” %", 4),
            ("他说：“好”……", 8),
            ("使用“API”的人", 7),
            ("# 标题\n\n- a\n- b", 4),
            ("全角\u{3000}空格", 4),
        ];
        for (text, count) in cases {
            assert_eq!(count_words(text), count, "{text}");
        }
    }
}

//! One spelling for what may be written in many: lower case, half width,
//! simplified characters, plain apostrophes and hyphens, single blanks.
//!
//! Rules match against the folded text; [`Folded::span`] leads back to the
//! bytes that were written. Line breaks stay.

use std::ops::Range;

/// A text folded for matching, with the way back.
#[derive(Clone, Debug)]
pub struct Folded<'a> {
    original: &'a str,
    text: String,
    /// For each folded byte the start of the character it came from.
    starts: Vec<u32>,
}

impl<'a> Folded<'a> {
    /// Folds a text of at most 4 GiB (the runtime takes far less in).
    pub fn of(original: &'a str) -> Folded<'a> {
        let mut text = String::with_capacity(original.len());
        let mut starts = Vec::with_capacity(original.len() + 1);
        let mut blank = false;
        for (at, c) in original.char_indices() {
            let c = fold(c);
            let is_blank = c == ' ';
            if is_blank && blank {
                continue;
            }
            blank = is_blank;
            text.push(c);
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            starts.resize(text.len(), at);
        }
        starts.push(u32::try_from(original.len()).unwrap_or(u32::MAX));
        Folded {
            original,
            text,
            starts,
        }
    }

    /// The folded text.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn original(&self) -> &'a str {
        self.original
    }

    /// The bytes of the original that a range of the folded text stands for.
    pub fn span(&self, folded: Range<usize>) -> Range<usize> {
        let last = self.text.len();
        let start = self.starts[folded.start.min(last)] as usize;
        if folded.end <= folded.start {
            return start..start;
        }
        let from = self.starts[(folded.end - 1).min(last)] as usize;
        let width = self.original[from..]
            .chars()
            .next()
            .map_or(0, char::len_utf8);
        start..from + width
    }
}

fn fold(c: char) -> char {
    match c {
        'A'..='Z' => c.to_ascii_lowercase(),
        '\t' | '\u{a0}' | '\u{3000}' | '\u{2009}' | '\u{202f}' => ' ',
        '\r' => '\n',
        '\0'..='\x7f' => c,
        '\u{ff01}'..='\u{ff5e}' => {
            let ascii = u32::from(c) - 0xff01 + 0x21;
            char::from_u32(ascii).map_or(c, |c| c.to_ascii_lowercase())
        }
        '‘' | '’' | 'ʼ' => '\'',
        '‐' | '‑' | '–' | '−' => '-',
        '￥' => '¥',
        '\u{4e00}'..='\u{9fff}' => simplified(c),
        _ => {
            let mut lower = c.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some(one), None) => one,
                _ => c,
            }
        }
    }
}

/// Traditional characters of the words that the rules look for. No general
/// conversion: that needs a dictionary and is of no use here.
fn simplified(c: char) -> char {
    let found = TRADITIONAL.binary_search_by_key(&c, |(from, _)| *from);
    found.map_or(c, |at| TRADITIONAL[at].1)
}

/// Sorted by the first.
const TRADITIONAL: &[(char, char)] = &[
    ('並', '并'),
    ('佈', '布'),
    ('來', '来'),
    ('係', '系'),
    ('個', '个'),
    ('備', '备'),
    ('僅', '仅'),
    ('億', '亿'),
    ('內', '内'),
    ('兩', '两'),
    ('別', '别'),
    ('刪', '删'),
    ('則', '则'),
    ('剛', '刚'),
    ('動', '动'),
    ('務', '务'),
    ('區', '区'),
    ('參', '参'),
    ('員', '员'),
    ('問', '问'),
    ('單', '单'),
    ('嗎', '吗'),
    ('嚴', '严'),
    ('國', '国'),
    ('圍', '围'),
    ('圓', '圆'),
    ('圖', '图'),
    ('執', '执'),
    ('報', '报'),
    ('塊', '块'),
    ('學', '学'),
    ('實', '实'),
    ('寫', '写'),
    ('將', '将'),
    ('對', '对'),
    ('層', '层'),
    ('幣', '币'),
    ('幾', '几'),
    ('張', '张'),
    ('後', '后'),
    ('從', '从'),
    ('應', '应'),
    ('換', '换'),
    ('據', '据'),
    ('數', '数'),
    ('斷', '断'),
    ('於', '于'),
    ('時', '时'),
    ('會', '会'),
    ('條', '条'),
    ('業', '业'),
    ('標', '标'),
    ('樣', '样'),
    ('檔', '档'),
    ('檢', '检'),
    ('權', '权'),
    ('歲', '岁'),
    ('沒', '没'),
    ('減', '减'),
    ('準', '准'),
    ('滿', '满'),
    ('為', '为'),
    ('無', '无'),
    ('現', '现'),
    ('產', '产'),
    ('發', '发'),
    ('確', '确'),
    ('碼', '码'),
    ('節', '节'),
    ('範', '范'),
    ('簡', '简'),
    ('約', '约'),
    ('級', '级'),
    ('終', '终'),
    ('結', '结'),
    ('絡', '络'),
    ('給', '给'),
    ('經', '经'),
    ('網', '网'),
    ('編', '编'),
    ('總', '总'),
    ('續', '续'),
    ('聯', '联'),
    ('臺', '台'),
    ('與', '与'),
    ('萬', '万'),
    ('處', '处'),
    ('號', '号'),
    ('裏', '里'),
    ('裡', '里'),
    ('複', '复'),
    ('規', '规'),
    ('訊', '讯'),
    ('許', '许'),
    ('詞', '词'),
    ('詢', '询'),
    ('試', '试'),
    ('該', '该'),
    ('認', '认'),
    ('語', '语'),
    ('說', '说'),
    ('誰', '谁'),
    ('請', '请'),
    ('論', '论'),
    ('謹', '谨'),
    ('譯', '译'),
    ('讀', '读'),
    ('變', '变'),
    ('讓', '让'),
    ('負', '负'),
    ('貳', '贰'),
    ('費', '费'),
    ('資', '资'),
    ('較', '较'),
    ('輸', '输'),
    ('轉', '转'),
    ('這', '这'),
    ('週', '周'),
    ('過', '过'),
    ('達', '达'),
    ('還', '还'),
    ('郵', '邮'),
    ('錢', '钱'),
    ('鏈', '链'),
    ('長', '长'),
    ('開', '开'),
    ('間', '间'),
    ('關', '关'),
    ('陳', '陈'),
    ('陸', '陆'),
    ('際', '际'),
    ('隨', '随'),
    ('隻', '只'),
    ('雙', '双'),
    ('頁', '页'),
    ('項', '项'),
    ('須', '须'),
    ('預', '预'),
    ('頭', '头'),
    ('題', '题'),
    ('驗', '验'),
    ('體', '体'),
    ('麼', '么'),
    ('點', '点'),
    ('龍', '龙'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_and_leads_back() {
        let folded = Folded::of("不得對外　 發送５００Ｋ Don’t");
        assert_eq!(folded.text(), "不得对外 发送500k don't");
        let at = folded.text().find("500k").unwrap();
        assert_eq!(&folded.original()[folded.span(at..at + 4)], "５００Ｋ");
        let at = folded.text().find("don't").unwrap();
        assert_eq!(&folded.original()[folded.span(at..at + 5)], "Don’t");
    }

    #[test]
    fn table_is_sorted() {
        assert!(TRADITIONAL.windows(2).all(|two| two[0].0 < two[1].0));
    }
}

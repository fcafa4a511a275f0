//! What of a message is the user's own prose.
//!
//! Code, quoted lines, forwarded mail, pasted documents and words in quotation
//! marks are somebody's data. They are blanked out byte for byte, so that
//! offsets stay; the content of inline quotes stays at hand, since a rule may
//! name it (必须出现“数据安全”).

use std::ops::Range;

use crate::text::token::is_han;

/// Stands for each byte of an inline quote.
pub(super) const QUOTED: char = '\u{1}';

/// A folded message with what is not prose blanked out.
pub(super) struct Prose {
    pub(super) text: String,
    /// Contents of inline quotes, without the marks, in folded bytes.
    pub(super) quotes: Vec<Range<usize>>,
    /// Whether anything was blanked out.
    pub(super) others: bool,
}

/// Longest inline quote in bytes; a mark without its partner quotes nothing.
const QUOTE_BYTES_MAX: usize = 2_000;

pub(super) fn prose(folded: &str) -> Prose {
    let mut bytes = folded.as_bytes().to_vec();
    let mut others = false;
    for block in blocks(folded) {
        others = true;
        bytes[block].fill(b'\n');
    }
    let blanked = String::from_utf8(bytes).expect("whole lines were replaced by ASCII");
    let marks = inline(&blanked);
    let mut bytes = blanked.into_bytes();
    let mut quotes = Vec::with_capacity(marks.len());
    for (whole, content) in marks {
        others = true;
        bytes[whole].fill(QUOTED as u8);
        quotes.push(content);
    }
    let text = String::from_utf8(bytes).expect("whole characters were replaced by ASCII");
    Prose {
        text,
        quotes,
        others,
    }
}

/// Whole lines that are not the user's: code, quoted mail, pasted documents.
fn blocks(folded: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let mut tag: Option<String> = None;
    let mut at = 0;
    let lines: Vec<&str> = folded.split_inclusive('\n').collect();
    for (number, line) in lines.iter().enumerate() {
        let span = at..at + line.len();
        at = span.end;
        let trimmed = line.trim();
        if let Some(open) = fence {
            found.push(span);
            if trimmed.starts_with(open) || (open == "\"\"\"" && trimmed.ends_with(open)) {
                fence = None;
            }
            continue;
        }
        if let Some(name) = &tag {
            let closes = trimmed.contains(name.as_str());
            found.push(span);
            if closes {
                tag = None;
            }
            continue;
        }
        if let Some(open) = ["```", "~~~", "\"\"\""]
            .into_iter()
            .find(|open| trimmed.starts_with(open))
        {
            found.push(span);
            let closed = trimmed.len() > open.len() && trimmed[open.len()..].ends_with(open);
            fence = (!closed).then_some(open);
        } else if trimmed.starts_with('>') || trimmed.starts_with('|') {
            found.push(span);
        } else if let Some(name) = opens_tag(trimmed) {
            let closing = format!("</{name}>");
            found.push(span);
            tag = (!trimmed.contains(&closing)).then_some(closing);
        } else if forwarded(&lines, number) {
            found.push(span.start..folded.len());
            return found;
        } else if pasted(trimmed) && number + 1 < lines.len() {
            // What comes after such a line is the document. Lines that quote
            // have an end of their own.
            let marked = lines[number + 1..]
                .iter()
                .map(|line| line.trim())
                .find(|line| !line.is_empty());
            let marked = marked.is_some_and(|line| {
                line.starts_with('>') || line.starts_with("```") || opens_tag(line).is_some()
            });
            if marked {
                continue;
            }
            let rest = &folded[span.end..];
            let end = closing(rest).map_or(folded.len(), |end| span.end + end);
            found.push(span.end..end);
            if end == folded.len() {
                return found;
            }
            found.extend(
                blocks(&folded[end..])
                    .into_iter()
                    .map(|block| block.start + end..block.end + end),
            );
            return found;
        }
    }
    found
}

/// A line that ends a pasted document.
fn closing(rest: &str) -> Option<usize> {
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        let trimmed = line.trim();
        let rule = trimmed.len() >= 3
            && (trimmed.bytes().all(|b| b == b'-') || trimmed.bytes().all(|b| b == b'='));
        let words = [
            "以上是",
            "以上为",
            "以上就是",
            "(完)",
            "end of document",
            "end of mail",
            "end of message",
            "that was the",
        ];
        at += line.len();
        if rule {
            return Some(at);
        }
        if words.iter().any(|words| trimmed.starts_with(words)) {
            return Some(at - line.len());
        }
    }
    None
}

/// `<document>` or `<mail id="1">` at the start of a line.
fn opens_tag(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('<')?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')))?;
    let name = &rest[..end];
    (!name.is_empty() && rest[end..].starts_with([' ', '>']) && rest.contains('>')).then_some(name)
}

/// The head of a forwarded or quoted mail.
fn forwarded(lines: &[&str], number: usize) -> bool {
    let line = lines[number].trim();
    const HEADS: &[&str] = &[
        "begin forwarded message",
        "forwarded message",
        "original message",
        "forwarded by",
        "原始邮件",
        "转发的邮件",
        "转发邮件",
        "以下为转发",
        "以下是转发",
    ];
    let bare = line.trim_matches(['-', '=', ' ', ':']);
    if HEADS.iter().any(|head| bare.starts_with(head)) || matches!(bare, "转发" | "fwd" | "fw") {
        return true;
    }
    if line.starts_with("on ") && line.ends_with("wrote:") {
        return true;
    }
    let sender = ["from:", "发件人:", "寄件人:"]
        .iter()
        .any(|head| line.starts_with(head));
    const OTHERS: &[&str] = &[
        "subject:",
        "to:",
        "date:",
        "sent:",
        "cc:",
        "主题:",
        "收件人:",
        "日期:",
        "时间:",
        "发送时间:",
    ];
    let next = lines[number + 1..].iter().take(4).map(|line| line.trim());
    sender
        && next
            .into_iter()
            .any(|line| OTHERS.iter().any(|head| line.starts_with(head)))
}

/// "Here is the mail:", 以下是文档内容：
fn pasted(line: &str) -> bool {
    let Some(line) = line.strip_suffix(':') else {
        return false;
    };
    #[rustfmt::skip]
    const KINDS: &[&str] = &[
        "邮件", "原文", "文档", "文章", "日志", "材料", "聊天记录", "网页", "对话", "评论", "文字",
        "段落", "合同", "通知", "内容", "报道", "新闻", "回复", "消息", "帖子", "记录", "搜索结果",
        "资料", "信", "mail", "email", "e-mail", "text", "article", "document", "log", "logs",
        "page", "transcript", "output", "message", "review", "contract", "letter", "ticket",
        "comment", "content", "post", "thread", "excerpt", "passage", "reply", "notes",
        "search results", "response", "report", "conversation",
    ];
    #[rustfmt::skip]
    const LEADS: &[&str] = &[
        "以下是", "以下为", "下面是", "下面这", "这是", "附上", "原文如下", "内容如下", "邮件如下",
        "here is", "here's", "here are", "this is", "below is", "below are", "see the",
        "look at this", "i got this", "i received this",
    ];
    let short = line.chars().count() <= 80;
    let as_follows = [
        "如下",
        "写着",
        "写道",
        "内容是",
        "says",
        "reads",
        "wrote",
        "said",
    ]
    .iter()
    .any(|end| line.ends_with(end));
    short
        && ((LEADS.iter().any(|lead| line.contains(lead))
            && KINDS.iter().any(|kind| line.contains(kind)))
            || (as_follows && KINDS.iter().any(|kind| line.contains(kind))))
}

/// Inline quotes: the whole with its marks, and the content.
fn inline(text: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut before: Option<char> = None;
    while let Some(c) = text[at..].chars().next() {
        let behind = at + c.len_utf8();
        if let Some(end) = partner(text, before, c, behind) {
            let width = text[end..].chars().next().map_or(0, char::len_utf8);
            found.push((at..end + width, behind..end));
            at = end + width;
            before = Some('"');
            continue;
        }
        before = Some(c);
        at = behind;
    }
    found
}

/// Where the quote that `c` opens is closed.
fn partner(text: &str, before: Option<char>, c: char, from: usize) -> Option<usize> {
    let close = match c {
        '“' | '„' => '”',
        '「' => '」',
        '『' => '』',
        '《' => '》',
        '«' => '»',
        '"' => '"',
        '`' => '`',
        '\'' => '\'',
        _ => return None,
    };
    let word = |c: char| c.is_alphanumeric() && !is_han(c);
    if c == '\'' && before.is_some_and(word) {
        return None;
    }
    let mut end = (from + QUOTE_BYTES_MAX).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let reach = &text[from..end];
    let reach = reach.find("\n\n").map_or(reach, |end| &reach[..end]);
    let mut places = reach.match_indices(close).map(|(at, _)| from + at);
    let found = if c == '\'' {
        places.find(|at| !text[at + 1..].chars().next().is_some_and(word))
    } else {
        places.next()
    }?;
    (found > from).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str) -> String {
        let prose = prose(text);
        assert_eq!(prose.text.len(), text.len());
        prose
            .text
            .replace(QUOTED, "")
            .split('\n')
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join("/")
    }

    #[test]
    fn code_and_quotes_are_not_prose() {
        assert_eq!(left("```\nuse json\n```\nwhat is it?"), "what is it?");
        assert_eq!(left("> pay now\nwhat do you think?"), "what do you think?");
        assert_eq!(left("he said “改成英文”, i don't"), "he said , i don't");
        assert_eq!(left("use `rm -rf` and 'that' don't"), "use  and  don't");
        assert_eq!(left("<document>\npay\n</document>\nsum up"), "sum up");
    }

    #[test]
    fn mail_and_documents_are_not_prose() {
        assert_eq!(
            left("see:\n---------- forwarded message ----------\nfrom: b\n\npay"),
            "see:"
        );
        assert_eq!(left("转发:\n发件人:王\n请付款"), "");
        assert_eq!(
            left("here is the mail:\npay me\n\ndelete all"),
            "here is the mail:"
        );
        assert_eq!(
            left("下面是合同内容:\n禁止转让\n---\n请总结"),
            "下面是合同内容:/请总结"
        );
        assert_eq!(
            left("from: berlin to rome, please"),
            "from: berlin to rome, please"
        );
    }

    #[test]
    fn a_mark_alone_quotes_nothing() {
        assert_eq!(left("use \" as the mark"), "use \" as the mark");
    }
}

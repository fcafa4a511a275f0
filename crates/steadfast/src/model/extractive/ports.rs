//! What an argument is for, read from its name, its description and its skill.
//!
//! The same reading serves both ways: filling a draft in, and finding it again in
//! an earlier call.

/// A well-known part that an argument plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A full text that is written for the call.
    Draft,
    /// The text that the work is about.
    Source,
    Keywords,
    Query,
    Title,
    Language,
    References,
    /// The user's own words.
    Instruction,
    /// Single sentences.
    Points,
    FileName,
}

const ROLES: &[(Role, &[&str])] = &[
    (
        Role::Draft,
        &[
            "draft",
            "answer",
            "report",
            "markdown",
            "body",
            "summary",
            "texttowrite",
            "reply",
            "post",
            "essay",
            "草稿",
            "正文",
            "报告",
            "答案",
            "摘要",
        ],
    ),
    (
        Role::Source,
        &[
            "input",
            "text",
            "content",
            "document",
            "article",
            "passage",
            "source",
            "sourcetext",
            "material",
            "文本",
            "内容",
            "文章",
            "文档",
            "原文",
        ],
    ),
    (
        Role::Keywords,
        &[
            "keywords",
            "keyword",
            "terms",
            "tags",
            "queries",
            "topics",
            "关键词",
            "标签",
        ],
    ),
    (
        Role::Query,
        &[
            "query",
            "q",
            "question",
            "search",
            "searchquery",
            "topic",
            "查询",
            "问题",
            "主题",
        ],
    ),
    (
        Role::Title,
        &["title", "heading", "subject", "headline", "标题"],
    ),
    (Role::Language, &["language", "lang", "locale", "语言"]),
    (
        Role::References,
        &[
            "references",
            "sources",
            "citations",
            "results",
            "hits",
            "evidence",
            "findings",
            "documents",
            "passages",
            "参考",
            "参考资料",
            "来源",
            "引用",
        ],
    ),
    (
        Role::Instruction,
        &[
            "task",
            "instruction",
            "instructions",
            "goal",
            "prompt",
            "request",
            "requirement",
            "requirements",
            "任务",
            "目标",
            "要求",
        ],
    ),
    (
        Role::Points,
        &[
            "points",
            "keypoints",
            "sentences",
            "bullets",
            "highlights",
            "要点",
        ],
    ),
    (
        Role::FileName,
        &["file", "filename", "path", "name", "文件", "文件名"],
    ),
];

/// Parts of skill names whose plain text argument is a text to write or to check.
const DRAFTING: &[&str] = &[
    "draft",
    "compose",
    "write",
    "writer",
    "report",
    "publish",
    "post",
    "send",
    "save",
    "deliver",
    "format",
    "check",
    "lint",
    "validate",
    "proofread",
    "review",
    "草稿",
    "撰写",
    "写作",
    "发布",
    "格式",
    "校验",
    "检查",
    "保存",
];

/// Phrases of descriptions that say the same.
const DRAFTING_PHRASES: &[&str] = &[
    "text to write",
    "to be written",
    "complete text",
    "full text of the",
    "the draft",
    "your draft",
    "final text",
    "text to check",
    "草稿",
    "完整正文",
    "撰写",
    "待校验",
    "要写",
];

pub(super) fn role(skill: &str, name: &str, description: &str) -> Option<Role> {
    let name: String = name
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    let (role, _) = ROLES
        .iter()
        .find(|(_, names)| names.contains(&name.as_str()))?;
    let drafts = *role == Role::Source && (is_drafting(skill) || says_draft(description));
    Some(if drafts { Role::Draft } else { *role })
}

/// Whether an argument holds a text that was written for the call.
pub(super) fn is_draft_port(skill: &str, name: &str, description: &str) -> bool {
    role(skill, name, description) == Some(Role::Draft)
}

fn is_drafting(skill: &str) -> bool {
    let skill = skill.to_lowercase();
    let mut parts = skill.split(|c: char| !c.is_alphanumeric());
    let by_part = parts.any(|part| DRAFTING.contains(&part));
    // Chinese names have no marks between their parts.
    by_part
        || DRAFTING
            .iter()
            .any(|word| !word.is_ascii() && skill.contains(word))
}

fn says_draft(description: &str) -> bool {
    let description = description.to_lowercase();
    DRAFTING_PHRASES
        .iter()
        .any(|phrase| description.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_serves_two_ends() {
        assert_eq!(role("extract_keywords", "text", ""), Some(Role::Source));
        assert_eq!(role("format_check", "text", ""), Some(Role::Draft));
        assert_eq!(role("compose", "content", ""), Some(Role::Draft));
        assert_eq!(
            role("s3", "text", "the complete text in Markdown"),
            Some(Role::Draft)
        );
        assert_eq!(role("关键词提取", "文本", ""), Some(Role::Source));
        assert_eq!(role("格式校验", "文本", ""), Some(Role::Draft));
        assert_eq!(role("any", "search_query", ""), Some(Role::Query));
        assert_eq!(role("any", "amount", ""), None);
    }
}

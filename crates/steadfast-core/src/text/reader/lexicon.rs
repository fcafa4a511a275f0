//! Closed lists of words that tell a request from a statement.

/// English verbs that commonly open a request, in their base form.
#[rustfmt::skip]
pub(super) const VERBS: &[&str] = &[
    "accept", "access", "activate", "add", "adjust", "adopt", "allow", "analyse", "analyze",
    "answer", "append", "apply", "approve", "archive", "arrange", "ask", "assess", "assign",
    "assume", "attach", "authorize", "avoid", "back", "ban", "begin", "block", "book",
    "brainstorm", "bring", "browse", "build", "buy", "calculate", "call", "cancel", "capitalize",
    "change", "charge", "check", "choose", "cite", "clarify", "clean", "clear", "close", "collect",
    "combine", "comment", "commit", "compare", "compile", "complete", "compose", "compute",
    "confirm", "connect", "consider", "construct", "contact", "continue", "convert", "copy",
    "correct", "count", "cover", "create", "cut", "debug", "decrease", "define", "delete",
    "deliver", "deploy", "describe", "design", "determine", "develop", "disable", "discuss",
    "display", "divide", "document", "double", "download", "draft", "draw", "drop", "edit",
    "elaborate", "email", "e-mail", "emphasize", "empty", "enable", "end", "ensure", "enter",
    "erase", "estimate", "evaluate", "examine", "exclude", "execute", "expand", "explain",
    "explore", "export", "extend", "extract", "fetch", "file", "fill", "filter", "find", "finish",
    "fix", "focus", "follow", "forget", "format", "forward", "gather", "generate", "get", "give",
    "go", "grant", "group", "guess", "handle", "help", "highlight", "hold", "identify", "ignore",
    "illustrate", "implement", "import", "improve", "include", "increase", "inform", "initiate",
    "insert", "inspect", "install", "instruct", "integrate", "introduce", "investigate", "invite",
    "issue", "join", "jump", "keep", "label", "launch", "leave", "let", "lift", "limit", "link",
    "list", "load", "locate", "lock", "log", "look", "lower", "mail", "make", "manage", "map",
    "mark", "measure", "mention", "merge", "message", "modify", "monitor", "move", "name",
    "navigate", "note", "notify", "observe", "obtain", "offer", "omit", "open", "optimize",
    "order", "organize", "outline", "output", "pass", "paste", "pause", "pay", "perform", "pick",
    "place", "plan", "play", "point", "post", "predict", "prefer", "prepare", "present", "print",
    "prioritize", "proceed", "process", "produce", "proofread", "propose", "provide", "publish",
    "pull", "purchase", "push", "put", "quote", "raise", "rank", "rate", "read", "rebuild",
    "recommend", "record", "reduce", "refactor", "refer", "refine", "register", "reject",
    "release", "rely", "remember", "remind", "remove", "rename", "reorder", "repeat", "rephrase",
    "replace", "reply", "report", "request", "reschedule", "research", "reserve", "reset",
    "resolve", "respond", "restart", "restore", "restructure", "resume", "retrieve", "return",
    "reverse", "revert", "review", "revise", "revoke", "rewrite", "run", "save", "say", "scan",
    "schedule", "scrap", "search", "select", "send", "separate", "set", "share", "shorten", "show",
    "shut", "sign", "simplify", "skip", "solve", "sort", "speak", "specify", "spell", "spend",
    "split", "start", "state", "stay", "stick", "stop", "store", "structure", "study", "submit",
    "subscribe", "suggest", "sum", "summarise", "summarize", "switch", "take", "talk", "tell",
    "test", "think", "tidy", "track", "transcribe", "transfer", "transform", "translate", "treat",
    "trim", "try", "turn", "undo", "unlock", "unsubscribe", "update", "upgrade", "upload", "use",
    "validate", "verify", "view", "visit", "wait", "walk", "watch", "withdraw", "work", "wrap",
    "write", "zip",
];

/// Words behind which a verb of the list was a noun after all.
#[rustfmt::skip]
pub(super) const NOUN_SIGNS: &[&str] = &[
    "is", "are", "was", "were", "has", "had", "will", "would", "can", "could", "does", "did",
    "looks", "seems", "says", "of", "must", "should",
];

/// Words in front of a request that are no part of it.
#[rustfmt::skip]
pub(super) const LEADS_EN: &[&str] = &[
    "please", "kindly", "ok", "okay", "now", "then", "also", "and", "but", "so", "or", "well",
    "hi", "hello", "hey", "thanks", "thank you", "first", "firstly", "second", "secondly", "third",
    "next", "finally", "lastly", "just", "actually", "oh", "by the way", "instead", "again", "yes",
    "no wait", "great", "good", "perfect", "right", "sure", "alright", "sorry", "all right",
    "afterwards", "after that", "additionally", "in addition", "from now on", "for now",
    "this time", "today", "tomorrow", "tonight", "for this answer only", "for this answer",
    "for this reply", "for the next answer", "for this message", "for the rest of this task",
    "henceforth", "going forward", "from here on", "just this once", "only this once", "this once",
    "in the future", "in future", "therefore", "everyone", "quickly", "carefully", "i think",
    "if possible", "when you can", "if you can", "where possible", "ideally", "preferably",
    "as before", "one more thing", "important",
    "note", "nb", "ps", "p.s.", "remember", "immediately", "urgently", "urgent", "only", "either",
];

/// Words in front of a Chinese request that are no part of it.
#[rustfmt::skip]
pub(super) const LEADS_ZH: &[&str] = &[
    "请", "麻烦你", "麻烦您", "麻烦", "劳驾", "拜托", "那就", "那么", "那", "好的", "好", "嗯",
    "哦", "对了", "你好", "您好", "另外", "此外", "还有", "然后", "接着", "接下来", "现在", "最后",
    "首先", "其次", "同时", "但是", "但", "不过", "所以", "因此", "而且", "并且", "并", "可是",
    "你", "您", "我想", "我要", "我希望", "希望你", "就", "也", "都", "再", "先", "以后", "今后",
    "从现在起", "从现在开始", "从今以后", "这次", "这一次", "仅这一次", "本次", "记得", "记住",
    "注意", "直接", "赶紧", "尽快", "立即", "马上", "顺便", "只需", "只要", "需要", "谢谢", "辛苦",
    "抱歉", "ok", "继续", "还是", "能不能", "能否", "可否", "可不可以", "可以", "能", "要",
    "一定要", "务必", "必须", "重要",
];

/// Chinese verbs that commonly open a request.
#[rustfmt::skip]
pub(super) const VERBS_ZH: &[&str] = &[
    "写", "生成", "总结", "概括", "归纳", "翻译", "查", "搜", "列", "做", "制作", "整理", "分析",
    "比较", "对比", "解释", "说明", "介绍", "告诉", "给", "发", "删", "改", "修改", "更新", "添加",
    "加", "插入", "去掉", "去除", "移除", "保存", "保留", "下载", "上传", "打开", "关闭", "关掉",
    "运行", "执行", "测试", "检查", "审核", "核对", "核实", "计算", "算", "画", "起草", "拟",
    "准备", "安排", "预订", "预定", "订", "买", "购买", "付", "支付", "转", "回复", "回答", "提醒",
    "设置", "设", "创建", "新建", "建", "部署", "提交", "重写", "重做", "润色", "扩写", "缩写",
    "精简", "缩短", "读", "看", "帮", "让", "用", "使用", "引用", "提供", "推荐", "找", "联系",
    "通知", "取消", "停止", "开始", "暂停", "合并", "拆分", "导出", "导入", "授权", "授予", "禁用",
    "启用", "备份", "移动", "移", "复制", "调", "获取", "获得", "记录", "补充", "标", "突出", "放",
    "换", "替换", "编", "设计", "优化", "修复", "实现", "描述", "评价", "评估", "出", "来", "把",
    "将", "为", "替", "忽略", "恢复", "切换", "控制", "限制", "输出", "返回", "只", "仅", "以",
    "展开", "展示", "统计", "收集", "汇总", "筛选", "排序", "预测", "验证", "确认", "登录", "登记",
    "注册", "撤销", "撤回", "退", "邀请", "分享", "共享", "清空", "清理", "重启", "重置", "打印",
    "念", "讲", "谈", "想", "考虑", "参考", "按", "根据", "针对", "基于", "从", "对", "在", "播放",
    "锁", "解锁", "申请", "投", "安装", "卸载", "配置", "调用", "访问", "提取", "识别", "监控",
    "跟进", "沿用", "避免", "确保", "保证", "保持", "留", "缩", "压缩", "省", "附",
];

/// Words that begin like one of those verbs and are none.
#[rustfmt::skip]
pub(super) const NO_VERBS_ZH: &[&str] = &[
    "用户", "用途", "用来", "发布会", "发票", "发展", "发现", "发生", "发言", "发件", "列车",
    "算法", "加拿大", "看来", "看起来", "看上去", "来源", "来自", "出现", "出版", "出差", "读者",
    "请假", "请求", "改革", "做法", "写作", "写得", "写的", "画面", "转眼", "让人", "想法", "想必",
    "想象", "建筑", "建议", "订单", "买家", "分析师", "放假", "编号", "编辑部", "换句话", "设计师",
    "给出的", "为什么", "为何", "为了", "将来", "将军", "只有", "只是", "以及", "以上", "以下",
    "以为", "以前", "之前", "从来", "从前", "对方", "对于", "对不起", "对话", "在场", "在线",
    "在于", "标题", "标准", "设备", "设想", "调查结果", "调研", "查无", "投资", "投诉", "按理",
    "按说", "根据规定", "测试结果", "分析结果", "分析表明", "总结会", "计算机", "转型", "退休",
    "移民", "省份", "省会", "翻译得", "翻译的", "做得", "改得", "列得", "找到了", "在我看来",
    "为此", "念头", "保证金", "缩水", "介绍人", "想起",
];

/// Persons and things that others speak through.
#[rustfmt::skip]
pub(super) const THIRD_ZH: &[&str] = &[
    "客户", "用户", "医生", "护士", "导游", "律师", "会计", "顾问", "银行", "医院", "酒店", "老师",
    "老板", "领导", "他", "她", "它", "同事", "公司", "我们公司", "我司", "员工",
    "乙方", "甲方", "对方", "经理", "上级", "朋友", "网友", "专家", "作者", "记者", "供应商",
    "网页", "网站", "页面", "合同", "文章", "文档", "邮件", "新闻", "法律", "法规", "政策", "规定",
    "规则", "条款", "公告", "帖子", "评论", "报告里", "报告中", "文中", "里面", "上面", "其中",
    "原文", "资料", "有人", "大家", "别人", "其他人", "系统提示", "工具返回", "搜索结果", "附件里",
    "附件中", "说明书", "教程", "书上", "书里", "论文", "市场", "部门", "财务", "法务", "hr",
    "我老板", "我同事", "我们老板", "我们领导", "他们", "她们", "对面", "消息", "短信", "这封邮件",
    "那封邮件", "这个网页", "这篇文章", "这份合同", "该", "某",
];

#[rustfmt::skip]
pub(super) const REPORT_ZH: &[&str] = &[
    "说", "表示", "写着", "写道", "写了", "提到", "规定", "指出", "反馈", "声称", "要求", "强调",
    "告诉", "希望", "建议", "认为", "提出", "主张", "吩咐", "交代", "让我们", "觉得", "称", "显示",
    "抱怨", "问", "回复", "通知",
];

#[rustfmt::skip]
pub(super) const REPORT_EN: &[&str] = &[
    "said", "says", "told", "tells", "wrote", "writes", "asked", "asks", "wants", "wanted",
    "requires", "required", "requested", "requests", "states", "stated", "mentions", "mentioned",
    "claims", "claimed", "complained", "complains", "complain", "suggests", "suggested",
    "recommends", "recommended", "insists", "insisted", "thinks", "thought", "believes",
    "believed", "demands", "demanded", "prefers", "preferred", "reads", "instructs", "instructed",
    "announced", "reported", "reports", "argues", "argued", "advises", "advised", "expects",
    "expected", "contains", "contained", "hopes", "hoped",
];

/// People whose duties a sentence may state without asking for anything.
#[rustfmt::skip]
pub(super) const THIRD_EN: &[&str] = &[
    "he", "she", "they", "client", "clients", "customer", "customers", "boss", "manager",
    "supplier", "suppliers", "users", "user", "employees", "employee", "colleague", "colleagues",
    "company", "team", "law", "contract", "policy", "page", "website", "article", "students",
    "people", "vendor", "tenant", "landlord", "government", "competitor", "competitors", "author",
    "everybody", "doctor", "doctors", "nurse", "guide", "bank", "hotel", "accountant", "lawyer", "lawyers", "staff", "applicants", "members", "drivers", "visitors",
];

/// Verbs and auxiliaries that make a statement of a clause.
#[rustfmt::skip]
pub(super) const FINITE_EN: &[&str] = &[
    "is", "are", "was", "were", "am", "has", "had", "have", "does", "did", "will", "would",
    "could", "might", "said", "says", "got", "went", "made", "kept", "looks", "look", "seems",
    "knows", "contains", "wants", "needs", "took", "came", "gave", "found", "sent", "wrote",
    "used", "worked", "works", "costs", "became", "been", "isn't", "aren't", "wasn't", "weren't",
    "hasn't", "haven't", "hadn't", "didn't", "doesn't", "won't", "it's", "that's", "there's",
    "he's", "she's", "they're", "we're", "i'm", "you're", "i've", "we've", "you've", "founded",
    "love", "loved", "liked", "happened", "reviewed", "arrived", "met",
];

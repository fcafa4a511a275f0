//! Words that carry no subject: left out of keywords and of queries.
//!
//! Small on purpose. A word that may be a subject in some text (time, state,
//! 时间, 状态) is not here; what is common in one text only is for the scoring.

use std::collections::BTreeSet;
use std::sync::LazyLock;

static STOP_WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    ENGLISH
        .split_whitespace()
        .chain(CHINESE.split_whitespace())
        .collect()
});

/// Whether a word, in lower case, carries no subject.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

const ENGLISH: &str = "
a about above after again against all almost already also although always am an and
another any anyone anything are aren't around as at away be because become becomes been
before began begin behind being below best better between both but by came can can't
cannot come comes could couldn't did didn't do does doesn't doing don't done down during
each either else enough especially etc even ever every everyone everything far few find
first for found from further gave get gets getting give given gives go goes going gone
good got had hadn't has hasn't have haven't having he he's her here here's hers herself
him himself his how however i i'd i'll i'm i've if in indeed instead into is isn't it it's
its itself just keep keeps kept know known later least less let let's like likely look
looks lot made make makes making many may maybe me mean means might more most mostly much
must my myself need needs neither never next no nobody none nor not nothing now of off
often on once one ones only onto or other others otherwise our ours ourselves out over own
per perhaps put quite rather really said same saw say says second see seem seems seen
several shall she should shouldn't simply since so some someone something sometimes soon
still such sure take taken takes tell than that that's the their theirs them themselves
then there there's therefore these they they're thing things think this those though three
through thus to together too took toward try two under until up upon us use used uses
using usually very want wants was wasn't way ways we we're we've well went were weren't
what whatever when whenever where whether which while who whole whom whose why will with
within without won't would wouldn't yes yet you you're your yours yourself
";

const CHINESE: &str = "
一 一下 一个 一些 一切 一定 一方面 一旦 一条 一样 一次 一点 一直 一种 一般 一起 一边
一部分 七 三 上 上来 下 下去 下来 不 不一样 不仅 不会 不但 不再 不到 不只 不同 不如 不少
不得 不必 不是 不止 不然 不用 不管 不能 不要 不论 不过 与 且 两 两个 个 中 为 为了 为什么
为何 主要 乃 么 之 之一 之中 之前 之后 之所以 之类 之间 九 也 也会 也是 也许 了 二 于是 五
些 亦 人 什么 仍 仍然 从 从而 他 他们 令 以 以上 以下 以为 以便 以内 以前 以及 以后 以外
以来 以此 们 件 任何 会 似乎 但 但是 位 低 何 何时 何种 作 作为 你 你们 使 使用 例如 依然
依照 便 便是 倘若 假如 做 做到 偶尔 像 全部 八 六 关于 其 其中 其他 其余 其它 其实 其次
具有 内 再 几 几乎 出来 出现 则 刚 刚刚 利用 别 别的 到 到底 前 包含 包括 十 十分 即 即使
即便 去 又 及 反正 反而 发现 另 另一 另一个 另外 只 只好 只是 只有 只能 只要 可 可以 可是
可能 可见 各 各个 各种 同 同一 同时 同样 后 向 吗 否则 吧 呀 呢 和 咱们 哦 哪 哪个 哪些
哪里 啊 嘛 四 回来 因 因为 因此 因而 在 地 均 处 处于 外 多 多么 多少 多数 大 大多 大多数
大家 大概 大约 太 她 她们 好 好像 如 如何 如同 如果 如此 它 它们 完 完全 完成 完整 实在
容易 对 对于 将 将要 小 少 少数 尤其 就 就会 就是 就算 尽管 属于 左右 已 已经 常 常常 并
并不 并且 并非 应 应当 应该 开始 当 当中 当时 当然 往 往往 很 很多 很难 得 必 必然 必须 快
忽然 怎么 怎么样 怎样 总 总之 总是 想 愿意 慢 成为 我 我们 或 或者 或许 所 所以 所在 所有
所谓 才 才会 才能 把 拥有 按 按照 接着 整个 新 旁 无 无法 无论 旧 早 时 时候 是 晚 更 更加
曾 曾经 最 最后 最好 最终 有 有些 有人 有关 有时 有的 有着 朝 本 本身 条 来 来自 来说 某
某个 某些 某种 根据 次 正 正在 此 此外 此时 每 每个 每次 比 比如 比较 毕竟 没 没有 没法
渐渐 然后 然而 特别 甚而 甚至 用 用于 由 由于 由此 的 的话 皆 直到 直接 相关 相反 相当 看
看到 看见 真 真正 真的 着 知道 短 确实 种 称为 稍微 究竟 突然 立刻 第一 第三 第二 等 等等
简单 经常 经过 给 继续 而 而且 而已 而是 而言 肯 能 能够 自 自从 自己 至于 若 虽 虽然 被
要 要么 要是 觉得 譬如 认为 让 许多 话 该 说 谁 起来 越 越来越 跟 边 过 过去 过来 还 还会
还是 还有 还要 这 这个 这么 这些 这儿 这时 这样 这次 这种 这里 进入 进行 逐渐 通过 那 那个
那么 那些 那儿 那时 那样 那种 那里 部分 都 都会 都是 采用 里 里面 重要 长 间 除 除了 除非
随着 需 需要 非 非常 须 首先 马上 高
";

#[cfg(test)]
mod tests {
    use super::is_stop_word;

    #[test]
    fn a_possible_subject_is_no_stop_word() {
        assert!(is_stop_word("the") && is_stop_word("因为"));
        assert!(!is_stop_word("state") && !is_stop_word("状态") && !is_stop_word(""));
    }
}

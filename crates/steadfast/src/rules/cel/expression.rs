//! A parsed expression: its nesting bounded, its variables known, its
//! comprehensions over maps put in order.

use std::collections::BTreeSet;

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue};
use cel::{Env, ParseErrors};
use steadfast_core::limits;

/// The function around the range of each comprehension. The name cannot be
/// written in CEL, so no expression can call it by itself.
pub(super) const KEYS: &str = "@keys";

pub(super) struct Parsed {
    pub(super) expression: IdedExpr,
    /// Levels of the tree.
    pub(super) depth: usize,
    /// Variables that it reads, without those that its comprehensions bind.
    pub(super) references: Vec<String>,
    /// Members of variables that it names outright: variable and path.
    pub(super) members: BTreeSet<(String, Vec<String>)>,
    /// Comprehensions within one another.
    comprehensions: u32,
    /// Elements written out in the expression, and its additions: each can
    /// make a list longer than any variable's.
    widening: u64,
}

impl Parsed {
    /// An upper bound of what the comprehensions visit, where no collection of
    /// the variables has more than `widest` elements.
    pub(super) fn visits(&self, widest: u64) -> u64 {
        let width = widest.saturating_mul(1 + self.widening);
        if self.comprehensions == 0 {
            0
        } else {
            width.saturating_pow(self.comprehensions)
        }
    }
}

pub(super) fn parse(env: &Env, source: &str) -> Result<Parsed, String> {
    let mut expression = env
        .parser()
        .max_recursion_depth(limits::EXPRESSION_DEPTH_MAX)
        .parse(source)
        .map_err(|errors| first(&errors))?;
    // Chains such as `a + b + …` nest without the parser's recursion.
    let depth = depth(&expression);
    if depth > usize::from(limits::EXPRESSION_DEPTH_MAX) * 2 {
        // Freeing it recurses as well: it is taken apart level by level.
        dismantle(expression);
        return Err(too_deep());
    }
    let mut survey = Survey::default();
    survey.visit(&expression, &mut Vec::new(), 0);
    order(&mut expression);
    Ok(Parsed {
        expression,
        depth,
        references: survey.references.into_iter().collect(),
        members: survey.members,
        comprehensions: survey.comprehensions,
        widening: survey.widening,
    })
}

fn too_deep() -> String {
    format!("nested deeper than {}", limits::EXPRESSION_DEPTH_MAX)
}

fn first(errors: &ParseErrors) -> String {
    errors.errors.first().map_or_else(
        || "not an expression".to_owned(),
        |error| match error.msg.trim() {
            text if text.to_lowercase().contains("recursion") => too_deep(),
            text => format!("{text} (column {})", error.pos.1.max(1)),
        },
    )
}

fn children(expr: &Expr) -> Vec<&IdedExpr> {
    match expr {
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => Vec::new(),
        Expr::Call(call) => call
            .target
            .as_deref()
            .into_iter()
            .chain(&call.args)
            .collect(),
        Expr::Comprehension(c) => {
            vec![
                &c.iter_range,
                &c.accu_init,
                &c.loop_cond,
                &c.loop_step,
                &c.result,
            ]
        }
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => map
            .entries
            .iter()
            .flat_map(|entry| entry_parts(&entry.expr))
            .collect(),
        Expr::Select(select) => vec![&select.operand],
        Expr::Struct(one) => one
            .entries
            .iter()
            .flat_map(|entry| entry_parts(&entry.expr))
            .collect(),
    }
}

fn entry_parts(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    }
}

fn children_mut(expr: &mut Expr) -> Vec<&mut IdedExpr> {
    match expr {
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => Vec::new(),
        Expr::Call(call) => call
            .target
            .as_deref_mut()
            .into_iter()
            .chain(&mut call.args)
            .collect(),
        Expr::Comprehension(c) => vec![
            &mut c.iter_range,
            &mut c.accu_init,
            &mut c.loop_cond,
            &mut c.loop_step,
            &mut c.result,
        ],
        Expr::List(list) => list.elements.iter_mut().collect(),
        Expr::Map(map) => map
            .entries
            .iter_mut()
            .flat_map(|entry| entry_parts_mut(&mut entry.expr))
            .collect(),
        Expr::Select(select) => vec![&mut select.operand],
        Expr::Struct(one) => one
            .entries
            .iter_mut()
            .flat_map(|entry| entry_parts_mut(&mut entry.expr))
            .collect(),
    }
}

fn entry_parts_mut(entry: &mut EntryExpr) -> Vec<&mut IdedExpr> {
    match entry {
        EntryExpr::StructField(field) => vec![&mut field.value],
        EntryExpr::MapEntry(entry) => vec![&mut entry.key, &mut entry.value],
    }
}

fn depth(expression: &IdedExpr) -> usize {
    let mut open = vec![(expression, 1)];
    let mut deepest = 0;
    while let Some((node, level)) = open.pop() {
        deepest = deepest.max(level);
        open.extend(
            children(&node.expr)
                .into_iter()
                .map(|child| (child, level + 1)),
        );
    }
    deepest
}

fn dismantle(expression: IdedExpr) {
    let mut open = vec![expression];
    while let Some(mut node) = open.pop() {
        open.extend(children_mut(&mut node.expr).into_iter().map(std::mem::take));
    }
}

#[derive(Default)]
struct Survey {
    references: BTreeSet<String>,
    members: BTreeSet<(String, Vec<String>)>,
    comprehensions: u32,
    widening: u64,
}

impl Survey {
    /// Notes a member that is named outright. The whole path counts, so that
    /// its beginnings are not noted beside it.
    fn member(&mut self, node: &IdedExpr, bound: &[&str]) {
        let found = match &node.expr {
            Expr::Call(call) if call.func_name == IN && call.args.len() == 2 => {
                let within = path(&call.args[1]);
                within
                    .zip(literal(&call.args[0]))
                    .map(|((root, mut path), name)| {
                        path.push(name);
                        (root, path)
                    })
            }
            _ => path(node),
        };
        if let Some((root, path)) = found
            && !path.is_empty()
            && !bound.contains(&root.as_str())
        {
            let longer =
                |(of, other): &(String, Vec<String>)| *of == root && other.starts_with(&path);
            if !self.members.iter().any(longer) {
                self.members.insert((root, path));
            }
        }
    }

    fn visit<'e>(&mut self, node: &'e IdedExpr, bound: &mut Vec<&'e str>, nested: u32) {
        self.member(node, bound);
        match &node.expr {
            Expr::Ident(name) => {
                if !name.starts_with('@') && !bound.contains(&name.as_str()) {
                    self.references
                        .insert(name.trim_start_matches('.').to_owned());
                }
            }
            Expr::Comprehension(c) => {
                self.comprehensions = self.comprehensions.max(nested + 1);
                // The range and the start are evaluated outside of the loop.
                self.visit(&c.iter_range, bound, nested);
                self.visit(&c.accu_init, bound, nested);
                let before = bound.len();
                bound.push(&c.iter_var);
                bound.push(&c.accu_var);
                bound.extend(c.iter_var2.as_deref());
                for part in [&c.loop_cond, &c.loop_step, &c.result] {
                    self.visit(part, bound, nested + 1);
                }
                bound.truncate(before);
            }
            other => {
                self.widening += match other {
                    Expr::List(list) => list.elements.len() as u64,
                    Expr::Map(map) => map.entries.len() as u64,
                    Expr::Call(call) if call.func_name == "_+_" => 1,
                    _ => 0,
                };
                for child in children(other) {
                    self.visit(child, bound, nested);
                }
            }
        }
    }
}

/// The operators that look a member up, as the parser names them.
const INDEX: &str = "_[_]";
const IN: &str = "@in";

/// A chain of constant look-ups, from its variable on.
fn path(node: &IdedExpr) -> Option<(String, Vec<String>)> {
    let mut names = Vec::new();
    let mut at = node;
    loop {
        match &at.expr {
            Expr::Ident(name) => {
                names.reverse();
                return Some((name.trim_start_matches('.').to_owned(), names));
            }
            Expr::Select(select) => {
                names.push(select.field.clone());
                at = &select.operand;
            }
            Expr::Call(call) if call.func_name == INDEX && call.args.len() == 2 => {
                names.push(literal(&call.args[1])?);
                at = &call.args[0];
            }
            _ => return None,
        }
    }
}

fn literal(node: &IdedExpr) -> Option<String> {
    match &node.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner().to_owned()),
        _ => None,
    }
}

/// Puts the range of each comprehension through [`KEYS`].
fn order(node: &mut IdedExpr) {
    if let Expr::Comprehension(c) = &mut node.expr {
        let range = std::mem::take(&mut c.iter_range);
        let call = CallExpr {
            func_name: KEYS.to_owned(),
            target: None,
            args: vec![range],
        };
        c.iter_range = IdedExpr {
            id: 0,
            expr: Expr::Call(call),
        };
    }
    for child in children_mut(&mut node.expr) {
        order(child);
    }
}

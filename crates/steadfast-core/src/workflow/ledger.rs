//! The `ledger` section of a workflow file: the rules that a task begins with.

use serde_json::Value;

use crate::ledger::Given;
use crate::ledger::exchange::{self, ImportError, sentence};
use crate::workflow::problem::Problem;
use crate::workflow::spec::LedgerSpec;

/// The section, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FirstRules {
    pub policy: Vec<Given>,
    pub developer: Vec<Given>,
}

/// Reads the section.
///
/// # Errors
///
/// W0050 for each rule that does not read.
pub(super) fn read(spec: &LedgerSpec) -> Result<FirstRules, Vec<Problem>> {
    let mut errors = Vec::new();
    let list = |rules: &[Value], at: &str, errors: &mut Vec<ImportError>| {
        exchange::constraints(&Value::Array(rules.to_vec()), at, &sentence, errors)
    };
    let mut policy = list(&spec.policy, "/ledger/policy", &mut errors);
    let developer = list(&spec.developer, "/ledger/developer", &mut errors);
    if !spec.output.is_null() {
        policy.extend(exchange::output(
            &spec.output,
            "/ledger/output",
            &mut errors,
        ));
    }
    if errors.is_empty() {
        return Ok(FirstRules { policy, developer });
    }
    Err(errors.iter().map(problem).collect())
}

fn problem(error: &ImportError) -> Problem {
    let path: Vec<&str> = error.pointer.split('/').skip(1).collect();
    Problem::error("W0050", &path, error.fault.to_string()).hint(error.hint())
}

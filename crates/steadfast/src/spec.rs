//! Workflow files: YAML or JSON in, a resolved spec or diagnostics out.

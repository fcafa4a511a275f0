//! The core's questions, answered: JSON Schema, CEL, tokenizers.

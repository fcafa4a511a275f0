//! Settings as a file again.

use super::Settings;

/// Settings in the format of the file. Reading it gives the same settings: keys
/// are references, so nothing is masked.
pub fn to_toml(settings: &Settings) -> String {
    toml::to_string(settings).expect("settings are texts, numbers and tables")
}

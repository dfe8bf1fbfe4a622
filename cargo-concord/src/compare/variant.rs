//! Variants of the runtime: which of its mechanisms are on, as an option of the comparison names them.

use std::fmt;

use anyhow::{Result, ensure};

/// Options of a service's program that a variant may set; the program checks their values.
const OPTIONS: [&str; 5] = ["assist", "jbsq-depth", "preemption", "interrupt-cycles", "rotation"];

/// A set of options that differ from the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variant(Vec<(String, String)>);

impl Variant {
    /// Reads `default`, or options joined by `+`, such as `assist=off+jbsq-depth=1`.
    ///
    /// # Errors
    /// What is wrong, and what there is.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        if text == "default" {
            return Ok(Self::default());
        }
        let mut options: Vec<(String, String)> = Vec::new();
        for part in text.split('+') {
            let known = part.split_once('=').filter(|(name, _)| OPTIONS.contains(name));
            let (name, value) = known.unwrap_or_default();
            ensure!(
                !value.is_empty(),
                "variant `{text}`: `{part}` is not OPTION=VALUE with one of {}; write `default` for none",
                OPTIONS.join(", ")
            );
            ensure!(options.iter().all(|(other, _)| other != name), "variant `{text}`: `{name}` comes twice");
            options.push((name.into(), value.into()));
        }
        Ok(Self(options))
    }

    /// As arguments of the service's program.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().map(|(name, value)| (format!("--{name}"), value.clone()))
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        f.write_str(if options.is_empty() { "default" } else { "" })?;
        f.write_str(&options.join("+"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_round_trip_and_become_arguments() {
        for text in ["default", "assist=off", "assist=off+jbsq-depth=1"] {
            assert_eq!(Variant::parse(text).unwrap().to_string(), text);
        }
        let arguments: Vec<_> = Variant::parse("assist=off+jbsq-depth=1").unwrap().arguments().collect();
        let expected = [("--assist", "off"), ("--jbsq-depth", "1")];
        assert_eq!(arguments, expected.map(|(name, value)| (name.to_string(), value.to_string())));
    }

    #[test]
    fn unknown_options_are_refused() {
        for text in ["", "assist", "assist=", "assits=off", "default+assist=off", "assist=on+assist=off"] {
            let message = Variant::parse(text).unwrap_err().to_string();
            assert!(message.contains("assist"), "{text}: {message}");
        }
    }
}

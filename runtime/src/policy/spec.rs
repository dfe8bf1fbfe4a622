//! What a user writes to choose a policy: `name`, or `name:option=value,option=value`.

use std::fmt;
use std::str::FromStr;

use super::registry::REGISTRY;
use super::{Policy, Setup};
use crate::sys::clock::{Nanos, Ticks};

/// A policy of the registry: its name, what it is, and its options.
#[derive(Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Whether it is work conserving: no worker idles while a request waits that it may run.
    pub conserves: bool,
    /// Its options.
    pub options: &'static [OptionDoc],
    pub(super) make: Constructor,
}

/// Reads the options and makes the policy.
pub(super) type Constructor = fn(&Options<'_>, &Setup) -> Result<Box<dyn Policy>, SpecError>;

/// One option of a policy.
#[derive(Debug)]
pub struct OptionDoc {
    /// Its name.
    pub name: &'static str,
    /// The value that it has when it is not given.
    pub default: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// A policy by name, with options: checked when it is parsed.
#[derive(Clone, Debug)]
pub struct Spec {
    entry: &'static Entry,
    given: Vec<(String, String)>,
}

impl Spec {
    /// The policy's name, without options.
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    /// Makes the policy.
    ///
    /// # Errors
    /// When an option is impossible with this setup.
    pub fn make(&self, setup: &Setup) -> Result<Box<dyn Policy>, SpecError> {
        (self.entry.make)(&Options { spec: self, setup }, setup)
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.entry.name)?;
        for (index, (name, value)) in self.given.iter().enumerate() {
            write!(f, "{}{name}={value}", if index == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

/// Why a policy could not be made.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// No policy has this name.
    #[error("`{name}` is unknown{hint}; known are: {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// `; did you mean ...?`, or nothing.
        hint: String,
        /// All names.
        known: String,
    },
    /// The policy has no such option.
    #[error("policy `{policy}` has no option `{option}`{hint}; {known}")]
    UnknownOption {
        /// The policy.
        policy: &'static str,
        /// What was asked for.
        option: String,
        /// `; did you mean ...?`, or nothing.
        hint: String,
        /// All options.
        known: String,
    },
    /// An option is not of the form `name=value`, or is given twice.
    #[error("policy `{policy}`: `{option}` {problem}")]
    Form {
        /// The policy.
        policy: &'static str,
        /// The option as it was written.
        option: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// An option has an impossible value.
    #[error("policy `{policy}`: option `{option}` is `{value}`; it must be {expected}")]
    Value {
        /// The policy.
        policy: &'static str,
        /// The option.
        option: &'static str,
        /// The value given.
        value: String,
        /// What would do.
        expected: String,
    },
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let entry = REGISTRY.iter().find(|entry| entry.name == name).ok_or_else(|| unknown(name))?;
        let mut spec = Spec { entry, given: Vec::new() };
        for option in options.split(',').filter(|option| !option.is_empty()) {
            spec.read(option)?;
        }
        // Values are checked by making the policy once, for the smallest of servers.
        let setup =
            Setup { workers: 1, capacity: 1, classes: 1, quantum: None, ticks_per_micro: 1e3, clock: None };
        spec.make(&setup).map(|_| spec)
    }
}

impl Spec {
    fn read(&mut self, text: &str) -> Result<(), SpecError> {
        let policy = self.entry.name;
        let wrong = |problem| SpecError::Form { policy, option: text.into(), problem };
        let (name, value) =
            text.split_once('=').ok_or_else(|| wrong("has no value; write `option=value`"))?;
        let names = || self.entry.options.iter().map(|option| option.name);
        if !names().any(|known| known == name) {
            let known = names().collect::<Vec<_>>().join(", ");
            return Err(SpecError::UnknownOption {
                policy,
                option: name.into(),
                hint: concord_suggest::question(name, names()),
                known: if known.is_empty() { "it has none".into() } else { format!("it has: {known}") },
            });
        }
        if self.given.iter().any(|(given, _)| given == name) {
            return Err(wrong("is given twice"));
        }
        self.given.push((name.into(), value.into()));
        Ok(())
    }
}

fn unknown(name: &str) -> SpecError {
    let names = || REGISTRY.iter().map(|entry| entry.name);
    let known = names().collect::<Vec<_>>().join(", ");
    SpecError::Unknown { name: name.into(), hint: concord_suggest::question(name, names()), known }
}

/// The values of a policy's options: given, or by default.
pub(super) struct Options<'a> {
    spec: &'a Spec,
    setup: &'a Setup,
}

impl<'a> Options<'a> {
    fn text(&self, name: &str) -> &'a str {
        let given = self.spec.given.iter().find(|(given, _)| given == name);
        let default = || self.spec.entry.options.iter().find(|option| option.name == name);
        given.map(|(_, value)| value.as_str()).unwrap_or_else(|| default().expect("documented").default)
    }

    fn entry_option(&self, name: &str) -> &'static str {
        self.spec.entry.options.iter().find(|option| option.name == name).expect("documented").name
    }

    fn refuse(&self, name: &str, expected: String) -> SpecError {
        SpecError::Value {
            policy: self.spec.entry.name,
            option: self.entry_option(name),
            value: self.text(name).into(),
            expected,
        }
    }

    /// A number from `least` to `most`.
    pub(super) fn number<T>(&self, name: &str, least: T, most: T) -> Result<T, SpecError>
    where
        T: FromStr + PartialOrd + fmt::Display,
    {
        let value = self.text(name).parse().ok().filter(|value| (&least..=&most).contains(&value));
        value.ok_or_else(|| self.refuse(name, format!("a number from {least} to {most}")))
    }

    /// A number from `least` to `most`, or `None` for `auto`.
    pub(super) fn number_or_auto<T>(&self, name: &str, least: T, most: T) -> Result<Option<T>, SpecError>
    where
        T: FromStr + PartialOrd + fmt::Display,
    {
        if self.text(name) == "auto" { Ok(None) } else { self.number(name, least, most).map(Some) }
    }

    /// A time that is no option, in the caller's ticks.
    pub(super) fn ticks(&self, time: Nanos) -> Ticks {
        self.setup.ticks(time)
    }

    /// A time, such as `1us`, in the caller's ticks.
    pub(super) fn time(&self, name: &str) -> Result<Ticks, SpecError> {
        let nanos = self.text(name).parse::<Nanos>();
        let nanos = nanos.map_err(|_| self.refuse(name, "a time such as 500ns, 5us or 2ms".into()))?;
        Ok(self.setup.ticks(nanos))
    }

    /// Numbers from `least` to `most` with `/` between them; empty for `auto`.
    pub(super) fn list<T>(&self, name: &str, least: T, most: T) -> Result<Vec<T>, SpecError>
    where
        T: FromStr + PartialOrd + fmt::Display,
    {
        if self.text(name) == "auto" {
            return Ok(Vec::new());
        }
        let value = |text: &str| text.parse().ok().filter(|value| (&least..=&most).contains(&value));
        let values: Option<Vec<T>> = self.text(name).split('/').map(value).collect();
        values.ok_or_else(|| {
            self.refuse(name, format!("`auto`, or numbers from {least} to {most} with `/` between them"))
        })
    }

    /// For impossible combinations.
    pub(super) fn impossible(&self, name: &str, expected: impl Into<String>) -> SpecError {
        self.refuse(name, expected.into())
    }
}

/// All policies and their options, as text for a `--help`.
pub fn help() -> String {
    let mut text = String::from("Policies, chosen as `name` or `name:option=value,option=value`:\n");
    for entry in &REGISTRY {
        text += &format!("\n  {:<13} {}\n", entry.name, entry.summary);
        for OptionDoc { name, default, help } in entry.options {
            text += &format!("  {:<15} {name}={default}: {help}\n", "");
        }
    }
    text
}

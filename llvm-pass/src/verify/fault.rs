//! What is wrong with a function.

use std::fmt;

use concord_job::Place;

/// A way through the code that neither a probe nor a bound ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The symbol of the function.
    pub function: String,
    /// Where, when there is debug information.
    pub place: Option<Place>,
    /// What kind of way.
    pub kind: Kind,
}

/// The kinds of [`Fault`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A loop of the final IR.
    Loop,
    /// A cycle of blocks of the final IR that can be entered in several places.
    Irreducible,
    /// Functions that call each other.
    Recursion(Vec<String>),
    /// A cycle of instructions: where it begins, and what stands there.
    Instructions {
        /// Distance from the function's beginning.
        offset: u64,
        /// The instruction.
        text: String,
        /// Instructions in the cycle.
        length: usize,
    },
    /// Functions whose emitted code calls each other.
    EmittedRecursion(Vec<String>),
    /// The object cannot be read as code.
    Unreadable(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}", crate::names::Name::of(&self.function).demangled)?;
        if let Some(Place { file, line }) = &self.place {
            write!(to, " ({file}:{line})")?;
        }
        match &self.kind {
            Kind::Loop => write!(to, ": a loop has neither a probe nor a bound"),
            Kind::Irreducible => {
                write!(to, ": a loop with several entries has neither a probe nor a bound")
            }
            Kind::Recursion(names) => write!(to, ": {} without a probe", calls(names)),
            Kind::Instructions { offset, text, length } => write!(
                to,
                ": the emitted code has a loop with neither a probe nor a bound: {length} instructions from \
                 +{offset:#x}, `{text}`"
            ),
            Kind::EmittedRecursion(names) => {
                write!(to, ": in the emitted code, {} without a probe", calls(names))
            }
            Kind::Unreadable(why) => write!(to, ": the emitted code cannot be read: {why}"),
        }
    }
}

fn calls(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| crate::names::Name::of(name).demangled).collect();
    match names.as_slice() {
        [one] => format!("{one} calls itself"),
        _ => format!("{} call each other", names.join(", ")),
    }
}

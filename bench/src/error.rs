//! What can go wrong before and after a run.

use thiserror::Error;

/// Errors of this crate; each message says what to change.
#[derive(Debug, Error)]
pub enum BenchError {
    /// No workload has this name.
    #[error(
        "unknown workload `{name}`{hint}; workloads: {known}; or give a mix of classes such as GET=0.9,SCAN=0.1"
    )]
    UnknownWorkload {
        /// What was asked for.
        name: String,
        /// Empty, or ` (did you mean ...?)`.
        hint: String,
        /// All names, separated by commas.
        known: String,
    },
    /// A mix such as `GET=0.9,SCAN=0.1` that does not parse.
    #[error(
        "workload `{mix}`: {reason}; write CLASS=WEIGHT,CLASS=WEIGHT with weights above 0, or CLASS=SHARE@TIME,CLASS=SHARE@TIME with shares that add up to 1"
    )]
    Mix {
        /// What was asked for.
        mix: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The service has no such class.
    #[error(
        "workload `{workload}` has the class `{class}`, which this service does not serve (its classes: {known})"
    )]
    UnknownClass {
        /// The workload's name.
        workload: String,
        /// The class that is missing.
        class: String,
        /// The service's classes, separated by commas.
        known: String,
    },
    /// A load was given, but a class's service time is not known.
    #[error(
        "the load of workload `{workload}` needs the service time of class `{class}`; measure it with `service-times` and pass --service-ns {class}=NANOSECONDS, or give --rate"
    )]
    ServiceTime {
        /// The workload's name.
        workload: String,
        /// The class whose time is missing.
        class: String,
    },
    /// A schedule nobody can make.
    #[error("schedule: {0}")]
    Schedule(String),
    /// A trace that is none.
    #[error("trace {}{}: {reason}", path.display(), if *line == 0 { String::new() } else { format!(", line {line}") })]
    Trace {
        /// The file.
        path: std::path::PathBuf,
        /// The line, from 1; 0 for the whole file.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A simulation nobody can run.
    #[error("simulation: {0}")]
    Simulation(String),
}

//! What was typed, and what it means to the runtime.

use anyhow::{Result, ensure};
use clap::{Args, Parser, Subcommand, ValueEnum};
use concord::{Config, Idle, Nanos};

use super::mechanisms::MechanismArgs;
use crate::quantum;
use crate::workload::{Length, Workload};

/// A service's command line.
#[derive(Parser)]
#[command(name = "service")]
pub(super) struct Cli<A: Args> {
    #[command(flatten)]
    pub(super) service: A,
    #[command(subcommand)]
    pub(super) mode: Mode,
}

/// How the service is run.
#[derive(Subcommand)]
pub(super) enum Mode {
    /// Serve over the network until SIGINT or SIGTERM, then print the statistics
    Serve(super::serve::ServeArgs),
    /// Run an open-loop load from inside the process and print latencies
    InProcess(super::in_process::InProcessArgs),
    /// Run requests one at a time and print the service time of each class
    ServiceTimes(super::service_times::ServiceTimesArgs),
    /// Be the client: send an open-loop load to a running service
    Load(super::load::LoadArgs),
}

/// Options of the runtime.
#[derive(Clone, Debug, Args)]
pub(super) struct RuntimeArgs {
    /// Worker threads; the dispatcher is one more
    #[arg(long, value_name = "N", default_value_t = 1)]
    workers: usize,
    /// Quantum, such as 5us; `none` preempts nothing
    #[arg(long, value_name = "DURATION", default_value = "5us")]
    quantum: String,
    /// Policy that decides which request runs next, such as ps or on-demand:arm=2us; --help lists them
    #[arg(long, value_name = "POLICY", default_value = "ps", long_help = concord::policy::help())]
    policy: String,
    #[command(flatten)]
    mechanisms: MechanismArgs,
    /// Requests under way at most; more are dropped and counted
    #[arg(long, value_name = "N", default_value_t = 65_536)]
    queue_bound: usize,
    /// How idle threads wait; `auto` polls when there is a core for each thread
    #[arg(long, value_enum, default_value_t = IdleArg::Auto)]
    idle: IdleArg,
}

/// [`Idle`] on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum IdleArg {
    /// `poll` when there is a core for each thread, else `polite`
    Auto,
    /// Poll without pause: fastest, keeps a core busy for each thread
    Poll,
    /// Spin shortly, then yield, then sleep
    Polite,
}

impl From<IdleArg> for Idle {
    fn from(idle: IdleArg) -> Self {
        match idle {
            IdleArg::Auto => Self::Auto,
            IdleArg::Poll => Self::Poll,
            IdleArg::Polite => Self::Polite,
        }
    }
}

impl RuntimeArgs {
    /// What differs from the default, as `cargo concord compare --variants` would name it.
    pub(super) fn variant(&self) -> String {
        self.mechanisms.variant()
    }

    /// The runtime's configuration, checked.
    ///
    /// # Errors
    /// The option that is impossible.
    pub(super) fn config(&self) -> Result<Config> {
        let quantum = quantum::parse(&self.quantum).map_err(|error| anyhow::anyhow!("--quantum: {error}"))?;
        let config = self.mechanisms.apply(Config {
            workers: self.workers,
            quantum: quantum.map(Nanos),
            policy: self.policy.clone(),
            queue_bound: self.queue_bound,
            idle: self.idle.into(),
            ..Config::default()
        });
        config.validate()?;
        Ok(config)
    }
}

/// Which requests arrive, and how many.
#[derive(Clone, Debug, Args)]
pub(crate) struct WorkloadArgs {
    /// Workload by name, or a mix of the service's classes such as GET=0.9,SCAN=0.1
    #[arg(long, value_name = "NAME|MIX")]
    pub(crate) workload: String,
    /// Seed: the same seed makes the same requests at the same times
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Length of the run by requests
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    requests: Option<usize>,
    /// Length of the run by time; 5 when neither is given
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<f64>,
}

impl WorkloadArgs {
    /// The workload.
    ///
    /// # Errors
    /// When there is none of this name.
    pub(crate) fn workload(&self) -> Result<Workload> {
        Ok(Workload::find(&self.workload)?)
    }

    /// The length of the run.
    pub(crate) fn length(&self) -> Length {
        match (self.requests, self.seconds) {
            (Some(requests), _) => Length::Requests(requests),
            (None, seconds) => Length::Seconds(seconds.unwrap_or(5.0)),
        }
    }
}

/// Reads `GET=480,SCAN=600000`: nanoseconds by class.
///
/// # Errors
/// The part that is malformed.
pub(crate) fn parse_service_ns(text: &str) -> Result<Vec<(String, f64)>> {
    let parse = |part: &str| {
        let parsed =
            part.split_once('=').and_then(|(class, ns)| Some((class.trim(), ns.trim().parse::<f64>().ok()?)));
        let (class, ns) = parsed.unwrap_or(("", 0.0));
        ensure!(
            !class.is_empty() && ns.is_finite() && ns > 0.0,
            "--service-ns: `{part}` is not CLASS=NANOSECONDS, such as GET=480"
        );
        Ok((class.to_string(), ns))
    };
    text.split(',').map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args() -> RuntimeArgs {
        RuntimeArgs {
            workers: 1,
            quantum: "5us".into(),
            policy: "ps".into(),
            mechanisms: MechanismArgs::default(),
            queue_bound: 4_096,
            idle: IdleArg::Auto,
        }
    }

    #[test]
    fn impossible_options_are_refused_by_name() {
        assert_eq!(args().config().unwrap().quantum, Some(Nanos(5_000)));
        assert_eq!(RuntimeArgs { quantum: "none".into(), ..args() }.config().unwrap().quantum, None);
        for (args, option) in [
            (RuntimeArgs { workers: 0, ..args() }, "workers"),
            (RuntimeArgs { quantum: "0us".into(), ..args() }, "quantum"),
            (RuntimeArgs { policy: "psx".into(), ..args() }, "policy"),
        ] {
            let message = args.config().unwrap_err().to_string();
            assert!(message.contains(option), "{message}");
        }
    }

    #[test]
    fn service_times_by_class_are_read_or_refused() {
        assert_eq!(
            parse_service_ns("GET=480, SCAN=6e5").unwrap(),
            [("GET".into(), 480.0), ("SCAN".into(), 6e5)]
        );
        for text in ["GET", "GET=0", "=1", "GET=x", ""] {
            assert!(parse_service_ns(text).unwrap_err().to_string().contains("CLASS=NANOSECONDS"), "{text}");
        }
    }
}

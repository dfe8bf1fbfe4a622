//! Mechanisms of the runtime on the command line, and their baselines.

use clap::{Args, ValueEnum};
use concord::{Assist, Config, Preemption, Rotation};

/// What can be switched; the default of each is what the product does.
#[derive(Clone, Debug, Args)]
pub(super) struct MechanismArgs {
    /// Requests that a worker holds at most, the running one included: a number, or `auto` for what covers the hand-off
    #[arg(long, value_name = "K", default_value = "auto", value_parser = parse_depth)]
    jbsq_depth: Depth,
    /// Whether the dispatcher runs requests itself while no worker has room
    #[arg(long, value_enum, default_value_t = AssistArg::Auto)]
    assist: AssistArg,
    /// How a turn is ended; all but `line` are baselines
    #[arg(long, value_enum, default_value_t = PreemptionArg::Line)]
    preemption: PreemptionArg,
    /// With `--preemption emulated-interrupt`: cycles that a worker loses at each preemption
    #[arg(long, value_name = "N", default_value_t = Preemption::SHINJUKU_CYCLES)]
    interrupt_cycles: u32,
    /// Who decides what runs next on a worker; `worker` is a baseline
    #[arg(long, value_enum, default_value_t = RotationArg::Dispatcher)]
    rotation: RotationArg,
}

/// The k of JBSQ(k); `None`: derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Depth(Option<usize>);

fn parse_depth(text: &str) -> Result<Depth, String> {
    let number = || text.parse().map_err(|_| format!("`{text}` is neither a number nor `auto`"));
    Ok(Depth(if text == "auto" { None } else { Some(number()?) }))
}

/// [`Assist`] on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AssistArg {
    /// In a program with probes
    Auto,
    /// Never
    Off,
    /// Always: a handler without probes keeps the dispatcher from its work
    On,
}

/// [`Preemption`] on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PreemptionArg {
    /// The dispatcher writes to the line that the worker's code polls
    Line,
    /// The dispatcher sends a POSIX signal, whose handler arms the line
    Signal,
    /// An emulation of Shinjuku: as `line`, and each preemption costs the worker as much as an interrupt would
    EmulatedInterrupt,
    /// The worker's probes look at its own clock
    Clock,
}

/// [`Rotation`] on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RotationArg {
    /// The dispatcher: preempted requests go back to the policy
    Dispatcher,
    /// The worker, among the requests that it holds
    Worker,
}

impl Default for MechanismArgs {
    fn default() -> Self {
        Self {
            jbsq_depth: Depth(None),
            assist: AssistArg::Auto,
            preemption: PreemptionArg::Line,
            interrupt_cycles: Preemption::SHINJUKU_CYCLES,
            rotation: RotationArg::Dispatcher,
        }
    }
}

impl MechanismArgs {
    /// `config` with these mechanisms.
    pub(super) fn apply(&self, config: Config) -> Config {
        let assist = match self.assist {
            AssistArg::Auto => Assist::Auto,
            AssistArg::Off => Assist::Off,
            AssistArg::On => Assist::On,
        };
        let preemption = match self.preemption {
            PreemptionArg::Line => Preemption::Line,
            PreemptionArg::Signal => Preemption::Signal,
            PreemptionArg::EmulatedInterrupt => {
                Preemption::EmulatedInterrupt { cycles: self.interrupt_cycles }
            }
            PreemptionArg::Clock => Preemption::Clock,
        };
        let rotation = match self.rotation {
            RotationArg::Dispatcher => Rotation::Dispatcher,
            RotationArg::Worker => Rotation::Worker,
        };
        Config { jbsq_depth: self.jbsq_depth.0, assist, preemption, rotation, ..config }
    }

    /// What differs from the default: options joined by `+`, or `default`.
    pub(super) fn variant(&self) -> String {
        let default = Self::default();
        let named = |name: &str, value: &dyn Fn() -> String, differs: bool| {
            differs.then(|| format!("{name}={}", value()))
        };
        let set = [
            named(
                "jbsq-depth",
                &|| self.jbsq_depth.0.unwrap_or(0).to_string(),
                self.jbsq_depth != default.jbsq_depth,
            ),
            named("assist", &|| value_name(self.assist), self.assist != default.assist),
            named("preemption", &|| value_name(self.preemption), self.preemption != default.preemption),
            named(
                "interrupt-cycles",
                &|| self.interrupt_cycles.to_string(),
                self.interrupt_cycles != default.interrupt_cycles,
            ),
            named("rotation", &|| value_name(self.rotation), self.rotation != default.rotation),
        ];
        let set: Vec<String> = set.into_iter().flatten().collect();
        if set.is_empty() { "default".into() } else { set.join("+") }
    }
}

fn value_name(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: MechanismArgs,
    }

    fn args(line: &str) -> MechanismArgs {
        Line::try_parse_from(std::iter::once("svc").chain(line.split_whitespace())).unwrap().args
    }

    #[test]
    fn what_was_typed_reaches_the_runtime_and_is_named() {
        let config = args("").apply(Config::default());
        assert_eq!((config, args("").variant()), (Config::default(), "default".into()));
        let shinjuku = args("--jbsq-depth 1 --assist off --preemption emulated-interrupt");
        let config = shinjuku.apply(Config::default());
        assert_eq!(config.preemption, Preemption::EmulatedInterrupt { cycles: 1_200 });
        assert_eq!((config.jbsq_depth, config.assist), (Some(1), Assist::Off));
        assert_eq!(shinjuku.variant(), "jbsq-depth=1+assist=off+preemption=emulated-interrupt");
        let tiny = args("--preemption clock --rotation worker --interrupt-cycles 5");
        assert_eq!(tiny.apply(Config::default()).rotation, Rotation::Worker);
        assert_eq!(tiny.variant(), "preemption=clock+interrupt-cycles=5+rotation=worker");
    }

    #[test]
    fn a_depth_is_a_number_or_auto() {
        assert_eq!((parse_depth("auto"), parse_depth("3")), (Ok(Depth(None)), Ok(Depth(Some(3)))));
        assert!(parse_depth("two").unwrap_err().contains("auto"));
    }
}

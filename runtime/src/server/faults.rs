//! What this machine cannot do of what was asked for: said before a run, with what happens instead.

use crate::config::{Config, Idle, Pinning};
use crate::sys::clock::Nanos;

/// What a warning depends on besides the options.
#[derive(Clone, Copy, Debug)]
pub(super) struct Machine {
    /// Cores that this process may use, by its affinity and its container's share.
    pub(super) cores: usize,
    /// Whether the time stamp counter says that its rate never changes.
    pub(super) has_invariant_counter: bool,
    /// Whether this artefact has probes.
    pub(super) has_probes: bool,
}

/// A preemption costs some 200 to 300 ns: a turn shorter than this spends a quarter of its time on being ended.
const SHORTEST_QUANTUM: Nanos = Nanos::from_micros(1);

/// The warnings.
pub(super) fn warnings(config: &Config, machine: Machine) -> Vec<String> {
    let mut warnings = Vec::new();
    let threads = config.workers + 1;
    let by_itself = config.pinning == Pinning::Auto && config.idle == Idle::Auto;
    if by_itself && machine.cores < threads {
        warnings.push(format!(
            "{} workers and the dispatcher are {threads} threads, but this process may use {} core(s): nothing is \
             pinned, idle threads sleep, and a turn ends when the dispatcher gets its share of a core, which can take \
             milliseconds; ask for fewer workers or more cores, or set `idle` to say that this is meant",
            config.workers, machine.cores
        ));
    }
    if !machine.has_invariant_counter {
        warnings.push(
            "this CPU does not say that its time stamp counter has a constant rate, or its hypervisor hides it: quanta \
             and latencies are measured with the rate of the start, and are wrong when the CPU's clock changes; \
             fix the CPU's frequency"
                .into(),
        );
    }
    if let Some(quantum) = config.quantum.filter(|quantum| *quantum < SHORTEST_QUANTUM) {
        warnings.push(format!(
            "a quantum of {quantum} is shorter than {SHORTEST_QUANTUM}: ending a turn takes 200 to 300 ns, so turns will be \
             longer than asked for, and much of the workers' time goes into switching"
        ));
    }
    if let (Some(quantum), false) = (config.quantum, machine.has_probes) {
        warnings.push(format!(
            "this binary has no probes, so no request is preempted although the quantum is {quantum}; build it by \
             `cargo concord build`"
        ));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Machine = Machine { cores: 4, has_invariant_counter: true, has_probes: true };

    fn only(config: Config, machine: Machine, part: &str) {
        let warnings = warnings(&config, machine);
        assert!(matches!(&warnings[..], [one] if one.contains(part)), "{part}: {warnings:?}");
    }

    #[test]
    fn a_machine_that_can_do_it_is_not_complained_about() {
        assert!(warnings(&Config { workers: 3, ..Config::default() }, GOOD).is_empty());
    }

    #[test]
    fn each_fault_is_said_with_what_happens_instead() {
        only(
            Config { workers: 4, ..Config::default() },
            GOOD,
            "5 threads, but this process may use 4 core(s)",
        );
        only(Config::default(), Machine { has_invariant_counter: false, ..GOOD }, "constant rate");
        only(Config { quantum: Some(Nanos(500)), ..Config::default() }, GOOD, "500ns is shorter than 1us");
        only(Config::default(), Machine { has_probes: false, ..GOOD }, "cargo concord build");
    }

    #[test]
    fn who_chose_to_share_cores_is_not_warned() {
        let config = Config { workers: 9, idle: Idle::Polite, ..Config::default() };
        assert!(warnings(&config, GOOD).is_empty());
    }
}

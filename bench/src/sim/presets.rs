//! Costs by name: nothing, this machine, the papers' testbed; or from a file.

use std::path::Path;

use super::Costs;
use crate::error::BenchError;

/// The presets, with what they are.
pub const PRESETS: [(&str, &str); 4] = [
    ("ideal", "nothing costs anything"),
    ("this-machine", "as `cargo xtask ablation` measured this machine"),
    ("papers", "the papers' testbed (2.6 GHz, 10 us network), turns ended by probes"),
    ("papers-interrupts", "the papers' testbed, turns ended by interrupts of 1,200 cycles"),
];

/// Where `cargo xtask ablation` leaves its results.
pub const ABLATION: &str = "target/ablation/ablation.json";

/// Nanoseconds of so many cycles at 2.6 GHz, the clock of both papers' testbed.
const fn cycles(cycles: u64) -> u64 {
    (cycles * 10 + 13) / 26
}

/// Concord, SOSP'23: hand-off between dispatcher and worker 400 cycles, which are two moves of a cache line; a
/// probe that finds its line written 150 cycles; probes 1 to 1.5 % of the work; round trip 10 us.
/// Persephone, SOSP'21: a Shinjuku dispatcher carries 4.5 million requests/s, 222 ns each, in three steps.
pub fn papers() -> Costs {
    Costs {
        admit: 74,
        assign: 74,
        collect: 74,
        handoff: cycles(200),
        give_back: cycles(200),
        yield_: cycles(150),
        work: 0.0125,
        dispatcher_work: 0.21,
        network: 10_000,
        ..Costs::default()
    }
}

/// As [`papers`], with interrupts that take the worker 1,200 cycles (Concord, SOSP'23) and no probes.
pub fn papers_interrupts() -> Costs {
    Costs { yield_: cycles(1_200), work: 0.0, ..papers() }
}

/// The preset called `name`, or the costs in the TOML file of that name.
///
/// # Errors
/// When it is neither, or the file is not as it should be; the message lists what there is.
pub fn by_name(name: &str) -> Result<Costs, BenchError> {
    match name {
        "ideal" => Ok(Costs::default()),
        "papers" => Ok(papers()),
        "papers-interrupts" => Ok(papers_interrupts()),
        "this-machine" => this_machine(Path::new(ABLATION)),
        file if Path::new(file).is_file() => from_file(Path::new(file)),
        _ => {
            let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
            let hint = concord_suggest::question(name, names.iter().copied());
            Err(BenchError::Simulation(format!(
                "there are no costs `{name}`{hint}; presets are {}; or name a TOML file",
                names.join(", ")
            )))
        }
    }
}

fn from_file(path: &Path) -> Result<Costs, BenchError> {
    let error = |problem: String| BenchError::Simulation(format!("costs in {}: {problem}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|cause| error(cause.to_string()))?;
    let costs: Costs = toml::from_str(&text).map_err(|cause| error(cause.to_string()))?;
    check(&costs).map_err(error)?;
    Ok(costs)
}

/// Costs as the micro-benchmarks of `cargo xtask ablation` measured them.
///
/// # Errors
/// When there are no results; the message says how to get them.
pub fn this_machine(path: &Path) -> Result<Costs, BenchError> {
    let error = |problem: String| {
        BenchError::Simulation(format!(
            "the costs of this machine are read from {}, which {problem}; run `cargo xtask ablation` first, or give \
             --costs papers",
            path.display()
        ))
    };
    let text = std::fs::read_to_string(path).map_err(|cause| error(format!("cannot be read: {cause}")))?;
    let json: serde_json::Value =
        serde_json::from_str(&text).map_err(|cause| error(format!("is no JSON: {cause}")))?;
    let micro = |key: &str| {
        let value = json["micro"][key].as_f64().filter(|value| value.is_finite() && *value >= 0.0);
        value.ok_or_else(|| error(format!("has no number `micro.{key}`")))
    };
    let per_request = 1e9 / micro("empty_handler_rps")?.max(1.0);
    let switch = micro("switch_pair_ns")? / 2.0;
    let preemption = micro("preempt_to_next_ns_p50")?;
    // A line moves twice when a request changes hands: out of the inbox's reader, into the outbox's.
    let step = (per_request / 3.0).round() as u64;
    let notify = ((preemption - 2.0 * switch) / 2.0).max(0.0).round() as u64;
    Ok(Costs {
        admit: step,
        assign: step,
        collect: step,
        handoff: notify,
        give_back: notify,
        begin: switch.round() as u64,
        notify,
        yield_: (preemption - switch).max(0.0).round() as u64 - notify,
        lead: notify,
        ..Costs::default()
    })
}

/// `costs` with changes such as `yield=300,work=0.01`.
///
/// # Errors
/// The part that is no change.
pub fn with_changes(costs: Costs, changes: &str) -> Result<Costs, BenchError> {
    let mut table = toml::Table::try_from(costs).expect("costs are a table of numbers");
    for part in changes.split(',').map(str::trim) {
        let error = |problem: String| BenchError::Simulation(format!("cost `{part}`: {problem}"));
        let (key, value) = part.split_once('=').ok_or_else(|| error("write KEY=NANOSECONDS".into()))?;
        let (key, value) = (key.trim(), value.trim());
        let Some(old) = table.get_mut(key) else {
            let known: Vec<&String> = table.keys().collect();
            let hint = concord_suggest::question(key, known.iter().map(|key| key.as_str()));
            let known = known.iter().map(|key| key.as_str()).collect::<Vec<_>>().join(", ");
            return Err(error(format!("unknown{hint}; there are {known}")));
        };
        let number = value.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        let number = number.ok_or_else(|| error("not a number of at least 0".into()))?;
        *old = if old.is_integer() { (number.round() as i64).into() } else { number.into() };
    }
    let costs: Costs = table.try_into().expect("keys and kinds are those of costs");
    check(&costs).map_err(BenchError::Simulation)?;
    Ok(costs)
}

fn check(costs: &Costs) -> Result<(), String> {
    let shares = [costs.work, costs.dispatcher_work];
    if shares.iter().all(|share| share.is_finite() && (0.0..=100.0).contains(share)) {
        return Ok(());
    }
    Err("`work` and `dispatcher_work` are shares, such as 0.01".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_but_the_measured_one_is_there() {
        for (name, _) in PRESETS.iter().filter(|(name, _)| *name != "this-machine") {
            by_name(name).unwrap();
        }
        let message = by_name("paper").unwrap_err().to_string();
        assert!(message.contains("did you mean `papers`?") && message.contains("this-machine"), "{message}");
        assert_eq!((papers_interrupts().yield_, papers().handoff), (462, 77));
    }

    #[test]
    fn without_measurements_the_message_says_how_to_get_them() {
        let message = this_machine(Path::new("/no/ablation.json")).unwrap_err().to_string();
        assert!(
            message.contains("cargo xtask ablation") && message.contains("/no/ablation.json"),
            "{message}"
        );
    }

    #[test]
    fn measurements_become_costs() {
        let file = std::env::temp_dir().join(format!("ablation-{}.json", std::process::id()));
        let micro = r#"{"micro":{"preempt_to_next_ns_p50":300,"switch_pair_ns":20,"empty_handler_rps":8e6}}"#;
        std::fs::write(&file, micro).unwrap();
        let costs = this_machine(&file);
        std::fs::write(&file, "{}").unwrap();
        let without = this_machine(&file).unwrap_err().to_string();
        std::fs::remove_file(&file).unwrap();
        let costs = costs.unwrap();
        assert_eq!((costs.admit + costs.assign + costs.collect, costs.begin), (126, 10));
        assert_eq!(costs.notify + costs.yield_ + costs.begin, 300, "from the line to the next request");
        assert!(without.contains("micro.empty_handler_rps"), "{without}");
    }

    #[test]
    fn changes_are_checked_one_by_one() {
        let costs = with_changes(papers(), "yield=300, work=0.02").unwrap();
        assert_eq!((costs.yield_, costs.work, costs.handoff), (300, 0.02, 77));
        for (text, part) in [
            ("yeild=1", "did you mean `yield`?"),
            ("yield", "write KEY=NANOSECONDS"),
            ("yield=-1", "at least 0"),
            ("yield=x", "at least 0"),
            ("work=1000", "shares"),
        ] {
            let message = with_changes(papers(), text).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}

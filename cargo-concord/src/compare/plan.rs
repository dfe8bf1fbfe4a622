//! What was meant: the runs to make, checked.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use concord_bench::workload::Workload;
use concord_bench::{policies, quantum};

use super::Args;
use super::variant::Variant;

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// Name of the policy.
    pub(crate) policy: String,
    /// Mechanisms of the runtime.
    pub(crate) variant: Variant,
    /// `None` without preemption.
    pub(crate) quantum_ns: Option<u64>,
    /// Share of the workers' time.
    pub(crate) load: f64,
}

/// A checked comparison.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Name of the service in the results.
    pub(crate) service: String,
    /// What arrives.
    pub(crate) workload: Workload,
    /// Workers of each run.
    pub(crate) workers: usize,
    /// Seed of each run.
    pub(crate) seed: u64,
    /// Seconds of each run.
    pub(crate) seconds: f64,
    /// Arguments for the service's own options.
    pub(crate) service_args: Vec<String>,
    /// The runs in order: between two neighbours of one load and policy only the quantum differs.
    pub(crate) points: Vec<Point>,
}

impl Plan {
    /// Checks what was typed.
    ///
    /// # Errors
    /// The option that is wrong, and what to write.
    pub(crate) fn new(args: &Args) -> Result<Self> {
        let workload = Workload::find(&args.workload)?;
        let quanta = list("--quanta", &args.quanta, |text| quantum::parse(text).map_err(anyhow::Error::msg))?;
        let loads = list("--loads", &args.loads, parse_load)?;
        let policies =
            each("--policy", &args.policy, policies::split(&args.policy), |text| Ok(text.to_string()))?;
        let variants = list("--variants", &args.variants, Variant::parse)?;
        ensure!(args.workers > 0, "--workers 0: a service needs at least one worker");
        ensure!(
            args.seconds.is_finite() && args.seconds > 0.0,
            "--seconds {}: give a length above 0",
            args.seconds
        );
        if let Some(folder) = args.json.as_deref().and_then(Path::parent) {
            let exists = folder.as_os_str().is_empty() || folder.is_dir();
            ensure!(exists, "--json: the folder {} does not exist", folder.display());
        }
        let mut points = Vec::new();
        for policy in &policies {
            for &load in &loads {
                for variant in &variants {
                    points.extend(quanta.iter().map(|&quantum_ns| Point {
                        policy: policy.clone(),
                        variant: variant.clone(),
                        quantum_ns,
                        load,
                    }));
                }
            }
        }
        Ok(Self {
            service: args.package.clone(),
            workload,
            workers: args.workers,
            seed: args.seed,
            seconds: args.seconds,
            service_args: args.service_args.clone(),
            points,
        })
    }
}

fn parse_load(text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(load) if load.is_finite() && load > 0.0 => Ok(load),
        _ => bail!("load `{text}`: give shares above 0, such as 0.5"),
    }
}

fn list<T: PartialEq>(option: &str, text: &str, parse: impl Fn(&str) -> Result<T>) -> Result<Vec<T>> {
    each(option, text, text.split(',').map(str::trim), parse)
}

/// The values of these parts of `text`.
fn each<T: PartialEq, P: AsRef<str>>(
    option: &str,
    text: &str,
    parts: impl IntoIterator<Item = P>,
    parse: impl Fn(&str) -> Result<T>,
) -> Result<Vec<T>> {
    let mut values = Vec::new();
    for part in parts {
        let part = part.as_ref();
        ensure!(!part.is_empty(), "{option} `{text}`: an empty entry; separate values by single commas");
        let value = parse(part)?;
        ensure!(!values.contains(&value), "{option} `{text}`: `{part}` comes twice");
        values.push(value);
    }
    Ok(values)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// What a user gets who names the package and the workload alone.
    pub(crate) fn args() -> Args {
        Args {
            package: "leveldb-svc".into(),
            bin: None,
            manifest_path: None,
            workload: "get-scan-50-50".into(),
            quanta: "none,5us".into(),
            loads: "0.5".into(),
            policy: "ps".into(),
            variants: "default".into(),
            workers: 1,
            seed: 1,
            seconds: 5.0,
            json: None,
            service_args: Vec::new(),
        }
    }

    #[test]
    fn neighbours_differ_in_one_thing() {
        let args = Args { loads: "0.3, 0.7".into(), ..args() };
        let points = Plan::new(&args).unwrap().points;
        let point =
            |quantum_ns, load| Point { policy: "ps".into(), variant: Variant::default(), quantum_ns, load };
        assert_eq!(
            points,
            [point(None, 0.3), point(Some(5_000), 0.3), point(None, 0.7), point(Some(5_000), 0.7)]
        );
    }

    #[test]
    fn results_may_go_into_this_folder() {
        assert!(Plan::new(&Args { json: Some("compare.json".into()), ..args() }).is_ok());
    }

    #[test]
    fn bad_arguments_are_refused_by_name() {
        let refused = |args: Args, part: &str| {
            let message = Plan::new(&args).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        };
        refused(Args { quanta: "".into(), ..args() }, "--quanta");
        refused(Args { quanta: "none,,5us".into(), ..args() }, "--quanta");
        refused(Args { quanta: "5".into(), ..args() }, "5us");
        refused(Args { quanta: "0us".into(), ..args() }, "0us");
        refused(Args { quanta: "5us,5000ns".into(), ..args() }, "twice");
        refused(Args { loads: "".into(), ..args() }, "--loads");
        refused(Args { loads: "0".into(), ..args() }, "load `0`");
        refused(Args { loads: "-0.5".into(), ..args() }, "load `-0.5`");
        refused(Args { loads: "NaN".into(), ..args() }, "load `NaN`");
        refused(Args { policy: ",".into(), ..args() }, "--policy");
        refused(Args { variants: "default,fast".into(), ..args() }, "assist");
        refused(Args { workers: 0, ..args() }, "--workers 0");
        refused(Args { seconds: 0.0, ..args() }, "--seconds 0");
        refused(Args { json: Some("/no/such/folder/compare.json".into()), ..args() }, "--json");
        refused(Args { workload: "get-scan-5050".into(), ..args() }, "did you mean");
    }
}

//! What an audit says, as `--json` writes it.
//!
//! Names of keys are stable; keys may be added. Lists are sorted, the worst first.

use std::collections::BTreeMap;

use concord_job::{FunctionReport, PICOSECONDS_PER_INSTRUCTION, SiteKind, SiteReport, Skipped};
use serde::Serialize;

use crate::artefacts::Artefacts;

/// `crate` of functions that are not Rust.
const FOREIGN: &str = "C and C++";

/// The whole audit.
#[derive(Debug, Serialize)]
pub(crate) struct Audit {
    /// The files that were looked at.
    pub(crate) artefacts: Vec<String>,
    /// The longest path without a probe that placement allows, in instructions weighted by cost.
    pub(crate) bound_instructions: u32,
    /// The same as time, estimated.
    pub(crate) bound_ns: u32,
    /// Probes in the machine code; the rows' add up to the places that were chosen for probes.
    pub(crate) probes: u32,
    /// The second build, for the dispatcher.
    pub(crate) second_build: SecondBuild,
    /// Sums by crate.
    pub(crate) crates: Vec<CrateRow>,
    /// Functions with probes, as they are after optimisation: what was inlined is part of its callers.
    pub(crate) functions: Vec<FunctionRow>,
    /// Functions that get no probes, by name.
    pub(crate) skipped: Vec<Skipped>,
}

/// The functions that exist twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct SecondBuild {
    /// Functions with a clone.
    pub(crate) clones: u32,
    /// Places of probes in clones.
    pub(crate) probes: u32,
    /// Machine code of the clones.
    pub(crate) bytes: u64,
}

/// What is counted of a function and of a crate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Counts {
    /// Places of probes.
    pub(crate) probes: u32,
    /// Loops by treatment.
    pub(crate) loops: Loops,
    /// The longest path without a probe, in instructions weighted by cost.
    pub(crate) longest_path_instructions: u32,
    /// The same as time, estimated.
    pub(crate) longest_path_ns: u32,
    /// The longest path in the machine code, in instructions of equal weight; absent when it was not read.
    pub(crate) machine_path_instructions: Option<u32>,
    /// One of the paths is longer than the bound.
    pub(crate) over_bound: bool,
    /// Calls of code without probes that may run for long.
    pub(crate) unprobed_calls: u32,
    /// Paths of the machine code whose length nobody knows.
    pub(crate) unbounded_paths: u32,
    /// Places where a guard begins: a preemption waits for its end.
    pub(crate) guarded_regions: u32,
}

/// Loops by what was done for them; see [`SiteKind`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Loops {
    /// Few iterations, proved: no probe.
    pub(crate) straight: u32,
    /// Run in chunks, a probe between two.
    pub(crate) strip_mined: u32,
    /// A probe for some copies of the body.
    pub(crate) unrolled: u32,
    /// A probe for each iteration.
    pub(crate) probed: u32,
    /// Each iteration comes to a probe of something else.
    pub(crate) covered: u32,
}

/// One crate.
#[derive(Debug, Serialize)]
pub(crate) struct CrateRow {
    /// Its name; `C and C++` for all that is not Rust.
    pub(crate) name: String,
    /// Its functions.
    pub(crate) functions: u32,
    /// Sums, and the longest of the paths.
    #[serde(flatten)]
    pub(crate) counts: Counts,
}

/// One function.
#[derive(Debug, Serialize)]
pub(crate) struct FunctionRow {
    /// Demangled name.
    pub(crate) name: String,
    /// Its symbol.
    pub(crate) symbol: String,
    /// As [`CrateRow::name`].
    #[serde(rename = "crate")]
    pub(crate) crate_name: String,
    /// Where it begins; absent without debug information.
    pub(crate) file: Option<String>,
    /// Likewise.
    pub(crate) line: Option<u32>,
    /// Symbols without probes that the machine code calls.
    pub(crate) external_calls: Vec<String>,
    /// What makes each of `unbounded_paths` so.
    pub(crate) unbounded: Vec<String>,
    /// Its figures.
    #[serde(flatten)]
    pub(crate) counts: Counts,
}

impl Audit {
    /// Counts what was reported.
    pub(crate) fn of(artefacts: &Artefacts) -> Self {
        let Artefacts { report, paths, .. } = artefacts;
        let mut functions: Vec<_> =
            report.functions.iter().map(|function| FunctionRow::of(function, report.bound)).collect();
        functions.sort_by(|left, right| {
            right.counts.badness().cmp(&left.counts.badness()).then_with(|| left.name.cmp(&right.name))
        });
        Self {
            artefacts: paths.iter().map(|path| path.display().to_string()).collect(),
            bound_instructions: report.bound,
            bound_ns: nanoseconds(report.bound),
            probes: report.probes,
            second_build: SecondBuild {
                clones: report.second.clones,
                probes: report.second.probes,
                bytes: report.second.bytes,
            },
            crates: by_crate(&functions),
            functions,
            skipped: report.skipped.clone(),
        }
    }

    /// The functions without probes by reason, the most frequent first.
    pub(crate) fn reasons(&self) -> Vec<(&str, Vec<&str>)> {
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for Skipped { function, reason } in &self.skipped {
            by_reason.entry(reason).or_default().push(function);
        }
        let mut reasons: Vec<_> = by_reason.into_iter().collect();
        reasons.sort_by_key(|(_, functions)| std::cmp::Reverse(functions.len()));
        reasons
    }
}

fn by_crate(functions: &[FunctionRow]) -> Vec<CrateRow> {
    let mut rows: BTreeMap<&str, CrateRow> = BTreeMap::new();
    for function in functions {
        let row = rows.entry(&function.crate_name).or_insert_with(|| CrateRow {
            name: function.crate_name.clone(),
            functions: 0,
            counts: Counts::default(),
        });
        row.functions += 1;
        row.counts.add(&function.counts);
    }
    let mut rows: Vec<_> = rows.into_values().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.counts.badness()));
    rows
}

impl FunctionRow {
    fn of(function: &FunctionReport, bound: u32) -> Self {
        Self {
            name: function.name.clone(),
            symbol: function.symbol.clone(),
            crate_name: function.crate_name.clone().unwrap_or_else(|| FOREIGN.to_owned()),
            file: function.place.as_ref().map(|place| place.file.clone()),
            line: function.place.as_ref().map(|place| place.line).filter(|line| *line > 0),
            external_calls: function.external_calls.clone(),
            unbounded: function.unbounded.clone(),
            counts: Counts::of(function, bound),
        }
    }
}

impl Counts {
    /// Counts the sites of `function`.
    pub(crate) fn of(function: &FunctionReport, bound: u32) -> Self {
        let mut counts = Self {
            longest_path_instructions: function.longest_path,
            longest_path_ns: nanoseconds(function.longest_path),
            machine_path_instructions: function.machine_path,
            over_bound: function.longest_path > bound
                || function.machine_path.is_some_and(|path| path > bound),
            unbounded_paths: u32::try_from(function.unbounded.len()).unwrap_or(u32::MAX),
            ..Self::default()
        };
        function.sites.iter().for_each(|site| counts.count(site));
        counts
    }

    fn count(&mut self, site: &SiteReport) {
        let counter = match site.kind {
            SiteKind::Probe => &mut self.probes,
            SiteKind::StraightLoop => &mut self.loops.straight,
            SiteKind::StripMinedLoop => &mut self.loops.strip_mined,
            SiteKind::UnrolledLoop => &mut self.loops.unrolled,
            SiteKind::ProbedLoop => &mut self.loops.probed,
            SiteKind::CoveredLoop => &mut self.loops.covered,
            SiteKind::UnprobedCall => &mut self.unprobed_calls,
            SiteKind::GuardedRegion => &mut self.guarded_regions,
        };
        *counter += 1;
        if matches!(site.kind, SiteKind::StripMinedLoop | SiteKind::UnrolledLoop | SiteKind::ProbedLoop) {
            self.probes += 1;
        }
    }

    fn add(&mut self, other: &Self) {
        let Self { loops, probes, unprobed_calls, unbounded_paths, guarded_regions, .. } = other;
        self.probes += probes;
        self.loops.straight += loops.straight;
        self.loops.strip_mined += loops.strip_mined;
        self.loops.unrolled += loops.unrolled;
        self.loops.probed += loops.probed;
        self.loops.covered += loops.covered;
        self.unprobed_calls += unprobed_calls;
        self.unbounded_paths += unbounded_paths;
        self.guarded_regions += guarded_regions;
        self.machine_path_instructions = self.machine_path_instructions.max(other.machine_path_instructions);
        self.longest_path_instructions = self.longest_path_instructions.max(other.longest_path_instructions);
        self.longest_path_ns = self.longest_path_ns.max(other.longest_path_ns);
        self.over_bound |= other.over_bound;
    }

    /// Greater is worse.
    fn badness(&self) -> (u32, u32, u32) {
        let path = self.longest_path_instructions.max(self.machine_path_instructions.unwrap_or(0));
        (path, self.unbounded_paths + self.unprobed_calls, self.guarded_regions)
    }
}

/// Estimated time of instructions.
pub(crate) fn nanoseconds(instructions: u32) -> u32 {
    let picoseconds = u64::from(instructions) * u64::from(PICOSECONDS_PER_INSTRUCTION);
    u32::try_from(picoseconds.div_ceil(1000)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::artefacts;
    use super::*;

    #[test]
    fn the_worst_comes_first_and_crates_add_up() {
        let audit = Audit::of(&artefacts());
        let names: Vec<_> = audit.functions.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["app::slow", "app::fast", "compress"]);
        let crates: Vec<_> = audit.crates.iter().map(|row| (row.name.as_str(), row.functions)).collect();
        assert_eq!(crates, [("app", 2), (FOREIGN, 1)]);
        let app = audit.crates[0].counts;
        assert_eq!((app.probes, app.loops.strip_mined, app.loops.straight, app.unprobed_calls), (2, 1, 1, 1));
        assert_eq!(
            (app.longest_path_instructions, app.longest_path_ns, app.over_bound),
            (2000, nanoseconds(2000), true)
        );
        assert!(!audit.functions[1].counts.over_bound);
        assert_eq!((app.machine_path_instructions, app.unbounded_paths), (Some(250), 1));
        assert_eq!((audit.bound_instructions, audit.bound_ns), (1600, nanoseconds(1600)));
    }

    #[test]
    fn reasons_are_counted_the_most_frequent_first() {
        let audit = Audit::of(&artefacts());
        assert_eq!(
            audit.reasons(),
            [("the runtime", vec!["concord::run", "concord::stop"]), ("naked", vec!["app::naked"])]
        );
    }

    /// The schema that the documentation promises.
    #[test]
    fn keys_of_the_json_are_stable() {
        let json = serde_json::to_value(Audit::of(&artefacts())).unwrap();
        let keys = |value: &serde_json::Value| -> Vec<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        let counts = [
            "guarded_regions",
            "longest_path_instructions",
            "longest_path_ns",
            "loops",
            "machine_path_instructions",
            "over_bound",
            "probes",
            "unbounded_paths",
            "unprobed_calls",
        ];
        let sorted = |own: &[&str]| {
            let mut names: Vec<String> = counts.iter().chain(own).map(|name| (*name).to_owned()).collect();
            names.sort_unstable();
            names
        };
        assert_eq!(
            keys(&json),
            [
                "artefacts",
                "bound_instructions",
                "bound_ns",
                "crates",
                "functions",
                "probes",
                "second_build",
                "skipped"
            ]
        );
        assert_eq!(keys(&json["second_build"]), ["bytes", "clones", "probes"]);
        assert_eq!(keys(&json["crates"][0]), sorted(&["name", "functions"]));
        assert_eq!(
            keys(&json["functions"][0]),
            sorted(&["name", "symbol", "crate", "file", "line", "external_calls", "unbounded"])
        );
        assert_eq!(
            keys(&json["functions"][0]["loops"]),
            ["covered", "probed", "straight", "strip_mined", "unrolled"]
        );
        assert_eq!(keys(&json["skipped"][0]), ["function", "reason"]);
        assert_eq!(json["functions"][0]["file"], "src/main.rs");
    }

    #[test]
    fn estimates_round_up() {
        assert_eq!((nanoseconds(0), nanoseconds(1)), (0, 1));
        assert_eq!(nanoseconds(8000), 8 * PICOSECONDS_PER_INSTRUCTION);
        assert!(nanoseconds(u32::MAX) > nanoseconds(u32::MAX - 100_000));
    }
}

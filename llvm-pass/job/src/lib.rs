//! The contract between `cargo-concord` (the front end, no LLVM in it) and `concord-pass` (the program that
//! is linked to rustc's LLVM): one [`LinkJob`] in as JSON, one [`LinkOutcome`] out as JSON.
//!
//! `concord-pass link --job JOB.json --outcome OUTCOME.json` reads the bitcode among [`LinkJob::inputs`],
//! resolves symbols as the linker would, and writes one native object that takes the place of all of it.
//! The native inputs stay with the real linker. A failed run exits non-zero with its message on stderr.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// One link, as the real linker would see it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LinkJob {
    /// Inputs in command-line order, native ones included: they decide what is live and what is exported.
    pub inputs: Vec<Input>,
    /// What the link makes.
    pub output: OutputKind,
    /// File name of the artefact, for messages and for naming the module.
    pub artefact: String,
    /// Which defined symbols others may name at run time.
    pub exports: Exports,
    /// Symbols that must be kept whoever names them (`main`, `-u`, `-e`, `--defsym`, `--wrap`, `-init`, `-fini`).
    pub roots: Vec<String>,
    /// The profile's optimisation.
    pub optimise: Optimise,
    /// How the pass is to instrument.
    pub instrument: Instrument,
    /// Folder for the object and the dumps; exists and belongs to this link alone.
    pub work_dir: PathBuf,
    /// Folder of prepared units of earlier links, shared by links; nothing is kept when absent.
    #[serde(default)]
    pub cache: Option<PathBuf>,
    /// Stages whose modules are written to `work_dir`, as `STAGE/UNIT.ll` or `STAGE.ll`.
    pub dump: Vec<Stage>,
}

/// One input of the link.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Input {
    /// An object file, native or bitcode: always part of the link.
    Object {
        /// Where it is.
        path: PathBuf,
    },
    /// A static archive or rlib, native and bitcode members mixed.
    Archive {
        /// Where it is.
        path: PathBuf,
        /// Every member takes part (`--whole-archive`), else members are taken on demand.
        whole: bool,
        /// A crate of the standard library as the toolchain ships it: native members that hold bitcode are
        /// read as bitcode.
        #[serde(default)]
        standard: bool,
    },
    /// A shared library: its dynamic symbols satisfy references, its undefined ones keep ours alive.
    Shared {
        /// Where it is.
        path: PathBuf,
    },
}

/// What the link makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputKind {
    /// An executable, position-independent or not: local-exec thread-locals.
    Executable,
    /// A shared object: initial-exec thread-locals.
    SharedObject,
}

/// Which symbols the artefact exports to the dynamic linker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "symbols")]
pub enum Exports {
    /// An executable without `--export-dynamic`: nothing, apart from what shared inputs name.
    None,
    /// `--export-dynamic`, or a shared object without a list: all that has default visibility.
    All,
    /// A version script or dynamic list: these alone (`*` and `?` match as the linker's do).
    Listed(Vec<String>),
}

/// The profile's optimisation, as Cargo gave it to rustc.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Optimise {
    /// `0`, `1`, `2`, `3`, `s` or `z`.
    pub level: String,
    /// The profile's `lto`.
    pub lto: Lto,
    /// `-C target-cpu`; `generic`-like default of the target when absent (`native` is resolved by the pass).
    pub cpu: Option<String>,
    /// Whether debug information is kept (`-C debuginfo` above 0).
    pub debug_info: bool,
}

/// The profile's `lto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lto {
    /// `lto = "off"` or `false`: each crate is optimised by itself, then all are merged.
    Off,
    /// `lto = "thin"`.
    Thin,
    /// `lto = "fat"` or `true`.
    Fat,
}

/// How to instrument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instrument {
    /// What stands at the sites.
    pub probes: Probes,
    /// Paths (`serde_json`, `my_crate::tables`, `my_crate::tables::Table::sum`) whose functions get no probes.
    pub exclude: Vec<String>,
    /// Paths that get probes although a shorter path in `exclude` covers them.
    pub include: Vec<String>,
    /// The longest path without a probe that placement allows, in instructions weighted by cost.
    pub bound: u32,
    /// Whether what requests come to gets clones for the dispatcher, whose probes look at the clock.
    #[serde(default = "enabled")]
    pub second_build: bool,
}

fn enabled() -> bool {
    true
}

/// What stands at the sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Probes {
    /// No guards, no sites, no transformation for their sake: the program as Cargo would build it.
    None,
    /// All that a build with probes does to the code, but for the probes' own instructions: what probes are
    /// measured against.
    Empty,
    /// Probes.
    Full,
}

/// The default of [`Instrument::bound`]: worth 250 to 500 ns.
pub const DEFAULT_BOUND: u32 = 4000;

/// What an instruction of cost 1 is taken to last, for estimates of time: the geometric mean over 18 kernels of the
/// overhead suite on a server processor of 2024, where single kernels take from 32 (Fibonacci) to 507 (a chase of
/// pointers through memory).
pub const PICOSECONDS_PER_INSTRUCTION: u32 = 90;

impl Default for Instrument {
    fn default() -> Self {
        Self {
            probes: Probes::Full,
            exclude: Vec::new(),
            include: Vec::new(),
            bound: DEFAULT_BOUND,
            second_build: true,
        }
    }
}

/// The stages of the pass, in order; the names are used by `dump` and in file names.
///
/// The first two work on each unit (object or archive member) by itself, the last two on all of them merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Functions selected and guards marked.
    Guard,
    /// After the profile's optimisation of the unit.
    Optimise,
    /// Units merged; with LTO, optimised again.
    Merge,
    /// Probes inserted, marks lowered.
    Probe,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; 4] = [Stage::Guard, Stage::Optimise, Stage::Merge, Stage::Probe];

    /// The name used on the command line and in file names.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Guard => "guard",
            Stage::Optimise => "optimise",
            Stage::Merge => "merge",
            Stage::Probe => "probe",
        }
    }
}

/// What the pass made of a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LinkOutcome {
    /// The native object that replaces all bitcode; absent when the link had none.
    pub object: Option<PathBuf>,
    /// Native members whose bitcode went into the object: the linker must not see them any more.
    pub taken: Vec<TakenMember>,
    /// What was done, for messages, `audit` and tests.
    pub report: Report,
}

/// A member of an archive among [`LinkJob::inputs`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TakenMember {
    /// The archive, as the job names it.
    pub archive: PathBuf,
    /// The member's name.
    pub member: String,
}

/// What was instrumented, and what was not and why.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// Demangled names of the functions selected, sorted; the same for every profile.
    pub instrumented: Vec<String>,
    /// Functions left without probes, sorted by name.
    pub skipped: Vec<Skipped>,
    /// Probes in the emitted code.
    pub probes: u32,
    /// Loops in the instrumented functions of the optimised module.
    pub loops: u32,
    /// Guard regions found, by catalogue entry.
    pub guards: Vec<GuardCount>,
    /// The instrumented functions of the optimised module, by name; inlined ones are part of their callers.
    pub functions: Vec<FunctionReport>,
    /// Those of [`Instrument::exclude`] and [`Instrument::include`] that cover no function of the link.
    #[serde(default)]
    pub unmatched: Vec<String>,
    /// [`Instrument::bound`] as it was used.
    pub bound: u32,
    /// The program's units, the standard library's counted as one.
    #[serde(default)]
    pub units: u32,
    /// Those among them that are as an earlier link prepared them.
    #[serde(default)]
    pub reused: u32,
    /// Seconds per stage, in the order in which they ran.
    pub seconds: Vec<(String, f64)>,
    /// Peak resident memory of the pass, in bytes.
    pub peak_bytes: u64,
    /// The standard library's part.
    #[serde(default)]
    pub standard: StandardReport,
    /// The second build's part.
    #[serde(default)]
    pub second: SecondReport,
}

/// The functions that exist twice: for workers, and for the dispatcher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondReport {
    /// Functions with a clone.
    pub clones: u32,
    /// Probes placed in clones.
    pub probes: u32,
    /// Calls through pointers in clones that look for a clone.
    pub searches: u32,
    /// Machine code of the clones.
    pub bytes: u64,
}

/// How the standard library took part in a link.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandardReport {
    /// Members that were taken as bitcode.
    pub bitcode: Vec<String>,
    /// Live members that this toolchain ships without bitcode: native, without probes.
    pub native: Vec<String>,
    /// Functions that the bitcode defines.
    pub functions: u32,
    /// Those among them that the program can come to.
    pub kept: u32,
}

/// What placement made of one function of the optimised module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionReport {
    /// Demangled name.
    pub name: String,
    /// Its symbol.
    pub symbol: String,
    /// The crate of its symbol; absent for C and C++.
    pub crate_name: Option<String>,
    /// Where it begins, when there is debug information.
    pub place: Option<Place>,
    /// The longest path without a probe, in instructions weighted by cost, calls of code with probes included,
    /// of code without probes left out.
    pub longest_path: u32,
    /// The longest path without a probe in the emitted code, in instructions, each of equal weight; callees
    /// with probes included. Absent when the emitted code was not read.
    #[serde(default)]
    pub machine_path: Option<u32>,
    /// Symbols without probes that the emitted code calls: no count includes what they do. Sorted.
    #[serde(default)]
    pub external_calls: Vec<String>,
    /// What else the emitted code has on a path whose length nobody knows, in words. Sorted.
    #[serde(default)]
    pub unbounded: Vec<String>,
    /// What was done, in source order: probes, loops, calls that no probe can bound.
    pub sites: Vec<SiteReport>,
}

/// One decision of placement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteReport {
    /// What stands there.
    pub kind: SiteKind,
    /// Where, when there is debug information: of the innermost inlined function.
    pub place: Option<Place>,
    /// Where in the function itself, when `place` is that of a function that was inlined into it.
    #[serde(default)]
    pub call: Option<Place>,
    /// Why, in one sentence.
    pub reason: String,
}

/// A line of source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// As the compiler was given it: absolute, or relative to the package or workspace.
    pub file: String,
    /// From 1; 0 is unknown.
    pub line: u32,
}

/// The kinds of [`SiteReport`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SiteKind {
    /// A probe that belongs to no loop: a function's entry, behind a call, in long straight code.
    Probe,
    /// A loop of few iterations, proved: straight code of known cost.
    StraightLoop,
    /// A counted loop that runs in chunks, a probe between two.
    StripMinedLoop,
    /// A loop whose body was copied, a probe for each round of the copies.
    UnrolledLoop,
    /// A loop with a probe for each iteration.
    ProbedLoop,
    /// A loop in which every iteration comes to a probe of something else: an inner loop, a callee.
    CoveredLoop,
    /// A call of code without probes that may run for long.
    UnprobedCall,
    /// A place where a guard begins.
    GuardedRegion,
}

/// A function without probes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Skipped {
    /// Demangled name.
    pub function: String,
    /// Why, in one sentence.
    pub reason: String,
}

/// How often a catalogue entry was recognised.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GuardCount {
    /// The entry's name, e.g. `std::sync::Mutex`.
    pub entry: String,
    /// Places where a guard begins.
    pub acquires: u32,
    /// Places where a guard ends.
    pub releases: u32,
}

/// Reads a JSON file of this contract.
///
/// # Errors
/// When the file cannot be read or is not what is expected; the message names the file.
pub fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> std::io::Result<T> {
    let text = std::fs::read(path).map_err(|error| named(path, error))?;
    serde_json::from_slice(&text).map_err(|error| named(path, error.into()))
}

/// Writes a JSON file of this contract.
///
/// # Errors
/// When the file cannot be written; the message names the file.
pub fn write_json<T: Serialize>(path: &Path, value: &T) -> std::io::Result<()> {
    let text = serde_json::to_vec_pretty(value)?;
    std::fs::write(path, text).map_err(|error| named(path, error))
}

fn named(path: &Path, error: std::io::Error) -> std::io::Error {
    std::io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

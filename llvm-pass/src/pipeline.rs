//! Runs the stages of one link:
//!
//! ```text
//! inputs -> units -> resolve -> each live unit: select, GUARD, optimise -> merge (-> LTO) -> RESHAPE, PROBE -> object
//!                               std as one unit: select, GUARD -------^     VERIFY looks at the last two
//! ```
//!
//! Units are independent until the merge, but for what they lend each other (`prepare/`). The profile's `lto` decides
//! whether the merged module is optimised again; probes are placed in the merged module either way, since
//! recursion and the cost of a call do not end at a crate's border.

use std::path::Path;
use std::time::Instant;

use concord_abi::{
    ABI_VERSION, BUILD_INFO_MAGIC, BuildInfo, CONDITION_WAIT_SYMBOL, FLAG_PROBES, FLAG_SECOND_BUILD,
    LINE_SYMBOL, PROBE_SLOW_SYMBOL,
};
use concord_job::{
    Exports, Instrument, LinkJob, LinkOutcome, OutputKind, Probes, Report, SecondReport, Skipped, Stage,
};
use inkwell::context::Context;
use inkwell::module::Module;

use crate::error::{Error, Result};
use crate::merge::Merge;
use crate::prepare::{Live, Prepared, prepare_all};
use crate::resolve::{self, Resolution};
use crate::unit::{self, Unit};
use crate::{codegen, constructors, ffi, ir, optimise, probe, record, reshape, slow_path, target, verify};

/// Does a job.
///
/// # Errors
/// Whatever [`Error`] names; nothing of the job's inputs is changed.
pub fn run(job: &LinkJob) -> Result<LinkOutcome> {
    target::initialise();
    let mut clock = Clock::start();
    let units = unit::read_all(&job.inputs)?;
    let resolution = resolve_units(&units, job);
    clock.lap("resolve");
    let live = Live::of(&units, &resolution);
    if live.own.is_empty() {
        return Ok(LinkOutcome { object: None, taken: Vec::new(), report: Report::default() });
    }
    let prepared = prepare_all(&live, job, &resolution)?;
    clock.lap("units");

    let context = Context::create();
    let module = merge(&context, &prepared, &resolution, job)?;
    clock.lap("merge");
    let mut report = collect(prepared, &job.instrument);
    report.standard.native = live.native_standard.iter().map(|unit| unit.name.clone()).collect();
    let (placed, record) = finish(&module, job, &resolution, &mut report)?;
    report.loops = placed.loops;
    report.functions = placed.functions;
    clock.lap("probe");

    let expected = verify_module(&module, job)?;
    clock.lap("verify");
    let machine = target::machine(&module, &job.optimise)?;
    let object = codegen::emit(&module, &machine, &job.work_dir)?;
    report.probes = count(&object, job, placed.probes, &record)?;
    report.second = SecondReport { bytes: codegen::bytes_of_clones(&object)?, ..placed.second };
    clock.lap("codegen");
    if job.instrument.probes == Probes::Full {
        let measured = verify::object(&object, &expected, &job.artefact)?;
        verify::complete(&mut report.functions, measured);
        clock.lap("verify object");
    }
    report.bound = job.instrument.bound;
    report.seconds = clock.laps;
    report.peak_bytes = peak_bytes();
    let taken = live.standard.iter().filter_map(|unit| unit.standard.clone()).collect();
    Ok(LinkOutcome { object: Some(object), taken, report })
}

fn resolve_units(units: &[Unit], job: &LinkJob) -> Resolution {
    let symbols: Vec<_> = units.iter().map(|unit| unit.symbols.clone()).collect();
    let wished: &[&str] = if job.instrument.probes != Probes::None {
        &[LINE_SYMBOL, PROBE_SLOW_SYMBOL, CONDITION_WAIT_SYMBOL]
    } else {
        &[]
    };
    resolve::resolve(&symbols, &job.roots, wished, |symbol| is_exported(symbol, &job.exports))
}

fn is_exported(symbol: &str, exports: &Exports) -> bool {
    match exports {
        Exports::None => false,
        Exports::All => true,
        Exports::Listed(patterns) => {
            patterns.iter().any(|pattern| glob(pattern.as_bytes(), symbol.as_bytes()))
        }
    }
}

/// The linker's `*` and `?`.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => {
            glob(rest, text) || text.split_first().is_some_and(|(_, shorter)| glob(pattern, shorter))
        }
        (Some((b'?', rest)), Some((_, shorter))) => glob(rest, shorter),
        (Some((own, rest)), Some((other, shorter))) if own == other => glob(rest, shorter),
        _ => false,
    }
}

fn merge<'ctx>(
    context: &'ctx Context,
    prepared: &[Prepared],
    resolution: &Resolution,
    job: &LinkJob,
) -> Result<Module<'ctx>> {
    let mut merge = Merge::default();
    for unit in prepared {
        let fail = |message| Error::Merge { unit: unit.name.clone(), message };
        let module = ffi::parse(&unit.bitcode, &unit.name, context).map_err(fail)?;
        merge.push(module).map_err(fail)?;
    }
    let fail = |message| Error::Merge { unit: job.artefact.clone(), message };
    let module = merge.finish().map_err(fail)?.expect("the caller checked that there is a unit");
    module.set_name(&job.artefact);
    for global in ffi::globals(&module) {
        if !global.is_declaration && global.is_resolvable() && !resolution.visible.contains(&global.name) {
            global.internalise();
        }
    }
    let machine = target::machine(&module, &job.optimise)?;
    optimise::run(&module, &machine, &optimise::merged_passes(&job.optimise), &job.optimise, &job.artefact)?;
    ir::name_all(&module);
    check(&module, Stage::Merge, &job.artefact)?;
    dump(&module, job, Stage::Merge, None)?;
    Ok(module)
}

fn collect(prepared: Vec<Prepared>, instrument: &Instrument) -> Report {
    let mut report = Report::default();
    let configured = instrument.exclude.iter().chain(&instrument.include);
    report.unmatched = configured.cloned().collect();
    for unit in prepared {
        report.units += 1;
        report.reused += u32::from(unit.reused);
        report.unmatched.retain(|path| !unit.selection.matched.contains(path));
        report.instrumented.extend(unit.selection.instrumented);
        report.skipped.extend(unit.selection.skipped);
        if unit.standard.functions > 0 {
            report.standard = unit.standard;
        }
        for count in unit.guards {
            match report.guards.iter_mut().find(|known| known.entry == count.entry) {
                Some(known) => {
                    known.acquires += count.acquires;
                    known.releases += count.releases;
                }
                None => report.guards.push(count),
            }
        }
    }
    report.guards.sort_unstable();
    report.instrumented.sort_unstable();
    report.instrumented.dedup();
    report.skipped.sort_unstable();
    report.skipped.dedup();
    report
}

/// Notes functions that were selected before it was known what calls them.
fn leave_out(report: &mut Report, functions: Vec<Skipped>) {
    report.instrumented.retain(|name| !functions.iter().any(|skipped| skipped.function == *name));
    report.skipped.extend(functions);
    report.skipped.sort_unstable();
    report.skipped.dedup();
}

/// Probes and the build record.
fn finish(
    module: &Module<'_>,
    job: &LinkJob,
    resolution: &Resolution,
    report: &mut Report,
) -> Result<(probe::Placed, BuildInfo)> {
    let mut placed = probe::Placed::default();
    if job.instrument.probes != Probes::None {
        leave_out(report, slow_path::clear(module));
        let machine = target::machine(module, &job.optimise)?;
        let settings = probe::Settings {
            optimise: &job.optimise,
            output: job.output,
            has_runtime: resolution.defined.contains(LINE_SYMBOL),
            instrument: &job.instrument,
            artefact: &job.artefact,
        };
        let shape = reshape::Settings { optimise: &job.optimise, artefact: &job.artefact };
        reshape::run(module, &machine, &shape)?;
        placed = probe::insert(module, &machine, &settings)?;
    } else if let Some(passes) = optimise::loop_passes(&job.optimise) {
        let machine = target::machine(module, &job.optimise)?;
        optimise::run(module, &machine, passes, &job.optimise, &job.artefact)?;
    }
    let info = BuildInfo {
        magic: BUILD_INFO_MAGIC,
        abi_version: ABI_VERSION,
        functions: report.instrumented.len() as u32,
        probes: placed.probes,
        loops: placed.loops,
        flags: flags(job, &placed),
        options_hash: options_hash(job),
    };
    record::add(module, &info);
    constructors::lower(module);
    codegen::align_functions(module, &job.optimise);
    check(module, Stage::Probe, &job.artefact)?;
    dump(module, job, Stage::Probe, None)?;
    Ok((placed, info))
}

fn flags(job: &LinkJob, placed: &probe::Placed) -> u32 {
    let probes = if job.instrument.probes == Probes::Full { FLAG_PROBES } else { 0 };
    let second_build = if placed.second.clones > 0 { FLAG_SECOND_BUILD } else { 0 };
    probes | second_build
}

/// The checks of the final module, and what is needed for those of the object. Without probes there is nothing to
/// check, but the bounds are labelled all the same: the builds that are compared differ in nothing else.
fn verify_module(module: &Module<'_>, job: &LinkJob) -> Result<verify::Expected> {
    if job.instrument.probes == Probes::Full {
        verify::module(module, &job.artefact)?;
    }
    verify::Expected::prepare(module, &job.optimise, &job.artefact)
}

/// FNV-1a over what shapes the code: the same in every run and on every machine.
fn options_hash(job: &LinkJob) -> u64 {
    let text = serde_json::to_string(&(&job.optimise, &job.instrument)).unwrap_or_default();
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The probes of the emitted code, which the records are made to say too.
///
/// Shared objects fetch the line's offset into a register first, so their probes cannot be counted this way:
/// there the count is that of the sites.
fn count(object: &Path, job: &LinkJob, placed: u32, info: &BuildInfo) -> Result<u32> {
    if job.output != OutputKind::Executable {
        return Ok(placed);
    }
    let found = codegen::count_probes(object)?;
    if found == 0 && placed > 0 && job.instrument.probes == Probes::Full {
        return Err(Error::ProbesLost { artefact: job.artefact.clone(), placed });
    }
    codegen::set_probe_count(object, info, found)?;
    Ok(found)
}

/// Verifies the module that a stage made.
///
/// # Errors
/// [`Error::Invalid`] with the verifier's words.
pub(crate) fn check(module: &Module<'_>, stage: Stage, unit: &str) -> Result<()> {
    module.verify().map_err(|message| Error::Invalid {
        stage,
        unit: unit.to_owned(),
        message: message.to_string(),
    })
}

/// Writes the module that a stage made, when the job asks for it.
///
/// # Errors
/// [`Error::Write`] with LLVM's or the system's words.
pub(crate) fn dump(module: &Module<'_>, job: &LinkJob, stage: Stage, unit: Option<&str>) -> Result<()> {
    if !job.dump.contains(&stage) {
        return Ok(());
    }
    let path = match unit {
        Some(unit) => job.work_dir.join(stage.name()).join(format!("{unit}.ll")),
        None => job.work_dir.join(format!("{}.ll", stage.name())),
    };
    let fail = |message: String| Error::Write { path: path.clone(), message };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| fail(error.to_string()))?;
    }
    module.print_to_file(&path).map_err(|message| fail(message.to_string()))
}

struct Clock {
    last: Instant,
    laps: Vec<(String, f64)>,
}

impl Clock {
    fn start() -> Self {
        Self { last: Instant::now(), laps: Vec::new() }
    }

    fn lap(&mut self, stage: &str) {
        let now = Instant::now();
        self.laps.push((stage.to_owned(), (now - self.last).as_secs_f64()));
        self.last = now;
    }
}

fn peak_bytes() -> u64 {
    // SAFETY: getrusage fills the structure that it is given; all-zero bytes are a valid one.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    // Linux counts it in KiB.
    u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn export_lists_match_as_the_linkers_do() {
        let listed = Exports::Listed(vec!["api_*".to_owned(), "one?".to_owned()]);
        assert!(
            is_exported("api_open", &listed) && is_exported("api_", &listed) && is_exported("one1", &listed)
        );
        assert!(!is_exported("xapi_open", &listed) && !is_exported("one", &listed));
        assert!(is_exported("anything", &Exports::All) && !is_exported("anything", &Exports::None));
    }
}

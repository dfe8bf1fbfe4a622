//! The stages of a link's units, before they become one: select, GUARD, optimise.
//!
//! Units know nothing of each other, so that they are worked on by all cores.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use concord_abi::CONDITION_WAIT_SYMBOL;
use concord_job::{GuardCount, LinkJob, Probes, Stage, StandardReport};
use inkwell::context::Context;

use crate::error::{Error, Result};
use crate::pipeline::{check, dump};
use crate::resolve::{Resolution, UnitKind};
use crate::select::{self, Selection};
use crate::unit::Unit;
use crate::{ffi, guard, ir, optimise, standard, target};

/// The live units of a link that the object is made of.
pub(crate) struct Live<'a> {
    /// The program's.
    pub(crate) own: Vec<&'a Unit>,
    /// Members of the standard library with bitcode.
    pub(crate) standard: Vec<&'a Unit>,
    /// And those that the toolchain ships without.
    pub(crate) native_standard: Vec<&'a Unit>,
}

impl<'a> Live<'a> {
    /// Sorts them.
    pub(crate) fn of(units: &'a [Unit], resolution: &Resolution) -> Self {
        let mut live = Self { own: Vec::new(), standard: Vec::new(), native_standard: Vec::new() };
        for unit in resolution.live.iter().map(|&index| &units[index]) {
            match (unit.symbols.kind, &unit.standard) {
                (UnitKind::Bitcode, None) => live.own.push(unit),
                (UnitKind::Bitcode, Some(_)) => live.standard.push(unit),
                (_, Some(_)) => live.native_standard.push(unit),
                (_, None) => {}
            }
        }
        live
    }

    /// What the standard library's units must offer to the rest of the link.
    fn needed_of_standard(&self, resolution: &'a Resolution) -> HashSet<&'a str> {
        let named = self.own.iter().flat_map(|unit| {
            unit.symbols.undefined.iter().chain(&unit.symbols.weak_undefined).map(String::as_str)
        });
        resolution.visible.iter().map(String::as_str).chain(named).collect()
    }
}

/// A unit after its own stages: bitcode again, so that it can leave its context.
#[derive(Default)]
pub(crate) struct Prepared {
    /// For messages.
    pub(crate) name: String,
    pub(crate) bitcode: Vec<u8>,
    pub(crate) selection: Selection,
    pub(crate) guards: Vec<GuardCount>,
    /// Empty but for the standard library's unit.
    pub(crate) standard: StandardReport,
}

/// Runs the units' stages.
///
/// # Errors
/// Of the first unit that failed.
pub(crate) fn prepare_all(live: &Live<'_>, job: &LinkJob, resolution: &Resolution) -> Result<Vec<Prepared>> {
    let count = live.own.len() + usize::from(!live.standard.is_empty());
    let left = AtomicUsize::new(count);
    let results = Mutex::new(Vec::new());
    let work = || {
        loop {
            // Relaxed: the index alone is shared; results are published by the mutex and the scope's join.
            let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
            let Ok(index) = taken.map(|left| left - 1) else { break };
            // The standard library comes last in the list and is begun first: it takes longest.
            let prepared = match live.own.get(index) {
                Some(unit) => prepare(index, unit, job, &resolution.bitcode_defined),
                None => prepare_standard(index, live, job, resolution),
            };
            results.lock().expect("no worker panics while it holds the list").push((index, prepared));
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores.min(count) {
            scope.spawn(work);
        }
    });
    let mut results = results.into_inner().expect("all workers have ended");
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, prepared)| prepared).collect()
}

/// The standard library's unit: it has been optimised, so that only what is dead goes.
fn prepare_standard(
    index: usize,
    live: &Live<'_>,
    job: &LinkJob,
    resolution: &Resolution,
) -> Result<Prepared> {
    const NAME: &str = "std";
    let context = Context::create();
    let module = standard::unite(&context, &live.standard, &live.needed_of_standard(resolution))?;
    let functions = ir::definitions(&module).len() as u32;
    let machine = target::machine(&module, &job.optimise)?;
    optimise::run(&module, &machine, optimise::DEAD_CODE, &job.optimise, NAME)?;
    if !job.optimise.debug_info {
        ffi::strip_debug_info(&module);
    }
    let mut prepared = Prepared { name: NAME.to_owned(), ..Prepared::default() };
    prepared.standard = StandardReport {
        bitcode: live.standard.iter().map(|unit| unit.name.clone()).collect(),
        native: Vec::new(),
        functions,
        kept: ir::definitions(&module).len() as u32,
    };
    if job.instrument.probes != Probes::None {
        (prepared.selection, prepared.guards) =
            standard::mark(&module, &job.instrument, &resolution.bitcode_defined);
    }
    check(&module, Stage::Guard, NAME)?;
    dump(&module, job, Stage::Guard, Some(&format!("{index:03}-{NAME}")))?;
    prepared.bitcode = module.write_bitcode_to_memory().as_slice().to_vec();
    Ok(prepared)
}

fn prepare(index: usize, unit: &Unit, job: &LinkJob, defined: &HashSet<String>) -> Result<Prepared> {
    let context = Context::create();
    let fail = |message| Error::Bitcode { unit: unit.name.clone(), message };
    let module = ffi::parse(&unit.bitcode, &unit.name, &context).map_err(fail)?;
    let machine = target::machine(&module, &job.optimise)?;
    let mut prepared = Prepared { name: unit.name.clone(), ..Prepared::default() };
    if job.instrument.probes != Probes::None {
        prepared.selection = select::mark(&module, &job.instrument);
        prepared.guards = guard::mark_guards(&module, defined);
        if defined.contains(CONDITION_WAIT_SYMBOL) {
            guard::waits::redirect(&module);
        }
    }
    let file = format!("{index:03}-{}", unit.name.replace(['/', '(', ')'], "-"));
    check(&module, Stage::Guard, &unit.name)?;
    dump(&module, job, Stage::Guard, Some(&file))?;
    optimise::run(&module, &machine, &optimise::unit_passes(&job.optimise), &job.optimise, &unit.name)?;
    check(&module, Stage::Optimise, &unit.name)?;
    dump(&module, job, Stage::Optimise, Some(&file))?;
    prepared.bitcode = module.write_bitcode_to_memory().as_slice().to_vec();
    Ok(prepared)
}

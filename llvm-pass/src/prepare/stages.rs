//! The work on one unit.

use std::collections::HashSet;

use concord_abi::CONDITION_WAIT_SYMBOL;
use concord_job::{LinkJob, Probes, Stage, StandardReport};
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::values::FunctionValue;
use llvm_sys::LLVMLinkage;

use super::{Begun, Link, Prepared};
use crate::error::{Error, Result};
use crate::import::{self, Offer};
use crate::pipeline::{check, dump};
use crate::unit::Unit;
use crate::{ffi, guard, ir, optimise, select, standard, target};

/// The name of the standard library's unit.
pub(super) const STANDARD: &str = "std";

/// The standard library's unit: it has been optimised, so that only what is dead goes.
pub(super) fn standard(link: &Link<'_>, index: usize) -> Result<Prepared> {
    let (live, job) = (link.live, link.job);
    let context = Context::create();
    let module = standard::unite(&context, &live.standard, &link.needed_of_standard)?;
    let functions = ir::definitions(&module).len() as u32;
    let machine = target::machine(&module, &job.optimise)?;
    optimise::run(&module, &machine, optimise::DEAD_CODE, &job.optimise, STANDARD)?;
    if !job.optimise.debug_info {
        ffi::strip_debug_info(&module);
    }
    let mut prepared = Prepared { name: STANDARD.to_owned(), ..Prepared::default() };
    prepared.standard = StandardReport {
        bitcode: live.standard.iter().map(|unit| unit.name.clone()).collect(),
        native: Vec::new(),
        functions,
        kept: ir::definitions(&module).len() as u32,
    };
    if job.instrument.probes != Probes::None {
        (prepared.selection, prepared.guards) = standard::mark(&module, &job.instrument, link.defined);
    }
    check(&module, Stage::Guard, STANDARD)?;
    dump(&module, job, Stage::Guard, Some(&format!("{index:03}-{STANDARD}")))?;
    prepared.bitcode = module.write_bitcode_to_memory().as_slice().to_vec();
    Ok(prepared)
}

/// A unit by itself: selected, guarded, simplified; and what it lends to others.
pub(super) fn begin(link: &Link<'_>, index: usize, unit: &Unit) -> Result<Begun> {
    let (job, defined) = (link.job, link.defined);
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
    check(&module, Stage::Guard, &unit.name)?;
    dump(&module, job, Stage::Guard, Some(&file_name(index, &unit.name)))?;
    hide_all_but(&module, &link.needed);
    optimise::run(&module, &machine, optimise::DEAD_CODE, &job.optimise, &unit.name)?;
    optimise::run(&module, &machine, &optimise::unit_passes(&job.optimise), &job.optimise, &unit.name)?;
    prepared.bitcode = module.write_bitcode_to_memory().as_slice().to_vec();
    let declared = declared(&module);
    let offer = match optimise::completing_passes(&job.optimise) {
        Some(_) => Offer::of(module, &machine, &job.optimise, &unit.name)?,
        None => {
            finish(&module, index, &unit.name, job)?;
            None
        }
    };
    Ok(Begun { prepared, offer, declared })
}

/// Makes internal what only the unit itself names: most of a library is used by nobody, and need not be optimised.
fn hide_all_but(module: &Module<'_>, needed: &HashSet<&str>) {
    for global in ffi::globals(module) {
        let is_external = global.linkage == LLVMLinkage::LLVMExternalLinkage;
        if is_external
            && !global.is_declaration
            && global.is_resolvable()
            && !needed.contains(global.name.as_str())
        {
            global.internalise();
        }
    }
}

/// The other half of a unit's optimisation, with what other units lend.
pub(super) fn complete(
    link: &Link<'_>,
    index: usize,
    prepared: &Prepared,
    lenders: &[&Offer],
    passes: &str,
) -> Result<Vec<u8>> {
    let job = link.job;
    let context = Context::create();
    let fail = |message| Error::Bitcode { unit: prepared.name.clone(), message };
    let module = ffi::parse(&prepared.bitcode, &prepared.name, &context).map_err(fail)?;
    let fail = |message| Error::Merge { unit: prepared.name.clone(), message };
    import::lend(lenders, &context, &module).map_err(fail)?;
    let machine = target::machine(&module, &job.optimise)?;
    optimise::run(&module, &machine, passes, &job.optimise, &prepared.name)?;
    finish(&module, index, &prepared.name, job)?;
    Ok(module.write_bitcode_to_memory().as_slice().to_vec())
}

fn declared(module: &Module<'_>) -> Vec<String> {
    let is_declared =
        |function: &FunctionValue<'_>| function.count_basic_blocks() == 0 && function.get_intrinsic_id() == 0;
    module.get_functions().filter(is_declared).map(ir::name).collect()
}

fn finish(module: &Module<'_>, index: usize, unit: &str, job: &LinkJob) -> Result<()> {
    check(module, Stage::Optimise, unit)?;
    dump(module, job, Stage::Optimise, Some(&file_name(index, unit)))
}

fn file_name(index: usize, unit: &str) -> String {
    format!("{index:03}-{}", unit.replace(['/', '(', ')'], "-"))
}

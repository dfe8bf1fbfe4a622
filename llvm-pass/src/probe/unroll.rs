//! Loops of an unknown number of rounds: small bodies are copied, so that one probe serves several rounds.
//!
//! Every copy keeps its exit test, so any number of rounds stays right.

use concord_job::Optimise;
use inkwell::module::Module;
use inkwell::targets::TargetMachine;

use super::body::Body;
use super::call_graph::CallGraph;
use super::state::Summary;
use crate::error::Result;
use crate::{ffi, ir, optimise, select};

/// Instructions that all copies of a body may have.
const LARGEST: u32 = 100;
/// Copies of a body at most.
const MOST_COPIES: u32 = 8;

/// The form of loops that placement wants: one block before each header, exits of their own.
const SIMPLIFY: &str = "function(loop-simplify)";
/// LLVM's unroller, told to do no more than it is asked for.
const UNROLL: &str = "function(loop-unroll<O3;no-partial;no-runtime;no-upperbound;no-peeling;no-profile-peeling>,loop-simplify)";

/// Copies the bodies of small innermost loops whose rounds nobody can count, has all loops simplified, and notes
/// the rounds of those that have few.
///
/// # Errors
/// [`crate::Error::Passes`] when LLVM refuses.
pub fn unroll(
    module: &Module<'_>,
    machine: &TargetMachine,
    profile: &Optimise,
    artefact: &str,
) -> Result<()> {
    optimise::run(module, machine, SIMPLIFY, profile, artefact)?;
    let graph = CallGraph::of(module);
    for function in ir::definitions(module).into_iter().filter(|function| select::is_probed(*function)) {
        let body = Body::of(module, function, &graph, &|_| Summary::default());
        body.note_rounds();
        if ["optsize", "minsize", "optnone"].iter().any(|attribute| ir::has_attribute(function, attribute)) {
            continue;
        }
        for (latch, copies) in unrollings(&body) {
            if let Some(jump) = body.blocks[latch].get_terminator() {
                ffi::set_unroll_count(jump, copies);
            }
        }
    }
    optimise::run(module, machine, UNROLL, profile, artefact)
}

/// Latches of the loops to unroll, with the number of copies.
fn unrollings(body: &Body<'_>) -> Vec<(usize, u32)> {
    let forest = &body.forest;
    let is_innermost = |index: usize| forest.loops.iter().all(|other| other.parent != Some(index));
    let mut unrollings = Vec::new();
    for (index, own) in forest.loops.iter().enumerate() {
        let [latch] = own.latches[..] else { continue };
        let is_known = body.shape.rounds.contains_key(&own.header);
        if is_known
            || own.entries.len() != 1
            || !is_innermost(index)
            || own.blocks.iter().any(|&block| body.has_call[block])
        {
            continue;
        }
        let cost: u32 = own.blocks.iter().map(|&block| body.sizes[block]).sum();
        let copies = (LARGEST / cost.max(1)).min(MOST_COPIES);
        if copies > 1 {
            unrollings.push((latch, copies));
        }
    }
    unrollings
}

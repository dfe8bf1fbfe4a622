//! Carries out a plan: cuts the loops that it names, inserts calls of the probe at its sites.

use std::collections::HashMap;

use inkwell::basic_block::BasicBlock;
use inkwell::builder::BuilderError;
use inkwell::module::Module;
use inkwell::values::{BasicValue, BasicValueEnum, FunctionValue, InstructionValue};

use super::body::Body;
use super::counted::{self, Counted, Link, Stride};
use super::plan::{Plan, Site, Treatment};
use super::strip_mine::{self, Frame};
use crate::loops::Loop;
use crate::verify::ir::UNWINDING;
use crate::{ffi, ir};

/// Carries out `plan` on the function that it was made for; returns the number of probes.
///
/// # Errors
/// When a builder refuses, which is a fault of this crate.
pub fn apply<'ctx>(
    module: &Module<'ctx>,
    body: &Body<'ctx>,
    plan: &Plan,
    probe: FunctionValue<'ctx>,
) -> Result<u32, BuilderError> {
    let builder = module.get_context().create_builder();
    let mut places: Vec<InstructionValue<'ctx>> = Vec::new();
    for (header, treatment) in &plan.loops {
        let own = body.forest.of_header(*header).expect("the plan's loops are these");
        match *treatment {
            Treatment::StripMined { first, chunk } => {
                let counted = counted::recognise(module, &body.blocks, own).expect("recognised before");
                let frame = frame(body, own, &counted);
                places.push(strip_mine::strip_mine(module, &counted, frame, [first, chunk])?);
                mark_bounded(body, own, first, chunk);
            }
            Treatment::Straight { rounds } => mark_bounded(body, own, rounds, rounds),
            Treatment::Cleanup => mark_bounded(body, own, UNWINDING, UNWINDING),
            Treatment::Probed | Treatment::Dispatched | Treatment::Covered => {}
        }
    }
    for site in &plan.sites {
        match *site {
            Site::Entry => places.extend(ir::after_allocas(body.function)),
            Site::Before { block, at } | Site::Round { block, at } => {
                places.push(body.instructions[block][at])
            }
            Site::AfterCall { block, at } => {
                places.extend(ir::after_call(&builder, body.function, body.instructions[block][at]));
            }
            Site::BeforeLoop { header } => {
                let own = body.forest.of_header(header).expect("the plan's loops are these");
                for block in body.outside(header, &own.blocks) {
                    places.extend(on_edge(&builder, body, block, header));
                }
            }
            Site::BackEdge { latch, header } => places.extend(on_edge(&builder, body, latch, header)),
            Site::Chunk { .. } => {}
        }
    }
    for place in &places {
        ir::call_before(&builder, body.function, *place, probe, &[]);
    }
    Ok(places.len() as u32)
}

fn mark_bounded(body: &Body<'_>, own: &Loop, first: u32, rounds: u32) {
    for &latch in &own.latches {
        if let Some(jump) = body.instructions[latch].last() {
            ffi::mark_bounded(*jump, first, rounds);
        }
    }
}

/// A place that is passed on the way from one block to another: behind the call that ends the first, or else
/// before its end. A block between the two would be exact, but costs a loop its form: the code generator then
/// tests in the middle of a round, and copies what each round hands to the next.
fn on_edge<'ctx>(
    builder: &inkwell::builder::Builder<'ctx>,
    body: &Body<'ctx>,
    from: usize,
    to: usize,
) -> Option<InstructionValue<'ctx>> {
    let end = *body.instructions[from].last()?;
    let normal = ffi::invoke_destination(end);
    if normal.is_some() && normal == Some(body.blocks[to]) {
        return ir::after_call(builder, body.function, end);
    }
    Some(end)
}

/// Where the parts of a loop are, and how far out its first limit can be computed.
fn frame<'ctx>(body: &Body<'ctx>, own: &Loop, counted: &Counted<'ctx>) -> Frame<'ctx> {
    let at = body.preheader(own.header, &own.blocks).expect("counted loops have a preheader");
    let preheader = body.blocks[at];
    let mut first = preheader.get_terminator().expect("a preheader ends in a jump");
    let positions: HashMap<_, usize> =
        body.blocks.iter().enumerate().map(|(at, block)| (block.as_mut_ptr(), at)).collect();
    let initial =
        counted.counter.get_incomings().find(|(_, from)| *from == preheader).map(|(value, _)| value);
    let step = match counted.step {
        Stride::Invariant(step) => Some(BasicValueEnum::IntValue(step)),
        Stride::Constant(_) => None,
    };
    let links = counted.chain.iter().filter_map(|link| match *link {
        Link::Add(by) | Link::Sub(by) | Link::Move(by, _) => Some(BasicValueEnum::IntValue(by)),
        Link::Number | Link::Narrow => None,
    });
    let operands: Vec<_> = [initial, step, Some(counted.limit)].into_iter().flatten().chain(links).collect();
    let mut region = own.parent;
    while let Some(around) = region {
        let around = &body.forest.loops[around];
        // What an earlier cut made has no position: it stays where it is.
        let is_outside = |value: &BasicValueEnum<'ctx>| match defining_block(*value) {
            None => true,
            Some(block) => {
                positions.get(&block.as_mut_ptr()).is_some_and(|at| around.blocks.binary_search(at).is_err())
            }
        };
        let Some(outer) = body.preheader(around.header, &around.blocks) else { break };
        if !operands.iter().all(is_outside) {
            break;
        }
        first = body.blocks[outer].get_terminator().expect("a preheader ends in a jump");
        region = around.parent;
    }
    Frame { preheader, header: body.blocks[own.header], latch: body.blocks[own.latches[0]], first }
}

fn defining_block<'ctx>(value: BasicValueEnum<'ctx>) -> Option<BasicBlock<'ctx>> {
    value.as_instruction_value()?.get_parent()
}

//! Carries the loops' bounds through the code generator.
//!
//! The metadata of a latch ends with the IR. What survives instruction selection, scheduling, unrolling late, tail
//! duplication and merging without being an instruction is LLVM's *pseudo probe*: a label that moves and is copied
//! with the code around it, made for sample profiles. We put one into the header of each loop with a bound and of
//! each loop around it; the code generator writes their addresses into `.pseudo_probe` ([`super::labels`]). With one
//! in *every* loop of a program of 1,670 functions, 5 of them came out differently, in the order of their blocks.
//!
//! A block that is nothing but a jump disappears, and a label in it too. A loop with such a header is labelled where
//! each way to a latch passes, in a block that is in no loop inside it. A label may still be lost when the code around
//! it is merged into nothing; [`super::machine`] says what is made of that.

use inkwell::basic_block::BasicBlock;
use inkwell::builder::BuilderError;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue};

use super::cycles::Visits;
use super::dominators::Dominators;
use super::ir::{bound_of, relied_on};
use super::nest::{self, Loop};
use crate::{ffi, ir, select};

/// What makes LLVM emit pseudo probes.
const DESCRIPTION: &str = "llvm.pseudo_probe_desc";

/// What is labelled.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// By the number that the labels carry, less one.
    pub loops: Vec<MarkedLoop>,
    /// By what the number exceeds that of the loops.
    pub calls: Vec<MarkedCall>,
}

/// A call that a cycle relies on, labelled because the code generator may make it one through a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedCall {
    /// The caller's symbol.
    pub function: String,
    /// The callee's.
    pub callee: String,
}

/// A labelled loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedLoop {
    /// The function's symbol.
    pub function: String,
    /// How often a walk that stays in the loop comes to a label at most; absent for a loop whose probe stops it.
    pub visits: Option<Visits>,
    /// The label of the innermost labelled loop around it.
    pub parent: Option<usize>,
}

impl Marks {
    /// The function that label `number` was put into.
    pub fn function_of(&self, number: usize) -> Option<&str> {
        let of_call = || Some(self.calls.get(number.checked_sub(self.loops.len())?)?.function.as_str());
        self.loops.get(number).map(|own| own.function.as_str()).or_else(of_call)
    }

    /// What the call behind label `number` calls; absent for a loop's label.
    pub fn callee_of(&self, number: usize) -> Option<&str> {
        Some(self.calls.get(number.checked_sub(self.loops.len())?)?.callee.as_str())
    }

    /// Whether nothing is labelled.
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty() && self.calls.is_empty()
    }

    /// Whether loop `inner` is `outer` or lies in it.
    pub fn lies_in(&self, inner: usize, outer: usize) -> bool {
        std::iter::successors(Some(inner), |&at| self.loops[at].parent).any(|at| at == outer)
    }

    /// How many loops lie around this one.
    pub fn depth(&self, of: usize) -> usize {
        std::iter::successors(self.loops[of].parent, |&at| self.loops[at].parent).count()
    }
}

/// Labels the loops with a bound and those around them, and the calls that cycles rely on; a module without either
/// stays as it is.
///
/// # Errors
/// When a builder refuses, which is a fault of this crate.
pub fn insert(module: &Module<'_>) -> Result<Marks, BuilderError> {
    let mut marks = Marks::default();
    let kind = module.get_context().get_kind_id(ffi::BOUND_METADATA);
    for function in ir::definitions(module).into_iter().filter(|function| select::is_probed(*function)) {
        let blocks = function.get_basic_blocks();
        let bounds: Vec<Option<Visits>> =
            blocks.iter().map(|block| bound_of(block.get_terminator()?, kind)).collect();
        if bounds.iter().any(Option::is_some) {
            label(module, function, &blocks, &bounds, &mut marks)?;
        }
    }
    for (caller, call, callee) in relied_on(module) {
        put(module, call, marks.loops.len() + marks.calls.len())?;
        marks.calls.push(MarkedCall { function: ir::name(caller), callee: ir::name(callee) });
    }
    if !marks.is_empty() {
        let context = module.get_context();
        let number = context.i64_type().const_zero();
        let entry =
            context.metadata_node(&[number.into(), number.into(), context.metadata_string("").into()]);
        module.add_global_metadata(DESCRIPTION, &entry).expect("a node is no string");
    }
    Ok(marks)
}

/// Puts a trap into each block of a probed function that has nothing but the word that it is never reached.
///
/// # Errors
/// When a builder refuses, which is a fault of this crate.
pub fn trap_unreachable(module: &Module<'_>) -> Result<(), BuilderError> {
    let trap = Intrinsic::find("llvm.trap").expect("this LLVM has it");
    let trap = trap.get_declaration(module, &[]).expect("it is not overloaded");
    let builder = module.get_context().create_builder();
    for function in ir::definitions(module).into_iter().filter(|function| select::is_probed(*function)) {
        for place in function.get_basic_block_iter().filter_map(ir::first_insertion_point) {
            if place.get_opcode() == InstructionOpcode::Unreachable {
                builder.position_before(&place);
                builder.build_call(trap, &[], "")?;
            }
        }
    }
    Ok(())
}

fn label(
    module: &Module<'_>,
    function: FunctionValue<'_>,
    blocks: &[BasicBlock<'_>],
    bounds: &[Option<Visits>],
    marks: &mut Marks,
) -> Result<(), BuilderError> {
    let graph = ir::control_flow(blocks);
    let dominators = Dominators::of(&graph);
    let nest = nest::nest(&graph, &dominators);
    let loops = &nest.loops;
    let symbol = ir::name(function);
    let mut numbers = vec![None; loops.len()];
    let needed = needed(loops, bounds);
    for index in outside_in(loops).into_iter().filter(|&index| needed[index]) {
        let own = &loops[index];
        let number = marks.loops.len();
        numbers[index] = Some(number);
        let parent = own.parent.and_then(|parent| numbers[parent]);
        marks.loops.push(MarkedLoop { function: symbol.clone(), visits: visits(own, bounds), parent });
        let is_own = |block: usize| own.is_natural && nest.innermost[block] == Some(index);
        for place in places(own, blocks, bounds, |latch| {
            dominators
                .above(latch)
                .take_while(|&block| block != own.header)
                .filter(|&block| is_own(block))
                .collect()
        }) {
            put(module, place, number)?;
        }
    }
    Ok(())
}

/// The loops' indices, each behind its parent.
fn outside_in(loops: &[Loop]) -> Vec<usize> {
    let depth = |index: usize| std::iter::successors(loops[index].parent, |&at| loops[at].parent).count();
    let mut order: Vec<usize> = (0..loops.len()).collect();
    order.sort_by_cached_key(|&index| depth(index));
    order
}

/// Whether each loop has a bound, holds one that has, or has several entries, so that nobody knows what it holds.
fn needed(loops: &[Loop], bounds: &[Option<Visits>]) -> Vec<bool> {
    let mut needed: Vec<bool> = loops.iter().map(|own| !own.is_natural).collect();
    for index in 0..loops.len() {
        let mut around = visits(&loops[index], bounds).map(|_| index);
        while let Some(at) = around.filter(|&at| !std::mem::replace(&mut needed[at], true)) {
            around = loops[at].parent;
        }
    }
    needed
}

/// One visit more than jumps back, of those that have a bound; the others have a probe, which stops the walk.
fn visits(own: &Loop, bounds: &[Option<Visits>]) -> Option<Visits> {
    let bounded = own.latches.iter().filter_map(|&latch| bounds[latch]);
    let sum =
        bounded.reduce(|one, two| Visits { most: one.most + two.most, first: one.first + two.first })?;
    own.is_natural.then_some(Visits { most: 1 + sum.most, first: 1 + sum.first })
}

/// The header, or, where it would not do, a block before each latch: it is a jump alone, or some latches have no
/// bound. `before` gives the blocks of the loop itself that each way to a latch passes, the nearest first.
fn places<'ctx>(
    own: &Loop,
    blocks: &[BasicBlock<'ctx>],
    bounds: &[Option<Visits>],
    before: impl Fn(usize) -> Vec<usize>,
) -> Vec<InstructionValue<'ctx>> {
    let bounded: Vec<usize> = own.latches.iter().copied().filter(|&latch| bounds[latch].is_some()).collect();
    let is_mixed = !bounded.is_empty() && bounded.len() < own.latches.len();
    let header = ir::first_insertion_point(blocks[own.header]);
    if let Some(place) = header.filter(|place| !is_jump(*place) && !is_mixed) {
        return vec![place];
    }
    let latches = if is_mixed { &bounded } else { &own.latches };
    let mut chosen: Vec<usize> = latches
        .iter()
        .map(|&latch| {
            let solid = |block: &usize| {
                ir::first_insertion_point(blocks[*block]).is_some_and(|place| !is_jump(place))
            };
            before(latch).into_iter().find(solid).unwrap_or(latch)
        })
        .collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().filter_map(|block| blocks[block].get_terminator()).collect()
}

fn is_jump(place: InstructionValue<'_>) -> bool {
    place.get_opcode() == InstructionOpcode::Br && place.get_num_operands() == 1
}

fn put(module: &Module<'_>, place: InstructionValue<'_>, number: usize) -> Result<(), BuilderError> {
    let context = module.get_context();
    let (long, word) = (context.i64_type(), context.i32_type());
    let intrinsic = Intrinsic::find("llvm.pseudoprobe").expect("this LLVM has it");
    let intrinsic = intrinsic.get_declaration(module, &[]).expect("it is not overloaded");
    let builder = context.create_builder();
    builder.position_before(&place);
    // With a location, the label would be filed under the functions that were inlined there.
    builder.unset_current_debug_location();
    let arguments = [
        long.const_int(number as u64 + 1, false).into(),
        long.const_int(1, false).into(),
        word.const_zero().into(),
        long.const_all_ones().into(),
    ];
    builder.build_call(intrinsic, &arguments, "").map(drop)
}

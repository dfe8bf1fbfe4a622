//! A function as placement looks at it: blocks, costs, what its calls mean, how its loops count.

use std::collections::HashMap;

use inkwell::basic_block::BasicBlock;
use inkwell::module::Module;
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue};

use super::call_graph::CallGraph;
use super::counted;
use super::plan::{Rounds, Shape, Step, StepKind};
use super::state::Summary;
use super::{calls, cost};
use crate::cfg::Graph;
use crate::loops::{Forest, Loop};
use crate::{ffi, ir};

/// A function's blocks with the shape that placement looks at.
pub struct Body<'ctx> {
    /// The function.
    pub function: FunctionValue<'ctx>,
    /// Entry first.
    pub blocks: Vec<BasicBlock<'ctx>>,
    /// Of each block.
    pub instructions: Vec<Vec<InstructionValue<'ctx>>>,
    /// For each block whether it calls anything but intrinsics.
    pub has_call: Vec<bool>,
    /// Instructions of each block, unweighted.
    pub sizes: Vec<u32>,
    /// For the plan.
    pub shape: Shape,
    /// The loops of the shape's blocks.
    pub forest: Forest,
    /// For each block those that lead to it.
    predecessors: Vec<Vec<usize>>,
}

impl<'ctx> Body<'ctx> {
    /// Reads `function`. `summary` knows nodes of the call graph that were placed already.
    pub fn of(
        module: &Module<'ctx>,
        function: FunctionValue<'ctx>,
        graph: &CallGraph<'ctx>,
        summary: &dyn Fn(usize) -> Summary,
    ) -> Self {
        let blocks = function.get_basic_blocks();
        let instructions: Vec<Vec<_>> =
            blocks.iter().map(|block| block.get_instructions().collect()).collect();
        let flow = ir::control_flow(&blocks);
        let mut body = Self {
            function,
            has_call: Vec::with_capacity(blocks.len()),
            sizes: instructions.iter().map(|list| list.len() as u32).collect(),
            forest: Forest::of(&flow),
            predecessors: flow.predecessors(),
            shape: Shape { blocks: flow, ..Shape::default() },
            blocks,
            instructions,
        };
        for list in &body.instructions {
            let (steps, has_call) = steps(list, graph, summary);
            body.has_call.push(has_call);
            body.shape.steps.push(steps);
            let end = list.last().map(|last| last.get_opcode());
            body.shape.returns.push(end == Some(InstructionOpcode::Return));
            let is_dispatch = matches!(end, Some(InstructionOpcode::Switch | InstructionOpcode::IndirectBr));
            body.shape.dispatches.push(is_dispatch);
        }
        body.shape.unwinds_to = unwinds_to(&body.blocks, &body.instructions);
        let Shape { blocks, unwinds_to, returns, .. } = &body.shape;
        body.shape.is_cleanup = cleanup(blocks, &body.predecessors, unwinds_to, returns);
        for own in &body.forest.loops {
            if let Some(counted) = counted::recognise(module, &body.blocks, own)
                && body.preheader(own.header, &own.blocks).is_some()
            {
                // A loop that stands several times jumps back rarely: chunks would cost more, at each entry.
                let is_counted = !body.is_unrolled(own);
                body.shape.rounds.insert(own.header, Rounds { most: counted.most_rounds(), is_counted });
            }
            if let Some(most) = body.known_rounds(own) {
                body.shape.rounds.entry(own.header).or_default().most = Some(most);
            }
        }
        body
    }

    /// The only block outside of a loop that leads to its header, if it does so by a plain jump.
    pub fn preheader(&self, header: usize, inside: &[usize]) -> Option<usize> {
        let mut outside = self.outside(header, inside);
        let preheader = outside.next()?;
        let is_plain = self.instructions[preheader]
            .last()
            .is_some_and(|jump| jump.get_opcode() == InstructionOpcode::Br && jump.get_num_operands() == 1);
        (outside.next().is_none() && is_plain).then_some(preheader)
    }

    /// The blocks outside of a loop that lead to its header, in order.
    pub fn outside<'a>(&'a self, header: usize, inside: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
        let mut leading = self.predecessors[header].clone();
        leading.dedup();
        leading.into_iter().filter(|block| inside.binary_search(block).is_err())
    }

    /// Whether the loop's body stands there several times.
    pub fn is_unrolled(&self, own: &Loop) -> bool {
        let mut closing = own.latches.iter().filter_map(|&latch| self.instructions[latch].last());
        closing.any(|jump| ffi::is_unrolled(*jump))
    }

    /// What [`note_rounds`](Self::note_rounds) found.
    fn known_rounds(&self, own: &Loop) -> Option<u64> {
        let closing = own.latches.iter().filter_map(|&latch| self.instructions[latch].last());
        closing.filter_map(|jump| ffi::rounds(*jump)).next()
    }

    /// Leaves the proved number of rounds of each loop in the code, for when its form has changed.
    pub fn note_rounds(&self) {
        for own in &self.forest.loops {
            let most = self.shape.rounds.get(&own.header).and_then(|rounds| rounds.most);
            if let (Some(most), [latch]) = (most, &own.latches[..])
                && let Some(jump) = self.instructions[*latch].last()
            {
                ffi::note_rounds(*jump, most);
            }
        }
    }
}

/// For each block that ends in a call the block that the call unwinds to.
fn unwinds_to<'ctx>(
    blocks: &[BasicBlock<'ctx>],
    instructions: &[Vec<InstructionValue<'ctx>>],
) -> Vec<Option<usize>> {
    let positions: HashMap<_, usize> =
        blocks.iter().enumerate().map(|(at, block)| (block.as_mut_ptr(), at)).collect();
    let destination = |list: &Vec<_>| {
        let destination = ffi::invoke_unwind_destination(*list.last()?)?;
        positions.get(&destination.as_mut_ptr()).copied()
    };
    instructions.iter().map(destination).collect()
}

/// The parts of a block: straight code in pieces, and calls; and whether there are calls.
fn steps<'ctx>(
    instructions: &[InstructionValue<'ctx>],
    graph: &CallGraph<'ctx>,
    summary: &dyn Fn(usize) -> Summary,
) -> (Vec<Step>, bool) {
    /// Straight code is not divided below this.
    const PIECE: u32 = 64;
    let mut steps: Vec<Step> = Vec::new();
    let (mut open, mut has_call) = (false, false);
    for (at, &instruction) in instructions.iter().enumerate() {
        if is_head(instruction) {
            continue;
        }
        let own = cost::cost(instruction);
        let call = calls::Call::of(instruction, graph);
        match call {
            None => match steps.last_mut() {
                Some(Step { kind: StepKind::Work(cost), .. }) if open && *cost + own <= PIECE => *cost += own,
                _ => steps.push(Step { at, kind: StepKind::Work(own) }),
            },
            Some(call) => steps.push(Step { at, kind: call.step(own, summary) }),
        }
        open = call.is_none();
        has_call |= call.is_some();
        if ffi::as_call(instruction).is_some() && ffi::ends_block(instruction) {
            // Nothing may stand between this call and its return.
            break;
        }
    }
    (steps, has_call)
}

/// Whether nothing may be inserted before the instruction.
fn is_head(instruction: InstructionValue<'_>) -> bool {
    use InstructionOpcode as Op;
    matches!(instruction.get_opcode(), Op::Phi | Op::LandingPad | Op::CatchPad | Op::CleanupPad | Op::Alloca)
}

/// Blocks that are reached by unwinding alone, and from which the function does not return any more.
fn cleanup(
    graph: &Graph,
    predecessors: &[Vec<usize>],
    unwinds_to: &[Option<usize>],
    returns: &[bool],
) -> Vec<bool> {
    let ordinary: Vec<Vec<usize>> = graph
        .successors
        .iter()
        .zip(unwinds_to)
        .map(|(nexts, unwind)| nexts.iter().copied().filter(|next| Some(*next) != *unwind).collect())
        .collect();
    let is_ordinary = Graph { successors: ordinary }.reached(&[0], |_| false);
    let ends: Vec<usize> = (0..graph.len()).filter(|&block| returns[block]).collect();
    let comes_back = Graph { successors: predecessors.to_vec() }.reached(&ends, |_| false);
    (0..graph.len()).map(|block| !is_ordinary[block] && !comes_back[block]).collect()
}

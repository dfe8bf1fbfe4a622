//! The way through a recursive function that comes to no recursive call: `if n < 2 { return n }`.
//!
//! Half of all calls and more take it. Copied to where the function calls itself, it saves those calls, and with
//! them the probe at the function's entry:
//!
//! ```text
//! f(n - 1)   ->   if n - 1 < 2 { n - 1 } else { f(n - 1) }
//! ```

use inkwell::basic_block::BasicBlock;
use inkwell::module::Module;
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue};

use super::recursion::is_self_call;
use crate::cfg::Graph;
use crate::ffi::{self, Callee, clone::Copy};
use crate::ir;

/// Instructions that may be repeated before a recursive call.
const MOST_INSTRUCTIONS: usize = 16;
/// Blocks of a function that is looked at.
const MOST_BLOCKS: usize = 64;

/// The part of a recursive function that is left without a recursive call.
pub struct Leaf<'ctx> {
    function: FunctionValue<'ctx>,
    blocks: Vec<BasicBlock<'ctx>>,
    /// Where the rest of the function begins.
    rest: BasicBlock<'ctx>,
    /// Instructions of the part.
    pub size: usize,
}

impl<'ctx> Leaf<'ctx> {
    /// Finds the part, if it is small and may be run before the function is called.
    pub fn of(function: FunctionValue<'ctx>) -> Option<Self> {
        let blocks = function.get_basic_blocks();
        if blocks.len() > MOST_BLOCKS {
            return None;
        }
        let calls: Vec<bool> = blocks
            .iter()
            .map(|block| block.get_instructions().any(|instruction| is_self_call(function, instruction)))
            .collect();
        let graph = ir::control_flow(&blocks);
        let rest = rest(&graph, &calls)?;
        let region = region(&graph, rest);
        let size = region.iter().map(|&block| blocks[block].get_instructions().count()).sum();
        // What runs on the way to the rest runs again when the function is called.
        let runs_twice = ways_to(&graph, &region, rest);
        let is_pure = runs_twice.iter().all(|&block| blocks[block].get_instructions().all(is_pure));
        (is_pure && size <= MOST_INSTRUCTIONS).then(|| Self {
            function,
            blocks: region.iter().map(|&block| blocks[block]).collect(),
            rest: blocks[rest],
            size,
        })
    }

    /// A function that does the part itself, and calls `function` for the rest.
    pub fn copy(&self, module: &Module<'ctx>, name: &str) -> FunctionValue<'ctx> {
        let mut copy = Copy::declare(module, self.function, name);
        let rest = copy.replace(self.rest);
        copy.body(&self.blocks, |_| None);
        let builder = module.get_context().create_builder();
        builder.position_at_end(rest);
        let arguments: Vec<_> = copy.to.get_param_iter().map(Into::into).collect();
        let call = builder.build_call(self.function, &arguments, "").expect("the builder has a position");
        call.set_call_convention(self.function.get_call_conventions());
        ffi::clone::copy_passing_attributes(self.function, call);
        // It is the last thing done here; where it is at the call too, the frame is given up as before.
        call.set_tail_call(true);
        let result = call.try_as_basic_value().basic();
        let result = result.as_ref().map(|value| value as &dyn inkwell::values::BasicValue<'ctx>);
        builder.build_return(result).expect("the builder has a position");
        copy.to
    }
}

/// The last block that every way to a call passes first of all, the entry apart, with no cycle before it.
fn rest(graph: &Graph, calls: &[bool]) -> Option<usize> {
    let candidates = (1..graph.len()).filter_map(|block| {
        let region = region(graph, block);
        let is_free = !region.iter().any(|&before| calls[before]);
        (is_free && !has_cycle(graph, &region)).then_some((region.len(), block))
    });
    // Blocks off the way to the calls leave all calls in their region, the first ones the smallest.
    candidates.max().map(|(_, block)| block)
}

/// The blocks that are reached from the entry without passing `rest`, in order.
fn region(graph: &Graph, rest: usize) -> Vec<usize> {
    let mut inside = vec![false; graph.len()];
    let mut open = vec![0];
    while let Some(block) = open.pop() {
        if block != rest && !std::mem::replace(&mut inside[block], true) {
            open.extend(&graph.successors[block]);
        }
    }
    (0..graph.len()).filter(|&block| inside[block]).collect()
}

fn has_cycle(graph: &Graph, region: &[usize]) -> bool {
    let mut part = Graph { successors: vec![Vec::new(); graph.len()] };
    for &block in region {
        part.successors[block] =
            graph.successors[block].iter().copied().filter(|next| region.contains(next)).collect();
    }
    !part.back_edges().is_empty()
}

/// The blocks of `region` that lead to `rest`.
fn ways_to(graph: &Graph, region: &[usize], rest: usize) -> Vec<usize> {
    let mut ways: Vec<usize> = Vec::new();
    loop {
        let leads =
            |block: &usize| graph.successors[*block].iter().any(|next| *next == rest || ways.contains(next));
        let more: Vec<usize> =
            region.iter().copied().filter(|block| !ways.contains(block) && leads(block)).collect();
        if more.is_empty() {
            return ways;
        }
        ways.extend(more);
    }
}

/// Whether an instruction may run once more than the program says.
fn is_pure(instruction: InstructionValue<'_>) -> bool {
    match instruction.get_opcode() {
        InstructionOpcode::Store
        | InstructionOpcode::Invoke
        | InstructionOpcode::AtomicRMW
        | InstructionOpcode::AtomicCmpXchg
        | InstructionOpcode::Fence
        | InstructionOpcode::LandingPad => false,
        InstructionOpcode::Load => ffi::is_plain_load(instruction),
        InstructionOpcode::Call => ffi::as_call(instruction).is_none_or(|call| match ffi::callee(call) {
            Callee::Function(callee) => callee.get_intrinsic_id() != 0 && ffi::touches_no_memory(callee),
            Callee::Pointer | Callee::Assembly => false,
        }),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(successors: &[&[usize]]) -> Graph {
        Graph { successors: successors.iter().map(|list| list.to_vec()).collect() }
    }

    #[test]
    fn the_rest_begins_behind_the_test() {
        // 0 tests, 1 returns, 2 calls.
        let simple = graph(&[&[1, 2], &[], &[]]);
        assert_eq!(rest(&simple, &[false, false, true]), Some(2));
        // Two tests, the second behind the first.
        let two = graph(&[&[1, 2], &[], &[1, 3], &[1]]);
        assert_eq!(rest(&two, &[false, false, false, true]), Some(3));
    }

    #[test]
    fn a_call_at_once_leaves_nothing() {
        assert_eq!(rest(&graph(&[&[1], &[]]), &[true, false]), None);
    }

    #[test]
    fn calls_on_two_ways_leave_what_is_before_the_fork() {
        let fork = graph(&[&[1, 2], &[], &[3, 4], &[], &[]]);
        assert_eq!(rest(&fork, &[false, false, false, true, true]), Some(2));
    }

    #[test]
    fn the_way_to_the_rest_holds_no_loop() {
        // 1 is a loop that runs before the call in 2; 3 calls inside of the loop of 2 and 3.
        let before = graph(&[&[1], &[1, 2], &[]]);
        assert_eq!(rest(&before, &[false, false, true]), Some(1));
        let around = graph(&[&[1, 2], &[], &[3], &[1, 2]]);
        assert_eq!(rest(&around, &[false, false, false, true]), Some(3));
        assert_eq!(ways_to(&around, &[0, 1, 2], 3), [2, 0]);
    }
}

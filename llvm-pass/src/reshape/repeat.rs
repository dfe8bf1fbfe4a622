//! Loops that come to a recursive call stand several times in their function, every time with their exit tests.
//!
//! Tail-call elimination has often made such a loop of the last recursive call. Once its function is inlined into
//! itself, an iteration may end without a call, and the loop needs a probe of its own where it jumps back; repeated,
//! it jumps back rarely.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::BuilderError;
use inkwell::module::{Linkage, Module};
use inkwell::values::{FunctionValue, InstructionValue};

use super::recursion::is_self_call;
use crate::cfg::{BackEdge, Graph};
use crate::{ffi, ir};

/// How often a loop stands in its function.
const REPETITIONS: usize = 3;
/// Instructions that a function may grow to by it.
const MOST_INSTRUCTIONS: usize = 100;

/// The passes that do what [`Repeat::mark`] asked for.
pub const PASSES: &str = "loop-unroll<O3;no-partial;no-runtime;no-upperbound;no-peeling;no-profile-peeling>";

/// Asks LLVM's unroller for the repetitions.
///
/// It would make counted loops of them, whose remainders are loops again. A function that it cannot see through
/// stands between each exit test and its jump meanwhile.
pub struct Repeat<'ctx> {
    test: FunctionValue<'ctx>,
}

impl<'ctx> Repeat<'ctx> {
    /// Declares the function.
    pub fn new(module: &Module<'ctx>) -> Self {
        let context = module.get_context();
        let bit = context.bool_type();
        let test = module.add_function("concord_exit_test", bit.fn_type(&[bit.into()], false), None);
        ir::add_attributes(test, context, &["nounwind", "willreturn"]);
        let memory = Attribute::get_named_enum_kind_id("memory");
        test.add_attribute(AttributeLoc::Function, context.create_enum_attribute(memory, 0));
        Self { test }
    }

    /// Marks the loops of `function`, which has `size` instructions; tells whether there are any.
    pub fn mark(&self, function: FunctionValue<'ctx>, size: usize) -> bool {
        let blocks = function.get_basic_blocks();
        let graph = ir::control_flow(&blocks);
        let edges = graph.back_edges();
        let mut is_marked = false;
        for edge in edges.iter().filter(|edge| is_alone(&graph, &edges, **edge)) {
            let body = graph.loop_body(*edge);
            let instructions = || body.iter().flat_map(|&block| blocks[block].get_instructions());
            let room = MOST_INSTRUCTIONS.saturating_sub(size) / instructions().count().max(1);
            let repetitions = REPETITIONS.min(1 + room);
            let Some(jump) = blocks[edge.latch].get_terminator().filter(|_| repetitions > 1) else {
                continue;
            };
            if !instructions().any(|instruction| is_self_call(function, instruction)) {
                continue;
            }
            for &block in &body {
                let leaves = graph.successors[block].iter().any(|next| !body.contains(next));
                if let Some(exit) = blocks[block].get_terminator().filter(|_| leaves) {
                    self.hide(function, exit);
                }
            }
            ffi::set_unroll_count(jump, repetitions as u32);
            is_marked = true;
        }
        is_marked
    }

    fn hide(&self, function: FunctionValue<'ctx>, exit: InstructionValue<'ctx>) {
        if exit.is_conditional() != Ok(true) {
            return;
        }
        let Some(condition) = exit.get_operand(0).and_then(|operand| operand.value()) else { return };
        let builder = self.test.get_type().get_context().create_builder();
        let call = ir::call_before(&builder, function, exit, self.test, &[condition.into()]);
        if let Some(result) = call.try_as_basic_value().basic() {
            exit.set_operand(0, result);
        }
    }

    /// Makes the function one that is inlined away.
    ///
    /// # Errors
    /// When a builder refuses, which is a fault of this crate.
    pub fn reveal(&self) -> Result<(), BuilderError> {
        let context = self.test.get_type().get_context();
        self.test.set_linkage(Linkage::Internal);
        ir::add_attributes(self.test, context, &["alwaysinline"]);
        let builder = context.create_builder();
        builder.position_at_end(context.append_basic_block(self.test, ""));
        let condition = self.test.get_first_param().expect("the function has a parameter");
        builder.build_return(Some(&condition)).map(drop)
    }
}

/// Whether the loop that `edge` closes has no other way back, and no loop within.
fn is_alone(graph: &Graph, edges: &[BackEdge], edge: BackEdge) -> bool {
    let body = graph.loop_body(edge);
    edges.iter().filter(|other| body.contains(&other.header)).count() == 1
}

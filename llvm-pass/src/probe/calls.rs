//! What a call means for placement.

use inkwell::values::InstructionValue;

use super::call_graph::CallGraph;
use super::cost::{self, CALL, MEMORY_PIECE, SHORT_CALL};
use super::plan::StepKind;
use super::state::Summary;
use crate::ffi::{self, Callee};
use crate::guard::{catalogue, mark};
use crate::names::Name;
use crate::{ir, select};

/// What an instruction calls; intrinsics and assembly are instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// A node of the call graph, with probes or without.
    Known(usize),
    /// Code without probes that is known to be short.
    Short,
    /// Code without probes that may run for long.
    Long,
    /// A memory operation of unknown length, or of a piece: see [`crate::reshape::memory`].
    Memory,
    /// One of the guards' marks: an instruction or two.
    Mark,
}

impl Call {
    /// Reads an instruction; `None` when it calls nothing.
    pub fn of<'ctx>(instruction: InstructionValue<'ctx>, graph: &CallGraph<'ctx>) -> Option<Self> {
        let call = ffi::as_call(instruction)?;
        let callee = match ffi::callee(call) {
            Callee::Assembly => return None,
            Callee::Pointer => return Some(graph.target(call).map_or(Self::Short, Self::Known)),
            Callee::Function(callee) => callee,
        };
        if callee.get_intrinsic_id() != 0 {
            return cost::is_unknown_memory(instruction).then_some(Self::Memory);
        }
        if select::is_probed(callee) {
            return Some(graph.target(call).map_or(Self::Short, Self::Known));
        }
        let symbol = ir::name(callee);
        if mark::ALL.contains(&symbol.as_str()) {
            return Some(Self::Mark);
        }
        if ["memcpy", "memmove", "memset", "memcmp", "bcmp", "memchr"].contains(&symbol.as_str()) {
            return Some(Self::Memory);
        }
        let is_bounded =
            ir::has_attribute(callee, "noreturn") || ffi::ends_block(instruction) || is_short(&symbol);
        Some(if is_bounded { Self::Short } else { Self::Long })
    }

    /// The step of a block that the call is; `own` is the cost of the instruction itself.
    pub fn step(self, own: u32, summary: &dyn Fn(usize) -> Summary) -> StepKind {
        match self {
            Self::Mark => StepKind::Work(2),
            Self::Short => StepKind::Call(Summary::of_work(SHORT_CALL)),
            Self::Memory => StepKind::Call(Summary::of_span(SHORT_CALL, MEMORY_PIECE)),
            Self::Long => StepKind::LongCall,
            Self::Known(node) => {
                let called = summary(node);
                let with_call = |cost: u32| cost.saturating_add(own.max(CALL));
                StepKind::Call(Summary {
                    through: called.through.map(with_call),
                    least: with_call(called.least),
                    head: with_call(called.head),
                    tail: called.tail,
                })
            }
        }
    }
}

/// Native code that returns within the time of a few probes, or that a probe behind it would not help.
fn is_short(symbol: &str) -> bool {
    const SHORT: [&str; 17] = [
        "_Znwm",
        "_Znam",
        "_ZdlPv",
        "_ZdlPvm",
        "_ZdaPv",
        "_ZdaPvm",
        "strlen",
        "strcmp",
        "__errno_location",
        "__cxa_begin_catch",
        "__cxa_end_catch",
        "__cxa_allocate_exception",
        "__cxa_free_exception",
        "__gxx_personality_v0",
        "rust_eh_personality",
        "abort",
        "exp",
    ];
    if SHORT.contains(&symbol) {
        return true;
    }
    let name = Name::of(symbol);
    name.path.starts_with("__rustc::__r")
        || name.is_in("core::panicking")
        || catalogue::find(&name.path).is_some()
}

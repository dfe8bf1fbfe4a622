//! Functions that are guarded regions by what their code does, not by their names.

use concord_job::GuardCount;
use inkwell::module::Module;
use inkwell::values::{FunctionValue, InstructionOpcode};

use super::Marker;
use crate::ir;

/// The name in reports.
const ENTRY: &str = "std's own state";

/// Makes each of `functions` a region. Whatever locks its callees count, the depth after it is that before it: the
/// counterparts of their marks are code that was inlined when std was built.
pub fn mark_regions(module: &Module<'_>, functions: &[FunctionValue<'_>]) -> Option<GuardCount> {
    if functions.is_empty() {
        return None;
    }
    let marker = Marker::new(module);
    for function in functions {
        marker.mark_region(*function);
    }
    let count = functions.len() as u32;
    Some(GuardCount { entry: ENTRY.to_owned(), acquires: count, releases: count })
}

impl<'ctx> Marker<'ctx> {
    fn mark_region(&self, function: FunctionValue<'ctx>) {
        let Some(entry) = ir::after_allocas(function) else { return };
        let depth = ir::call_before(&self.builder, function, entry, self.save, &[]);
        let depth = depth.try_as_basic_value().basic().expect("the mark gives a number");
        self.insert(function, entry, self.enter);
        for block in function.get_basic_blocks() {
            let last = block.get_terminator();
            if let Some(place) = last.filter(|last| last.get_opcode() == InstructionOpcode::Return) {
                ir::call_before(&self.builder, function, place, self.restore, &[depth.into()]);
            }
        }
    }
}

//! The call graph of the merged module, pointers taken conservatively.

use std::collections::{HashMap, HashSet};

use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue};

use crate::cfg::Graph;
use crate::ffi::{self, Callee};
use crate::ir;

/// Which functions can come to call themselves.
pub struct CallGraph {
    recursive: HashSet<usize>,
}

impl CallGraph {
    /// Reads the module. A call through a pointer may reach every function of that type whose address is
    /// taken; code without bodies is taken to call nothing back.
    pub fn of(module: &Module<'_>) -> Self {
        let functions = ir::definitions(module);
        let index: HashMap<usize, usize> =
            functions.iter().enumerate().map(|(index, function)| (key(*function), index)).collect();
        let mut by_type: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, function) in functions.iter().enumerate() {
            if ffi::is_address_taken(*function) {
                by_type.entry(ffi::type_key(*function)).or_default().push(index);
            }
        }
        // One node per pointer type stands between its callers and its targets, so that edges add, not multiply.
        let types: HashMap<usize, usize> =
            by_type.keys().enumerate().map(|(offset, kind)| (*kind, functions.len() + offset)).collect();
        let mut successors = vec![Vec::new(); functions.len() + types.len()];
        for (kind, targets) in by_type {
            successors[types[&kind]] = targets;
        }
        for (caller, function) in functions.iter().enumerate() {
            successors[caller] = callees(*function, &index, &types);
        }
        let on_cycle = Graph { successors }.on_cycle();
        let recursive = functions.iter().enumerate().filter(|(index, _)| on_cycle[*index]);
        Self { recursive: recursive.map(|(_, function)| key(*function)).collect() }
    }

    /// Whether `function` lies on a cycle.
    pub fn is_recursive(&self, function: FunctionValue<'_>) -> bool {
        self.recursive.contains(&key(function))
    }
}

fn callees(
    function: FunctionValue<'_>,
    index: &HashMap<usize, usize>,
    types: &HashMap<usize, usize>,
) -> Vec<usize> {
    let calls =
        function.get_basic_block_iter().flat_map(|block| block.get_instructions()).filter_map(ffi::as_call);
    let mut callees: Vec<usize> = calls
        .filter_map(|call| match ffi::callee(call) {
            Callee::Function(callee) => index.get(&key(callee)).copied(),
            Callee::Pointer => types.get(&ffi::called_type_key(call)).copied(),
            Callee::Assembly => None,
        })
        .collect();
    callees.sort_unstable();
    callees.dedup();
    callees
}

fn key(function: FunctionValue<'_>) -> usize {
    function.as_value_ref() as usize
}

//! The standard library's small functions: without a loop, and coming to no code that needs its probes.
//!
//! Everything is full of calls of them (`AtomicU32::load`, `Option::map`), in code without probes too. There they
//! may be inlined, as nothing is lost by it; and those between the runtime's own functions get no probes themselves:
//! one that is met in the runtime's slow path would call the slow path again, without end.

use std::collections::{HashMap, HashSet};

use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue};

use crate::cfg::Graph;
use crate::ffi::{self, Callee};
use crate::ir;
use crate::names::Name;

const STANDARD: [&str; 3] = ["core", "alloc", "std"];

/// What a module's functions are in this respect.
pub struct Helpers {
    helpers: HashSet<usize>,
    of_runtime: HashSet<usize>,
}

/// What is known of a function by its symbol.
#[derive(Clone, Copy)]
struct Origin {
    is_standard: bool,
    is_skipped: bool,
    is_runtime: bool,
}

impl Helpers {
    /// Reads a unit. `is_skipped` and `is_runtime` say what is known of a function.
    pub fn of<'ctx>(
        module: &Module<'ctx>,
        is_skipped: impl Fn(FunctionValue<'ctx>, &Name) -> bool,
        is_runtime: impl Fn(&Name) -> bool,
    ) -> Self {
        let origin = |function: FunctionValue<'ctx>| {
            let name = Name::of(&ir::name(function));
            Origin {
                is_standard: name.crate_name().is_some_and(|root| STANDARD.contains(&root)),
                is_skipped: is_skipped(function, &name),
                is_runtime: is_runtime(&name),
            }
        };
        let origins: HashMap<usize, Origin> =
            module.get_functions().map(|function| (key(function), origin(function))).collect();
        let callees: HashMap<usize, Vec<FunctionValue<'_>>> =
            ir::definitions(module).into_iter().map(|function| (key(function), callees(function))).collect();
        let helpers = helpers(module, &origins, &callees);
        let of_runtime = near_runtime(&origins, &callees, &helpers);
        Self { helpers, of_runtime }
    }

    /// Whether `function` is one of them.
    pub fn contains(&self, function: FunctionValue<'_>) -> bool {
        self.helpers.contains(&key(function))
    }

    /// Whether it is one that the runtime comes to, or that comes to the runtime (what a pointer called).
    pub fn serves_runtime(&self, function: FunctionValue<'_>) -> bool {
        self.of_runtime.contains(&key(function))
    }
}

/// The largest set without loops whose calls stay in it, go to code without probes, or to native code of std.
fn helpers(
    module: &Module<'_>,
    origins: &HashMap<usize, Origin>,
    callees: &HashMap<usize, Vec<FunctionValue<'_>>>,
) -> HashSet<usize> {
    let mut candidates: HashSet<usize> = ir::definitions(module)
        .into_iter()
        .filter(|function| {
            let origin = origins[&key(*function)];
            origin.is_standard && !origin.is_skipped && !has_loop(*function)
        })
        .map(key)
        .collect();
    loop {
        let is_harmless = |callee: &FunctionValue<'_>| {
            let origin = origins[&key(*callee)];
            let is_native = callee.count_basic_blocks() == 0;
            origin.is_skipped || candidates.contains(&key(*callee)) || is_native && origin.is_standard
        };
        let kept: HashSet<usize> = candidates
            .iter()
            .copied()
            .filter(|candidate| callees[candidate].iter().all(is_harmless))
            .collect();
        if kept.len() == candidates.len() {
            return kept;
        }
        candidates = kept;
    }
}

fn near_runtime(
    origins: &HashMap<usize, Origin>,
    callees: &HashMap<usize, Vec<FunctionValue<'_>>>,
    helpers: &HashSet<usize>,
) -> HashSet<usize> {
    let mut reached = HashSet::new();
    let mut open: Vec<usize> = callees.keys().copied().filter(|caller| origins[caller].is_runtime).collect();
    let comes_to_runtime =
        |helper: &usize| callees[helper].iter().any(|callee| origins[&key(*callee)].is_runtime);
    reached.extend(helpers.iter().copied().filter(comes_to_runtime));
    open.extend(&reached);
    while let Some(caller) = open.pop() {
        for callee in callees.get(&caller).into_iter().flatten().map(|callee| key(*callee)) {
            if helpers.contains(&callee) && reached.insert(callee) {
                open.push(callee);
            }
        }
    }
    reached
}

fn callees<'ctx>(function: FunctionValue<'ctx>) -> Vec<FunctionValue<'ctx>> {
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    let called = instructions.filter_map(ffi::as_call).filter_map(|call| match ffi::callee(call) {
        Callee::Function(callee) if callee.get_intrinsic_id() == 0 => Some(callee),
        _ => None,
    });
    called.collect()
}

/// Whether a function's control flow has a cycle.
pub fn has_loop(function: FunctionValue<'_>) -> bool {
    let graph: Graph = ir::control_flow(&function.get_basic_blocks());
    !graph.back_edges().is_empty()
}

fn key(function: FunctionValue<'_>) -> usize {
    function.as_value_ref() as usize
}

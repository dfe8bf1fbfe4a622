//! Reads the placed module: what can be cloned, what comes to what, what stands between the probes.

use std::collections::HashMap;

use concord_abi::{SECOND_SYMBOL, WEIGHT_UNIT};
use inkwell::module::Module;
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue};

use super::choice::{Function, Program};
use super::search::calls;
use super::weights::{self, Behind, Code, Part};
use crate::ffi::labels::Labels;
use crate::ffi::{self, Callee};
use crate::names::Name;
use crate::probe::cost;
use crate::verify::ir::bound_of;
use crate::{ir, select, slow_path};

/// A call that asks for a function's clone.
pub struct Root<'ctx> {
    /// The function.
    pub function: FunctionValue<'ctx>,
    call: InstructionValue<'ctx>,
}

impl<'ctx> Root<'ctx> {
    /// Puts the function's clone in the place of the call; without one, the function serves both builds.
    pub fn call_becomes(self, clone: Option<FunctionValue<'ctx>>) {
        ffi::replace_by_function(self.call, clone.unwrap_or(self.function));
    }
}

/// The functions that the runtime asks for.
pub fn roots<'ctx>(module: &Module<'ctx>) -> Vec<Root<'ctx>> {
    let Some(second) = module.get_function(SECOND_SYMBOL) else { return Vec::new() };
    let root = |call: InstructionValue<'ctx>| {
        let function = ffi::function_argument(call, 0)?;
        (function.count_basic_blocks() > 0 && select::is_probed(function)).then_some(Root { function, call })
    };
    ffi::calls_of(second).into_iter().filter_map(root).collect()
}

/// The functions of a module.
pub struct Reader<'ctx> {
    functions: Vec<FunctionValue<'ctx>>,
    index: HashMap<FunctionValue<'ctx>, usize>,
    probe: FunctionValue<'ctx>,
    program: Program,
    bound: u32,
}

impl<'ctx> Reader<'ctx> {
    /// Reads `module`, whose sites are calls of `probe`.
    pub fn of(module: &Module<'ctx>, probe: FunctionValue<'ctx>) -> Self {
        let functions = ir::definitions(module);
        let index = functions.iter().enumerate().map(|(index, function)| (*function, index)).collect();
        let bound = module.get_context().get_kind_id(ffi::BOUND_METADATA);
        let mut reader = Self { functions, index, probe, program: Program::default(), bound };
        let kinds = reader.read_kinds();
        let never = slow_path::reached(module);
        for &function in &reader.functions {
            let mut read = reader.read(function, &kinds);
            read.can_be_cloned &= !never.contains(&function);
            reader.program.functions.push(read);
        }
        reader
    }

    /// The functions that have a clone, in the module's order.
    pub fn choose(&self, roots: &[FunctionValue<'ctx>]) -> Vec<FunctionValue<'ctx>> {
        let roots: Vec<usize> = roots.iter().filter_map(|root| self.index.get(root)).copied().collect();
        let is_chosen = self.program.choose(&roots);
        let numbers = self.functions.iter().zip(is_chosen);
        numbers.filter(|(_, is_chosen)| *is_chosen).map(|(function, _)| *function).collect()
    }

    fn read_kinds(&mut self) -> HashMap<usize, usize> {
        let mut kinds = HashMap::new();
        for (index, function) in self.functions.iter().enumerate() {
            if ffi::is_address_taken(*function) {
                let next = kinds.len();
                let kind = *kinds.entry(ffi::type_key(*function)).or_insert(next);
                self.program.kinds.resize(kinds.len(), Vec::new());
                self.program.kinds[kind].push(index);
            }
        }
        kinds
    }

    fn read(&self, function: FunctionValue<'ctx>, kinds: &HashMap<usize, usize>) -> Function {
        let mut read = Function { can_be_cloned: can_be_cloned(function), ..Function::default() };
        // Calls that never return lead to panics, in which no switch happens.
        for call in calls(function).filter(|call| !ir::never_returns(*call)) {
            let site = ffi::as_call(call).expect("only calls are listed");
            match ffi::callee(site) {
                Callee::Function(callee) if callee == self.probe => read.has_probe = true,
                Callee::Function(callee) => read.calls.extend(self.index.get(&callee)),
                Callee::Pointer => read.pointers.extend(kinds.get(&ffi::called_type_key(site))),
                Callee::Assembly => read.can_be_cloned &= !has_label(&ffi::assembly_text(site)),
            }
        }
        read
    }

    /// For each of these functions the weights of its probes, in order.
    pub fn weigh(&self, chosen: &[FunctionValue<'ctx>]) -> HashMap<FunctionValue<'ctx>, Vec<u32>> {
        let mut behind: HashMap<usize, Behind> = HashMap::new();
        let mut all = HashMap::new();
        // Callees first; in a cycle of calls some come too late, and count as a call.
        for index in self.callees_first(chosen) {
            let weights = weights::weigh(&self.code(index, &behind));
            behind.insert(index, weights.behind);
            let probes = weights.probes.into_iter().map(weight);
            all.insert(self.functions[index], probes.collect());
        }
        all
    }

    fn callees_first(&self, chosen: &[FunctionValue<'ctx>]) -> Vec<usize> {
        let mut order = Vec::new();
        let mut is_seen = vec![false; self.functions.len()];
        for root in chosen.iter().map(|function| self.index[function]) {
            let mut open = vec![(root, 0)];
            if std::mem::replace(&mut is_seen[root], true) {
                continue;
            }
            while let Some((index, next)) = open.last_mut() {
                match self.program.functions[*index].calls.get(*next) {
                    Some(&callee) => {
                        *next += 1;
                        if !std::mem::replace(&mut is_seen[callee], true) {
                            open.push((callee, 0));
                        }
                    }
                    None => {
                        order.push(*index);
                        open.pop();
                    }
                }
            }
        }
        order
    }

    fn code(&self, index: usize, behind: &HashMap<usize, Behind>) -> Code {
        let blocks = self.functions[index].get_basic_blocks();
        let mut code = Code { blocks: ir::control_flow(&blocks), ..Code::default() };
        for (at, block) in blocks.iter().enumerate() {
            code.parts.push(self.parts(block.get_instructions(), behind));
            let end = block.get_terminator();
            code.returns.push(end.is_some_and(|end| end.get_opcode() == InstructionOpcode::Return));
            if let Some(bound) = end.and_then(|end| bound_of(end, self.bound)) {
                code.bounds.insert(at, u32::try_from(bound.most).unwrap_or(u32::MAX));
            }
        }
        code
    }

    fn parts(
        &self,
        instructions: impl Iterator<Item = InstructionValue<'ctx>>,
        behind: &HashMap<usize, Behind>,
    ) -> Vec<Part> {
        let mut parts = Vec::new();
        for instruction in instructions {
            let callee = match ffi::as_call(instruction).map(ffi::callee) {
                Some(Callee::Function(callee)) => Some(callee),
                _ => None,
            };
            if callee == Some(self.probe) {
                parts.push(Part::Probe);
                continue;
            }
            let own = f64::from(cost::cost(instruction));
            match parts.last_mut() {
                Some(Part::Work(cost)) => *cost += own,
                _ => parts.push(Part::Work(own)),
            }
            let called =
                callee.and_then(|callee| self.index.get(&callee)).and_then(|index| behind.get(index));
            parts.extend(called.copied().map(Part::Call));
        }
        parts
    }
}

/// What one probe takes from the countdown at most: what a byte holds. The probe is then as long as a worker's, and a
/// clone's code lies as the worker's does: its loops are fetched at the same speed.
const HEAVIEST: u32 = i8::MAX as u32;

/// And at least: less than one means none left, which the back end asks otherwise, and with more instructions.
const LIGHTEST: u32 = 2;

fn weight(cost: f64) -> u32 {
    ((cost / f64::from(WEIGHT_UNIT)).round() as u32).clamp(LIGHTEST, HEAVIEST)
}

/// What runs only in panics, in which no switch happens, and is large.
const OF_PANICS: [&str; 4] =
    ["std::backtrace", "std::backtrace_rs", "std::sys::backtrace", "std::panicking::default_hook"];

fn can_be_cloned(function: FunctionValue<'_>) -> bool {
    let name = Name::of(&ir::name(function));
    !ir::is_naked(function)
        && !ir::has_attribute(function, "returns_twice")
        && Labels::of(function).is_some()
        && !select::is_runtime(&name)
        && !OF_PANICS.iter().any(|module| name.is_in(module))
}

/// Whether assembly defines a symbol, of which there may be only one. Numbers may be defined again and again, and
/// `${:uid}` is another one in each copy.
fn has_label(assembly: &str) -> bool {
    let label = |part: &str| {
        let name = part.trim_start().split_once(':').map(|(name, _)| name)?;
        let is_name = name.chars().all(|letter| letter.is_alphanumeric() || "._$".contains(letter));
        let is_number = name.chars().all(|letter| letter.is_ascii_digit());
        Some(is_name && !name.is_empty() && !is_number)
    };
    assembly.split(['\n', ';']).any(|part| label(part).unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use super::has_label;

    #[test]
    fn labels_are_names_before_a_colon() {
        for text in ["again: jmp again", "nop; .Lhere:", "\n  x1:\n"] {
            assert!(has_label(text), "{text}");
        }
        for text in ["2: jmp 2b", "rdtsc", "cmp fs:[0], 0", ".L${:uid}: nop", "mov %fs:0, $0", ""] {
            assert!(!has_label(text), "{text}");
        }
    }
}

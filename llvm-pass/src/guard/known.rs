//! What the catalogue says of one unit's functions, directly and through their calls.

use std::collections::{HashMap, HashSet};

use inkwell::module::Module;
use inkwell::values::{CallSiteValue, FunctionValue, InstructionValue};

use super::catalogue::{self, Action, Entry};
use crate::ffi::{self, Callee};
use crate::ir;
use crate::names::{Language, Name};

/// The functions of a unit, each looked up once.
pub(super) struct Known<'ctx, 'a> {
    defined: &'a HashSet<String>,
    entries: HashMap<FunctionValue<'ctx>, &'static Entry>,
    rust: HashSet<FunctionValue<'ctx>>,
    reaching: HashSet<FunctionValue<'ctx>>,
    leaking: HashSet<FunctionValue<'ctx>>,
}

impl<'ctx, 'a> Known<'ctx, 'a> {
    /// Reads a unit. `defined` are the functions that some unit of the link has as bitcode.
    pub(super) fn of(module: &Module<'ctx>, defined: &'a HashSet<String>) -> Self {
        let (mut entries, mut rust) = (HashMap::new(), HashSet::new());
        for function in module.get_functions().filter(|function| function.get_intrinsic_id() == 0) {
            let name = Name::of(&ir::name(function));
            if let Some(entry) = catalogue::find(&name.path) {
                entries.insert(function, entry);
            }
            if name.language == Language::Rust {
                rust.insert(function);
            }
        }
        let reaching =
            entries.iter().filter(|(_, entry)| !is_balanced(entry)).map(|(function, _)| *function).collect();
        let mut known = Self { defined, entries, rust, reaching, leaking: HashSet::new() };
        let bodies: Vec<(FunctionValue<'ctx>, Calls<'ctx>)> =
            ir::definitions(module).into_iter().map(|function| (function, calls(function))).collect();
        let mut is_news = true;
        while is_news {
            is_news = false;
            for (function, calls) in &bodies {
                is_news |= known.note(*function, calls);
            }
        }
        known
    }

    /// Notes what the calls of `function` make of it; `true` when that was news.
    fn note(&mut self, function: FunctionValue<'ctx>, calls: &Calls<'ctx>) -> bool {
        let mut is_news = false;
        if !self.reaching.contains(&function) && calls.iter().any(|(_, call)| self.reaches_change(*call)) {
            is_news |= self.reaching.insert(function);
        }
        let lets_through = |(instruction, call): &(InstructionValue<'ctx>, CallSiteValue<'ctx>)| {
            ffi::invoke_unwind_destination(*instruction).is_none() && self.leaves_region(*call)
        };
        if self.is_foreign(function) && !self.leaking.contains(&function) && calls.iter().any(lets_through) {
            is_news |= self.leaking.insert(function);
        }
        is_news
    }

    /// A function's entry.
    pub(super) fn entry(&self, function: FunctionValue<'ctx>) -> Option<&'static Entry> {
        self.entries.get(&function).copied()
    }

    /// The entry of what a call goes to, when that is native code.
    pub(super) fn native_entry(&self, call: CallSiteValue<'ctx>) -> Option<&'static Entry> {
        let Callee::Function(callee) = ffi::callee(call) else { return None };
        self.entry(callee).filter(|_| !self.is_bitcode(callee))
    }

    /// Whether a call of bitcode comes to a function that leaves the depth changed.
    pub(super) fn reaches_marks(&self, call: CallSiteValue<'ctx>) -> bool {
        let Callee::Function(callee) = ffi::callee(call) else { return false };
        self.is_bitcode(callee) && self.reaching.contains(&callee)
    }

    /// Whether an exception may come out of a call with a native region unfinished.
    pub(super) fn leaves_region(&self, call: CallSiteValue<'ctx>) -> bool {
        let Callee::Function(callee) = ffi::callee(call) else { return false };
        self.leaking.contains(&callee)
            || self.native_entry(call).is_some_and(|entry| entry.declared == Some(Action::Region))
    }

    /// Whether a function was not written in Rust.
    pub(super) fn is_foreign(&self, function: FunctionValue<'ctx>) -> bool {
        !self.rust.contains(&function)
    }

    fn reaches_change(&self, call: CallSiteValue<'ctx>) -> bool {
        matches!(ffi::callee(call), Callee::Function(callee) if self.reaching.contains(&callee))
    }

    fn is_bitcode(&self, function: FunctionValue<'ctx>) -> bool {
        function.count_basic_blocks() > 0 || self.defined.contains(&ir::name(function))
    }
}

/// Whether an entry's functions end with the depth that they began with, whatever they do in between.
fn is_balanced(entry: &Entry) -> bool {
    entry.defined == Some(Action::Region) && matches!(entry.declared, None | Some(Action::Region))
}

type Calls<'ctx> = Vec<(InstructionValue<'ctx>, CallSiteValue<'ctx>)>;

/// The calls of a function. A list, since marking one may replace the phis behind it.
pub(super) fn calls(function: FunctionValue<'_>) -> Calls<'_> {
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    instructions.filter_map(|instruction| Some((instruction, ffi::as_call(instruction)?))).collect()
}

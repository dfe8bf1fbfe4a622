//! Reads an object's machine code, and says where its probes fail their purpose.
//!
//! What a correct function looks like ([`Function::faults`]):
//! (1) A probe is one `cmp dword ptr fs:[..], 0` and the conditional jump on its outcome; in code that is not optimised
//!     ([`Form::Loaded`]), the line is loaded before it is compared.
//! (2) A probe lies on a cycle of the control flow, unless it stands at the entry or behind a call.
//! (3) Every cycle has a probe, except for what the code generator makes of one atomic operation: a
//!     compare-exchange that is repeated at once.
//!
//! Control flow is that of the instructions. Landing pads are entries of their own: the way to them is in tables.

use std::collections::{HashMap, HashSet};

use concord_abi::LINE_SYMBOL;
use concord_pass::cfg::Graph;
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register};
use object::{Object, ObjectSymbol, SymbolKind};

use super::reader::Reader;

/// What probes look like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The line is compared in memory.
    Folded,
    /// The line is loaded into a register first.
    Loaded,
}

/// A function of an object.
pub struct Function {
    /// Its symbol.
    pub name: String,
    pub(super) instructions: Vec<Instruction>,
    /// Over the instructions.
    pub(super) flow: Graph,
    pub(super) probes: Vec<usize>,
    /// Functions of the same object that it calls.
    pub(super) callees: Vec<String>,
}

/// Reads all functions. `diverging` are functions that do not return, so that what stands behind their calls is
/// not reached from there.
pub fn functions(object: &[u8], diverging: &HashSet<String>) -> Vec<Function> {
    let file = object::File::parse(object).expect("the object can be parsed");
    let reader = Reader::new(&file, diverging);
    let symbols = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    symbols.map(|symbol| reader.function(&symbol)).collect()
}

/// Functions on a cycle of direct calls that do not begin with a probe.
pub fn unprobed_recursion(functions: &[Function]) -> Vec<String> {
    let index: HashMap<&str, usize> =
        functions.iter().enumerate().map(|(index, function)| (function.name.as_str(), index)).collect();
    let successors = functions
        .iter()
        .map(|function| {
            function.callees.iter().filter_map(|name| index.get(name.as_str()).copied()).collect()
        })
        .collect();
    let on_cycle = Graph { successors }.on_cycle();
    let recursive = functions.iter().enumerate().filter(|(index, _)| on_cycle[*index]);
    let faulty = recursive.filter(|(_, function)| !function.begins_with_probe());
    faulty.map(|(_, function)| format!("{}: recursion without a probe", function.name)).collect()
}

impl Function {
    /// How many probes it has.
    pub fn probes(&self) -> usize {
        self.probes.len()
    }

    /// Whether it uses registers of `xmm` or wider for more than one value at a time.
    pub fn is_vectorised(&self) -> bool {
        let packed = [Mnemonic::Paddd, Mnemonic::Mulps, Mnemonic::Vpaddd, Mnemonic::Vmulps];
        self.instructions.iter().any(|instruction| packed.contains(&instruction.mnemonic()))
    }

    /// Everything that is wrong with its probes; see the module's comment.
    pub fn faults(&self, form: Form) -> Vec<String> {
        let on_cycle = self.flow.on_cycle();
        let mut faults = Vec::new();
        for &probe in &self.probes {
            if let Some(fault) = self.shape_fault(probe, form) {
                faults.push(self.fault(probe, fault));
            }
            if !on_cycle[probe] && !self.stands_at_entry(probe) && !self.stands_behind_call(probe) {
                faults.push(self.fault(probe, "a probe outside of every loop"));
            }
        }
        let mut unprobed = self.flow.clone();
        for &probe in &self.probes {
            unprobed.successors[probe].clear();
        }
        for (at, successors) in unprobed.successors.iter_mut().enumerate() {
            successors.retain(|&next| !self.repeats_exchange(at, next));
        }
        if let Some(at) = unprobed.on_cycle().iter().position(|is_on_cycle| *is_on_cycle) {
            faults.push(self.fault(at, "a cycle without a probe"));
        }
        faults
    }

    fn fault(&self, at: usize, what: &str) -> String {
        format!("{}+{:#x}: {what}: {}", self.name, self.offset(at), self.instructions[at])
    }

    fn offset(&self, at: usize) -> u64 {
        self.instructions[at].ip() - self.instructions[0].ip()
    }

    fn shape_fault(&self, probe: usize, form: Form) -> Option<&'static str> {
        let mut comparison = probe;
        if form == Form::Loaded && self.instructions[probe].mnemonic() == Mnemonic::Mov {
            comparison += 1;
            let tests = [Mnemonic::Cmp, Mnemonic::Test];
            let is_tested =
                self.instructions.get(comparison).is_some_and(|next| tests.contains(&next.mnemonic()));
            if !is_tested {
                return Some("the loaded line is not compared at once");
            }
        } else if !is_line_comparison(&self.instructions[probe]) {
            return Some("the line is not compared in memory");
        }
        // The scheduler may put what leaves the flags alone between the two.
        let user = self.instructions[comparison + 1..].iter().find(|next| !keeps_flags(next))?;
        (user.flow_control() != FlowControl::ConditionalBranch)
            .then_some("a comparison without its conditional jump")
    }

    /// Whether the jump from `at` to `next` repeats a few instructions around a compare-exchange.
    fn repeats_exchange(&self, at: usize, next: usize) -> bool {
        const LONGEST: usize = 16;
        let Some(body) = self.instructions.get(next..at).filter(|body| body.len() <= LONGEST) else {
            return false;
        };
        let is_exchange = |step: &Instruction| step.mnemonic() == Mnemonic::Cmpxchg && step.has_lock_prefix();
        let is_plain = |step: &Instruction| {
            matches!(step.flow_control(), FlowControl::Next | FlowControl::ConditionalBranch)
        };
        body.iter().any(is_exchange) && body.iter().all(is_plain)
    }

    fn begins_with_probe(&self) -> bool {
        self.probes.first().is_some_and(|&probe| self.stands_at_entry(probe))
    }

    fn stands_at_entry(&self, probe: usize) -> bool {
        self.instructions[..probe].iter().all(|before| before.flow_control() == FlowControl::Next)
    }

    /// Whether every way to the probe comes from a call.
    fn stands_behind_call(&self, probe: usize) -> bool {
        let predecessors = self.flow.predecessors();
        let mut seen = vec![false; self.instructions.len()];
        let mut open = vec![probe];
        while let Some(at) = open.pop() {
            if predecessors[at].is_empty() {
                return false;
            }
            for &before in &predecessors[at] {
                if !is_call(&self.instructions[before]) && !std::mem::replace(&mut seen[before], true) {
                    open.push(before);
                }
            }
        }
        true
    }
}

/// An access of the line, except for the load of its offset in a shared object. What is compared there has no
/// relocation, and no other word of `fs` is compared so.
pub(super) fn is_probe(instruction: &Instruction, to: Option<&str>) -> bool {
    instruction.memory_segment() == Register::FS
        && (to == Some(LINE_SYMBOL) || to.is_none() && is_line_comparison(instruction))
}

/// `cmp dword ptr fs:[..], 0`
fn is_line_comparison(instruction: &Instruction) -> bool {
    instruction.mnemonic() == Mnemonic::Cmp
        && instruction.op0_kind() == OpKind::Memory
        && instruction.memory_segment() == Register::FS
        && instruction.memory_size().size() == 4
        && matches!(instruction.op1_kind(), OpKind::Immediate8to32 | OpKind::Immediate32)
        && instruction.immediate(1) == 0
}

fn keeps_flags(instruction: &Instruction) -> bool {
    instruction.flow_control() == FlowControl::Next && instruction.rflags_modified() == 0
}

fn is_call(instruction: &Instruction) -> bool {
    matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall)
}

//! Says where an object's probes fail their purpose, beyond what every build verifies.
//!
//! What a correct function looks like ([`Function::faults`]): a probe is one `cmp dword ptr fs:[..], 0` and the conditional jump on its outcome; in code that is not optimised
//!     ([`Form::Loaded`]), the line is loaded before it is compared.
//! Where it stands is for the verifier and the plan to say: not only on cycles.

use std::collections::HashSet;

use concord_pass::verify::decode::is_line_comparison;
use concord_pass::verify::machine::{self, Found};
use concord_pass::verify::marks::Marks;
use concord_pass::verify::reader::{self, Diverging, Listing, Reader};
use iced_x86::{FlowControl, Instruction, Mnemonic};
use object::ObjectSymbol;

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
    pub instructions: Vec<Instruction>,
    pub probes: Vec<usize>,
}

/// Reads all functions.
pub fn functions(object: &[u8], diverging: &Diverging) -> Vec<Function> {
    let file = object::File::parse(object).expect("the object can be parsed");
    let marks = Marks::default();
    let reader = Reader::new(&file, &HashSet::new(), &[], &marks);
    let read = |symbol| reader.function(&symbol, diverging, false).expect("the function can be read");
    reader::functions(&file).map(read).map(Function::of).collect()
}

/// What the verifier says of an object without bounds, if all its functions had to be preemptible.
pub fn verify_all(object: &[u8], diverging: &Diverging) -> Found {
    let file = object::File::parse(object).expect("the object can be parsed");
    let names = reader::functions(&file).map(|symbol| symbol.name().expect("symbols are UTF-8").to_owned());
    machine::check(object, &names.collect(), &Marks::default(), diverging)
}

impl Function {
    fn of(listing: Listing) -> Self {
        let Listing { symbol, instructions, probes, .. } = listing;
        Self { name: symbol, instructions, probes }
    }

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
        let mut faults = Vec::new();
        for &probe in &self.probes {
            if let Some(fault) = self.shape_fault(probe, form) {
                faults.push(self.fault(probe, fault));
            }
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
}

fn keeps_flags(instruction: &Instruction) -> bool {
    instruction.flow_control() == FlowControl::Next && instruction.rflags_modified() == 0
}

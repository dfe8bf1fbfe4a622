//! Decodes an object's functions: instructions, their control flow, what they call.
//!
//! Control flow is that of the instructions. An indirect jump is read by what its register holds: the sum of a jump
//! table and an entry (a `switch`), or, in a function whose labels' addresses are taken, any of those (a computed
//! `goto`); else it leaves the function. Landing pads are entries of their own: the way to them is in tables.

use std::collections::{HashMap, HashSet};

use concord_abi::{GUARD_SYMBOL, LINE_SYMBOL};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};
use object::{
    Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionIndex, SectionKind,
    SymbolIndex, SymbolKind,
};

use super::registers::{Registers, Value};
use crate::cfg::Graph;

/// A place in a section.
pub type Spot = (SectionIndex, u64);

/// A call or a jump out of the function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The instruction.
    pub at: usize,
    /// The symbol; absent when it is called through a pointer.
    pub callee: Option<String>,
    /// What happens behind it.
    pub ending: Ending,
}

/// What happens behind a [`Call`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The next instruction.
    Returns,
    /// The caller's caller goes on.
    Leaves,
    /// The caller's caller goes on, or the next instruction, when the jump is not taken.
    LeavesOnCondition,
    /// Nothing.
    Diverges,
}

/// A function, decoded.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Its symbol.
    pub symbol: String,
    /// All instructions, in the order of their addresses.
    pub instructions: Vec<Instruction>,
    /// Over the instructions.
    pub flow: Graph,
    /// Instructions that look at the line.
    pub probes: Vec<usize>,
    /// Instructions that enter a guard.
    pub guards: Vec<usize>,
    /// In order.
    pub calls: Vec<Call>,
    /// Labels of loops: instruction and number.
    pub labels: Vec<(usize, usize)>,
}

impl Listing {
    /// Distance of an instruction from the function's beginning.
    pub fn offset(&self, at: usize) -> u64 {
        self.instructions[at].ip() - self.instructions[0].ip()
    }
}

/// Which calls do not return.
#[derive(Clone, Debug, Default)]
pub struct Diverging {
    /// Functions that never do.
    pub always: HashSet<String>,
    /// Caller and callee where some calls do and some do not.
    pub sometimes: HashSet<(String, String)>,
    /// Callers in which some call through a pointer does not.
    pub pointers: HashSet<String>,
}

/// What a place in a section refers to.
#[derive(Clone, Copy)]
struct Reference {
    at: u64,
    symbol: SymbolIndex,
    addend: i64,
}

/// An object with its references resolved.
pub struct Reader<'file> {
    file: &'file object::File<'file>,
    /// References of code and read-only data, by section, sorted by place.
    references: HashMap<SectionIndex, Vec<Reference>>,
    /// Functions by place; of several names, one that is wanted.
    names: HashMap<Spot, String>,
    /// Places in read-only data that code refers to, sorted; a jump table ends where the next one begins.
    constants: Vec<(usize, u64)>,
    /// Places in code that data refers to, sorted.
    addresses: Vec<(usize, u64)>,
    /// Labels of loops, sorted.
    labels: &'file [(SectionIndex, u64, usize)],
}

impl<'file> Reader<'file> {
    /// Prepares an object; `wanted` are the symbols that calls are to be named by.
    pub fn new(
        file: &'file object::File<'file>,
        wanted: &HashSet<String>,
        labels: &'file [(SectionIndex, u64, usize)],
    ) -> Self {
        let mut reader = Self {
            file,
            references: HashMap::new(),
            names: HashMap::new(),
            constants: Vec::new(),
            addresses: Vec::new(),
            labels,
        };
        for section in file.sections() {
            match section.kind() {
                SectionKind::Text => reader.read_text(&section),
                SectionKind::ReadOnlyData | SectionKind::ReadOnlyDataWithRel => {
                    reader.read_addresses(&section);
                    reader.references.insert(section.index(), references(&section));
                }
                SectionKind::Data => reader.read_addresses(&section),
                _ => {}
            }
        }
        reader.constants.sort_unstable();
        reader.constants.dedup();
        reader.addresses.sort_unstable();
        reader.addresses.dedup();
        for symbol in functions(file) {
            let (Some(section), Ok(name)) = (symbol.section_index(), symbol.name()) else { continue };
            let known = reader.names.entry((section, symbol.address())).or_insert_with(|| name.to_owned());
            if !wanted.contains(known) && wanted.contains(name) {
                name.clone_into(known);
            }
        }
        reader
    }

    fn read_text(&mut self, section: &object::Section<'_, '_>) {
        let list = references(section);
        for reference in &list {
            if let Some((section, address)) = self.read_only_place(*reference) {
                self.constants.push((section.0, address));
            }
        }
        self.references.insert(section.index(), list);
    }

    fn read_addresses(&mut self, section: &object::Section<'_, '_>) {
        for (_, relocation) in section.relocations() {
            let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
            let is_address = relocation.flags() == RelocationFlags::Elf { r_type: object::elf::R_X86_64_64 };
            let Some((section, address)) = self.spot(symbol).filter(|_| is_address) else { continue };
            self.addresses.push((section.0, address.wrapping_add_signed(relocation.addend())));
        }
    }

    fn spot(&self, symbol: SymbolIndex) -> Option<Spot> {
        let symbol = self.file.symbol_by_index(symbol).ok()?;
        Some((symbol.section_index()?, symbol.address()))
    }

    fn name(&self, symbol: SymbolIndex) -> Option<&'file str> {
        self.file.symbol_by_index(symbol).ok()?.name().ok()
    }

    /// The place in read-only data that an instruction refers to by a displacement at its end.
    fn read_only_place(&self, reference: Reference) -> Option<Spot> {
        let (section, address) = self.spot(reference.symbol)?;
        let kind = self.file.section_by_index(section).ok()?.kind();
        let is_read_only = matches!(kind, SectionKind::ReadOnlyData | SectionKind::ReadOnlyDataWithRel);
        is_read_only.then(|| (section, address.wrapping_add_signed(reference.addend + 4)))
    }

    /// Reads the function behind `symbol`. With `lenient`, calls of which only some do not return never do.
    ///
    /// # Errors
    /// A sentence, when the symbol has no code.
    pub fn function(
        &self,
        symbol: &object::Symbol<'_, '_>,
        diverging: &Diverging,
        lenient: bool,
    ) -> Result<Listing, String> {
        let fail = |error: object::Error| error.to_string();
        let index = symbol.section_index().ok_or("it is in no section")?;
        let section = self.file.section_by_index(index).map_err(fail)?;
        let bytes = section.data_range(symbol.address(), symbol.size()).map_err(fail)?;
        let bytes = bytes.ok_or("its section ends before it")?;
        let decoder = Decoder::with_ip(64, bytes, symbol.address(), DecoderOptions::NONE);
        let mut work = Work {
            reader: self,
            section: index,
            listing: Listing {
                symbol: symbol.name().map_err(fail)?.to_owned(),
                instructions: decoder.into_iter().collect(),
                ..Listing::default()
            },
            registers: Registers::default(),
            taken: Vec::new(),
            diverging,
            lenient,
        };
        if let Some(broken) = work.listing.instructions.iter().find(|step| step.is_invalid()) {
            return Err(format!("+{:#x} is no instruction", broken.ip() - symbol.address()));
        }
        work.find_taken_labels();
        work.read();
        Ok(work.listing)
    }
}

/// The functions of an object.
pub fn functions<'data, 'file>(
    file: &'file object::File<'data>,
) -> impl Iterator<Item = object::Symbol<'data, 'file>> {
    file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0)
}

fn references(section: &object::Section<'_, '_>) -> Vec<Reference> {
    let relocations = section.relocations().filter_map(|(at, relocation)| {
        let RelocationTarget::Symbol(symbol) = relocation.target() else { return None };
        Some(Reference { at, symbol, addend: relocation.addend() })
    });
    let mut list: Vec<Reference> = relocations.collect();
    list.sort_by_key(|reference| reference.at);
    list
}

/// One function being read.
struct Work<'a> {
    reader: &'a Reader<'a>,
    section: SectionIndex,
    listing: Listing,
    registers: Registers,
    /// Instructions whose addresses are taken, other than the first.
    taken: Vec<usize>,
    diverging: &'a Diverging,
    lenient: bool,
}

impl Work<'_> {
    fn position(&self, address: u64) -> Option<usize> {
        self.listing.instructions.binary_search_by_key(&address, Instruction::ip).ok()
    }

    fn reference_of(&self, instruction: &Instruction) -> Option<Reference> {
        let list = self.reader.references.get(&self.section)?;
        let first = list.partition_point(|reference| reference.at < instruction.ip());
        list.get(first).copied().filter(|reference| reference.at < instruction.next_ip())
    }

    fn find_taken_labels(&mut self) {
        let (Some(first), Some(last)) = (self.listing.instructions.first(), self.listing.instructions.last())
        else {
            return;
        };
        let (start, end) = ((self.section.0, first.next_ip()), (self.section.0, last.next_ip()));
        let list = &self.reader.addresses;
        let by_data = &list[list.partition_point(|spot| *spot < start)..];
        let by_data = by_data.iter().take_while(|spot| **spot < end).map(|&(_, address)| address);
        let by_code = self.listing.instructions.iter().filter_map(|step| {
            let is_address = step.mnemonic() == Mnemonic::Lea && step.is_ip_rel_memory_operand();
            let address = is_address.then(|| step.ip_rel_memory_address())?;
            ((start.1..end.1).contains(&address) && self.reference_of(step).is_none()).then_some(address)
        });
        self.taken = by_data.chain(by_code).filter_map(|address| self.position(address)).collect();
        self.taken.sort_unstable();
        self.taken.dedup();
    }

    fn read(&mut self) {
        let labels = self.reader.labels;
        let first = self.listing.instructions.first().map_or(0, Instruction::ip);
        let mut label =
            labels.partition_point(|&(section, address, _)| (section.0, address) < (self.section.0, first));
        for at in 0..self.listing.instructions.len() {
            let instruction = self.listing.instructions[at];
            while let Some(&(_, _, number)) = labels
                .get(label)
                .filter(|&&(section, address, _)| section == self.section && address < instruction.next_ip())
            {
                self.listing.labels.push((at, number));
                label += 1;
            }
            let reference = self.reference_of(&instruction);
            self.look_at_words(at, &instruction, reference);
            let successors = self.successors(at, &instruction, reference);
            self.listing.flow.successors.push(successors);
            self.track(&instruction, reference);
        }
    }

    /// Probes, and entries of guards.
    fn look_at_words(&mut self, at: usize, instruction: &Instruction, reference: Option<Reference>) {
        if instruction.memory_segment() != Register::FS || instruction.op_count() == 0 {
            return;
        }
        let base = instruction.memory_base();
        let symbol = match reference {
            Some(reference) => Some(reference.symbol),
            // In a shared object: the word's offset was loaded first.
            None => match self.registers.value(base) {
                Value::Symbol(symbol) => Some(symbol),
                _ => None,
            },
        };
        match symbol.and_then(|symbol| self.reader.name(symbol)) {
            Some(LINE_SYMBOL) => self.listing.probes.push(at),
            Some(GUARD_SYMBOL) if instruction.mnemonic() == Mnemonic::Add => self.listing.guards.push(at),
            Some(_) => {}
            // No other word of `fs` is compared so.
            None if is_line_comparison(instruction) => self.listing.probes.push(at),
            None => {}
        }
    }

    fn successors(
        &mut self,
        at: usize,
        instruction: &Instruction,
        reference: Option<Reference>,
    ) -> Vec<usize> {
        let next = (at + 1 < self.listing.instructions.len()).then_some(at + 1);
        match instruction.flow_control() {
            FlowControl::Return | FlowControl::Exception => Vec::new(),
            FlowControl::Interrupt if instruction.mnemonic() == Mnemonic::Int3 => Vec::new(),
            FlowControl::Call | FlowControl::IndirectCall => self.call(at, instruction, reference, next),
            FlowControl::ConditionalBranch => match self.inside(instruction, reference) {
                Some(target) => next.into_iter().chain([target]).collect(),
                None => {
                    let callee = self.callee(instruction, reference);
                    self.listing.calls.push(Call { at, callee, ending: Ending::LeavesOnCondition });
                    next.into_iter().collect()
                }
            },
            FlowControl::UnconditionalBranch => match self.inside(instruction, reference) {
                Some(target) => vec![target],
                None => self.leave(at, instruction, reference),
            },
            FlowControl::IndirectBranch => self.indirect(at, instruction, reference),
            FlowControl::Next | FlowControl::Interrupt | FlowControl::XbeginXabortXend => {
                next.into_iter().collect()
            }
        }
    }

    /// The instruction that a jump goes to. One with a reference leaves the function.
    fn inside(&self, jump: &Instruction, reference: Option<Reference>) -> Option<usize> {
        reference.is_none().then(|| self.position(jump.near_branch_target())).flatten()
    }

    fn call(
        &mut self,
        at: usize,
        instruction: &Instruction,
        reference: Option<Reference>,
        next: Option<usize>,
    ) -> Vec<usize> {
        if matches!(instruction.mnemonic(), Mnemonic::Syscall | Mnemonic::Sysenter) {
            return next.into_iter().collect();
        }
        let callee = self.callee(instruction, reference);
        let diverges = match &callee {
            Some(name) => {
                self.diverging.always.contains(name)
                    || self.lenient
                        && self.diverging.sometimes.contains(&(self.listing.symbol.clone(), name.clone()))
            }
            None => self.lenient && self.diverging.pointers.contains(&self.listing.symbol),
        };
        let ending = if diverges { Ending::Diverges } else { Ending::Returns };
        self.listing.calls.push(Call { at, callee, ending });
        next.into_iter().filter(|_| !diverges).collect()
    }

    fn leave(&mut self, at: usize, instruction: &Instruction, reference: Option<Reference>) -> Vec<usize> {
        let callee = self.callee(instruction, reference);
        self.listing.calls.push(Call { at, callee, ending: Ending::Leaves });
        Vec::new()
    }

    /// The symbol that a call or jump goes to.
    fn callee(&self, instruction: &Instruction, reference: Option<Reference>) -> Option<String> {
        if let Some(reference) = reference {
            return self.symbol_name(reference.symbol, reference.addend + 4);
        }
        match instruction.op0_kind() {
            OpKind::NearBranch64 => {
                self.reader.names.get(&(self.section, instruction.near_branch_target())).cloned()
            }
            OpKind::Register => match self.registers.value(instruction.op0_register()) {
                Value::Symbol(symbol) => self.symbol_name(symbol, 0),
                _ => None,
            },
            _ => None,
        }
    }

    /// A function in this object by its place, so that each has one name; any other by its symbol.
    fn symbol_name(&self, symbol: SymbolIndex, addend: i64) -> Option<String> {
        let name = self.reader.name(symbol).filter(|name| !name.is_empty());
        let place = self.reader.spot(symbol);
        let place = match name {
            // The symbol of a section, and the distance from it.
            None => place.map(|(section, address)| (section, address.wrapping_add_signed(addend))),
            Some(_) => place,
        };
        place.and_then(|place| self.reader.names.get(&place).cloned()).or_else(|| name.map(str::to_owned))
    }

    fn indirect(&mut self, at: usize, instruction: &Instruction, reference: Option<Reference>) -> Vec<usize> {
        let value = match instruction.op0_kind() {
            OpKind::Register => self.registers.value(instruction.op0_register()),
            _ => Value::Unknown,
        };
        match value {
            Value::Entry(table) => self.table(table),
            Value::Symbol(_) => self.leave(at, instruction, reference),
            _ if reference.is_none() && !self.taken.is_empty() => self.taken.clone(),
            _ => self.leave(at, instruction, reference),
        }
    }

    /// Where a jump table leads: an entry is the target's distance from the table.
    fn table(&self, (section, table): Spot) -> Vec<usize> {
        let constants = &self.reader.constants;
        let next = constants.get(constants.partition_point(|spot| *spot <= (section.0, table)));
        let end = next.filter(|(other, _)| *other == section.0).map_or(u64::MAX, |(_, next)| *next);
        let Some(list) = self.reader.references.get(&section) else { return Vec::new() };
        let first = list.partition_point(|reference| reference.at < table);
        let mut targets = Vec::new();
        for (entry, reference) in list[first..].iter().enumerate() {
            let at = table + 4 * entry as u64;
            let Some((section, address)) = self.reader.spot(reference.symbol) else { break };
            if reference.at != at || at >= end || section != self.section {
                break;
            }
            let distance = (at - table).cast_signed();
            targets.extend(self.position(address.wrapping_add_signed(reference.addend - distance)));
        }
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// What the instruction leaves in its first register.
    fn track(&mut self, instruction: &Instruction, reference: Option<Reference>) {
        if instruction.op_count() == 0 || instruction.op0_kind() != OpKind::Register {
            return;
        }
        let to = instruction.op0_register();
        let value = match instruction.mnemonic() {
            Mnemonic::Cmp | Mnemonic::Test | Mnemonic::Push | Mnemonic::Call | Mnemonic::Jmp => return,
            Mnemonic::Lea if instruction.is_ip_rel_memory_operand() => {
                let place = reference.and_then(|reference| self.reader.read_only_place(reference));
                match place.filter(|&place| !self.table(place).is_empty()) {
                    Some(table) => Value::Table(table),
                    None => Value::Unknown,
                }
            }
            Mnemonic::Mov if instruction.is_ip_rel_memory_operand() => {
                reference.map_or(Value::Unknown, |reference| Value::Symbol(reference.symbol))
            }
            Mnemonic::Mov if instruction.op1_kind() == OpKind::Register => {
                self.registers.value(instruction.op1_register())
            }
            Mnemonic::Add if instruction.op1_kind() == OpKind::Register => {
                self.registers.sum(to, instruction.op1_register())
            }
            _ => Value::Unknown,
        };
        self.registers.set(to, value);
    }
}

/// `cmp dword ptr fs:[..], 0`
pub fn is_line_comparison(instruction: &Instruction) -> bool {
    instruction.mnemonic() == Mnemonic::Cmp
        && instruction.op0_kind() == OpKind::Memory
        && instruction.memory_segment() == Register::FS
        && instruction.memory_size().size() == 4
        && matches!(instruction.op1_kind(), OpKind::Immediate8to32 | OpKind::Immediate32)
        && instruction.immediate(1) == 0
}

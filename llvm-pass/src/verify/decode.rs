//! Decodes one function: the control flow of its instructions, what they call, where they look at the line.
//!
//! An indirect jump is read by what its register holds: the sum of a jump table and an entry (a `switch`), or, in a
//! function whose labels' addresses are taken, any of those (a computed `goto`); else it leaves the function. Landing
//! pads are entries of their own: the way to them is in tables.

use concord_abi::{COUNTDOWN_SYMBOL, GUARD_SYMBOL, LINE_SYMBOL};
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register};
use object::{SectionIndex, SymbolIndex};

use super::reader::{Call, Diverging, Ending, Listing, Reader, Reference, Spot};
use super::registers::{Registers, Value};

/// One function being read.
pub(super) struct Work<'a> {
    reader: &'a Reader<'a>,
    section: SectionIndex,
    listing: Listing,
    registers: Registers,
    /// Instructions whose addresses are taken, other than the first.
    taken: Vec<usize>,
    diverging: &'a Diverging,
    lenient: bool,
    /// What the next call calls, by the label before it.
    next_callee: Option<&'a str>,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        reader: &'a Reader<'a>,
        section: SectionIndex,
        listing: Listing,
        diverging: &'a Diverging,
        lenient: bool,
    ) -> Self {
        let registers = Registers::default();
        Self { reader, section, listing, registers, taken: Vec::new(), diverging, lenient, next_callee: None }
    }

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

    pub(super) fn read(mut self) -> Listing {
        self.find_taken_labels();
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
                label += 1;
                match self.reader.marks.callee_of(number) {
                    Some(callee) => self.next_callee = Some(callee),
                    None => self.listing.labels.push((at, number)),
                }
            }
            let reference = self.reference_of(&instruction);
            self.look_at_words(at, &instruction, reference);
            let successors = self.successors(at, &instruction, reference);
            self.listing.flow.successors.push(successors);
            self.track(&instruction, reference);
        }
        self.listing
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
            Some(LINE_SYMBOL | COUNTDOWN_SYMBOL) => self.listing.probes.push(at),
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
        let labelled = self.next_callee.take().map(str::to_owned);
        let callee = self.callee(instruction, reference).or(labelled);
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
            Value::LikelyEntry(_) if self.lenient => Vec::new(),
            Value::Entry(table) | Value::LikelyEntry(table) => self.table(table),
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
        if let Some((base, offset)) = stack_slot(instruction).filter(|_| is_move(instruction)) {
            match instruction.op0_kind() {
                OpKind::Register => {
                    self.registers.set(instruction.op0_register(), self.registers.reload(base, offset));
                }
                _ => self.registers.spill(base, offset, instruction.op1_register()),
            }
            return;
        }
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

fn is_move(instruction: &Instruction) -> bool {
    instruction.mnemonic() == Mnemonic::Mov
        && (instruction.op0_kind() == OpKind::Register || instruction.op1_kind() == OpKind::Register)
}

/// The slot of the stack that an instruction names.
fn stack_slot(instruction: &Instruction) -> Option<(Register, u64)> {
    let has_memory = (0..instruction.op_count()).any(|at| instruction.op_kind(at) == OpKind::Memory);
    let base = instruction.memory_base();
    let is_slot = has_memory
        && matches!(base, Register::RSP | Register::RBP)
        && instruction.memory_index() == Register::None;
    is_slot.then(|| (base, instruction.memory_displacement64()))
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

//! Decodes an object's functions: instructions, their control flow, the symbols that they name.

use std::collections::{BTreeSet, HashMap, HashSet};

use concord_pass::cfg::Graph;
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};
use object::{Object, ObjectSection, ObjectSymbol, Relocation, RelocationTarget, SectionKind, SymbolKind};

use super::machine::{Function, is_probe};

/// What a place in a section refers to.
struct Reference {
    symbol: String,
    section: Option<object::SectionIndex>,
    address: u64,
    addend: i64,
}

/// An object with its references resolved.
pub(super) struct Reader<'file> {
    file: &'file object::File<'file>,
    diverging: &'file HashSet<String>,
    /// Relocations of each section, by offset.
    references: HashMap<object::SectionIndex, HashMap<u64, Reference>>,
    /// Functions by section and address.
    names: HashMap<(object::SectionIndex, u64), String>,
    /// Places in read-only data that code refers to; a jump table ends where the next one begins.
    constants: BTreeSet<(usize, u64)>,
}

impl<'file> Reader<'file> {
    pub(super) fn new(file: &'file object::File<'file>, diverging: &'file HashSet<String>) -> Self {
        let mut references = HashMap::new();
        let mut constants = BTreeSet::new();
        for section in file.sections() {
            let list: HashMap<u64, Reference> =
                section.relocations().filter_map(|(at, to)| Some((at, reference(file, &to)?))).collect();
            if section.kind() == SectionKind::Text {
                let places = list.values().filter_map(|reference| read_only_place(file, reference));
                constants.extend(places.map(|(section, place)| (section.0, place)));
            }
            references.insert(section.index(), list);
        }
        let functions =
            file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
        let names = functions
            .filter_map(|symbol| {
                Some(((symbol.section_index()?, symbol.address()), symbol.name().ok()?.to_owned()))
            })
            .collect();
        Self { file, diverging, references, names, constants }
    }

    /// Reads the function behind `symbol`.
    pub(super) fn function(&self, symbol: &object::Symbol<'_, '_>) -> Function {
        let index = symbol.section_index().expect("a function is in a section");
        let section = self.file.section_by_index(index).expect("the section exists");
        let bytes = section.data_range(symbol.address(), symbol.size()).expect("its data can be read");
        let decoder =
            Decoder::with_ip(64, bytes.expect("text has data"), symbol.address(), DecoderOptions::NONE);
        let instructions: Vec<Instruction> = decoder.into_iter().collect();
        let position: HashMap<u64, usize> =
            instructions.iter().enumerate().map(|(at, instruction)| (instruction.ip(), at)).collect();
        let tables = self.jump_tables(index, &instructions);
        let mut function = Function {
            name: symbol.name().expect("symbols are UTF-8").to_owned(),
            flow: Graph::default(),
            probes: Vec::new(),
            callees: Vec::new(),
            instructions: Vec::new(),
        };
        for (at, instruction) in instructions.iter().enumerate() {
            let refers_to = self.reference_of(index, instruction);
            let to = refers_to.map(|reference| reference.symbol.as_str());
            if is_probe(instruction, to) {
                function.probes.push(at);
            }
            let callee = self.callee(index, instruction, to);
            let diverges = callee.as_ref().is_some_and(|callee| self.diverging.contains(callee));
            function.callees.extend(callee);
            let successors =
                if diverges { Vec::new() } else { successors(at, instruction, to, &position, &tables) };
            function.flow.successors.push(successors);
        }
        function.instructions = instructions;
        function
    }

    fn reference_of(&self, section: object::SectionIndex, instruction: &Instruction) -> Option<&Reference> {
        let references = self.references.get(&section)?;
        (instruction.ip()..instruction.next_ip()).find_map(|offset| references.get(&offset))
    }

    /// The function of this object that a call or a tail call goes to.
    fn callee(
        &self,
        section: object::SectionIndex,
        instruction: &Instruction,
        to: Option<&str>,
    ) -> Option<String> {
        // Loaded from the table of addresses: to be called through a register.
        if instruction.mnemonic() == Mnemonic::Mov && instruction.is_ip_rel_memory_operand() {
            return to.map(str::to_owned);
        }
        match instruction.flow_control() {
            FlowControl::Next | FlowControl::Return | FlowControl::Exception | FlowControl::Interrupt => {
                return None;
            }
            // A function in another section may be named by its place there.
            _ if to == Some("") => {
                let reference = self.reference_of(section, instruction)?;
                let address = reference.address.wrapping_add_signed(reference.addend + 4);
                return self.names.get(&(reference.section?, address)).cloned();
            }
            _ if to.is_some() => return to.map(str::to_owned),
            FlowControl::IndirectCall | FlowControl::IndirectBranch => return None,
            _ => {}
        }
        self.names.get(&(section, instruction.near_branch_target())).cloned()
    }

    /// The jump tables that a function names, each with the position of the instruction that names it and with
    /// where it leads: an entry is the target's distance from the table.
    fn jump_tables(
        &self,
        text: object::SectionIndex,
        instructions: &[Instruction],
    ) -> Vec<(usize, Vec<u64>)> {
        let mut tables = Vec::new();
        for (at, instruction) in instructions.iter().enumerate() {
            let Some((section, table)) =
                self.reference_of(text, instruction).and_then(|reference| self.read_only_place(reference))
            else {
                continue;
            };
            let next = self.constants.range((section.0, table + 1)..).next();
            let end = next.filter(|(other, _)| *other == section.0).map_or(u64::MAX, |(_, next)| *next);
            let entries = (table..end).step_by(4).map_while(|offset| {
                let entry = self.references.get(&section)?.get(&offset)?;
                let is_here = entry.section == Some(text);
                let distance = i64::try_from(offset - table).expect("tables are small");
                is_here.then(|| entry.address.wrapping_add_signed(entry.addend - distance))
            });
            tables.push((at, entries.collect()));
        }
        tables.retain(|(_, targets): &(usize, Vec<u64>)| !targets.is_empty());
        tables
    }

    /// The place in read-only data that an instruction refers to by a displacement at its end.
    fn read_only_place(&self, reference: &Reference) -> Option<(object::SectionIndex, u64)> {
        read_only_place(self.file, reference)
    }
}

fn read_only_place(file: &object::File<'_>, reference: &Reference) -> Option<(object::SectionIndex, u64)> {
    let index = reference.section?;
    let section = file.section_by_index(index).ok()?;
    let is_read_only = matches!(section.kind(), SectionKind::ReadOnlyData | SectionKind::ReadOnlyDataWithRel);
    is_read_only.then(|| (index, reference.address.wrapping_add_signed(reference.addend + 4)))
}

fn successors(
    at: usize,
    instruction: &Instruction,
    to: Option<&str>,
    position: &HashMap<u64, usize>,
    tables: &[(usize, Vec<u64>)],
) -> Vec<usize> {
    let next = position.get(&instruction.next_ip()).copied();
    // A jump with a relocation leaves the function.
    let target = to.is_none().then(|| position.get(&instruction.near_branch_target()).copied()).flatten();
    match instruction.flow_control() {
        FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall => next.into_iter().collect(),
        FlowControl::ConditionalBranch => next.into_iter().chain(target).collect(),
        FlowControl::UnconditionalBranch => target.into_iter().collect(),
        FlowControl::IndirectBranch if to.is_some() => Vec::new(),
        FlowControl::IndirectBranch => {
            // By the table that was named last.
            let table = tables.iter().rev().find(|(named, _)| *named < at);
            let targets = table.into_iter().flat_map(|(_, targets)| targets);
            targets.filter_map(|target| position.get(target).copied()).collect()
        }
        FlowControl::Return | FlowControl::Exception | FlowControl::Interrupt => Vec::new(),
        other => panic!("unexpected control flow {other:?}: {instruction}"),
    }
}

fn reference(file: &object::File<'_>, relocation: &Relocation) -> Option<Reference> {
    let RelocationTarget::Symbol(index) = relocation.target() else { return None };
    let symbol = file.symbol_by_index(index).ok()?;
    Some(Reference {
        symbol: symbol.name().unwrap_or_default().to_owned(),
        section: symbol.section_index(),
        address: symbol.address(),
        addend: relocation.addend(),
    })
}

//! Reads an object: its functions as listings, its references resolved.

use std::collections::{HashMap, HashSet};

use iced_x86::{Decoder, DecoderOptions, Instruction};
use object::{
    Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionIndex, SectionKind,
    SymbolIndex, SymbolKind,
};

use super::decode::Work;
use super::marks::Marks;
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
pub(super) struct Reference {
    pub(super) at: u64,
    pub(super) symbol: SymbolIndex,
    pub(super) addend: i64,
}

/// An object with its references resolved.
pub struct Reader<'file> {
    file: &'file object::File<'file>,
    /// References of code and read-only data, by section, sorted by place.
    pub(super) references: HashMap<SectionIndex, Vec<Reference>>,
    /// Functions by place; of several names, one that is wanted.
    pub(super) names: HashMap<Spot, String>,
    /// Places in read-only data that code refers to, sorted; a jump table ends where the next one begins.
    pub(super) constants: Vec<(usize, u64)>,
    /// Places in code that data refers to, sorted.
    pub(super) addresses: Vec<(usize, u64)>,
    /// Labels, sorted, and what they mean.
    pub(super) labels: &'file [(SectionIndex, u64, usize)],
    pub(super) marks: &'file Marks,
}

impl<'file> Reader<'file> {
    /// Prepares an object; `wanted` are the symbols that calls are to be named by.
    pub fn new(
        file: &'file object::File<'file>,
        wanted: &HashSet<String>,
        labels: &'file [(SectionIndex, u64, usize)],
        marks: &'file Marks,
    ) -> Self {
        let mut reader = Self {
            file,
            references: HashMap::new(),
            names: HashMap::new(),
            constants: Vec::new(),
            addresses: Vec::new(),
            labels,
            marks,
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

    pub(super) fn spot(&self, symbol: SymbolIndex) -> Option<Spot> {
        let symbol = self.file.symbol_by_index(symbol).ok()?;
        Some((symbol.section_index()?, symbol.address()))
    }

    pub(super) fn name(&self, symbol: SymbolIndex) -> Option<&'file str> {
        self.file.symbol_by_index(symbol).ok()?.name().ok()
    }

    /// The place in read-only data that an instruction refers to by a displacement at its end.
    pub(super) fn read_only_place(&self, reference: Reference) -> Option<Spot> {
        let (section, address) = self.spot(reference.symbol)?;
        let kind = self.file.section_by_index(section).ok()?.kind();
        let is_read_only = matches!(kind, SectionKind::ReadOnlyData | SectionKind::ReadOnlyDataWithRel);
        is_read_only.then(|| (section, address.wrapping_add_signed(reference.addend + 4)))
    }

    /// Reads the function behind `symbol`. With `lenient`, calls of which only some do not return never do, and
    /// jumps by a table that is only likely lead nowhere.
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
        let listing = Listing {
            symbol: symbol.name().map_err(fail)?.to_owned(),
            instructions: decoder.into_iter().collect(),
            ..Listing::default()
        };
        if let Some(broken) = listing.instructions.iter().find(|step| step.is_invalid()) {
            return Err(format!("+{:#x} is no instruction", broken.ip() - symbol.address()));
        }
        Ok(Work::new(self, index, listing, diverging, lenient).read())
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

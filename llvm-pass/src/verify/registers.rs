//! What general registers hold, followed in the order of the addresses: enough to tell a `switch` from a computed
//! `goto`, and whose offset a thread-local access goes by.
//!
//! That order is not the one in which blocks run. What it leaves open is guessed, and said to be.

use std::collections::HashMap;

use iced_x86::Register;
use object::SymbolIndex;

use super::reader::Spot;

/// What a register holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// Nothing that is followed.
    #[default]
    Unknown,
    /// The address of a jump table.
    Table(Spot),
    /// Where an entry of a jump table leads.
    Entry(Spot),
    /// The same, of the table that it most likely is.
    LikelyEntry(Spot),
    /// What the table of addresses or of thread-local offsets says of a symbol.
    Symbol(SymbolIndex),
}

/// The general registers.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    values: [Value; 16],
    /// The last table in each: the block that fills a register may lie behind the one that uses it.
    tables: [Option<Spot>; 16],
    last_table: Option<Spot>,
    /// Tables by the stack slot that they were spilled to: what the slot's address is counted from, and how far.
    slots: HashMap<(Register, u64), Spot>,
}

impl Registers {
    /// What `register` or a part of it holds.
    pub fn value(&self, register: Register) -> Value {
        slot(register).map_or(Value::Unknown, |slot| self.values[slot])
    }

    /// Writes a register.
    pub fn set(&mut self, register: Register, value: Value) {
        let Some(slot) = slot(register) else { return };
        self.values[slot] = value;
        if let Value::Table(table) = value {
            self.tables[slot] = Some(table);
            self.last_table = Some(table);
        }
    }

    /// What the sum of two registers is: of a table and something else, where the entry leads.
    pub fn sum(&self, one: Register, other: Register) -> Value {
        let now = |register| match self.value(register) {
            Value::Table(table) => Some(table),
            _ => None,
        };
        let before = |register| slot(register).and_then(|slot| self.tables[slot]);
        if let Some(table) = now(other).or_else(|| now(one)) {
            return Value::Entry(table);
        }
        let likely = before(other).or_else(|| before(one)).or(self.last_table);
        likely.map_or(Value::Unknown, Value::LikelyEntry)
    }

    /// Stores a register to the stack. Only tables are kept, until another takes their slot.
    pub fn spill(&mut self, base: Register, offset: u64, register: Register) {
        if let Value::Table(table) = self.value(register) {
            self.slots.insert((base, offset), table);
        }
    }

    /// What a slot of the stack holds.
    pub fn reload(&self, base: Register, offset: u64) -> Value {
        self.slots.get(&(base, offset)).map_or(Value::Unknown, |&table| Value::Table(table))
    }
}

fn slot(register: Register) -> Option<usize> {
    (register.is_gpr() && register != Register::None).then(|| register.full_register().number())
}

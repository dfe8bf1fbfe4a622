//! The checks of the emitted code.
//!
//! Invariants of an object that passes:
//! (M1) Every cycle of a probed function's instructions has a probe, a call of a function in which every way meets
//!      one, the label of a loop with a bound around the whole cycle, or is one of the code generator's own.
//! (M2) No function comes to call itself by direct calls without a probe on the way.
//!
//! Of ways through landing pads the object's code says nothing; of those and of calls through pointers the checks of
//! the IR speak. Labels tell which loop a cycle is: one whose labels all belong to a loop, or to loops inside it, does
//! not leave that loop, since what is around a loop with a bound is labelled too. Where the code generator has lost a
//! label of such a nest, as many endless cycles are let pass as loops lost theirs, and the report names the function.

use std::collections::{HashMap, HashSet};

use object::ObjectSymbol as _;

use super::cycles::{self, Cut};
use super::emitted::Emitted;
use super::fault::{Fault, Kind};
use super::labels;
use super::marks::Marks;
use super::paths::{self, Lengths};
use super::reader::{self, Diverging, Listing, Reader};
use crate::cfg::Graph;

/// What was found in one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Its symbol.
    pub symbol: String,
    /// The longest path without a probe, in instructions.
    pub path: u64,
    /// Symbols without probes that it calls.
    pub external: Vec<String>,
    /// What else no count includes, in words.
    pub unbounded: Vec<String>,
}

/// What was found in an object.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Everything that is wrong.
    pub faults: Vec<Fault>,
    /// Its probed functions.
    pub functions: Vec<Measured>,
}

/// Checks the functions `probed` of an object.
pub fn check(object: &[u8], probed: &HashSet<String>, marks: &Marks, diverging: &Diverging) -> Found {
    match read(object, probed, marks, diverging) {
        Ok(found) => found,
        Err(why) => Found {
            faults: vec![Fault {
                function: "the object".to_owned(),
                place: None,
                kind: Kind::Unreadable(why),
            }],
            functions: Vec::new(),
        },
    }
}

fn read(
    object: &[u8],
    probed: &HashSet<String>,
    marks: &Marks,
    diverging: &Diverging,
) -> Result<Found, String> {
    let file = object::File::parse(object).map_err(|error| error.to_string())?;
    let numbers = 0..marks.loops.len() + marks.calls.len();
    let labelled: HashSet<&str> = numbers.filter_map(|number| marks.function_of(number)).collect();
    let starts: HashMap<&str, reader::Spot> = reader::functions(&file)
        .filter_map(|symbol| Some((symbol.name().ok()?, (symbol.section_index()?, symbol.address()))))
        .filter(|(name, _)| labelled.contains(name))
        .collect();
    let function_of = |number: usize| starts.get(marks.function_of(number)?).copied();
    let labels = labels::read(&file, &function_of)?;
    let reader = Reader::new(&file, probed, &labels, marks);
    let decoder = Decoder::new(&file, &reader, probed, diverging);
    let mut program = Program { decoder, functions: Vec::new(), nests: Nests::of(marks, &labels) };
    for index in 0..program.decoder.symbols.len() {
        let (_, emitted) = program.decoder.decode(index, false)?;
        program.functions.push(emitted);
    }
    program.check()
}

/// The probed functions of an object, decoded on demand.
struct Decoder<'a> {
    reader: &'a Reader<'a>,
    symbols: Vec<object::Symbol<'a, 'a>>,
    index: HashMap<String, usize>,
    diverging: &'a Diverging,
}

impl<'a> Decoder<'a> {
    fn new(
        file: &'a object::File<'a>,
        reader: &'a Reader<'a>,
        probed: &HashSet<String>,
        diverging: &'a Diverging,
    ) -> Self {
        let is_probed =
            |symbol: &object::Symbol<'_, '_>| symbol.name().is_ok_and(|name| probed.contains(name));
        let symbols: Vec<_> = reader::functions(file).filter(is_probed).collect();
        let names = symbols.iter().enumerate();
        let index = names.map(|(at, symbol)| (symbol.name().unwrap_or_default().to_owned(), at)).collect();
        Self { reader, symbols, index, diverging }
    }

    fn decode(&self, function: usize, lenient: bool) -> Result<(Listing, Emitted), String> {
        let symbol = &self.symbols[function];
        let named = |why| format!("{}: {why}", symbol.name().unwrap_or_default());
        let listing = self.reader.function(symbol, self.diverging, lenient).map_err(named)?;
        let emitted = Emitted::of(&listing, |name| self.index.get(name).copied());
        Ok((listing, emitted))
    }
}

struct Program<'a> {
    decoder: Decoder<'a>,
    functions: Vec<Emitted>,
    nests: Nests<'a>,
}

impl Program<'_> {
    fn check(mut self) -> Result<Found, String> {
        let calls = |emitted: &Emitted| emitted.callees.iter().map(|&(_, callee)| callee).collect();
        let graph = Graph { successors: self.functions.iter().map(calls).collect() };
        let mut lengths = vec![paths::UNKNOWN; self.functions.len()];
        let mut found = Found::default();
        found.functions.resize_with(self.functions.len(), Measured::default);
        for members in graph.components() {
            let is_recursive = members.len() > 1 || graph.successors[members[0]].contains(&members[0]);
            self.find_probing(&members, &mut lengths);
            for function in members {
                found.functions[function] = self.function(function, &mut lengths, &mut found.faults)?;
                if is_recursive {
                    let words = "the returns of recursion, which are counted once".to_owned();
                    found.functions[function].unbounded.push(words);
                }
            }
        }
        found.faults.extend(self.recursion(&lengths));
        found.functions.iter_mut().for_each(|measured| measured.unbounded.sort_unstable());
        Ok(found)
    }

    /// Which functions of a cycle of calls meet a probe on every way: first those by their own probes, then those
    /// that call them, until no more are found.
    fn find_probing(&self, members: &[usize], lengths: &mut [Lengths]) {
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for &member in members.iter() {
                if lengths[member].through.is_some() {
                    lengths[member] = self.functions[member].flow.unmeasured(lengths);
                    is_settled &= lengths[member].through.is_some();
                }
            }
        }
    }

    fn function(
        &mut self,
        index: usize,
        lengths: &mut [Lengths],
        faults: &mut Vec<Fault>,
    ) -> Result<Measured, String> {
        let mut components = self.components(index, lengths);
        let lost = self.nests.lost(&self.functions[index].symbol);
        if cycles::endless(&components).len() > lost {
            // Some call that does not return may look like one that does, some jump be read by the wrong table.
            let (_, lenient) = self.decoder.decode(index, true)?;
            let strict = std::mem::replace(&mut self.functions[index], lenient);
            let retried = self.components(index, lengths);
            if cycles::endless(&retried).len() > lost {
                self.functions[index] = strict;
            } else {
                components = retried;
            }
        }
        let endless = cycles::endless(&components);
        let emitted = &self.functions[index];
        if endless.len() > lost {
            faults.push(self.fault(index, endless[0])?);
        }
        lengths[index] = paths::measure(&emitted.flow, &components, lengths);
        let mut unbounded = Vec::new();
        let reasons = [
            (emitted.has_guard, "a guarded region"),
            (emitted.has_string, "a string instruction"),
            (emitted.calls_pointers, "calls through pointers, whose targets are not counted"),
            (components.iter().any(is_unwinding), "a loop that runs while the stack is unwound"),
            (!endless.is_empty() && endless.len() <= lost, "a loop whose bound was lost in code generation"),
        ];
        unbounded.extend(reasons.iter().filter(|(holds, _)| *holds).map(|(_, words)| (*words).to_owned()));
        Ok(Measured {
            symbol: emitted.symbol.clone(),
            path: lengths[index].longest,
            external: emitted.external.clone(),
            unbounded,
        })
    }

    fn components(&self, index: usize, lengths: &[Lengths]) -> Vec<cycles::Component> {
        let emitted = &self.functions[index];
        let mut cut = |nodes: &[usize]| self.nests.cut(nodes, &emitted.labels);
        cycles::components(&emitted.flow.graph, emitted.flow.unstopped(lengths), &mut cut)
    }

    fn fault(&self, index: usize, nodes: &[usize]) -> Result<Fault, String> {
        let emitted = &self.functions[index];
        let (listing, _) = self.decoder.decode(index, false)?;
        let offset = emitted.offsets[nodes[0]];
        let text = listing.instructions.get(emitted.starts[nodes[0]]).map(ToString::to_string);
        let length = nodes.iter().map(|&node| emitted.flow.costs[node] as usize).sum();
        let kind = Kind::Instructions { offset, text: text.unwrap_or_default(), length };
        Ok(Fault { function: emitted.symbol.clone(), place: None, kind })
    }

    fn recursion(&self, lengths: &[Lengths]) -> Vec<Fault> {
        let early = |emitted: &Emitted| {
            let flow = &emitted.flow;
            if flow.graph.is_empty() {
                return Vec::new();
            }
            let reached = flow.graph.reached(&[0], |node| flow.stops(node, lengths));
            emitted.callees.iter().filter(|(node, _)| reached[*node]).map(|&(_, callee)| callee).collect()
        };
        let graph = Graph { successors: self.functions.iter().map(early).collect() };
        let components = cycles::components(&graph, (0..graph.len()).collect(), &mut |_| None);
        let name = |&function: &usize| self.functions[function].symbol.clone();
        let faults = cycles::endless(&components).into_iter().map(|members| Fault {
            function: name(&members[0]),
            place: None,
            kind: Kind::EmittedRecursion(members.iter().map(name).collect()),
        });
        faults.collect()
    }
}

fn is_unwinding(component: &cycles::Component) -> bool {
    matches!(component, cycles::Component::Bounded(bounded) if bounded.is_unwinding())
}

/// What the labels say of loops.
struct Nests<'a> {
    marks: &'a Marks,
    /// Whether a loop's label and those of all around it are in the object.
    is_usable: Vec<bool>,
    /// For each function the loops with bounds that are not usable.
    lost: HashMap<&'a str, usize>,
}

impl<'a> Nests<'a> {
    fn of(marks: &'a Marks, labels: &[(object::SectionIndex, u64, usize)]) -> Self {
        let present: HashSet<usize> = labels.iter().map(|&(_, _, number)| number).collect();
        let mut nests = Self { marks, is_usable: Vec::new(), lost: HashMap::new() };
        // A loop comes behind those around it.
        for (number, own) in marks.loops.iter().enumerate() {
            let is_usable =
                present.contains(&number) && own.parent.is_none_or(|parent| nests.is_usable[parent]);
            nests.is_usable.push(is_usable);
            if !is_usable && own.visits.is_some() {
                *nests.lost.entry(&own.function).or_default() += 1;
            }
        }
        nests
    }

    fn lost(&self, function: &str) -> usize {
        self.lost.get(function).copied().unwrap_or(0)
    }

    /// The bound of the loop that the nodes are, or lie in.
    fn cut(&self, nodes: &[usize], labels: &[Vec<usize>]) -> Option<Cut> {
        let inside = || nodes.iter().flat_map(|&node| &labels[node]).copied();
        let outer = inside().min_by_key(|&number| self.marks.depth(number))?;
        let visits = self.marks.loops.get(outer)?.visits.filter(|_| self.is_usable[outer])?;
        if !inside().all(|number| self.marks.lies_in(number, outer)) {
            return None;
        }
        let counted = nodes.iter().copied().filter(|&node| labels[node].contains(&outer)).collect();
        Some(Cut { counted, visits })
    }
}

//! How many instructions may be expected between one probe and the next: what a probe of the second build subtracts.
//!
//! A guess, on plain graphs. What depends on it is when the clock is looked at, and the runtime corrects for what the
//! code's pace shows (`preempt/countdown.rs`): a weight that is wrong by the same factor everywhere does no harm.
//!
//! Regions (a function, the loops in it) are followed from the inside out. Ways that meet count as equally frequent;
//! a loop with a bound goes its rounds; a loop with probes is taken in its steady state: it is entered from itself.

use std::collections::HashMap;

use crate::cfg::Graph;
use crate::loops::Forest;

/// A part of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// Instructions of this cost.
    Work(f64),
    /// A call: what the callee does behind its last probe, and whether it is sure to meet one.
    Call(Behind),
    /// A probe.
    Probe,
}

/// What is expected where a function returns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Behind {
    /// Cost since the last probe, or since the entry.
    pub cost: f64,
    /// Whether there was a probe on the way.
    pub is_probed: bool,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Its blocks; entry first.
    pub blocks: Graph,
    /// What happens in each.
    pub parts: Vec<Vec<Part>>,
    /// Whether each returns.
    pub returns: Vec<bool>,
    /// How often latches jump back at most.
    pub bounds: HashMap<usize, u32>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// For each probe, in the order of blocks and parts.
    pub probes: Vec<f64>,
    /// Where the function returns.
    pub behind: Behind,
}

/// Rounds that are expected of a loop that is cut into chunks, when it ends before the first chunk does.
const SHORT: f64 = 16.0;

/// Weighs the probes of a function.
pub fn weigh(code: &Code) -> Weights {
    let forest = Forest::of(&code.blocks);
    let loops = forest.loops.iter().enumerate();
    let mut walker = Walker {
        code,
        order: order(&code.blocks),
        predecessors: code.blocks.predecessors(),
        rounds: HashMap::new(),
        inner: loops.filter_map(|(index, own)| Some((own.parent?, index))).collect(),
        forest: &forest,
    };
    for index in (0..forest.loops.len()).rev() {
        let cost = walker.round(index);
        walker.rounds.insert(index, cost);
    }
    walker.whole()
}

struct Walker<'a> {
    code: &'a Code,
    forest: &'a Forest,
    /// Reverse postorder.
    order: Vec<usize>,
    predecessors: Vec<Vec<usize>>,
    /// A loop inside of each that has one; the only one, where a loop was cut into chunks.
    inner: HashMap<usize, usize>,
    /// What a round of each loop without a probe costs.
    rounds: HashMap<usize, Option<f64>>,
}

impl Walker<'_> {
    /// What a round of the loop costs, when it has a bound and no probe.
    fn round(&self, index: usize) -> Option<f64> {
        let own = &self.forest.loops[index];
        let has_probe = own.blocks.iter().any(|&block| self.code.parts[block].iter().any(is_probe));
        if has_probe || !own.latches.iter().any(|latch| self.code.bounds.contains_key(latch)) {
            return None;
        }
        let mut at = HashMap::from([(own.header, 0.0)]);
        self.follow(Some(index), &mut at, &mut |_| {});
        mean(own.latches.iter().filter_map(|latch| at.get(latch)).copied())
    }

    fn whole(&self) -> Weights {
        let mut weights = Weights::default();
        let mut found = HashMap::new();
        // What comes round to a loop's header is known after the first time.
        let mut back: HashMap<usize, f64> = HashMap::new();
        for _ in 0..ROUNDS {
            let mut at = back.clone();
            at.entry(0).or_insert(0.0);
            self.follow(None, &mut at, &mut |(block, part, cost)| {
                found.insert((block, part), cost);
            });
            for own in self.forest.loops.iter().filter(|own| self.is_probed(own.header)) {
                if let Some(cost) = mean(own.latches.iter().filter_map(|latch| at.get(latch)).copied()) {
                    back.insert(own.header, cost);
                }
            }
            let ends = (0..self.code.blocks.len()).filter(|&block| self.code.returns[block]);
            weights.behind.cost = mean(ends.filter_map(|block| at.get(&block)).copied()).unwrap_or(0.0);
        }
        for (block, parts) in self.code.parts.iter().enumerate() {
            let probes = parts.iter().enumerate().filter(|(_, part)| is_probe(part));
            // Nothing leads to a place that was not found.
            weights.probes.extend(probes.map(|(part, _)| found.get(&(block, part)).copied().unwrap_or(0.0)));
        }
        weights.behind.is_probed = self.code.parts.first().is_some_and(|parts| parts.iter().any(is_probe));
        weights
    }

    fn is_probed(&self, header: usize) -> bool {
        let index = self.forest.innermost[header];
        index.is_none_or(|index| self.rounds.get(&index).is_none_or(Option::is_none))
    }

    /// Follows the blocks of a region in order. `at` holds what is expected before the blocks that are known, and
    /// afterwards what is behind each; `meet` gets each probe's block, part and cost.
    fn follow(
        &self,
        region: Option<usize>,
        at: &mut HashMap<usize, f64>,
        meet: &mut dyn FnMut((usize, usize, f64)),
    ) {
        let inside = |block: usize| {
            region.is_none_or(|index| self.forest.loops[index].blocks.binary_search(&block).is_ok())
        };
        let mut behind: HashMap<usize, f64> = HashMap::new();
        for &block in self.order.iter().filter(|&&block| inside(block)) {
            let leading = self.predecessors[block].iter().filter(|from| inside(**from));
            let arriving =
                leading.filter_map(|&from| Some(behind.get(&from)? + self.leaving(region, from, block)));
            let Some(before) = at.get(&block).copied().or_else(|| mean(arriving)) else { continue };
            behind.insert(block, self.pass(block, before, meet));
        }
        *at = behind;
    }

    /// What the rounds of loops without probes add on the way out of them.
    fn leaving(&self, region: Option<usize>, from: usize, to: usize) -> f64 {
        let mut added = 0.0;
        let mut around = self.forest.innermost[from];
        while let Some(index) = around.filter(|_| around != region) {
            let own = &self.forest.loops[index];
            if own.blocks.binary_search(&to).is_ok() {
                break;
            }
            if let Some(Some(round)) = self.rounds.get(&index) {
                let most = self.most_rounds(index);
                let rounds = if self.is_chunked(index) { SHORT.min(most) } else { most };
                added += round * (rounds - 1.0).max(0.0);
            }
            around = own.parent;
        }
        added
    }

    fn most_rounds(&self, index: usize) -> f64 {
        let bounds = self.forest.loops[index].latches.iter().filter_map(|latch| self.code.bounds.get(latch));
        bounds.max().map_or(1.0, |&most| f64::from(most)).min(1e6)
    }

    /// Whether a loop is the inner one of two that a counted loop was cut into.
    fn is_chunked(&self, index: usize) -> bool {
        let own = &self.forest.loops[index];
        let Some(outer) = own.parent.map(|parent| &self.forest.loops[parent]) else { return false };
        let is_probed = |latch: &usize| self.code.parts[*latch].iter().any(is_probe);
        outer.blocks.len() <= own.blocks.len() + 3 && outer.latches.iter().all(is_probed)
    }

    /// What a whole chunk costs, when `block` stands between two: its probe comes behind whole ones alone.
    fn chunk(&self, block: usize) -> Option<f64> {
        let outer = self.forest.innermost[block]?;
        let &inner = self.inner.get(&outer).filter(|&&inner| self.is_chunked(inner))?;
        let is_between = self.forest.loops[outer].latches.contains(&block);
        is_between.then(|| {
            self.rounds.get(&inner).copied().flatten().map(|round| round * self.most_rounds(inner))
        })?
    }

    fn pass(&self, block: usize, before: f64, meet: &mut dyn FnMut((usize, usize, f64))) -> f64 {
        let mut cost = before;
        for (at, part) in self.code.parts[block].iter().enumerate() {
            match *part {
                Part::Work(more) => cost += more,
                Part::Call(behind) if behind.is_probed => cost = behind.cost,
                Part::Call(behind) => cost += behind.cost,
                Part::Probe => {
                    meet((block, at, self.chunk(block).unwrap_or(cost)));
                    cost = 0.0;
                }
            }
        }
        cost
    }
}

/// How often a function is followed, until what comes round in its loops is known well enough.
const ROUNDS: usize = 4;

fn is_probe(part: &Part) -> bool {
    *part == Part::Probe
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

fn order(graph: &Graph) -> Vec<usize> {
    let mut order = Vec::new();
    if graph.is_empty() {
        return order;
    }
    let mut is_seen = vec![false; graph.len()];
    let mut open = vec![(0, 0)];
    is_seen[0] = true;
    while let Some((block, next)) = open.last_mut() {
        match graph.successors[*block].get(*next) {
            Some(&successor) => {
                *next += 1;
                if !std::mem::replace(&mut is_seen[successor], true) {
                    open.push((successor, 0));
                }
            }
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(successors: &[&[usize]], parts: &[&[Part]], bounds: &[(usize, u32)]) -> Code {
        Code {
            blocks: Graph { successors: successors.iter().map(|nexts| nexts.to_vec()).collect() },
            parts: parts.iter().map(|parts| parts.to_vec()).collect(),
            returns: successors.iter().map(|nexts| nexts.is_empty()).collect(),
            bounds: bounds.iter().copied().collect(),
        }
    }

    const PROBE: Part = Part::Probe;

    fn work(cost: u32) -> Part {
        Part::Work(f64::from(cost))
    }

    #[test]
    fn straight_code_adds_up_and_ways_that_meet_are_averaged() {
        let weights = weigh(&code(
            &[&[1, 2], &[3], &[3], &[]],
            &[&[work(10)], &[work(40)], &[], &[work(5), PROBE, work(7)]],
            &[],
        ));
        assert_eq!(weights.probes, [35.0]);
        assert_eq!(weights.behind.cost, 7.0);
    }

    #[test]
    fn a_loop_with_a_probe_is_entered_from_itself() {
        let weights = weigh(&code(&[&[1], &[1, 2], &[]], &[&[work(1000)], &[work(8), PROBE], &[]], &[]));
        assert_eq!(weights.probes, [8.0]);
    }

    #[test]
    fn a_loop_with_a_bound_goes_its_rounds() {
        let weights = weigh(&code(&[&[1], &[1, 2], &[]], &[&[], &[work(3)], &[PROBE]], &[(1, 20)]));
        assert_eq!(weights.probes, [60.0]);
    }

    #[test]
    fn chunks_are_whole_where_their_probe_stands() {
        // Preheader, outer header, loop, test, chunk with its probe, exit with another.
        let successors: [&[usize]; 6] = [&[1], &[2], &[2, 3], &[5, 4], &[1], &[]];
        let weights =
            weigh(&code(&successors, &[&[], &[], &[work(5)], &[], &[PROBE], &[PROBE]], &[(2, 200)]));
        assert_eq!(weights.probes, [1000.0, 5.0 * SHORT]);
    }

    #[test]
    fn a_callee_that_meets_a_probe_hides_what_was_before_it() {
        let call = |cost, is_probed| Part::Call(Behind { cost, is_probed });
        let of = |call| weigh(&code(&[&[]], &[&[work(100), call, work(1), PROBE]], &[])).probes;
        assert_eq!(of(call(30.0, false)), [131.0]);
        assert_eq!(of(call(30.0, true)), [31.0]);
    }

    #[test]
    fn nested_loops_multiply() {
        // 0 -> 1 (outer header) -> 2 (inner) -> 3 (outer latch) -> 4
        let successors: [&[usize]; 5] = [&[1], &[2], &[2, 3], &[1, 4], &[]];
        let weights = weigh(&code(
            &successors,
            &[&[], &[work(1)], &[work(2)], &[work(1)], &[PROBE]],
            &[(2, 10), (3, 5)],
        ));
        assert_eq!(weights.probes, [5.0 * (1.0 + 20.0 + 1.0)]);
    }
}

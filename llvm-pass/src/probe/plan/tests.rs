//! Plans are checked by executing them: random walks that know nothing of summaries count what they pass.

use proptest::prelude::*;

use super::*;

const BOUND: Bound = Bound { limit: 400 };
const COUNTED: Rounds = Rounds { most: None, is_counted: true };

fn at_most(rounds: u64) -> Rounds {
    Rounds { most: Some(rounds), is_counted: true }
}

/// Blocks with these successors and costs; blocks without successors return.
fn shape(successors: &[&[usize]], costs: &[u32]) -> Shape {
    let count = successors.len();
    Shape {
        blocks: Graph { successors: successors.iter().map(|list| list.to_vec()).collect() },
        steps: costs.iter().map(|&cost| vec![Step { at: 0, kind: StepKind::Work(cost) }]).collect(),
        unwinds_to: vec![None; count],
        is_cleanup: vec![false; count],
        returns: successors.iter().map(|list| list.is_empty()).collect(),
        dispatches: vec![false; count],
        rounds: BTreeMap::new(),
        has_entry_site: false,
    }
}

/// 0 -> 1, which loops on itself, -> 2.
fn simple_loop(cost: u32, rounds: Option<Rounds>) -> Plan {
    let mut shape = shape(&[&[1], &[1, 2], &[]], &[1, cost, 1]);
    shape.rounds.extend(rounds.map(|rounds| (1, rounds)));
    plan(&shape, BOUND)
}

#[test]
fn few_rounds_are_straight_code_and_many_are_not() {
    let straight = simple_loop(10, Some(at_most(15)));
    assert_eq!((straight.sites, straight.loops), (vec![], vec![(1, Treatment::Straight { rounds: 15 })]));
    assert_eq!(straight.summary.through, Some(152));
    let cut = simple_loop(10, Some(at_most(1_000_000)));
    assert_eq!(cut.sites, [Site::Chunk { header: 1 }]);
}

#[test]
fn counted_loops_run_in_chunks_unless_a_round_is_long() {
    assert_eq!(simple_loop(10, Some(COUNTED)).loops, [(1, Treatment::StripMined { first: 5, chunk: 15 })]);
    assert_eq!(simple_loop(150, Some(COUNTED)).loops, [(1, Treatment::Probed)]);
    assert_eq!(simple_loop(10, None).loops, [(1, Treatment::Probed)]);
}

#[test]
fn a_loop_around_one_that_is_left_early_runs_in_chunks() {
    // 1 is left from 1 and from 2; both lead to 3, the latch of the loop around it.
    let mut nest = shape(&[&[1], &[2, 3], &[1, 3], &[1, 4], &[]], &[1, 2, 2, 1, 1]);
    nest.blocks.successors[3] = vec![5, 4];
    nest.blocks.successors.push(vec![1]);
    nest.blocks.successors[0] = vec![5];
    nest.steps.push(vec![Step { at: 0, kind: StepKind::Work(1) }]);
    nest.unwinds_to.push(None);
    nest.is_cleanup.push(false);
    nest.returns.push(false);
    nest.dispatches.push(false);
    nest.rounds = BTreeMap::from([(1, COUNTED), (5, COUNTED)]);
    let loops = plan(&nest, BOUND).loops;
    let expected = [
        (1, Treatment::StripMined { first: 3, chunk: 37 }),
        (5, Treatment::StripMined { first: 3, chunk: 10 }),
    ];
    assert_eq!(loops, expected);
}

#[test]
fn a_loop_around_a_probe_is_covered() {
    // The inner loop can be left before its probe: the outer one needs its own, unless every round calls.
    let mut nest = shape(&[&[1], &[2], &[2, 3], &[1, 4], &[]], &[1, 1, 5, 1, 1]);
    assert_eq!(plan(&nest, BOUND).loops, [(1, Treatment::Probed), (2, Treatment::Probed)]);
    nest.steps[3] = vec![Step { at: 0, kind: StepKind::LongCall }];
    let plan = plan(&nest, BOUND);
    assert_eq!(plan.loops, [(1, Treatment::Covered), (2, Treatment::Probed)]);
    assert!(plan.sites.contains(&Site::AfterCall { block: 3, at: 0 }));
}

#[test]
fn an_interpreter_has_its_probes_behind_the_dispatch() {
    // 1 dispatches to the operations 2 to 5, which lead to 6 and back; 5 may return.
    let mut shape = shape(&[&[1], &[2, 3, 4, 5], &[6], &[6], &[6], &[6, 7], &[1], &[]], &[1; 8]);
    let probed = plan(&shape, BOUND);
    assert_eq!(probed.sites, [Site::Round { block: 6, at: 0 }]);
    shape.dispatches[1] = true;
    let dispatched = plan(&shape, BOUND);
    let expected: Vec<Site> = (2..6).map(|block| Site::Round { block, at: 0 }).collect();
    assert_eq!((dispatched.sites, dispatched.loops), (expected, vec![(1, Treatment::Dispatched)]));
}

#[test]
fn a_dispatch_into_a_loop_with_several_entries_has_its_probe_on_the_way_back() {
    // 0 dispatches to 1, 2, 3 and 4; 1, 5, 6 and 7 are a loop that 2, 3 and 4 enter elsewhere.
    let blocks: [&[usize]; 8] = [&[1, 2, 3, 4], &[5, 0], &[5], &[6], &[7], &[6], &[7], &[1]];
    let mut shape = shape(&blocks, &[1, 1, 300, 1, 1, 1, 60, 1]);
    shape.dispatches[0] = true;
    let plan = plan(&shape, BOUND);
    assert_eq!(plan.loops[0], (0, Treatment::Probed));
    // From the probe in 1 on: 0, the whole of 2, and to 1 again.
    assert!(plan.longest >= 1 + 1 + 300, "{plan:?}");
}

#[test]
fn a_round_has_its_probe_where_its_last_block_begins() {
    let mut shape = shape(&[&[1], &[2, 3], &[1], &[]], &[1; 4]);
    assert_eq!(plan(&shape, BOUND).sites, [Site::Round { block: 2, at: 0 }]);
    shape.steps[2][0].kind = StepKind::Work(51);
    assert_eq!(plan(&shape, BOUND).sites, [Site::BackEdge { latch: 2, header: 1 }]);
}

#[test]
fn long_straight_code_is_divided() {
    let mut long = shape(&[&[]], &[0]);
    long.steps[0] = (0..20).map(|at| Step { at, kind: StepKind::Work(40) }).collect();
    let plan = plan(&long, BOUND);
    assert_eq!(plan.sites, [Site::Before { block: 0, at: 7 }, Site::Before { block: 0, at: 17 }]);
    assert!(plan.longest <= BOUND.limit);
}

#[test]
fn recursion_begins_with_a_site_and_cleanup_has_none() {
    let mut both = shape(&[&[1, 2], &[1, 3], &[], &[]], &[1; 4]);
    both.has_entry_site = true;
    both.is_cleanup = vec![false, true, false, true];
    let plan = plan(&both, BOUND);
    assert_eq!((plan.sites, plan.loops), (vec![Site::Entry], vec![(1, Treatment::Cleanup)]));
    assert_eq!(plan.summary, Summary { through: None, least: 0, head: 0, tail: Some(3) });
}

#[test]
fn nobody_waits_for_a_probe_in_cleanup_code() {
    let mut both = shape(&[&[1, 2], &[3], &[], &[]], &[1, 0, 1, 1]);
    both.steps[1] = (0..20).map(|at| Step { at, kind: StepKind::Work(40) }).collect();
    both.is_cleanup = vec![false, true, false, true];
    let plan = plan(&both, BOUND);
    assert_eq!((plan.summary.head, plan.longest, plan.sites), (2, 2, vec![]));
}

/// What a callee that keeps the plan's promises may do.
fn random_summary() -> impl Strategy<Value = Summary> {
    (0..=BOUND.clean(), 0..=BOUND.limit, 0..3u32).prop_map(|(head, tail, kind)| match kind {
        0 => Summary { through: Some(head), least: head / 3, head, tail: None },
        1 => Summary { through: None, least: 0, head, tail: Some(tail) },
        _ => Summary { through: Some(head / 2), least: 0, head, tail: Some(tail) },
    })
}

fn random_step() -> impl Strategy<Value = StepKind> {
    prop_oneof![
        6 => (0..=BOUND.piece()).prop_map(StepKind::Work),
        1 => random_summary().prop_map(StepKind::Call),
        1 => Just(StepKind::LongCall),
    ]
}

fn random_rounds() -> impl Strategy<Value = Option<Rounds>> {
    (proptest::option::of(1u64..40), any::<bool>())
        .prop_map(|(most, is_counted)| (most.is_some() || is_counted).then_some(Rounds { most, is_counted }))
}

fn random_shape() -> impl Strategy<Value = Shape> {
    (1usize..10).prop_flat_map(|nodes| {
        let successors = proptest::collection::vec(proptest::collection::vec(0..nodes, 0..6), nodes);
        let steps = proptest::collection::vec(proptest::collection::vec(random_step(), 0..4), nodes);
        let rounds = proptest::collection::vec(random_rounds(), nodes);
        let dispatches = proptest::collection::vec(any::<bool>(), nodes);
        let parts = (successors, steps, rounds, dispatches, any::<bool>());
        parts.prop_map(|(successors, steps, rounds, dispatches, has_entry_site)| {
            let lists: Vec<&[usize]> = successors.iter().map(Vec::as_slice).collect();
            let mut made = shape(&lists, &vec![0; lists.len()]);
            made.has_entry_site = has_entry_site;
            made.dispatches = dispatches;
            made.rounds =
                rounds.iter().enumerate().filter_map(|(at, rounds)| Some((at, (*rounds)?))).collect();
            for (block, kinds) in steps.into_iter().enumerate() {
                let numbered = kinds.into_iter().enumerate();
                made.steps[block] = numbered.map(|(at, kind)| Step { at, kind }).collect();
                // The call at a block's end may unwind to its second successor.
                let is_last = made.steps[block].last().is_some_and(|step| step.kind == StepKind::LongCall);
                if is_last && lists[block].len() == 2 && lists[block][0] != lists[block][1] {
                    made.unwinds_to[block] = Some(lists[block][1]);
                }
            }
            made
        })
    })
}

/// Executes a function as its plan has it, with arbitrary decisions.
struct Walker<'plan> {
    shape: &'plan Shape,
    plan: &'plan Plan,
    forest: Forest,
    decisions: std::vec::IntoIter<u32>,
    since: u32,
    longest: u32,
    /// Rounds of each loop since its last chunk began.
    rounds: Vec<u64>,
    /// Whether that is its first one.
    is_first: Vec<bool>,
    /// Rounds of each loop since it was entered.
    all_rounds: Vec<u64>,
}

impl Walker<'_> {
    fn run(shape: &Shape, plan: &Plan, decisions: Vec<u32>) -> u32 {
        let forest = Forest::of(&shape.blocks);
        let rounds = vec![1; forest.loops.len()];
        let decisions = decisions.into_iter();
        let mut walker = Walker {
            shape,
            plan,
            forest,
            decisions,
            since: 0,
            longest: 0,
            all_rounds: rounds.clone(),
            is_first: vec![true; rounds.len()],
            rounds,
        };
        walker.walk();
        walker.longest
    }

    fn has(&self, site: Site) -> bool {
        self.plan.sites.binary_search(&site).is_ok()
    }

    fn meet(&mut self, site: Site) {
        if self.has(site) {
            self.since = 0;
        }
    }

    fn work(&mut self, cost: u32) {
        self.since += cost;
        self.longest = self.longest.max(self.since);
    }

    fn walk(&mut self) {
        self.meet(Site::Entry);
        let mut block = 0;
        while let Some(decision) = self.decisions.next() {
            let before_last_call = self.pass(block, decision);
            let nexts = self.ways_on(block);
            let Some(&next) = nexts.get(decision as usize % nexts.len().max(1)) else { return };
            if self.shape.unwinds_to[block] == Some(next) {
                self.since = before_last_call.max(self.since);
            }
            self.take(block, next);
            block = next;
        }
    }

    /// The distance before the block's last step, for the way of unwinding.
    fn pass(&mut self, block: usize, decision: u32) -> u32 {
        let mut before = 0;
        for step in &self.shape.steps[block] {
            self.meet(Site::Before { block, at: step.at });
            self.meet(Site::Round { block, at: step.at });
            before = self.since;
            match step.kind {
                StepKind::Work(cost) => self.work(cost),
                StepKind::LongCall => {
                    self.since = u32::MAX / 2;
                    self.meet(Site::AfterCall { block, at: step.at });
                }
                StepKind::Call(summary) => match (summary.through, summary.tail) {
                    (Some(through), tail) if tail.is_none() || decision.is_multiple_of(2) => {
                        self.work(through)
                    }
                    (_, tail) => {
                        self.work(summary.head);
                        self.since = 0;
                        self.work(tail.unwrap_or(0));
                    }
                },
            }
        }
        before
    }

    /// Successors that the proved numbers of rounds allow.
    fn ways_on(&self, block: usize) -> Vec<usize> {
        let is_allowed = |next: &usize| {
            let closed =
                self.forest.loops.iter().position(|own| own.header == *next && own.latches.contains(&block));
            closed.is_none_or(|index| match self.shape.rounds.get(next) {
                Some(Rounds { most: Some(most), .. }) if self.forest.loops[index].entries.len() == 1 => {
                    self.all_rounds[index] < *most
                }
                _ => true,
            })
        };
        self.shape.blocks.successors[block].iter().copied().filter(is_allowed).collect()
    }

    fn take(&mut self, from: usize, to: usize) {
        for index in 0..self.forest.loops.len() {
            let own = &self.forest.loops[index];
            let holds = |block| own.blocks.binary_search(&block).is_ok();
            let header = own.header;
            if !holds(to) {
                continue;
            }
            if !holds(from) {
                self.rounds[index] = 1;
                self.all_rounds[index] = 1;
                self.is_first[index] = true;
                self.meet(Site::BeforeLoop { header });
            } else if to == header {
                self.meet(Site::BackEdge { latch: from, header });
                self.rounds[index] += 1;
                self.all_rounds[index] += 1;
                let treatment = self.plan.loops.iter().find(|(own, _)| *own == header);
                if let Some((_, Treatment::StripMined { first, chunk })) = treatment
                    && self.rounds[index] > u64::from(if self.is_first[index] { *first } else { *chunk })
                {
                    self.is_first[index] = false;
                    self.rounds[index] = 1;
                    self.meet(Site::Chunk { header });
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn no_walk_goes_beyond_the_bound(
        shape in random_shape(),
        decisions in proptest::collection::vec(any::<u32>(), 400),
    ) {
        let plan = plan(&shape, BOUND);
        let longest = Walker::run(&shape, &plan, decisions);
        prop_assert!(longest <= BOUND.limit, "{longest} in {plan:?}");
        prop_assert!(longest <= plan.longest, "{longest} in {plan:?}");
        prop_assert!(plan.longest <= BOUND.limit, "{plan:?}");
    }

    #[test]
    fn the_same_shape_gives_the_same_plan(shape in random_shape()) {
        prop_assert_eq!(plan(&shape, BOUND), plan(&shape, BOUND));
    }

    #[test]
    fn every_cycle_meets_a_site_or_is_bounded(shape in random_shape()) {
        let plan = plan(&shape, BOUND);
        let mut cut = shape.blocks.clone();
        let forest = Forest::of(&shape.blocks);
        for (block, successors) in cut.successors.iter_mut().enumerate() {
            let unwinds_to = shape.unwinds_to[block];
            let is_cut = |site: &Site| matches!(site, Site::Before { block: own, .. } | Site::Round { block: own, .. } if *own == block)
                || block == 0 && *site == Site::Entry;
            let last = shape.steps[block].len().saturating_sub(1);
            let after_call = |site: &Site| matches!(site, Site::AfterCall { block: own, .. } if *own == block);
            let before_end = |site: &Site| matches!(site, Site::AfterCall { block: own, at } if *own == block && *at < last);
            let is_bounded = |header| plan.loops.iter().any(|(own, treatment)| *own == header
                && matches!(treatment, Treatment::Straight { .. } | Treatment::StripMined { .. }));
            successors.retain(|&next| {
                let closes = forest.loops.iter().any(|own| own.header == next && own.latches.contains(&block));
                !(plan.sites.iter().any(|site| is_cut(site) || before_end(site))
                    || plan.sites.iter().any(after_call) && unwinds_to != Some(next)
                    || plan.sites.contains(&Site::BackEdge { latch: block, header: next })
                    || forest.loops.iter().any(|own| !own.blocks.contains(&block) && own.blocks.contains(&next)
                        && plan.sites.contains(&Site::BeforeLoop { header: own.header }))
                    || closes && is_bounded(next))
            });
            // A call that probes on every path.
            if shape.steps[block].iter().any(|step| matches!(step.kind, StepKind::Call(Summary { through: None, .. }))) {
                successors.clear();
            }
        }
        let cycles = cut.on_cycle();
        prop_assert!((0..cycles.len()).all(|block| !cycles[block] || !forest.is_reachable[block]), "{plan:?}");
    }
}

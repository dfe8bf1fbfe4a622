//! Which workers are whose: grouping and rounding (Persephone, SOSP'21, algorithm 2).

/// A division of the workers. Groups stand from short to long, and so do their workers: each group's are a run of
/// numbers right after those of the group before, so that what a group may steal from are the workers after its
/// own. Made before the run; [`Plan::make`] fills it anew.
#[derive(Debug)]
pub(super) struct Plan {
    /// Classes that occur, from short to long.
    pub(super) order: Vec<u16>,
    pub(super) groups: Vec<Group>,
}

/// Classes of similar service time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Group {
    /// Where its classes begin and end in [`Plan::order`].
    pub(super) classes: (usize, usize),
    /// Workers that it needs by its share of the load.
    pub(super) demand: f64,
    /// The first of its workers.
    pub(super) first: usize,
    /// How many are its own; with none it has the spillway worker, the last of all.
    pub(super) count: usize,
}

impl Group {
    /// The worker after its last.
    pub(super) fn end(&self) -> usize {
        self.first + self.count
    }
}

impl Plan {
    pub(super) fn new(classes: usize) -> Self {
        Self { order: Vec::with_capacity(classes), groups: Vec::with_capacity(classes) }
    }

    /// Divides `workers`, when `load` says of a class its mean service time and its contribution to that of all
    /// requests. `factor`: how many times as long as the shortest of a group its longest may be, on average.
    pub(super) fn make(
        &mut self,
        classes: usize,
        workers: usize,
        factor: f64,
        load: impl Fn(usize) -> Option<(f64, f64)>,
    ) {
        self.order.clear();
        self.groups.clear();
        let occurs = |class: &usize| load(*class).is_some_and(|(_, contribution)| contribution > 0.0);
        self.order.extend((0..classes).filter(occurs).map(|class| class as u16));
        let part = |class: u16| load(usize::from(class)).unwrap_or_default();
        self.order.sort_unstable_by(|&a, &b| part(a).0.total_cmp(&part(b).0).then(a.cmp(&b)));
        let total: f64 = self.order.iter().map(|&class| part(class).1).sum();
        let mut shortest = f64::NEG_INFINITY;
        for (index, &class) in self.order.iter().enumerate() {
            let (mean, contribution) = part(class);
            let demand = contribution / total * workers as f64;
            match self.groups.last_mut().filter(|_| mean <= shortest * factor) {
                Some(group) => {
                    group.classes.1 = index + 1;
                    group.demand += demand;
                }
                None => {
                    shortest = mean;
                    self.groups.push(Group { classes: (index, index + 1), demand, first: 0, count: 0 });
                }
            }
        }
        self.give(workers, |group| rounded(group.demand));
    }

    /// Gives each group as many workers as `wanted` says, while there are any.
    fn give(&mut self, workers: usize, wanted: impl Fn(&Group) -> usize) {
        let mut next = 0;
        for group in &mut self.groups {
            group.first = next;
            group.count = wanted(group).min(workers - next);
            next += group.count;
        }
    }

    /// Divides `workers` by hand: the classes in the order of `reserved`, from short to long, each with its number
    /// of workers; the last one has what is left.
    pub(super) fn set(&mut self, order: &[u16], reserved: &[usize], workers: usize) {
        self.order.clear();
        self.groups.clear();
        self.order.extend_from_slice(order);
        for (index, &demand) in reserved.iter().enumerate() {
            let end = if index + 1 == reserved.len() { order.len() } else { index + 1 };
            self.groups.push(Group { classes: (index, end), demand: demand as f64, first: 0, count: 0 });
        }
        self.give(workers, |group| group.demand as usize);
    }
}

/// At least one; a fraction of up to a half is dropped, more is a whole worker.
fn rounded(demand: f64) -> usize {
    let whole = demand.floor();
    (whole as usize + usize::from(demand - whole > 0.5)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and share in percent, by class, and the groups made of them: classes, first worker, count.
    fn groups(workers: usize, classes: &[(f64, f64)]) -> Vec<(Vec<u16>, usize, usize)> {
        let mut plan = Plan::new(classes.len());
        plan.make(classes.len(), workers, 1.2, |class| {
            let (mean, percent) = classes[class];
            Some((mean, mean * percent / 100.0))
        });
        let group =
            |group: &Group| (plan.order[group.classes.0..group.classes.1].to_vec(), group.first, group.count);
        plan.groups.iter().map(group).collect()
    }

    #[test]
    fn persephone_s_workloads_get_what_the_formula_says() {
        let extreme = groups(16, &[(0.5, 99.5), (500.0, 0.5)]);
        assert_eq!(extreme, [(vec![0], 0, 3), (vec![1], 3, 13)]);
        let high = groups(14, &[(100.0, 50.0), (1.0, 50.0)]);
        assert_eq!(high, [(vec![1], 0, 1), (vec![0], 1, 13)]);
        // Payment and OrderStatus are one group, NewOrder one, Delivery and StockLevel one.
        let tpcc = groups(14, &[(5.7, 44.0), (6.0, 4.0), (20.0, 44.0), (88.0, 4.0), (100.0, 4.0)]);
        assert_eq!(tpcc, [(vec![0, 1], 0, 2), (vec![2], 2, 6), (vec![3, 4], 8, 6)]);
    }

    #[test]
    fn groups_are_within_a_factor_of_their_shortest_not_of_their_neighbours() {
        let made = groups(10, &[(10.0, 25.0), (11.9, 25.0), (13.0, 25.0), (15.0, 25.0)]);
        let classes: Vec<_> = made.into_iter().map(|(classes, ..)| classes).collect();
        assert_eq!(classes, [vec![0, 1], vec![2, 3]]);
    }

    #[test]
    fn who_finds_no_worker_left_has_the_spillway_and_who_does_not_occur_has_nothing() {
        let made = groups(2, &[(1.0, 98.0), (10.0, 1.0), (100.0, 0.0), (1000.0, 0.01)]);
        assert_eq!(made, [(vec![0], 0, 2), (vec![1], 2, 0), (vec![3], 2, 0)]);
        assert_eq!(groups(4, &[(1.0, 0.0), (2.0, 0.0)]), []);
    }

    #[test]
    fn fractions_of_up_to_a_half_are_dropped() {
        assert_eq!([0.01, 0.5, 1.0, 1.5, 1.51, 2.4, 2.6].map(rounded), [1, 1, 1, 1, 2, 2, 3]);
    }

    #[test]
    fn random_classes_are_one_group_with_all_workers() {
        assert_eq!(groups(8, &[(50.1, 50.0), (50.9, 50.0)]), [(vec![0, 1], 0, 8)]);
    }
}

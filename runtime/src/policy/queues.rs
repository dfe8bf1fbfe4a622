//! One order over requests of which some are pinned.

use std::collections::VecDeque;

use super::Item;
use crate::id::WorkerId;

/// A first-in-first-out queue from which a worker takes the oldest request that it may run, in constant time:
/// requests for anyone and requests for one worker stand in lines of their own, numbered across all lines.
#[derive(Debug)]
pub(super) struct Queues {
    anyone: VecDeque<(u64, Item)>,
    pinned: Vec<VecDeque<(u64, Item)>>,
    /// Number of the next request at the back.
    back: u64,
    /// Number of the last request at the front; counts down from the middle.
    front: u64,
}

impl Queues {
    pub(super) fn new(workers: usize, capacity: usize) -> Self {
        Self {
            anyone: VecDeque::with_capacity(capacity),
            pinned: (0..workers).map(|_| VecDeque::with_capacity(capacity)).collect(),
            back: u64::MAX / 2,
            front: u64::MAX / 2,
        }
    }

    fn line_of(&mut self, item: &Item) -> &mut VecDeque<(u64, Item)> {
        match item.pinned {
            Some(worker) => &mut self.pinned[worker.index()],
            None => &mut self.anyone,
        }
    }

    pub(super) fn push_back(&mut self, item: Item) {
        let number = self.back;
        self.back += 1;
        self.line_of(&item).push_back((number, item));
    }

    pub(super) fn push_front(&mut self, item: Item) {
        self.front -= 1;
        let number = self.front;
        self.line_of(&item).push_front((number, item));
    }

    pub(super) fn pop_for(&mut self, worker: WorkerId) -> Option<Item> {
        let pinned = &mut self.pinned[worker.index()];
        let line = match (pinned.front(), self.anyone.front()) {
            (Some((mine, _)), Some((any, _))) if any < mine => &mut self.anyone,
            (None, _) => &mut self.anyone,
            (Some(_), _) => pinned,
        };
        line.pop_front().map(|(_, item)| item)
    }

    pub(super) fn has_work_for(&self, worker: WorkerId) -> bool {
        !self.anyone.is_empty() || self.pinned_to(worker) > 0
    }

    pub(super) fn pinned_to(&self, worker: WorkerId) -> usize {
        self.pinned[worker.index()].len()
    }
}

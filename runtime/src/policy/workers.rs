//! What a policy knows of the workers: what each holds, and since when its turn runs.

use super::WorkerSet;
use crate::id::WorkerId;
use crate::sys::clock::Tsc;

/// What each worker holds and runs: written by the caller of the policy, read by the policy.
///
/// A worker holds up to k requests (JBSQ(k)), runs them in the order in which it was given them, and gives them
/// back in that order: the oldest one is the one that runs, or it has just ended.
#[derive(Debug)]
pub struct Workers {
    /// k: requests that a worker may be given.
    depth: usize,
    /// Most that k can be.
    deepest: usize,
    inboxes: Vec<Inbox>,
    /// By the number of requests held, 0 to `depth`.
    holding: Vec<WorkerSet>,
    /// When each worker's turn began; [`NO_TURN`] when none runs, or when it was armed already.
    turns: Vec<u64>,
    armed: WorkerSet,
}

/// Later than any turn's begin, so that the earliest is found without looking which there are.
const NO_TURN: u64 = u64::MAX;

#[derive(Debug)]
struct Inbox {
    /// A ring: slots from `oldest` on.
    slots: Box<[u32]>,
    oldest: usize,
    held: usize,
}

impl Workers {
    /// `workers` idle workers, each of which may hold `depth` requests, the running one included.
    pub fn new(workers: usize, depth: usize) -> Self {
        let inbox = || Inbox { slots: vec![0; depth].into(), oldest: 0, held: 0 };
        let mut holding = vec![WorkerSet::none(workers); depth + 1];
        holding[0] = WorkerSet::all(workers);
        Self {
            depth,
            deepest: depth,
            inboxes: (0..workers).map(|_| inbox()).collect(),
            holding,
            turns: vec![NO_TURN; workers],
            armed: WorkerSet::none(workers),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.inboxes.len()
    }

    /// How many requests a worker may be given to hold: k.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// How many requests a worker may hold from a time when k was greater.
    pub fn deepest(&self) -> usize {
        self.deepest
    }

    /// Changes k. Workers that hold more keep what they have.
    ///
    /// # Panics
    /// When `depth` is 0 or more than these workers were made for.
    pub fn set_depth(&mut self, depth: usize) {
        assert!((1..=self.deepest).contains(&depth), "k is 1 to {}, not {depth}", self.deepest);
        self.depth = depth;
    }

    /// Workers that hold exactly `requests`, at most k.
    #[inline]
    pub fn holding(&self, requests: usize) -> &WorkerSet {
        &self.holding[requests]
    }

    /// Workers that hold nothing.
    #[inline]
    pub fn idle(&self) -> &WorkerSet {
        &self.holding[0]
    }

    /// How many requests `worker` holds.
    #[inline]
    pub fn held(&self, worker: WorkerId) -> usize {
        self.inboxes[worker.index()].held
    }

    /// Whether no worker has room for another request.
    #[inline]
    pub fn are_full(&self) -> bool {
        self.holding[..self.depth].iter().all(WorkerSet::is_empty)
    }

    /// The request that `worker` runs, or has run: the oldest that it holds.
    #[inline]
    pub fn oldest(&self, worker: WorkerId) -> Option<u32> {
        let inbox = &self.inboxes[worker.index()];
        (inbox.held > 0).then(|| inbox.slots[inbox.oldest])
    }

    /// The request that `worker` is to run after the oldest one.
    #[inline]
    pub fn second(&self, worker: WorkerId) -> Option<u32> {
        let inbox = &self.inboxes[worker.index()];
        let position = if inbox.oldest + 1 == self.deepest { 0 } else { inbox.oldest + 1 };
        (inbox.held > 1).then(|| inbox.slots[position])
    }

    /// Since when `worker` has been running a turn that is not armed.
    #[inline]
    pub fn turn(&self, worker: WorkerId) -> Option<Tsc> {
        let since = self.turns[worker.index()];
        (since != NO_TURN).then_some(Tsc(since))
    }

    /// The turn that has been running for longest of those not armed.
    #[inline]
    pub fn longest_turn(&self) -> Option<(WorkerId, Tsc)> {
        let (mut worker, mut since) = (0, NO_TURN);
        for (index, &turn) in self.turns.iter().enumerate() {
            if turn < since {
                (worker, since) = (index, turn);
            }
        }
        (since != NO_TURN).then_some((WorkerId(worker as u16), Tsc(since)))
    }

    /// Workers whose turn was armed and has not come back: they are about to be free.
    #[inline]
    pub fn armed(&self) -> &WorkerSet {
        &self.armed
    }

    /// To be called when a request was handed to `worker`.
    ///
    /// # Panics
    /// When it has no room.
    pub fn give(&mut self, worker: WorkerId, slot: u32) {
        let inbox = &mut self.inboxes[worker.index()];
        assert!(inbox.held < self.depth, "{worker} holds k requests already");
        let mut position = inbox.oldest + inbox.held;
        if position >= self.deepest {
            position -= self.deepest;
        }
        inbox.slots[position] = slot;
        inbox.held += 1;
        let held = inbox.held;
        self.holding[held - 1].remove(worker);
        self.holding[held].insert(worker);
    }

    /// To be called when `worker` gave its oldest request back; before the policy hears of it.
    ///
    /// # Panics
    /// When it holds none.
    pub fn take_back(&mut self, worker: WorkerId) {
        let inbox = &mut self.inboxes[worker.index()];
        assert!(inbox.held > 0, "{worker} holds no request");
        inbox.oldest = if inbox.oldest + 1 == self.deepest { 0 } else { inbox.oldest + 1 };
        inbox.held -= 1;
        let held = inbox.held;
        self.holding[held + 1].remove(worker);
        self.holding[held].insert(worker);
        self.armed.remove(worker);
        self.turns[worker.index()] = NO_TURN;
    }

    /// To be called when it is known since when `worker` runs a turn that is not armed, or that it runs none. A
    /// caller whose signals take a while to be answered moves `since` back by that while.
    #[inline]
    pub fn set_turn(&mut self, worker: WorkerId, since: Option<Tsc>) {
        self.turns[worker.index()] = since.map_or(NO_TURN, |since| since.0);
    }

    /// To be called when the turn of `worker` was armed.
    pub fn arm(&mut self, worker: WorkerId) {
        self.armed.insert(worker);
        self.turns[worker.index()] = NO_TURN;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const W: [WorkerId; 3] = [WorkerId(0), WorkerId(1), WorkerId(2)];

    #[test]
    fn requests_are_given_back_in_the_order_in_which_they_were_given() {
        let mut workers = Workers::new(3, 2);
        workers.give(W[1], 7);
        workers.give(W[1], 8);
        assert_eq!((workers.held(W[1]), workers.oldest(W[1]), workers.second(W[1])), (2, Some(7), Some(8)));
        workers.take_back(W[1]);
        workers.give(W[1], 9);
        assert_eq!((workers.second(W[1]), workers.holding(2).first()), (Some(9), Some(W[1])));
        workers.take_back(W[1]);
        workers.take_back(W[1]);
        assert_eq!((workers.oldest(W[1]), workers.idle().len()), (None, 3));
    }

    #[test]
    fn a_smaller_k_leaves_a_worker_what_it_holds() {
        let mut workers = Workers::new(1, 3);
        (0..3).for_each(|slot| workers.give(W[0], slot));
        workers.set_depth(1);
        assert!(workers.are_full() && workers.holding(3).contains(W[0]));
        (0..3).for_each(|slot| {
            assert_eq!(workers.oldest(W[0]), Some(slot));
            workers.take_back(W[0]);
        });
        workers.give(W[0], 3);
        assert!(workers.are_full());
        workers.set_depth(3);
        assert!(!workers.are_full());
    }

    #[test]
    fn the_workers_are_full_when_each_holds_k() {
        let mut workers = Workers::new(2, 2);
        for (slot, worker) in [(0, W[0]), (1, W[1]), (2, W[0])] {
            workers.give(worker, slot);
        }
        assert!(!workers.are_full());
        workers.give(W[1], 3);
        assert!(workers.are_full());
    }

    #[test]
    fn an_armed_turn_is_no_longer_offered_until_its_request_is_back() {
        let mut workers = Workers::new(3, 1);
        assert_eq!(workers.longest_turn(), None);
        workers.give(W[0], 0);
        workers.give(W[2], 1);
        workers.set_turn(W[0], Some(Tsc(20)));
        workers.set_turn(W[2], Some(Tsc(10)));
        assert_eq!(workers.longest_turn(), Some((W[2], Tsc(10))));
        workers.arm(W[2]);
        assert_eq!((workers.longest_turn(), workers.turn(W[2])), (Some((W[0], Tsc(20))), None));
        assert!(workers.armed().contains(W[2]));
        workers.take_back(W[2]);
        assert!(workers.armed().is_empty());
    }
}

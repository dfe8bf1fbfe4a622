//! Whose turn is to end, and when.

use std::cmp::Reverse;

use super::OnDemand;
use crate::id::WorkerId;
use crate::policy::{End, Workers};
use crate::sys::clock::{Ticks, Tsc};

/// A turn that may be ended from a moment on. The least is the one to end: the earliest; of these the one of the
/// highest level, then on the worker with the least pinned to it, then of the request that came last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    at: Tsc,
    level: Reverse<usize>,
    pinned: u32,
    rank: Reverse<u64>,
    worker: WorkerId,
}

impl OnDemand {
    pub(super) fn first_end(&self, workers: &Workers) -> Option<End> {
        if self.limits.is_empty() {
            return None;
        }
        let mut first = None;
        if self.waiting > 0 {
            self.for_anyone(workers, &mut first);
            self.for_pinned(workers, &mut first);
            self.for_old(workers, &mut first);
        }
        self.for_inboxes(workers, &mut first);
        first.map(|Candidate { worker, at, .. }| End { worker, at })
    }

    /// The turn of `worker`, to be ended for a request of `level` that waits since `since`.
    fn candidate(&self, workers: &Workers, worker: WorkerId, level: usize, since: Tsc) -> Option<Candidate> {
        self.candidate_after(workers, worker, *self.limits.get(level)?, since + self.patience_of(level))
    }

    /// The turn of `worker`, to be ended when its request has received `limit`, but not before `earliest`.
    fn candidate_after(
        &self,
        workers: &Workers,
        worker: WorkerId,
        limit: Ticks,
        earliest: Tsc,
    ) -> Option<Candidate> {
        let begun = workers.turn(worker)?;
        let slot = workers.oldest(worker)?;
        let received = self.shared.requests.item(slot).received;
        let mut at = (begun + Ticks(limit.0.saturating_sub(received.0))).max(earliest);
        if self.was_old[slot as usize] {
            at = at.max(begun + self.limits[0]);
        }
        let served = received + at.since(begun);
        Some(Candidate {
            at,
            level: Reverse(self.level(served)),
            pinned: self.shared.pins.of(worker),
            rank: Reverse(self.shared.requests.key(slot).0),
            worker,
        })
    }

    /// How long a request of `level` waits before it ends another's turn: as long as it has run at least, since to
    /// it that is no more than a slowdown by one.
    fn patience_of(&self, level: usize) -> Ticks {
        level.checked_sub(1).map_or(self.arm(), |below| self.settings.arm.max(self.limits[below]))
    }

    /// How long one of the first level waits: where nearly all are short, for some of them to be done.
    fn arm(&self) -> Ticks {
        let several = if self.shortness.most_are_short() { self.shortness.limit() } else { Ticks(0) };
        self.settings.arm.max(several)
    }

    fn any_candidate(&self, workers: &Workers, level: usize, since: Tsc, first: &mut Option<Candidate>) {
        let running = (0..workers.count()).map(|index| WorkerId(index as u16));
        let candidates = running.filter_map(|worker| self.candidate(workers, worker, level, since));
        improve(first, candidates.min());
    }

    /// Requests that any worker may run. Those workers that are about to be free will take the first ones.
    fn for_anyone(&self, workers: &Workers, first: &mut Option<Candidate>) {
        let soon_free = workers.armed().iter().filter(|&worker| workers.held(worker) < 2).count();
        if let Some(slot) = self.levels[0].unstarted(&self.shared, soon_free) {
            return self.any_candidate(workers, 0, self.shared.requests.waits_since(slot), first);
        }
        for level in 0..self.limits.len() {
            if let Some(slot) = self.levels[level].migrating().filter(|_| soon_free == 0) {
                return self.any_candidate(workers, level, self.shared.requests.waits_since(slot), first);
            }
        }
    }

    /// Requests that wait for one worker, which runs one of a higher level, or in the background one that
    /// comes after them.
    fn for_pinned(&self, workers: &Workers, first: &mut Option<Candidate>) {
        for (level, queue) in self.levels.iter().enumerate() {
            for worker in queue.with_pinned().iter() {
                let slot = queue.pinned(worker).expect("it has one");
                let since = self.shared.requests.waits_since(slot);
                improve(first, self.candidate(workers, worker, level, since));
                if level == self.limits.len() && self.comes_before(slot, workers, worker) {
                    improve(first, self.candidate_after(workers, worker, self.limits[level - 1], since));
                }
            }
        }
    }

    /// Whether the request in `slot` stands before the one that `worker` runs.
    fn comes_before(&self, slot: u32, workers: &Workers, worker: WorkerId) -> bool {
        let requests = &self.shared.requests;
        workers.oldest(worker).is_some_and(|running| requests.key(slot).0 < requests.key(running).0)
    }

    /// Requests that have waited for too long, behind turns that are no longer in the first level.
    fn for_old(&self, workers: &Workers, first: &mut Option<Candidate>) {
        let quantum = self.limits[0];
        let after_a_quantum = |worker| {
            let mut candidate = self.candidate(workers, worker, 0, Tsc(0))?;
            candidate.at = candidate.at.max(workers.turn(worker)? + quantum);
            Some(candidate)
        };
        for worker in self.with_old.iter() {
            improve(first, after_a_quantum(worker));
        }
        if self.is_old {
            let running = (0..workers.count()).map(|index| WorkerId(index as u16));
            improve(first, running.filter_map(after_a_quantum).min());
        }
    }

    /// Requests in an inbox, behind a turn that has turned out to be none of the short ones.
    fn for_inboxes(&self, workers: &Workers, first: &mut Option<Candidate>) {
        let limit = self.limits[0].min(self.shortness.limit().max(self.settings.arm));
        for worker in (2..=workers.deepest()).flat_map(|held| workers.holding(held).iter()) {
            let slot = workers.second(worker).expect("it holds two requests");
            let since = self.shared.requests.waits_since(slot);
            improve(first, self.candidate_after(workers, worker, limit, since + self.settings.arm));
        }
    }
}

fn improve(first: &mut Option<Candidate>, candidate: Option<Candidate>) {
    if let Some(candidate) = candidate {
        *first = Some(first.map_or(candidate, |best| best.min(candidate)));
    }
}

//! When a turn is to end because it has lasted for the quantum.

use super::{End, WorkerSet, Workers};
use crate::sys::clock::Ticks;

/// The next turn to end by the clock, when a turn ends after `quantum` while something waits for its worker: for
/// anyone, for one of `with_work`, or in its inbox.
#[inline]
pub(super) fn end_by_clock(
    workers: &Workers,
    for_anyone: bool,
    with_work: &WorkerSet,
    quantum: Ticks,
) -> Option<End> {
    if for_anyone {
        let (worker, since) = workers.longest_turn()?;
        return Some(End { worker, at: since + quantum });
    }
    let behind = (2..=workers.deepest()).flat_map(|held| workers.holding(held).iter());
    let turns = with_work.iter().chain(behind).filter_map(|worker| Some((worker, workers.turn(worker)?)));
    let (worker, since) = turns.min_by_key(|&(_, since)| since)?;
    Some(End { worker, at: since + quantum })
}

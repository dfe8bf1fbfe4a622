//! Sums up what the threads of a run leave behind.

use super::threads::Ended;
use crate::dispatcher::DispatcherReport;
use crate::id::WorkerId;
use crate::metrics::{GapDetector, Interval, Overrun, Statistics, StolenTime, Turns, WorkerRecorder};
use crate::sys::build::Build;
use crate::sys::clock::{Clock, Tsc};

pub(super) fn statistics(names: &[String], build: Build, clock: Clock, ended: Ended) -> Statistics {
    let Ended { dispatcher, workers } = ended;
    let DispatcherReport { counts, quantum, policy, assist, depth, gaps, lost, epoch, end } = dispatcher;
    let runners =
        || workers.iter().map(|worker| &worker.runner).chain(assist.iter().map(|assist| &assist.runner));
    let mut all = WorkerRecorder::new(names);
    runners().for_each(|runner| all.merge(&runner.recorder));
    let (mut classes, preemptions, achieved_quantum) = all.into_parts();
    for (index, class) in classes.iter_mut().enumerate() {
        class.offered = counts.offered[index];
        class.dropped = counts.dropped[index];
    }
    // Of unknown requests nothing is said when there were none.
    classes.pop_if(|unknown| unknown.offered == 0);
    let mut turns = Turns::new();
    workers.iter().for_each(|worker| turns.merge(&worker.turns));
    let notification = quantum.notification().clone();
    let mut stolen = vec![stolen_time(clock, WorkerId::DISPATCHER, &gaps, epoch)];
    for (index, worker) in workers.iter().enumerate() {
        stolen.push(stolen_time(clock, WorkerId(index as u16), &worker.gaps, epoch));
    }
    let overruns = quantum.overruns().intervals(clock, epoch).into_iter();
    Statistics {
        classes,
        preemptions,
        achieved_quantum,
        notification,
        turnaround: turns.turnaround,
        turns: turns.count,
        between_turns: clock.nanos(turns.between),
        malformed: counts.malformed,
        oversized: counts.oversized,
        unclassified: counts.unclassified,
        lost,
        unsent: runners().map(|runner| runner.unsent).sum(),
        stacks: runners().map(|runner| runner.stacks).sum(),
        assist: assist.as_ref().map(|assist| assist.statistics).unwrap_or_default(),
        jbsq_depth: depth,
        longest_poll_gap: clock.nanos(gaps.longest()),
        stolen,
        overruns: overruns.map(|(worker, interval)| Overrun { worker, interval }).collect(),
        policy,
        build,
        elapsed: clock.nanos(end.since(epoch)),
    }
}

fn stolen_time(clock: Clock, thread: WorkerId, gaps: &GapDetector, epoch: Tsc) -> StolenTime {
    let intervals = gaps.log().intervals(clock, epoch).into_iter();
    let intervals: Vec<Interval> = intervals.map(|((), interval)| interval).collect();
    StolenTime { thread, intervals, lost: gaps.log().lost() }
}

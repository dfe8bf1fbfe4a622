//! Joins what was sent and what came back.

use concord::Status;

use super::receiver::{Received, Reply};
use super::sender::Sent;
use crate::requests::Requests;
use crate::results::ClientRun;
use crate::stats::{Ending, Gaps, Sample, adherence, summarise};
use crate::workload::Schedule;

/// The run's figures; each request of the schedule is in exactly one of the four counts of its class.
pub(super) fn client_run(
    schedule: &Schedule,
    requests: &dyn Requests,
    sent: &Sent,
    received: &Received,
    tolerance_ns: u64,
) -> ClientRun {
    let last_reply = received.replies.iter().flatten().map(|reply| reply.at_ns).max().unwrap_or(0);
    let mut first_wrong = None;
    let mut samples = Vec::with_capacity(schedule.arrivals().len());
    for (index, arrival) in schedule.arrivals().iter().enumerate() {
        let reply = received.replies[index].as_ref();
        let ending = ending(schedule.payload(index), reply, requests, &mut first_wrong);
        samples.push(Sample {
            class: arrival.class,
            intended_ns: arrival.intended_ns,
            completed_ns: reply.map_or(last_reply, |reply| reply.at_ns),
            service_ns: None,
            divisor_ns: arrival.service_ns.map(|ns| ns as f64),
            preemptions: 0,
            ending,
        });
    }
    let late = schedule
        .arrivals()
        .iter()
        .zip(&sent.at_ns)
        .map(|(arrival, at)| at.saturating_sub(arrival.intended_ns));
    let summary = summarise(&samples, &requests.classes(), &Gaps::default());
    ClientRun {
        rate: schedule.arrivals().len() as f64 * 1e9 / schedule.span_ns().max(1) as f64,
        seconds: last_reply.max(schedule.span_ns()) as f64 / 1e9,
        adherence: adherence::judge(late, tolerance_ns),
        classes: summary.classes,
        duplicates: received.duplicates,
        strays: received.strays,
        first_wrong,
    }
}

fn ending(
    payload: &[u8],
    reply: Option<&Reply>,
    requests: &dyn Requests,
    first_wrong: &mut Option<String>,
) -> Ending {
    let Some(reply) = reply else { return Ending::Dropped };
    match reply.status {
        Status::Ok => match requests.check(payload, &reply.bytes) {
            Ok(()) => Ending::Answered,
            Err(wrong) => {
                first_wrong.get_or_insert(wrong.0);
                Ending::Wrong
            }
        },
        Status::Dropped => Ending::Dropped,
        _ => Ending::Error,
    }
}

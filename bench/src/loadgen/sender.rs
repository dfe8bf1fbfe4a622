//! Sends each request at its intended time, or as soon after as it can.

use std::io::ErrorKind;
use std::net::UdpSocket;
use std::thread;
use std::time::{Duration, Instant};

use concord::transport::udp::packet;

use crate::workload::Schedule;

/// Sleeping ends this much too late at worst on an idle machine; the rest of the wait is spent yielding.
const SLEEP_SLACK: Duration = Duration::from_micros(150);

/// What the sender notes.
pub(super) struct Sent {
    /// When each request was sent, in nanoseconds since the start.
    pub(super) at_ns: Vec<u64>,
    /// Sends that failed because nobody listens at the other end.
    pub(super) refused: u64,
}

/// Sends the whole schedule; times count from `begin`.
pub(super) fn send(socket: &UdpSocket, begin: Instant, schedule: &Schedule) -> Sent {
    let mut sent = Sent { at_ns: Vec::with_capacity(schedule.arrivals().len()), refused: 0 };
    let mut bytes = Vec::new();
    for (index, arrival) in schedule.arrivals().iter().enumerate() {
        bytes.clear();
        packet::write_request(index as u64, schedule.payload(index), &mut bytes);
        wait_until(begin + Duration::from_nanos(arrival.intended_ns));
        sent.at_ns.push(begin.elapsed().as_nanos() as u64);
        sent.refused += u64::from(!send_one(socket, &bytes));
    }
    sent
}

/// Whether the packet went out. One that did not is never sent again: no reply will come, and it is counted
/// as dropped.
fn send_one(socket: &UdpSocket, bytes: &[u8]) -> bool {
    loop {
        match socket.send(bytes) {
            Ok(_) => return true,
            Err(error) if error.kind() == ErrorKind::Interrupted => (),
            Err(_) => return false,
        }
    }
}

fn wait_until(time: Instant) {
    loop {
        let left = time.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        match left.checked_sub(SLEEP_SLACK) {
            Some(sleep) if !sleep.is_zero() => thread::sleep(sleep),
            _ => thread::yield_now(),
        }
    }
}

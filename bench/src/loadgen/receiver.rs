//! Notes what came back, and when. Replies are checked afterwards, so that receiving never waits for it.

use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use concord::Status;
use concord::transport::udp::packet;

use crate::requests::REPLY_KEPT;

/// How often a receiver without packets looks whether it is time to stop.
pub(super) const WAKE_UP: Duration = Duration::from_millis(20);

/// The first reply to one request.
pub(super) struct Reply {
    /// When it came, in nanoseconds since the start.
    pub(super) at_ns: u64,
    /// How the request went.
    pub(super) status: Status,
    /// At most [`REPLY_KEPT`] bytes.
    pub(super) bytes: Box<[u8]>,
}

/// What the receiver notes.
pub(super) struct Received {
    /// By request; `None` where no reply came.
    pub(super) replies: Vec<Option<Reply>>,
    /// Further replies to a request that had one.
    pub(super) duplicates: u64,
    /// Packets that answer no request of ours.
    pub(super) strays: u64,
}

impl Received {
    /// Requests with a reply.
    pub(super) fn replies(&self) -> usize {
        self.replies.iter().flatten().count()
    }

    fn note(&mut self, at_ns: u64, bytes: &[u8]) {
        let Some(reply) = packet::parse_reply(bytes) else {
            self.strays += 1;
            return;
        };
        let slot = usize::try_from(reply.id).ok().and_then(|id| self.replies.get_mut(id));
        match slot {
            None => self.strays += 1,
            Some(Some(_)) => self.duplicates += 1,
            Some(slot) => {
                let kept = &reply.payload[..reply.payload.len().min(REPLY_KEPT)];
                *slot = Some(Reply { at_ns, status: reply.status, bytes: kept.into() });
            }
        }
    }
}

/// Receives until every one of `offered` requests has a reply, or `patience` has passed since `sent_all`.
pub(super) fn receive(
    socket: &UdpSocket,
    begin: Instant,
    offered: usize,
    patience: Duration,
    sent_all: &AtomicBool,
) -> Received {
    let mut received = Received { replies: Vec::new(), duplicates: 0, strays: 0 };
    received.replies.resize_with(offered, || None);
    let mut missing = offered;
    let mut sending_ended: Option<Instant> = None;
    let mut buffer = vec![0; 1 << 16];
    while missing > 0 {
        if let Ok(bytes) = socket.recv(&mut buffer) {
            let before = received.duplicates + received.strays;
            received.note(begin.elapsed().as_nanos() as u64, &buffer[..bytes]);
            missing -= usize::from(received.duplicates + received.strays == before);
        }
        // Relaxed: see where it is stored.
        if sending_ended.is_none() && sent_all.load(Ordering::Relaxed) {
            sending_ended = Some(Instant::now());
        }
        if sending_ended.is_some_and(|ended| ended.elapsed() > patience) {
            break;
        }
    }
    received
}

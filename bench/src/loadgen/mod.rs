//! An open-loop client over UDP: sends a schedule, collects the replies, accounts for every request.
//!
//! ```text
//!             schedule
//!                |
//!   sender: sends each request at its intended time  --> server
//!   receiver: notes what came back, and when         <--
//!                |
//!   account: answered | error | wrong | dropped, latency from the intended time, adherence
//! ```
//!
//! The two threads share the socket and one flag; what they note is joined after both have ended.

mod account;
mod program;
mod receiver;
mod sender;

pub use program::main;

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use socket2::SockRef;

use crate::requests::Requests;
use crate::results::ClientRun;
use crate::workload::Schedule;

/// How a load is sent.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where the service listens.
    pub server: SocketAddr,
    /// How long to wait for replies after the last request was sent; what is missing then is dropped.
    pub patience: Duration,
    /// Largest delay, in nanoseconds, of a request that counts as sent on time.
    pub tolerance_ns: u64,
}

/// Why a load could not be sent.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// No socket, or the server's address is out of reach.
    #[error("open a UDP socket towards {server}: {error}")]
    Socket {
        /// Where to.
        server: SocketAddr,
        /// The system's words.
        error: io::Error,
    },
    /// Not one reply came.
    #[error(
        "no reply from {server} to {sent} requests: is the service running there? ({refused} were refused)"
    )]
    NoReply {
        /// Where to.
        server: SocketAddr,
        /// Requests sent.
        sent: u64,
        /// Sends that the system refused, because nobody listens there.
        refused: u64,
    },
}

/// Sends `schedule` and waits for the replies.
///
/// # Errors
/// When the socket cannot be used, or nothing at all came back.
pub fn run(schedule: &Schedule, requests: &dyn Requests, options: Options) -> Result<ClientRun, LoadError> {
    let socket = open(options.server).map_err(|error| LoadError::Socket { server: options.server, error })?;
    let sent_all = AtomicBool::new(false);
    let begin = Instant::now();
    let (sent, received) = thread::scope(|scope| {
        let receiver = scope.spawn(|| {
            receiver::receive(&socket, begin, schedule.arrivals().len(), options.patience, &sent_all)
        });
        let sent = sender::send(&socket, begin, schedule);
        // Relaxed: the receiver only learns that it may count its patience down; no data follows the flag.
        sent_all.store(true, Ordering::Relaxed);
        (sent, receiver.join().expect("the receiver does not panic"))
    });
    if received.replies() == 0 {
        let (sent, refused) = (schedule.arrivals().len() as u64, sent.refused);
        return Err(LoadError::NoReply { server: options.server, sent, refused });
    }
    Ok(account::client_run(schedule, requests, &sent, &received, options.tolerance_ns))
}

/// Asked for; room for some thousand replies.
const RECEIVE_BUFFER_BYTES: usize = 8 << 20;

fn open(server: SocketAddr) -> io::Result<UdpSocket> {
    let any = if server.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let socket = UdpSocket::bind(any)?;
    socket.connect(server)?;
    // The system caps it; replies that do not fit while the receiver is off its core are lost.
    SockRef::from(&socket).set_recv_buffer_size(RECEIVE_BUFFER_BYTES)?;
    socket.set_read_timeout(Some(receiver::WAKE_UP))?;
    Ok(socket)
}

#[cfg(test)]
mod tests;

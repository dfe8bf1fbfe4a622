//! Requests over UDP: one datagram is one request, one datagram the reply. See [`packet`] for the bytes.
//!
//! The dispatcher receives; each worker sends its replies itself, through its own handle of the same socket.
//! Nothing blocks. What is no request is counted and dropped; a request that is too long, cannot be classified
//! or exceeds the queue's bound gets an error reply. What the system threw away because nobody had fetched it
//! in time is counted as `lost`.

pub mod packet;

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::time::Duration;

use super::{Answer, Egress, Intake, Polled, Refusal, Transport};
use crate::request::{Origin, Status};
use crate::sys::clock::Tsc;
use crate::sys::socket;

/// Datagrams that one poll receives at most: some microseconds of work.
const BATCH: usize = 8;

/// Longest datagram there is.
const LONGEST: usize = 1 << 16;

/// How often a send is tried again while the socket's buffer is full.
const SEND_TRIES: usize = 64;

/// The transport; see the module.
#[derive(Debug)]
pub struct Udp {
    socket: UdpSocket,
    buffer: Box<[u8]>,
    refusals: UdpEgress,
    /// Packets that the system had thrown away before the run.
    lost_before: u64,
}

impl Udp {
    /// Binds a socket to `address`; port 0 takes a free one.
    ///
    /// # Errors
    /// What the system said.
    pub fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        socket.set_nonblocking(true)?;
        socket::grow_buffers(&socket);
        let refusals = UdpEgress::new(&socket)?;
        Ok(Self { socket, buffer: vec![0; LONGEST].into(), refusals, lost_before: 0 })
    }

    /// The address it is bound to.
    ///
    /// # Errors
    /// What the system said.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Receives one datagram; `false` when there is none.
    fn receive<I: Intake>(&mut self, intake: &mut I) -> bool {
        let (length, peer) = match self.socket.recv_from(&mut self.buffer) {
            Ok(received) => received,
            // Nothing there; or an error that belongs to an earlier reply (its client is gone): the next poll
            // finds out which.
            Err(_) => return false,
        };
        let Some(request) = packet::parse_request(&self.buffer[..length]) else {
            intake.malformed();
            return true;
        };
        let origin = Origin { id: request.id, peer: Some(peer) };
        if let Err(Refusal { status, .. }) = intake.admit(origin, Tsc::now(), request.payload) {
            self.refusals.reply(origin, status, refusal_message(status));
        }
        true
    }
}

fn refusal_message(status: Status) -> &'static [u8] {
    match status {
        Status::Dropped => b"too many requests are under way",
        Status::Oversized => b"the request is too long",
        Status::Unclassified => b"the request has no class",
        Status::Ok | Status::Error | Status::Panicked | Status::NoStack => b"refused",
    }
}

impl Transport for Udp {
    type Egress = UdpEgress;

    fn open(&mut self, sides: usize, _request_size: usize) -> io::Result<Vec<UdpEgress>> {
        self.lost_before = socket::dropped_packets(&self.socket);
        (0..sides).map(|_| UdpEgress::new(&self.socket)).collect()
    }

    fn poll<I: Intake>(&mut self, _now: Tsc, intake: &mut I) -> Polled {
        let mut polled = Polled::Nothing;
        for _ in 0..BATCH {
            if !self.receive(intake) {
                break;
            }
            polled = Polled::Some;
        }
        polled
    }

    fn wait(&mut self, at_most: Duration) {
        socket::wait_readable(&self.socket, at_most);
    }

    fn lost(&self) -> u64 {
        socket::dropped_packets(&self.socket).saturating_sub(self.lost_before)
    }
}

/// A worker's side: sends replies.
#[derive(Debug)]
pub struct UdpEgress {
    socket: UdpSocket,
    packet: Vec<u8>,
}

impl UdpEgress {
    fn new(socket: &UdpSocket) -> io::Result<Self> {
        Ok(Self { socket: socket.try_clone()?, packet: Vec::with_capacity(LONGEST) })
    }

    /// Sends a reply; `false` when it is lost.
    fn reply(&mut self, origin: Origin, status: Status, payload: &[u8]) -> bool {
        let Some(peer) = origin.peer else { return false };
        self.packet.clear();
        packet::write_reply(origin.id, status, payload, &mut self.packet);
        for _ in 0..SEND_TRIES {
            match self.socket.send_to(&self.packet, peer) {
                Ok(_) => return true,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                // Reported here, but caused by an earlier reply to a client that is gone.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
                Err(_) => return false,
            }
        }
        false
    }
}

impl Egress for UdpEgress {
    fn send(&mut self, answer: &Answer<'_>) -> bool {
        self.reply(answer.origin, answer.status, answer.reply)
    }
}

//! Over loopback: good packets, bad ones, too many, too long.

mod common;

use std::collections::HashMap;
use std::net::UdpSocket;

use common::*;
use concord::transport::udp::{Udp, packet};
use concord::{Config, Nanos, Server, ShutdownHandle, Statistics, Status};

/// A client whose replies are kept by number.
struct Client(UdpSocket);

impl Client {
    fn send(&self, id: u64, payload: &[u8]) {
        let mut bytes = Vec::new();
        packet::write_request(id, payload, &mut bytes);
        self.0.send(&bytes).unwrap();
    }

    /// Waits for so many replies.
    fn replies(&self, count: usize) -> HashMap<u64, (Status, Vec<u8>)> {
        let mut replies = HashMap::new();
        let mut buffer = vec![0; 1 << 16];
        while replies.len() < count {
            let length = self.0.recv(&mut buffer).expect("a reply comes");
            let reply = packet::parse_reply(&buffer[..length]).expect("the server sends replies");
            let before = replies.insert(reply.id, (reply.status, reply.payload.to_vec()));
            assert!(before.is_none(), "request {} was answered twice", reply.id);
        }
        replies
    }
}

/// Runs a server, gives `talk` a client, then shuts the server down.
fn serve(config: Config, talk: impl FnOnce(&Client)) -> Statistics {
    let transport = Udp::bind("127.0.0.1:0").unwrap();
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    client.connect(transport.local_addr().unwrap()).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut server = Server::new(Probing::default(), config).unwrap();
    let handle = server.shutdown_handle();
    std::thread::scope(|scope| {
        let run = scope.spawn(move || server.run(transport).unwrap());
        let end = EndOfTalk(handle);
        talk(&Client(client));
        drop(end);
        run.join().unwrap()
    })
}

/// Shuts the server down, also when the client's assertions fail.
struct EndOfTalk(ShutdownHandle);

impl Drop for EndOfTalk {
    fn drop(&mut self) {
        self.0.shutdown();
    }
}

#[test]
fn requests_are_answered_with_their_number_and_shorts_overtake() {
    let statistics = serve(polite(Some(Nanos::from_micros(5))), |client| {
        client.send(7, &[WAITS_FOR_SHORTS, 1]);
        client.send(8, &[SHORT, 1, 2, 3]);
        client.send(9, &[PANICS]);
        let replies = client.replies(3);
        assert_eq!(replies[&7], (Status::Ok, vec![WAITS_FOR_SHORTS, 1, 1, 0, 0, 0]));
        assert_eq!(replies[&8], (Status::Ok, vec![SHORT, 1, 2, 3, 1, 0, 0, 0]));
        assert_eq!(replies[&9].0, Status::Panicked);
    });
    assert_eq!((statistics.offered(), statistics.answered(), statistics.errors()), (3, 3, 1));
    assert!(statistics.preemptions >= 1);
}

#[test]
fn what_is_no_request_is_counted_and_dropped() {
    let mut good = Vec::new();
    packet::write_request(1, &[SHORT], &mut good);
    let statistics = serve(polite(None), |client| {
        client.0.send(b"").unwrap();
        client.0.send(b"not for you").unwrap();
        client.0.send(&good[..good.len() - 1]).unwrap();
        client.0.send(&[&good[..], b"more"].concat()).unwrap();
        let mut reply = Vec::new();
        packet::write_reply(2, Status::Ok, &[SHORT], &mut reply);
        client.0.send(&reply).unwrap();
        client.send(3, &[SHORT]);
        assert_eq!(client.replies(1).keys().collect::<Vec<_>>(), [&3]);
    });
    assert_eq!((statistics.malformed, statistics.offered(), statistics.answered()), (5, 1, 1));
}

#[test]
fn a_request_that_is_refused_gets_an_error_reply() {
    let config = Config { request_size: 8, ..polite(None) };
    let statistics = serve(config, |client| {
        client.send(1, &[SHORT; 9]);
        client.send(2, &vec![SHORT; 40_000]);
        client.send(3, &[NO_SUCH_CLASS]);
        client.send(4, &[SHORT; 8]);
        let statuses = client.replies(4);
        assert_eq!(statuses[&1], (Status::Oversized, b"the request is too long".to_vec()));
        assert_eq!((statuses[&2].0, statuses[&3].0), (Status::Oversized, Status::Unclassified));
        assert_eq!(statuses[&4].0, Status::Ok);
    });
    assert_eq!((statistics.oversized, statistics.unclassified, statistics.answered()), (2, 1, 1));
    assert_eq!(statistics.offered(), 4);
}

#[test]
fn overload_is_answered_by_drops() {
    const REQUESTS: u64 = 100;
    let config = Config { queue_bound: 2, ..polite(None) };
    let statistics = serve(config, |client| {
        (0..REQUESTS).for_each(|id| client.send(id, &[LONG]));
        let replies = client.replies(REQUESTS as usize);
        assert!(replies.values().any(|(status, _)| *status == Status::Dropped));
        assert!(replies.values().any(|(status, _)| *status == Status::Ok));
    });
    assert_eq!(statistics.answered() + statistics.dropped(), REQUESTS);
    assert_eq!((statistics.unsent, statistics.lost), (0, 0));
}

#[test]
fn thousands_of_requests_over_two_workers_are_answered_or_counted() {
    const REQUESTS: u64 = 3_000;
    let config = Config { workers: 2, ..polite(Some(Nanos::from_micros(5))) };
    let statistics = serve(config, |client| {
        // In windows that fit the client's own buffer.
        for first in (0..REQUESTS).step_by(100) {
            let window = first..first + 100;
            window
                .clone()
                .for_each(|id| client.send(id, &[if id % 50 == 0 { LONG } else { SHORT }, id as u8]));
            let replies = client.replies(100);
            assert!(window.into_iter().all(|id| replies[&id].1[1] == id as u8));
        }
    });
    assert_eq!(statistics.answered(), REQUESTS);
}

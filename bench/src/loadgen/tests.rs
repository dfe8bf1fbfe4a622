//! A load against servers that answer, lie, stay silent and shed.

use std::net::UdpSocket;
use std::thread;
use std::time::Duration;

use concord::Status;
use concord::transport::udp::packet;

use super::{LoadError, Options, run};
use crate::key_value::data::value;
use crate::key_value::{Found, KeyValueRequests, Operation};
use crate::results::ClientRun;
use crate::workload::{Length, Schedule, Workload};

const REQUESTS: usize = 200;

fn schedule() -> Schedule {
    let workload = Workload::find("GET=1").unwrap();
    Schedule::new(&workload, &[20_000.0], Length::Requests(REQUESTS), 1, &KeyValueRequests::default())
        .unwrap()
}

fn right_reply(payload: &[u8]) -> Vec<u8> {
    let Ok(Operation::Get { key }) = Operation::parse(payload) else { panic!("a GET was sent") };
    [&[Found::Yes as u8], &value(key)[..]].concat()
}

/// Runs the load against a server that lets `answer` write packets for each request it gets.
fn against(answer: fn(u64, &[u8]) -> Vec<Vec<u8>>) -> Result<ClientRun, LoadError> {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    server.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let options = Options {
        server: server.local_addr().unwrap(),
        patience: Duration::from_millis(300),
        tolerance_ns: u64::MAX,
    };
    let serve = move || {
        let mut buffer = [0; 2_048];
        for _ in 0..REQUESTS {
            let Ok((bytes, peer)) = server.recv_from(&mut buffer) else { return };
            let request = packet::parse_request(&buffer[..bytes]).expect("a request of ours");
            for reply in answer(request.id, request.payload) {
                server.send_to(&reply, peer).unwrap();
            }
        }
    };
    let server = thread::spawn(serve);
    let result = run(&schedule(), &KeyValueRequests::default(), options);
    server.join().unwrap();
    result
}

fn reply(id: u64, status: Status, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet::write_reply(id, status, payload, &mut bytes);
    bytes
}

#[test]
fn answered_requests_have_latencies_from_the_intended_time() {
    let run = against(|id, payload| vec![reply(id, Status::Ok, &right_reply(payload))]).unwrap();
    let class = &run.classes[0];
    assert_eq!((class.name.as_str(), class.offered, class.answered), ("GET", 200, 200));
    assert!(class.sojourn_raw_ns.unwrap().p50 > 0.0);
    assert_eq!((run.duplicates, run.strays, run.adherence.void), (0, 0, false));
}

#[test]
fn every_request_ends_in_exactly_one_count() {
    let run = against(|id, payload| match id % 5 {
        0 => vec![reply(id, Status::Ok, &right_reply(payload))],
        1 => vec![reply(id, Status::Ok, b"not the value")],
        2 => vec![reply(id, Status::Error, b"the disk is full")],
        3 => vec![reply(id, Status::Dropped, b"too many")],
        _ => vec![],
    })
    .unwrap();
    let class = &run.classes[0];
    assert_eq!((class.answered, class.wrong, class.errors, class.dropped), (40, 40, 40, 80));
    assert!(run.first_wrong.unwrap().contains("instead of"));
}

#[test]
fn duplicates_and_strays_answer_nothing() {
    let run = against(|id, payload| {
        let right = reply(id, Status::Ok, &right_reply(payload));
        let stranger = reply(1 << 40, Status::Ok, &right_reply(payload));
        if id % 2 == 0 { vec![b"noise".to_vec(), stranger, right.clone(), right] } else { vec![right] }
    })
    .unwrap();
    assert_eq!(run.classes[0].answered, 200);
    // The last duplicate may arrive after the last reply that was waited for.
    assert!((99..=100).contains(&run.duplicates), "{}", run.duplicates);
    assert_eq!(run.strays, 200);
}

#[test]
fn a_silent_server_is_an_error_that_says_so() {
    let message = against(|_, _| vec![]).unwrap_err().to_string();
    assert!(message.contains("200 requests") && message.contains("is the service running"), "{message}");
}

//! As many requests as a server takes: how many it does in a second when its handlers do nothing.

use std::io;

use concord::transport::{Answer, Egress, Intake, Polled, Transport};
use concord::{
    Config, Error, Origin, Reply, Request, Server, Service, ServiceError, Statistics, Tsc, WorkerId,
};

/// Requests that one poll hands over.
const BATCH: usize = 16;

/// Hands over the next request as soon as there is room for it.
struct Flood {
    left: u64,
}

/// Throws replies away.
struct Sink;

impl Transport for Flood {
    type Egress = Sink;

    fn open(&mut self, sides: usize, _: usize) -> io::Result<Vec<Sink>> {
        Ok((0..sides).map(|_| Sink).collect())
    }

    fn poll<I: Intake>(&mut self, now: Tsc, intake: &mut I) -> Polled {
        if self.left == 0 {
            return Polled::Ended;
        }
        for taken in 0..BATCH {
            let origin = Origin { id: self.left, peer: None };
            if self.left == 0 || intake.admit(origin, now, &[]).is_err() {
                return if taken == 0 { Polled::Nothing } else { Polled::Some };
            }
            self.left -= 1;
        }
        Polled::Some
    }
}

impl Egress for Sink {
    fn send(&mut self, _: &Answer<'_>) -> bool {
        true
    }
}

/// Does nothing.
struct Empty;

impl Service for Empty {
    type Worker = ();

    fn setup_worker(&self, _: WorkerId) -> Result<(), ServiceError> {
        Ok(())
    }

    fn handle_request(&self, (): &(), _: &Request<'_>, _: &mut Reply) {}
}

/// Runs `requests` requests through a server of empty handlers, as fast as it takes them.
///
/// # Errors
/// When the server cannot run.
pub fn flood(requests: u64, config: Config) -> Result<Statistics, Error> {
    Server::new(Empty, config)?.run(Flood { left: requests })
}

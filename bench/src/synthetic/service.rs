//! The service itself.

use concord::{Class, Reply, Request, Service, ServiceError, WorkerId};

use super::format::{Work, reply as reply_bytes};
use super::work::{Calibration, work};
use crate::workload::catalogue::synthetic_classes;

/// Works for as long as each request says.
#[derive(Default)]
pub struct SyntheticService {
    calibration: Option<Calibration>,
}

impl Service for SyntheticService {
    type Worker = ();

    fn classes(&self) -> Vec<String> {
        synthetic_classes()
    }

    fn setup(&mut self) -> Result<(), ServiceError> {
        self.calibration = Some(Calibration::measure());
        Ok(())
    }

    fn setup_worker(&self, _worker: WorkerId) -> Result<(), ServiceError> {
        Ok(())
    }

    fn classify(&self, payload: &[u8]) -> Class {
        Class(payload.first().copied().unwrap_or(0).into())
    }

    fn handle_request(&self, (): &(), request: &Request<'_>, reply: &mut Reply) {
        let calibration = self.calibration.expect("the runtime calls `setup` first");
        answer(calibration, request.payload(), reply);
    }
}

fn answer(calibration: Calibration, payload: &[u8], reply: &mut Reply) {
    let Some(task) = Work::parse(payload) else {
        return reply.set_error("malformed request: 24 bytes, at most one second of work");
    };
    let steps = calibration.steps(task.service_ns);
    let end = work(task.start, steps);
    if let Err(full) = reply.write(&reply_bytes(steps, end)) {
        reply.set_error(&full.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requests::Requests;
    use crate::synthetic::SyntheticRequests;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn replies_pass_the_clients_check_and_classes_agree() {
        let mut service = SyntheticService::default();
        service.setup().unwrap();
        let requests = SyntheticRequests::default();
        assert_eq!(service.classes(), requests.classes());
        let mut payload = Vec::new();
        requests.make(1, Some(2_000), &mut rand_chacha::ChaCha8Rng::seed_from_u64(1), &mut payload);
        assert_eq!(service.classify(&payload), Class(1));
        let mut reply = Reply::new(64);
        answer(service.calibration.unwrap(), &payload, &mut reply);
        assert_eq!(requests.check(&payload, reply.as_bytes()), Ok(()));
    }

    #[test]
    fn a_malformed_request_gets_an_error_reply() {
        let mut reply = Reply::new(64);
        answer(Calibration::measure(), &[1, 2, 3], &mut reply);
        assert_eq!(reply.status(), concord::Status::Error);
    }
}

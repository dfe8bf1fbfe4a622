//! The service: what the runtime calls.

use std::path::{Path, PathBuf};

use concord::{Class, Reply, ReplyFull, Request, Service, ServiceError, WorkerId};
use concord_bench::key_value::data::{KEYS, key, value};
use concord_bench::key_value::format::{CLASSES, class_index, scan_reply};
use concord_bench::key_value::{Found, Operation};
use tempfile::TempDir;

use crate::store::{Store, StoreError};

/// Memory-backed where the system has it.
const TMPFS: &str = "/dev/shm";

/// LevelDB behind GET, PUT, DELETE and SCAN.
pub(crate) struct LevelDb {
    dir: Option<PathBuf>,
    open: Option<Open>,
}

/// The order of the fields is the order of their end: the store closes before its folder goes.
struct Open {
    store: Store,
    _folder: Option<TempDir>,
}

impl LevelDb {
    /// A service over the database in `dir`, or in a folder on tmpfs that lives as long as the service.
    pub(crate) fn new(dir: Option<PathBuf>) -> Self {
        Self { dir, open: None }
    }

    fn store(&self) -> &Store {
        &self.open.as_ref().expect("the runtime calls `setup` first").store
    }
}

impl Service for LevelDb {
    type Worker = ();

    fn classes(&self) -> Vec<String> {
        CLASSES.map(String::from).to_vec()
    }

    fn setup(&mut self) -> Result<(), ServiceError> {
        let folder = if self.dir.is_none() { Some(temporary_folder()?) } else { None };
        let dir = self.dir.as_deref().or(folder.as_ref().map(TempDir::path)).expect("one of the two");
        std::fs::create_dir_all(dir)
            .map_err(|error| format!("make the folder {}: {error}", dir.display()))?;
        let store = Store::open(dir)?;
        for index in 0..KEYS {
            store.put(&key(index), &value(&key(index)))?;
        }
        self.open = Some(Open { store, _folder: folder });
        Ok(())
    }

    fn setup_worker(&self, _worker: WorkerId) -> Result<(), ServiceError> {
        Ok(())
    }

    fn classify(&self, payload: &[u8]) -> Class {
        Class(class_index(payload) as u16)
    }

    fn handle_request(&self, (): &(), request: &Request<'_>, reply: &mut Reply) {
        answer(self.store(), request.payload(), reply);
    }
}

fn temporary_folder() -> std::io::Result<TempDir> {
    let mut name = tempfile::Builder::new();
    name.prefix("leveldb-svc-");
    if Path::new(TMPFS).is_dir() { name.tempdir_in(TMPFS) } else { name.tempdir() }
}

/// Serves one request; whatever goes wrong becomes an error reply.
fn answer(store: &Store, payload: &[u8], reply: &mut Reply) {
    let written = match Operation::parse(payload) {
        Ok(operation) => serve(store, operation, reply),
        Err(error) => return reply.set_error(&error.to_string()),
    };
    match written {
        Ok(Ok(())) => (),
        Ok(Err(full)) => reply.set_error(&full.to_string()),
        Err(error) => reply.set_error(&error.to_string()),
    }
}

fn serve(
    store: &Store,
    operation: Operation<'_>,
    reply: &mut Reply,
) -> Result<Result<(), ReplyFull>, StoreError> {
    match operation {
        Operation::Get { key } => {
            let found = |value: &[u8]| {
                reply.write(&[Found::Yes as u8])?;
                reply.write(value)
            };
            match store.get(key, found)? {
                Some(written) => Ok(written),
                None => Ok(reply.write(&[Found::No as u8])),
            }
        }
        Operation::Put { key, value } => {
            store.put(key, value)?;
            Ok(reply.write(&[Found::Yes as u8]))
        }
        Operation::Delete { key } => {
            store.delete(key)?;
            Ok(reply.write(&[Found::Yes as u8]))
        }
        Operation::Scan { limit } => Ok(reply.write(&scan_reply(store.scan(limit)?))),
    }
}

#[cfg(test)]
mod tests {
    use concord::Status;
    use concord_bench::Requests;
    use concord_bench::key_value::KeyValueRequests;
    use concord_bench::key_value::format::MAX_VALUE_BYTES;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    fn service() -> LevelDb {
        let mut service = LevelDb::new(None);
        service.setup().unwrap();
        service
    }

    fn reply_to(service: &LevelDb, payload: &[u8]) -> Reply {
        let mut reply = Reply::new(2_048);
        answer(service.store(), payload, &mut reply);
        reply
    }

    fn bytes(operation: Operation<'_>) -> Vec<u8> {
        let mut request = Vec::new();
        operation.write(&mut request);
        request
    }

    #[test]
    fn replies_to_a_mix_of_all_operations_pass_the_clients_check() {
        let service = service();
        let requests = KeyValueRequests::default();
        assert_eq!(service.classes(), requests.classes());
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for index in 0..400 {
            let class = index % 4;
            let mut payload = Vec::new();
            requests.make(class, None, &mut rng, &mut payload);
            assert_eq!(service.classify(&payload), Class(class as u16));
            let reply = reply_to(&service, &payload);
            assert_eq!(reply.status(), Status::Ok);
            assert_eq!(requests.check(&payload, reply.as_bytes()), Ok(()));
        }
    }

    #[test]
    fn a_lost_entry_and_a_foreign_value_fail_the_clients_check() {
        let service = service();
        let requests = KeyValueRequests::default();
        let get = bytes(Operation::Get { key: &key(7) });
        let scan = bytes(Operation::Scan { limit: KEYS });
        reply_to(&service, &bytes(Operation::Put { key: &key(7), value: b"another value" }));
        assert!(requests.check(&get, reply_to(&service, &get).as_bytes()).is_err());
        assert!(requests.check(&scan, reply_to(&service, &scan).as_bytes()).is_err());
        reply_to(&service, &bytes(Operation::Delete { key: &key(7) }));
        assert_eq!(reply_to(&service, &get).as_bytes(), [Found::No as u8]);
        assert!(requests.check(&scan, reply_to(&service, &scan).as_bytes()).is_err());
    }

    #[test]
    fn what_cannot_be_served_gets_an_error_reply_that_says_why() {
        let service = service();
        let mut unknown = bytes(Operation::Get { key: b"k" });
        unknown[0] = 77;
        let large = vec![0; MAX_VALUE_BYTES + 1];
        let oversized = bytes(Operation::Put { key: b"k", value: &large });
        let truncated = &bytes(Operation::Get { key: b"key" })[..9];
        for (payload, part) in [
            (&unknown[..], "unknown operation"),
            (&oversized, "oversized"),
            (truncated, "malformed"),
            (&[], "malformed"),
        ] {
            let reply = reply_to(&service, payload);
            assert_eq!(reply.status(), Status::Error);
            let message = String::from_utf8_lossy(reply.as_bytes()).into_owned();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn a_value_longer_than_the_reply_is_an_error() {
        let service = service();
        reply_to(&service, &bytes(Operation::Put { key: b"k", value: &[1; 100] }));
        let mut reply = Reply::new(50);
        answer(service.store(), &bytes(Operation::Get { key: b"k" }), &mut reply);
        assert_eq!(reply.status(), Status::Error);
    }

    #[test]
    fn the_temporary_folder_goes_with_the_service() {
        let service = service();
        let folder = service.open.as_ref().unwrap()._folder.as_ref().unwrap().path().to_path_buf();
        assert!(folder.is_dir());
        drop(service);
        assert!(!folder.exists());
    }
}

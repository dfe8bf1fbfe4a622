//! The store: LevelDB through its C API. The only file of this service with `unsafe` in it.
//!
//! Nothing here knows of preemption: LevelDB's own mutexes are found by the compiler.

use std::ffi::{CStr, CString, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{self, NonNull};

use concord_bench::key_value::data::Scan;
use leveldb_sys::*;

/// Big enough that a run's writes stay in memory: no compaction takes part in a measurement.
const WRITE_BUFFER_BYTES: usize = 256 << 20;

/// What LevelDB answered when it failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// The database could not be opened.
    #[error("open the database in {dir}: {message}; give another folder with --dir")]
    Open {
        /// Where.
        dir: String,
        /// LevelDB's words.
        message: String,
    },
    /// An operation failed.
    #[error("{operation}: {message}")]
    Operation {
        /// Which.
        operation: &'static str,
        /// LevelDB's words.
        message: String,
    },
}

/// An open database.
pub(crate) struct Store {
    db: NonNull<leveldb_t>,
    read: NonNull<leveldb_readoptions_t>,
    write: NonNull<leveldb_writeoptions_t>,
}

// SAFETY: the database handle crosses threads and is used by several at once; leveldb/db.h states that a DB
// "may be accessed from multiple threads without external synchronization". The two options objects are
// never changed after `open`, and LevelDB takes them by const reference.
unsafe impl Send for Store {}
// SAFETY: as for `Send`.
unsafe impl Sync for Store {}

impl Store {
    /// Opens the database in `dir`, which must exist; makes it when the folder is empty.
    ///
    /// # Errors
    /// LevelDB's own message, for instance when another process has the folder open.
    pub(crate) fn open(dir: &Path) -> Result<Self, StoreError> {
        let open_error = |message| StoreError::Open { dir: dir.display().to_string(), message };
        let name = CString::new(dir.as_os_str().as_bytes())
            .map_err(|_| open_error("the path holds a zero byte".into()))?;
        let mut error = ptr::null_mut();
        // SAFETY: the options are live from create to destroy, `name` is a C string, `error` a valid place
        // for LevelDB's message; LevelDB copies the options.
        let db = unsafe {
            let options = leveldb_options_create();
            leveldb_options_set_create_if_missing(options, 1);
            leveldb_options_set_write_buffer_size(options, WRITE_BUFFER_BYTES);
            leveldb_options_set_compression(options, Compression::No);
            let db = leveldb_open(options, name.as_ptr(), &mut error);
            leveldb_options_destroy(options);
            db
        };
        if let Some(message) = take_message(error) {
            return Err(open_error(message));
        }
        // SAFETY: both constructors take nothing; the objects are destroyed in `drop` alone.
        let (read, write) = unsafe { (leveldb_readoptions_create(), leveldb_writeoptions_create()) };
        let options = NonNull::new(read).zip(NonNull::new(write));
        let (read, write) = options.ok_or_else(|| open_error("out of memory".into()))?;
        let db = NonNull::new(db).ok_or_else(|| open_error("no database and no message".into()))?;
        Ok(Self { db, read, write })
    }

    /// Gives the value of `key` to `found`; `None` when there is none.
    ///
    /// # Errors
    /// LevelDB's own message.
    pub(crate) fn get<T>(&self, key: &[u8], found: impl FnOnce(&[u8]) -> T) -> Result<Option<T>, StoreError> {
        let (mut error, mut len) = (ptr::null_mut(), 0);
        // SAFETY: handle and options are live while `self` is; `key` is readable for its length; the two
        // places for length and message are valid.
        let value = unsafe {
            leveldb_get(
                self.db.as_ptr(),
                self.read.as_ptr(),
                key.as_ptr().cast(),
                key.len(),
                &mut len,
                &mut error,
            )
        };
        fail_on_message("GET", error)?;
        let Some(value) = NonNull::new(value) else { return Ok(None) };
        // SAFETY: LevelDB allocated `len` bytes at `value` for us, and nobody else knows of them.
        let result = found(unsafe { std::slice::from_raw_parts(value.as_ptr().cast(), len) });
        // SAFETY: `value` came from `leveldb_get`, is freed once, and the slice is no longer used.
        unsafe { leveldb_free(value.as_ptr().cast()) };
        Ok(Some(result))
    }

    /// Sets the value of `key`.
    ///
    /// # Errors
    /// LevelDB's own message.
    pub(crate) fn put(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let mut error = ptr::null_mut();
        // SAFETY: handle and options are live while `self` is; key and value are readable for their lengths.
        unsafe {
            leveldb_put(
                self.db.as_ptr(),
                self.write.as_ptr(),
                key.as_ptr().cast(),
                key.len(),
                value.as_ptr().cast(),
                value.len(),
                &mut error,
            );
        }
        fail_on_message("PUT", error)
    }

    /// Removes `key`, present or not.
    ///
    /// # Errors
    /// LevelDB's own message.
    pub(crate) fn delete(&self, key: &[u8]) -> Result<(), StoreError> {
        let mut error = ptr::null_mut();
        // SAFETY: handle and options are live while `self` is; `key` is readable for its length.
        unsafe {
            leveldb_delete(self.db.as_ptr(), self.write.as_ptr(), key.as_ptr().cast(), key.len(), &mut error);
        }
        fail_on_message("DELETE", error)
    }

    /// Visits the first `limit` entries in key order.
    ///
    /// # Errors
    /// LevelDB's own message.
    pub(crate) fn scan(&self, limit: u32) -> Result<Scan, StoreError> {
        let mut entries = Entries::new(self);
        let mut scan = Scan::default();
        while scan.count < limit {
            let Some((key, value)) = entries.current() else { break };
            scan.add(key, value);
            entries.advance();
        }
        entries.finish()?;
        Ok(scan)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // SAFETY: each object was made in `open` and is destroyed once; no iterator outlives the borrow of
        // `self` it was made from.
        unsafe {
            leveldb_close(self.db.as_ptr());
            leveldb_readoptions_destroy(self.read.as_ptr());
            leveldb_writeoptions_destroy(self.write.as_ptr());
        }
    }
}

/// A walk over a snapshot of the store, in key order.
struct Entries<'a> {
    iterator: NonNull<leveldb_iterator_t>,
    _store: &'a Store,
}

impl<'a> Entries<'a> {
    fn new(store: &'a Store) -> Self {
        // SAFETY: handle and options are live while `store` is, which outlives the iterator.
        let iterator = unsafe { leveldb_create_iterator(store.db.as_ptr(), store.read.as_ptr()) };
        let iterator = NonNull::new(iterator).expect("leveldb_create_iterator allocates with new");
        // SAFETY: the iterator is live until `drop`, and ours alone.
        unsafe { leveldb_iter_seek_to_first(iterator.as_ptr()) };
        Self { iterator, _store: store }
    }

    /// The entry that the walk stands at; both slices live until the next [`Entries::advance`].
    fn current(&self) -> Option<(&[u8], &[u8])> {
        let iterator = self.iterator.as_ptr();
        // SAFETY: the iterator is live; key and value are asked for only when it stands at an entry, and
        // LevelDB keeps them until it moves, for which `advance` needs `&mut self`.
        unsafe {
            if leveldb_iter_valid(iterator) == 0 {
                return None;
            }
            let (mut key_len, mut value_len) = (0, 0);
            let key = leveldb_iter_key(iterator, &raw mut key_len);
            let value = leveldb_iter_value(iterator, &raw mut value_len);
            let key = std::slice::from_raw_parts(key.cast(), key_len);
            Some((key, std::slice::from_raw_parts(value.cast(), value_len)))
        }
    }

    /// Goes to the next entry; only after [`Entries::current`] has given one.
    fn advance(&mut self) {
        // SAFETY: the iterator is live and stands at an entry.
        unsafe { leveldb_iter_next(self.iterator.as_ptr()) };
    }

    fn finish(self) -> Result<(), StoreError> {
        let mut error: *mut c_char = ptr::null_mut();
        // SAFETY: the iterator is live; LevelDB writes a message, if any, through the pointer to `error`
        // (the binding's `const` is a slip: the C function takes `char**`).
        unsafe { leveldb_iter_get_error(self.iterator.as_ptr(), (&raw mut error).cast()) };
        fail_on_message("SCAN", error)
    }
}

impl Drop for Entries<'_> {
    fn drop(&mut self) {
        // SAFETY: made in `new`, destroyed once.
        unsafe { leveldb_iter_destroy(self.iterator.as_ptr()) };
    }
}

fn fail_on_message(operation: &'static str, error: *mut c_char) -> Result<(), StoreError> {
    match take_message(error) {
        Some(message) => Err(StoreError::Operation { operation, message }),
        None => Ok(()),
    }
}

/// LevelDB's message, freed; `None` when there is none.
fn take_message(error: *mut c_char) -> Option<String> {
    let error = NonNull::new(error)?;
    // SAFETY: a message is a C string that LevelDB allocated for us; it is copied, then freed once.
    unsafe {
        let message = CStr::from_ptr(error.as_ptr()).to_string_lossy().into_owned();
        leveldb_free(error.as_ptr().cast());
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use concord_bench::key_value::data::{key, value};

    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        (dir, store)
    }

    #[test]
    fn what_was_put_is_found_until_it_is_deleted() {
        let (_dir, store) = store();
        assert_eq!(store.get(b"k", |value| value.to_vec()).unwrap(), None);
        store.put(b"k", b"v\0w").unwrap();
        assert_eq!(store.get(b"k", |value| value.to_vec()).unwrap().as_deref(), Some(&b"v\0w"[..]));
        store.put(b"k", b"").unwrap();
        assert_eq!(store.get(b"k", <[u8]>::len).unwrap(), Some(0));
        store.delete(b"k").unwrap();
        store.delete(b"k").unwrap();
        assert_eq!(store.get(b"k", <[u8]>::len).unwrap(), None);
    }

    #[test]
    fn a_scan_sees_the_first_entries_in_key_order() {
        let (_dir, store) = store();
        assert_eq!(store.scan(10).unwrap(), Scan::default());
        for index in (0..100).rev() {
            store.put(&key(index), &value(&key(index))).unwrap();
        }
        assert_eq!(store.scan(10).unwrap(), Scan::expected(10));
        assert_eq!(store.scan(0).unwrap(), Scan::default());
        assert_eq!(store.scan(u32::MAX).unwrap(), Scan::expected(100));
    }

    #[test]
    fn the_data_outlives_the_handle_and_the_folder_has_one_user() {
        let (dir, store) = store();
        store.put(b"k", b"v").unwrap();
        let message = Store::open(dir.path()).err().expect("the folder is locked").to_string();
        assert!(message.contains("lock") && message.contains("--dir"), "{message}");
        drop(store);
        assert_eq!(Store::open(dir.path()).unwrap().get(b"k", <[u8]>::len).unwrap(), Some(1));
    }
}

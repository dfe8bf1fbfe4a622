//! LevelDB, C++ through its C API: an ordered store in memory, written and walked.

use std::ffi::{CString, c_char};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr::{self, NonNull};

use leveldb_sys::*;

use crate::data::hash;
use crate::kernel::{Kernel, Work};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel::cpp("leveldb-scan", prepare_scan, 0xd081_10d2_a77e_7437),
    Kernel::cpp("leveldb-get", prepare_get, 0x59ec_b4c5_f3ae_9ed6),
];

const KEYS: u32 = 20_000;
/// Big enough that nothing leaves memory.
const WRITE_BUFFER_BYTES: usize = 64 << 20;

fn key(index: u32) -> [u8; 4] {
    index.wrapping_mul(2_654_435_761).to_be_bytes()
}

fn filled() -> (Store, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(folder.path());
    for index in 0..KEYS {
        store.put(&key(index), format!("value of {index}").as_bytes());
    }
    (store, folder)
}

fn prepare_scan() -> Work {
    let (store, folder) = filled();
    Box::new(move || {
        let _ = &folder;
        store.scan().fold(0, |sum: u64, entry| sum.rotate_left(1) ^ entry)
    })
}

fn prepare_get() -> Work {
    let (store, folder) = filled();
    Box::new(move || {
        let _ = &folder;
        (0..KEYS + 500).step_by(7).fold(0, |sum: u64, index| sum.wrapping_mul(31) ^ store.get(&key(index)))
    })
}

/// An open database.
struct Store {
    db: NonNull<leveldb_t>,
    read: NonNull<leveldb_readoptions_t>,
    write: NonNull<leveldb_writeoptions_t>,
}

impl Store {
    fn open(folder: &Path) -> Self {
        let name = CString::new(folder.as_os_str().as_bytes()).expect("temporary paths hold no zero byte");
        let mut error = ptr::null_mut();
        // SAFETY: the options are live from create to destroy and LevelDB copies them; `name` is a C string;
        // `error` is a valid place for a message.
        unsafe {
            let options = leveldb_options_create();
            leveldb_options_set_create_if_missing(options, 1);
            leveldb_options_set_write_buffer_size(options, WRITE_BUFFER_BYTES);
            leveldb_options_set_compression(options, Compression::No);
            let db = leveldb_open(options, name.as_ptr(), &mut error);
            leveldb_options_destroy(options);
            Self {
                db: NonNull::new(db).expect("a new folder can be opened"),
                read: NonNull::new(leveldb_readoptions_create()).expect("allocated with new"),
                write: NonNull::new(leveldb_writeoptions_create()).expect("allocated with new"),
            }
        }
    }

    fn put(&self, key: &[u8], value: &[u8]) {
        let (db, write) = (self.db.as_ptr(), self.write.as_ptr());
        let mut error: *mut c_char = ptr::null_mut();
        // SAFETY: handles are live while `self` is; key and value are readable for their lengths.
        unsafe {
            leveldb_put(
                db,
                write,
                key.as_ptr().cast(),
                key.len(),
                value.as_ptr().cast(),
                value.len(),
                &mut error,
            );
        }
        assert!(error.is_null(), "a put in memory fails only without memory");
    }

    /// Of the value, or 1 when there is none.
    fn get(&self, key: &[u8]) -> u64 {
        let (mut error, mut length) = (ptr::null_mut(), 0);
        // SAFETY: handles are live while `self` is; `key` is readable for its length; the places are valid.
        let value = unsafe {
            leveldb_get(
                self.db.as_ptr(),
                self.read.as_ptr(),
                key.as_ptr().cast(),
                key.len(),
                &mut length,
                &mut error,
            )
        };
        let Some(value) = NonNull::new(value) else { return 1 };
        // SAFETY: LevelDB allocated `length` bytes for us; they are read before they are freed, once.
        unsafe {
            let answer =
                hash(std::slice::from_raw_parts(value.as_ptr().cast::<u8>(), length).iter().copied());
            leveldb_free(value.as_ptr().cast());
            answer
        }
    }

    /// Of each entry, in the order of keys.
    fn scan(&self) -> Entries<'_> {
        // SAFETY: handles are live while `self` is, which outlives the iterator; it is destroyed in `drop`.
        let iterator = unsafe { leveldb_create_iterator(self.db.as_ptr(), self.read.as_ptr()) };
        // SAFETY: the iterator is live and ours alone.
        unsafe { leveldb_iter_seek_to_first(iterator) };
        Entries { iterator, _store: self }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // SAFETY: each was made in `open` and is destroyed once; no iterator outlives its borrow of `self`.
        unsafe {
            leveldb_close(self.db.as_ptr());
            leveldb_readoptions_destroy(self.read.as_ptr());
            leveldb_writeoptions_destroy(self.write.as_ptr());
        }
    }
}

struct Entries<'a> {
    iterator: *mut leveldb_iterator_t,
    _store: &'a Store,
}

impl Iterator for Entries<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let (mut key_length, mut value_length) = (0, 0);
        // SAFETY: the iterator is live; key and value are asked for only when it stands at an entry, and live
        // until it moves.
        unsafe {
            if leveldb_iter_valid(self.iterator) == 0 {
                return None;
            }
            let key = leveldb_iter_key(self.iterator, &raw mut key_length);
            let value = leveldb_iter_value(self.iterator, &raw mut value_length);
            let key = std::slice::from_raw_parts(key.cast::<u8>(), key_length);
            let value = std::slice::from_raw_parts(value.cast::<u8>(), value_length);
            let entry = hash(key.iter().chain(value).copied());
            leveldb_iter_next(self.iterator);
            Some(entry)
        }
    }
}

impl Drop for Entries<'_> {
    fn drop(&mut self) {
        // SAFETY: made in `scan`, destroyed once.
        unsafe { leveldb_iter_destroy(self.iterator) };
    }
}

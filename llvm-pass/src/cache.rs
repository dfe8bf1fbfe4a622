//! Prepared units of earlier links, so that a link after a small change prepares what changed.
//!
//! An entry is a file named by its key: a hash of all that went into it.
//!
//! Invariants:
//! (1) Equal keys, equal content. A key covers the pass itself, the LLVM that it is linked to, the options that shape
//!     units, the unit's bitcode, what the link says of its symbols, and what other units lend to it.
//! (2) An entry is written beside its place and then renamed: two links at once never see half of one.
//! (3) An entry whose checksum is wrong counts as absent, and is made anew.
//! (4) The folder has a limit; what was not used for longest goes first.
//!
//! A cache that cannot be read or written makes links slow, never wrong and never fail.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use concord_job::{LinkJob, Probes};
use twox_hash::XxHash3_128;

/// What the entries of one folder may take, in bytes: those of a large program, some times over.
const LIMIT: u64 = 1 << 30;

/// Begins each entry; another number for another form.
const MAGIC: &[u8; 8] = b"concord1";

/// The entries of one folder; without a folder there are none.
pub struct Cache {
    folder: Option<PathBuf>,
    /// What all entries of a job depend on.
    base: u128,
}

/// Names an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u128);

impl Cache {
    /// The cache of a job. Stages that are written out have to run, so that such jobs have none.
    pub fn of(job: &LinkJob) -> Self {
        let folder = job.cache.clone().filter(|_| job.dump.is_empty());
        let folder = folder.filter(|folder| std::fs::create_dir_all(folder).is_ok());
        // The bound matters after the merge alone, and so does what stands at the sites.
        let marks = job.instrument.probes != Probes::None;
        let options = serde_json::to_string(&(
            &job.optimise,
            &job.instrument.include,
            &job.instrument.exclude,
            marks,
            // Which LLVM the loader finds for this program.
            std::env::var("LD_LIBRARY_PATH").unwrap_or_default(),
        ));
        let program = folder.as_ref().and_then(|_| std::fs::read(std::env::current_exe().ok()?).ok());
        match (program, options) {
            (Some(program), Ok(options)) => {
                Self { folder, base: combine(0, &[&program, options.as_bytes()]) }
            }
            _ => Self { folder: None, base: 0 },
        }
    }

    /// The key of what is made of `parts`.
    pub fn key<'a>(&self, parts: impl IntoIterator<Item = &'a [u8]>) -> Key {
        Key(combine(self.base, &parts.into_iter().collect::<Vec<_>>()))
    }

    /// An entry's parts, if it is there and whole.
    pub fn get<const PARTS: usize>(&self, key: Key) -> Option<[Vec<u8>; PARTS]> {
        let path = self.path(key)?;
        let parts = unpack(&std::fs::read(&path).ok()?)?.try_into().ok()?;
        // Only the order in which entries are removed hangs on it.
        let _ = File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(parts)
    }

    /// Keeps an entry.
    pub fn put(&self, key: Key, parts: &[&[u8]]) {
        let Some(path) = self.path(key) else { return };
        let own = path.with_extension(format!("{}", std::process::id()));
        let written = File::create(&own).and_then(|mut file| file.write_all(&pack(parts)));
        let kept = written.and_then(|()| std::fs::rename(&own, &path));
        if kept.is_err() {
            let _ = std::fs::remove_file(&own);
        }
    }

    /// Removes what was not used for longest, until the rest is within the limit.
    pub fn trim(&self) {
        if let Some(folder) = &self.folder {
            trim(folder, LIMIT);
        }
    }

    fn path(&self, key: Key) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{:032x}", key.0)))
    }
}

/// A hash of `parts` in their order, which tells where each ends.
fn combine(base: u128, parts: &[&[u8]]) -> u128 {
    let mut hashes = base.to_le_bytes().to_vec();
    hashes.extend(parts.iter().flat_map(|part| XxHash3_128::oneshot(part).to_le_bytes()));
    XxHash3_128::oneshot(&hashes)
}

/// Magic, checksum of what follows, then length and bytes of each part.
fn pack(parts: &[&[u8]]) -> Vec<u8> {
    let mut content = Vec::with_capacity(parts.iter().map(|part| part.len() + 8).sum());
    for part in parts {
        content.extend((part.len() as u64).to_le_bytes());
        content.extend(*part);
    }
    let checksum = XxHash3_128::oneshot(&content).to_le_bytes();
    [MAGIC.as_slice(), &checksum, &content].concat()
}

fn unpack(entry: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (checksum, mut content) = entry.strip_prefix(MAGIC)?.split_first_chunk::<16>()?;
    if XxHash3_128::oneshot(content).to_le_bytes() != *checksum {
        return None;
    }
    let mut parts = Vec::new();
    while let Some((length, rest)) = content.split_first_chunk::<8>() {
        let (part, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        parts.push(part.to_vec());
        content = rest;
    }
    Some(parts)
}

fn trim(folder: &Path, limit: u64) {
    let Ok(files) = std::fs::read_dir(folder) else { return };
    let entry = |file: std::fs::DirEntry| {
        let facts = file.metadata().ok()?;
        Some((facts.modified().ok()?, facts.len(), file.path()))
    };
    let mut entries: Vec<_> = files.flatten().filter_map(entry).collect();
    entries.sort_unstable();
    let mut size: u64 = entries.iter().map(|(_, length, _)| length).sum();
    for (_, length, path) in entries {
        if size <= limit {
            break;
        }
        // Another link may have removed it.
        let _ = std::fs::remove_file(path);
        size -= length;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn cache(folder: &Path) -> Cache {
        Cache { folder: Some(folder.to_path_buf()), base: 1 }
    }

    fn key(cache: &Cache, text: &str) -> Key {
        cache.key([text.as_bytes()])
    }

    #[test]
    fn an_entry_comes_back_by_its_key_alone() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        let own = key(&cache, "own");
        assert!(cache.get::<2>(own).is_none());
        cache.put(own, &[b"one", b""]);
        assert_eq!(cache.get(own), Some([b"one".to_vec(), Vec::new()]));
        assert!(cache.get::<1>(own).is_none(), "an entry of another form");
        assert!(cache.get::<2>(key(&cache, "other")).is_none());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn keys_tell_parts_and_jobs_apart() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (cache(folder.path()), Cache { folder: None, base: 2 });
        assert_ne!(one.key([b"ab".as_slice(), b"c"]), one.key([b"a".as_slice(), b"bc"]));
        assert_ne!(key(&one, "a"), key(&other, "a"));
    }

    #[test]
    fn a_damaged_entry_is_absent() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        let own = key(&cache, "own");
        cache.put(own, &[b"content"]);
        let path = cache.path(own).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(cache.get::<1>(own).is_none(), "cut to {length} bytes");
            let mut changed = whole.clone();
            changed[length] ^= 1;
            std::fs::write(&path, changed).unwrap();
            assert!(cache.get::<1>(own).is_none(), "byte {length} changed");
        }
        cache.put(own, &[b"content"]);
        assert!(cache.get::<1>(own).is_some());
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        let keys = ["a", "b", "c"].map(|name| key(&cache, name));
        for (age, key) in keys.into_iter().enumerate() {
            cache.put(key, &[&[0; 100]]);
            let file = File::open(cache.path(key).unwrap()).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(1000 - age as u64)).unwrap();
        }
        assert!(cache.get::<1>(keys[0]).is_some());
        trim(folder.path(), 300);
        assert_eq!(keys.map(|key| cache.get::<1>(key).is_some()), [true, false, true]);
    }

    #[test]
    fn without_a_folder_there_is_nothing() {
        let cache = Cache { folder: None, base: 0 };
        cache.put(key(&cache, "own"), &[b"content"]);
        assert!(cache.get::<1>(key(&cache, "own")).is_none());
    }
}

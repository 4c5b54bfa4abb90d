//! The file system under SQLite: hands every call to the one SQLite brings, and notes on the tape
//! of a watched folder what was written, cut off, synced and deleted.
//!
//! It becomes the default of the process, so that product code runs over it unchanged. Locks and
//! shared memory are those of the real file system; the shared memory of a log is not noted, since
//! it is rebuilt by the first process that opens a database. No file is really synced in such a process: what
//! a sync is worth is decided by [`crate::disk`], not by the machine the test runs on.
#![allow(unsafe_code, reason = "a file system for SQLite is a table of C functions")]

use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::mem::size_of;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anyhow::Context as _;
use rusqlite::ffi;

use crate::tape::{Inode, Tape};

type Base = *mut ffi::sqlite3_vfs;
type File = *mut ffi::sqlite3_file;

/// What SQLite holds for an open file. It wraps a file of the real file system.
#[repr(C)]
struct Shim {
    /// First, because SQLite knows no more of it than this.
    head: ffi::sqlite3_file,
    /// A box; null when the folder is not watched.
    noted: *mut Noted,
}

/// A file of a watched folder.
struct Noted {
    tape: Arc<Tape>,
    inode: Inode,
}

static TAPES: Mutex<BTreeMap<PathBuf, Arc<Tape>>> = Mutex::new(BTreeMap::new());
static INSTALLED: OnceLock<Result<(), String>> = OnceLock::new();

/// Makes the noting file system the default of this process; a second call does nothing.
pub fn install() -> anyhow::Result<()> {
    INSTALLED.get_or_init(register).clone().map_err(anyhow::Error::msg)
}

/// Notes from now on what happens to the databases of a folder. Nothing of it is open yet.
pub fn watch(folder: &Path, tape: Arc<Tape>) -> anyhow::Result<Watch> {
    install()?;
    let folder = folder
        .canonicalize()
        .with_context(|| format!("cannot watch the folder {}", folder.display()))?;
    tapes().insert(folder.clone(), tape);
    Ok(Watch { folder })
}

/// Ends the noting when it is dropped; what is open then is noted until it is closed.
pub struct Watch {
    folder: PathBuf,
}

impl Drop for Watch {
    fn drop(&mut self) {
        tapes().remove(&self.folder);
    }
}

fn tapes() -> std::sync::MutexGuard<'static, BTreeMap<PathBuf, Arc<Tape>>> {
    // The map is changed by single calls: a panic elsewhere leaves it whole.
    TAPES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The tape of the folder that holds a file, and the file's name.
fn tape_of(name: *const c_char) -> Option<(Arc<Tape>, String)> {
    if name.is_null() {
        return None;
    }
    // SAFETY: SQLite hands over names as strings that end with a zero and outlive the call.
    let name = unsafe { CStr::from_ptr(name) };
    let path = Path::new(OsStr::from_bytes(name.to_bytes()));
    let tape = tapes().get(path.parent()?)?.clone();
    Some((tape, path.file_name()?.to_str()?.to_owned()))
}

fn register() -> Result<(), String> {
    // SAFETY: asks for the default; SQLite starts itself on the first call.
    let base = unsafe { ffi::sqlite3_vfs_find(null()) };
    // SAFETY: a registered file system is never freed; null is refused here.
    let Some(real) = (unsafe { base.as_ref() }) else {
        return Err("SQLite has no file system of its own".to_owned());
    };
    let own = size_of::<Shim>();
    let size = c_int::try_from(own).map_err(|e| e.to_string())?;
    let vfs = ffi::sqlite3_vfs {
        szOsFile: real.szOsFile + size,
        pNext: null_mut(),
        zName: c"powercut".as_ptr(),
        pAppData: base.cast(),
        xOpen: Some(open),
        xDelete: Some(delete),
        xAccess: Some(access),
        xFullPathname: Some(full_path),
        xDlOpen: Some(dl_open),
        xDlError: Some(dl_error),
        xDlSym: Some(dl_sym),
        xDlClose: Some(dl_close),
        xRandomness: Some(randomness),
        xSleep: Some(sleep),
        xCurrentTime: Some(current_time),
        xGetLastError: Some(last_error),
        xCurrentTimeInt64: Some(current_time_64),
        ..*real
    };
    // SAFETY: the table lives as long as the process, as SQLite asks.
    let code = unsafe { ffi::sqlite3_vfs_register(Box::into_raw(Box::new(vfs)), 1) };
    if code == ffi::SQLITE_OK { Ok(()) } else { Err(format!("SQLite refused it with {code}")) }
}

/// The file of the real file system that a shim wraps.
fn real(file: File) -> File {
    // Both stand in one block of `szOsFile` bytes, the shim first.
    file.wrapping_byte_add(size_of::<Shim>())
}

/// The notes of a file, when its folder is watched.
///
/// # Safety
/// `file` was opened by [`open`] and is not closed; SQLite uses a file from one thread at a time.
unsafe fn noted<'a>(file: File) -> Option<&'a Noted> {
    // SAFETY: `open` made the shim, and the box lives until `close`.
    unsafe { (*file.cast::<Shim>()).noted.as_ref() }
}

/// Calls the same function of the real file, or says that it has none.
macro_rules! of_file {
    ($file:expr, $slot:ident ( $($arg:expr),* ), $none:expr) => {{
        let file = real($file);
        // SAFETY: `open` opened the real file and set its table; SQLite keeps its own rules on the
        // arguments, which are handed on as they came.
        unsafe {
            match (*file).pMethods.as_ref().and_then(|methods| methods.$slot) {
                Some(call) => call(file $(, $arg)*),
                None => $none,
            }
        }
    }};
}

/// Calls the same function of the real file system, or says that it has none.
macro_rules! of_base {
    ($vfs:expr, $slot:ident ( $($arg:expr),* ), $none:expr) => {{
        // SAFETY: `register` put the real file system there, which is never freed; the arguments
        // are handed on as they came.
        unsafe {
            let base: Base = (*$vfs).pAppData.cast();
            match (*base).$slot {
                Some(call) => call(base $(, $arg)*),
                None => $none,
            }
        }
    }};
}

unsafe extern "C" fn open(
    vfs: Base,
    name: ffi::sqlite3_filename,
    file: File,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let tape = tape_of(name);
    let existed = tape.as_ref().is_none_or(|(tape, name)| tape.has(name));
    // SAFETY: SQLite gives a block of `szOsFile` bytes, aligned for any type.
    unsafe { (*real(file)).pMethods = null() };
    let code = of_base!(vfs, xOpen(name, real(file), flags, out), ffi::SQLITE_CANTOPEN);
    // SAFETY: the same block; the real file sets its table of functions when, and only when, it is
    // to be closed later.
    unsafe {
        let opened = !(*real(file)).pMethods.is_null();
        let noted = match tape {
            Some((tape, name)) if opened && code == ffi::SQLITE_OK => {
                let log = flags & (ffi::SQLITE_OPEN_MAIN_JOURNAL | ffi::SQLITE_OPEN_WAL) != 0;
                let inode = tape.open(&name, existed, log);
                Box::into_raw(Box::new(Noted { tape, inode }))
            }
            Some(_) | None => null_mut(),
        };
        let head = ffi::sqlite3_file { pMethods: if opened { &raw const METHODS } else { null() } };
        file.cast::<Shim>().write(Shim { head, noted });
    }
    code
}

unsafe extern "C" fn close(file: File) -> c_int {
    let code = of_file!(file, xClose(), ffi::SQLITE_OK);
    // SAFETY: `open` wrote the shim; the box is freed once, because it is taken out.
    unsafe {
        let shim = file.cast::<Shim>();
        let noted = std::mem::replace(&mut (*shim).noted, null_mut());
        if !noted.is_null() {
            drop(Box::from_raw(noted));
        }
    }
    code
}

unsafe extern "C" fn write(file: File, data: *const c_void, n: c_int, at: i64) -> c_int {
    let whole = |n: c_int| of_file!(file, xWrite(data, n, at), ffi::SQLITE_IOERR_WRITE);
    // SAFETY: SQLite writes to files that it opened here.
    let Some(Noted { tape, inode }) = (unsafe { noted(file) }) else {
        return whole(n);
    };
    let fault = tape.before_write();
    // A disk that fills up takes the first part of a write.
    let n = if fault.is_some() { n / 2 } else { n };
    let code = if n == 0 { ffi::SQLITE_OK } else { whole(n) };
    if code == ffi::SQLITE_OK
        && let (Ok(n), Ok(at)) = (usize::try_from(n), usize::try_from(at))
    {
        // SAFETY: SQLite hands over a buffer of at least `n` bytes.
        let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), n) };
        tape.wrote(*inode, at, bytes);
    }
    fault.unwrap_or(code)
}

unsafe extern "C" fn truncate(file: File, size: i64) -> c_int {
    let code = of_file!(file, xTruncate(size), ffi::SQLITE_IOERR_TRUNCATE);
    // SAFETY: SQLite cuts off files that it opened here.
    if let Some(Noted { tape, inode }) = unsafe { noted(file) }
        && code == ffi::SQLITE_OK
    {
        tape.truncated(*inode, usize::try_from(size).unwrap_or_default());
    }
    code
}

unsafe extern "C" fn sync(file: File, _flags: c_int) -> c_int {
    // SAFETY: SQLite syncs files that it opened here.
    match unsafe { noted(file) } {
        Some(Noted { tape, inode }) => tape.synced(*inode).err().unwrap_or(ffi::SQLITE_OK),
        None => ffi::SQLITE_OK,
    }
}

unsafe extern "C" fn delete(vfs: Base, name: *const c_char, sync_folder: c_int) -> c_int {
    let code = of_base!(vfs, xDelete(name, 0), ffi::SQLITE_IOERR_DELETE);
    if let Some((tape, name)) = tape_of(name)
        && code == ffi::SQLITE_OK
    {
        tape.deleted(&name, sync_folder != 0);
    }
    code
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 3,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    // No memory map of a file: a write past the tape could not be noted.
    xFetch: Some(fetch),
    xUnfetch: Some(unfetch),
};

unsafe extern "C" fn read(file: File, data: *mut c_void, n: c_int, at: i64) -> c_int {
    of_file!(file, xRead(data, n, at), ffi::SQLITE_IOERR_READ)
}
unsafe extern "C" fn file_size(file: File, size: *mut i64) -> c_int {
    of_file!(file, xFileSize(size), ffi::SQLITE_IOERR_FSTAT)
}
unsafe extern "C" fn lock(file: File, level: c_int) -> c_int {
    of_file!(file, xLock(level), ffi::SQLITE_IOERR_LOCK)
}
unsafe extern "C" fn unlock(file: File, level: c_int) -> c_int {
    of_file!(file, xUnlock(level), ffi::SQLITE_IOERR_UNLOCK)
}
unsafe extern "C" fn check_reserved_lock(file: File, held: *mut c_int) -> c_int {
    of_file!(file, xCheckReservedLock(held), ffi::SQLITE_IOERR_CHECKRESERVEDLOCK)
}
unsafe extern "C" fn file_control(file: File, op: c_int, arg: *mut c_void) -> c_int {
    of_file!(file, xFileControl(op, arg), ffi::SQLITE_NOTFOUND)
}
unsafe extern "C" fn sector_size(file: File) -> c_int {
    of_file!(file, xSectorSize(), 4096)
}
unsafe extern "C" fn device_characteristics(file: File) -> c_int {
    of_file!(file, xDeviceCharacteristics(), 0)
}
unsafe extern "C" fn shm_map(
    file: File,
    region: c_int,
    size: c_int,
    extend: c_int,
    page: *mut *mut c_void,
) -> c_int {
    of_file!(file, xShmMap(region, size, extend, page), ffi::SQLITE_IOERR_SHMMAP)
}
unsafe extern "C" fn shm_lock(file: File, offset: c_int, n: c_int, flags: c_int) -> c_int {
    of_file!(file, xShmLock(offset, n, flags), ffi::SQLITE_IOERR_SHMLOCK)
}
unsafe extern "C" fn shm_barrier(file: File) {
    of_file!(file, xShmBarrier(), ());
}
unsafe extern "C" fn shm_unmap(file: File, delete: c_int) -> c_int {
    of_file!(file, xShmUnmap(delete), ffi::SQLITE_OK)
}
unsafe extern "C" fn fetch(_file: File, _at: i64, _n: c_int, page: *mut *mut c_void) -> c_int {
    // SAFETY: SQLite gives a place for the answer; null means "read it instead".
    unsafe { *page = null_mut() };
    ffi::SQLITE_OK
}
unsafe extern "C" fn unfetch(_file: File, _at: i64, _page: *mut c_void) -> c_int {
    ffi::SQLITE_OK
}

unsafe extern "C" fn access(
    vfs: Base,
    name: *const c_char,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    of_base!(vfs, xAccess(name, flags, out), ffi::SQLITE_IOERR_ACCESS)
}
unsafe extern "C" fn full_path(
    vfs: Base,
    name: *const c_char,
    n: c_int,
    out: *mut c_char,
) -> c_int {
    of_base!(vfs, xFullPathname(name, n, out), ffi::SQLITE_CANTOPEN)
}
unsafe extern "C" fn dl_open(vfs: Base, name: *const c_char) -> *mut c_void {
    of_base!(vfs, xDlOpen(name), null_mut())
}
unsafe extern "C" fn dl_error(vfs: Base, n: c_int, out: *mut c_char) {
    of_base!(vfs, xDlError(n, out), ());
}
unsafe extern "C" fn dl_sym(
    vfs: Base,
    library: *mut c_void,
    name: *const c_char,
) -> Option<unsafe extern "C" fn(Base, *mut c_void, *const c_char)> {
    of_base!(vfs, xDlSym(library, name), None)
}
unsafe extern "C" fn dl_close(vfs: Base, library: *mut c_void) {
    of_base!(vfs, xDlClose(library), ());
}
unsafe extern "C" fn randomness(vfs: Base, n: c_int, out: *mut c_char) -> c_int {
    of_base!(vfs, xRandomness(n, out), 0)
}
unsafe extern "C" fn sleep(vfs: Base, micros: c_int) -> c_int {
    of_base!(vfs, xSleep(micros), 0)
}
unsafe extern "C" fn current_time(vfs: Base, out: *mut f64) -> c_int {
    of_base!(vfs, xCurrentTime(out), ffi::SQLITE_ERROR)
}
unsafe extern "C" fn last_error(vfs: Base, n: c_int, out: *mut c_char) -> c_int {
    of_base!(vfs, xGetLastError(n, out), 0)
}
unsafe extern "C" fn current_time_64(vfs: Base, out: *mut i64) -> c_int {
    of_base!(vfs, xCurrentTimeInt64(out), ffi::SQLITE_ERROR)
}

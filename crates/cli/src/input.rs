//! Bytes from files and standard input, up to a limit: a device such as `/dev/zero` never ends.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use dormouse_types::limits::Limit;

use crate::failure::Failure;

/// Reads a file; `-` and `/dev/stdin` are standard input. Not more than the limit is read, and a longer
/// file is refused.
pub fn read(file: &Path, limit: Limit) -> Result<Vec<u8>, Failure> {
    let is_stdin = file == Path::new("-") || file == Path::new("/dev/stdin");
    let shown = if is_stdin { "standard input".to_owned() } else { file.display().to_string() };
    let failed = |error: io::Error| {
        let failure = Failure::failed(format!("{shown} cannot be read: {error}"));
        if error.kind() == io::ErrorKind::IsADirectory {
            return failure.hint(format!("name the files in it, such as {shown}/*.md"));
        }
        failure
    };
    let bytes = match file == Path::new("-") {
        true => up_to(io::stdin(), limit),
        false => File::open(file).and_then(|file| up_to(file, limit)),
    };
    let bytes = bytes.map_err(failed)?;
    if limit.check(bytes.len()).is_err() {
        let Limit { name, max, unit, .. } = limit;
        let message = format!("{shown}: {name} is too long: at most {max} {unit} are accepted");
        return Err(Failure::failed(message));
    }
    Ok(bytes)
}

/// Reads up to one byte beyond the limit.
fn up_to(from: impl Read, limit: Limit) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limit.max).unwrap_or(u64::MAX).saturating_add(1);
    from.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

//! The close codes of a socket.

/// Why a socket ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Close {
    pub(super) code: u16,
    pub(super) reason: &'static str,
}

impl Close {
    pub(super) const UNAUTHORIZED: Self =
        Self { code: 4001, reason: "the ticket or its token is not valid: get a new ticket" };
    pub(super) const TOO_SLOW: Self = Self { code: 4008, reason: "too slow: resume with since" };
    pub(super) const STOPPING: Self =
        Self { code: 1001, reason: "the server is stopping: resume with since" };
    pub(super) const BROKEN: Self =
        Self { code: 1011, reason: "the store does not respond: resume with since" };
}

//! Single occurrences of agent work: what comes, and what a person skips, moves or suspends.

use dormouse_types::{Caller, Scope, Timestamp, WorkId};
use dormouse_work::RequestContext;
use dormouse_work::occurrence::Wish;
use dormouse_work::repeated::Worded;

use crate::dates::{self, UnderstoodDate, Wording};
use crate::request::require;
use crate::view::{AgentWork, WorkOccurrence, WorkOccurrences};
use crate::work::{sent, work_context};
use crate::{Dormouse, Error};

impl Dormouse {
    /// What comes of the schedule of a definition: the next five occurrences, and all that a person skipped or
    /// moved.
    pub async fn work_occurrences(
        &self,
        caller: &Caller,
        id: &WorkId,
    ) -> Result<WorkOccurrences, Error> {
        require(caller, Scope::Read)?;
        let definition = self.work.definition(caller.workspace, id).await?;
        let coming = self.work.upcoming_of(&definition)?;
        let items = coming.occurrences.into_iter().map(|one| WorkOccurrence {
            key: one.key,
            due: one.due,
            is_moved: one.is_moved,
            is_skipped: one.is_skipped,
            can_restore: one.can_restore,
        });
        Ok(WorkOccurrences { items: items.collect(), suspended_until: coming.suspended_until })
    }

    /// Leaves out one occurrence that is still to come.
    ///
    /// Errors: no such occurrence is to come.
    pub async fn skip_work_occurrence(
        &self,
        caller: &Caller,
        id: &WorkId,
        occurrence: &str,
        key: Option<String>,
    ) -> Result<AgentWork, Error> {
        self.change_occurrence(caller, id, occurrence, Wish::Skip, key).await
    }

    /// Lets one occurrence be due at another time, in words such as `tomorrow at 11`. It stays the same
    /// occurrence.
    ///
    /// Errors: no such occurrence is to come; the words are no time that is to come; the work is suspended
    /// then.
    pub async fn move_work_occurrence(
        &self,
        caller: &Caller,
        id: &WorkId,
        occurrence: &str,
        (to, wording): (&str, Wording),
        key: Option<String>,
    ) -> Result<AgentWork, Error> {
        require(caller, Scope::Edit)?;
        let by = worded(caller, to, wording, key.as_deref())?;
        if let Some(first) = self.answered(caller, Worded::Move(id, occurrence), &by).await? {
            return Ok(first);
        }
        let message = format!("`{to}` has no time of day: write one, such as `tomorrow at 11`");
        let at = self.read_time("to", to, wording)?.at;
        let at = at.ok_or(Error::Invalid { field: "to", message })?;
        self.is_to_come("to", to, at)?;
        self.written_occurrence(caller, id, occurrence, Wish::MoveTo(at), &by).await
    }

    /// Lets one occurrence that was skipped or moved be due as the schedule says.
    ///
    /// Errors: no such occurrence is to come; the time that the schedule says has passed.
    pub async fn restore_work_occurrence(
        &self,
        caller: &Caller,
        id: &WorkId,
        occurrence: &str,
        key: Option<String>,
    ) -> Result<AgentWork, Error> {
        self.change_occurrence(caller, id, occurrence, Wish::Restore, key).await
    }

    /// Lets nothing of a schedule be due until a time or the beginning of a day, in words such as `next monday`.
    /// What falls into it never runs late.
    ///
    /// Errors: the words are no time that is to come; the work has no schedule, or is not active.
    pub async fn suspend_work(
        &self,
        caller: &Caller,
        id: &WorkId,
        (until, wording): (&str, Wording),
        key: Option<String>,
    ) -> Result<AgentWork, Error> {
        require(caller, Scope::Edit)?;
        let (ws, by) = (caller.workspace, worded(caller, until, wording, key.as_deref())?);
        if let Some(first) = self.answered(caller, Worded::Suspend(id), &by).await? {
            return Ok(first);
        }
        let read = self.read_time("until", until, wording)?;
        let begins = |day: jiff::civil::Date| {
            let begins = day.to_zoned(self.zone.get()).ok()?;
            Some(Timestamp::from_jiff(begins.timestamp()))
        };
        let at = read.at.or_else(|| read.day.and_then(begins));
        let message = format!("`{until}` is no day or time: write one, such as `next monday`");
        let at = at.ok_or(Error::Invalid { field: "until", message })?;
        self.is_to_come("until", until, at)?;
        let written = self.work.suspend(ws, id, at, &by).await?;
        Ok(self.queries.work_as_written(ws, written).await?)
    }

    async fn change_occurrence(
        &self,
        caller: &Caller,
        id: &WorkId,
        occurrence: &str,
        wish: Wish,
        key: Option<String>,
    ) -> Result<AgentWork, Error> {
        require(caller, Scope::Edit)?;
        let by = work_context(caller, key.as_deref())?;
        self.written_occurrence(caller, id, occurrence, wish, &by).await
    }

    async fn written_occurrence(
        &self,
        caller: &Caller,
        id: &WorkId,
        occurrence: &str,
        wish: Wish,
        by: &RequestContext,
    ) -> Result<AgentWork, Error> {
        let ws = caller.workspace;
        let written = self.work.change_occurrence(ws, id, occurrence, wish, by).await?;
        Ok(self.queries.work_as_written(ws, written).await?)
    }

    fn read_time(
        &self,
        field: &'static str,
        text: &str,
        wording: Wording,
    ) -> Result<UnderstoodDate, Error> {
        let reader = dates::reader(self.clock.now(), &self.zone.get(), wording);
        let read = dates::date(text, &reader)
            .map_err(|error| Error::Invalid { field, message: error.to_string() })?;
        if read.repeats.is_some() {
            let message = format!(
                "`{text}` happens again: write one day or time, such as `next monday at 9`"
            );
            return Err(Error::Invalid { field, message });
        }
        Ok(read)
    }

    fn is_to_come(&self, field: &'static str, text: &str, at: Timestamp) -> Result<(), Error> {
        if at > self.clock.now() {
            return Ok(());
        }
        let message = format!("`{text}` has passed: name a time that is still to come");
        Err(Error::Invalid { field, message })
    }
}

/// The context of a request that says a time in words.
fn worded(
    caller: &Caller,
    words: &str,
    wording: Wording,
    key: Option<&str>,
) -> Result<RequestContext, Error> {
    Ok(RequestContext { sent: sent(&words, wording), ..work_context(caller, key)? })
}

//! Tells which dispatches are left out as warm-up.

use crate::fold::dispatches::rows::SubmissionKey;
use crate::fold::invocations::invocation::Invocations;
use crate::fold::pass::Call;

/// The invocations at the start of a run that a call leaves out.
pub struct LeftOut<'a> {
    invocations: &'a Invocations,
    warmup: i64,
    /// The last answer: the dispatches of a submission are adjacent.
    last: Option<(SubmissionKey, bool)>,
}

impl<'a> LeftOut<'a> {
    /// Returns `None` if the call leaves nothing out.
    pub fn of(call: &Call<'a>) -> Option<Self> {
        let (invocations, warmup) = (call.invocations, call.signed().unwrap_or_default());
        let is_any = warmup > 0 || (warmup < 0 && invocations.has_warm_up);
        is_any.then_some(Self { invocations, warmup, last: None })
    }

    /// Whether the dispatches of a submission are left out.
    pub fn contains(&mut self, submission: SubmissionKey) -> bool {
        if let Some((known, answer)) = self.last
            && known == submission
        {
            return answer;
        }
        let answer = self.invocations.find(submission).is_some_and(|found| match self.warmup {
            ..0 => found.is_warm_up,
            count => found.number <= count.cast_unsigned(),
        });
        self.last = Some((submission, answer));
        answer
    }
}

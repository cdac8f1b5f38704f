"""Events that were played elsewhere, as their authors submit them: taken, checked, and stored.

A submission comes in parts, which are put together here; a client has one under way at a time, and
a part of another one begins anew. A guest is refused with the first part, a bot whose token has not
the right with the last. What is stored takes the place of an earlier submission with the same id
and of the same author, so one that is sent again after a crash is there once.
"""

import hashlib
from dataclasses import dataclass, field
from functools import partial
from typing import Final
from weakref import WeakKeyDictionary

from mancala.protocol.messages import ErrorCode, Submit, Submitted
from mancala.protocol.submission import MOST_BYTES, Submission, SubmissionError, submission_of

from ..match.context import Context
from ..match.participant import Participant
from ..model.credentials import Credentials
from ..model.journal import SubmissionStored

KEY_BYTES: Final = 8
NO_RIGHT: Final = (
    "only a token with the right to submit may do that (mancala token new --submitter)"
)


@dataclass(slots=True)
class _Upload:
    """What has come of a submission, and how many bytes; once refused, the rest is ignored."""

    submission: str
    parts: list[str] = field(default_factory=list)
    size: int = 0
    is_refused: bool = False


class Submissions:
    def __init__(self, context: Context, credentials: Credentials) -> None:
        self._credentials = credentials
        self._context = context
        self._uploads = WeakKeyDictionary[Participant, _Upload]()

    def forget(self, player: Participant) -> None:
        """Forget what a client has sent of a submission on a former connection."""
        self._uploads.pop(player, None)

    def submit(self, player: Participant, part: Submit) -> None:
        """Take a part of a submission; store it with the last one."""
        upload = self._uploads.get(player)
        if upload is None or upload.submission != part.submission:
            upload = self._uploads[player] = _Upload(part.submission)
        if not part.more:
            del self._uploads[player]
        if upload.is_refused:
            return
        if player.is_guest:
            self._refuse(player, upload, ErrorCode.FORBIDDEN, NO_RIGHT)
            return
        upload.size += len(part.text.encode())
        if upload.size > MOST_BYTES:
            why = f"a submission has at most {MOST_BYTES} bytes"
            self._refuse(player, upload, ErrorCode.LIMIT, why)
            return
        upload.parts.append(part.text)
        if not part.more:
            self._credentials.may_submit(player.name, partial(self._check, player, upload))

    def _refuse(self, player: Participant, upload: _Upload, code: ErrorCode, why: str) -> None:
        upload.is_refused = True
        upload.parts.clear()
        player.send_error(code, why, upload.submission)

    def _check(self, player: Participant, upload: _Upload, may: bool | None) -> None:  # noqa: FBT001  # the answer of a store
        if may is None:
            self._unstored(player, upload)
        elif not may:
            self._refuse(player, upload, ErrorCode.FORBIDDEN, NO_RIGHT)
        else:
            document = "".join(upload.parts)
            try:
                self._store(player, upload, submission_of(document), document)
            except SubmissionError as error:
                self._refuse(player, upload, ErrorCode.INVALID, f"no submission: {error}")

    def _store(
        self, player: Participant, upload: _Upload, submission: Submission, document: str
    ) -> None:
        key = key_of(player.name, upload.submission)
        entry = SubmissionStored(key, player.name, self._context.utc(), submission, document)
        done = partial(player.send, Submitted(upload.submission, key))
        self._context.log.info("submitted", key=key, name=player.name, bytes=upload.size)
        self._context.journal.commit([entry], done, partial(self._unstored, player, upload))

    def _unstored(self, player: Participant, upload: _Upload) -> None:
        why = "the server could not store that; try again later"
        self._refuse(player, upload, ErrorCode.INTERNAL, why)


def key_of(author: str, submission: str) -> str:
    """Return the name under which an author's submission is shown."""
    return hashlib.blake2b(f"{author} {submission}".encode(), digest_size=KEY_BYTES).hexdigest()

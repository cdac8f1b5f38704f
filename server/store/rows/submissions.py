"""Submissions in the store: events that were played elsewhere."""

from typing import Final

from msgspec.structs import replace
from sqlalchemy import RowMapping, Select, bindparam, delete, insert, literal_column, select, update

from mancala.protocol import codec
from mancala.protocol.submission import Submission

from ...model.journal import SubmissionStored
from ...model.schemas.submissions import SubmissionList, SubmissionSummary, SubmissionView
from ..database.schema import submissions
from ..database.writer import Transaction

MOST_OF_AN_AUTHOR: Final = 500
LISTED: Final = 200
"""Submissions in a list, the latest."""
COLUMNS: Final = [submissions.c[name] for name in ("key", "author", "submitted_at", "updated_at")]
INSERT: Final = insert(submissions)
UPDATE: Final = (
    update(submissions)
    .where(submissions.c.key == bindparam("old_key"))
    .values(
        {name: bindparam(f"new_{name}") for name in ("updated_at", "is_test", "head", "document")}
    )
)
FIND: Final = select(submissions.c.key).where(submissions.c.key == bindparam("old_key"))
FORGET: Final = delete(submissions).where(submissions.c.key == bindparam("old_key"))


def excess(*, most: int) -> Select[tuple[str]]:
    """Return the query of an author's submissions that make room for one more."""
    return (
        select(submissions.c.key)
        .where(submissions.c.author == bindparam("by"))
        .order_by(submissions.c.updated_at.desc(), submissions.c.key)
        .limit(literal_column(str(MOST_OF_AN_AUTHOR)))
        .offset(literal_column(str(most - 1)))
    )


EXCESS: Final = excess(most=MOST_OF_AN_AUTHOR)


def keep(entry: SubmissionStored, transaction: Transaction) -> None:
    """Write a submission in the place of an earlier one with its key."""
    values = {
        "updated_at": entry.at,
        "is_test": entry.submission.test is not None,
        "head": _head(entry),
        "document": entry.document,
    }
    if transaction.fetch(FIND, {"old_key": entry.key}):
        changed = {f"new_{name}": value for name, value in values.items()}
        transaction.put(UPDATE, {"old_key": entry.key, **changed})
        return
    for (key,) in transaction.fetch(EXCESS, {"by": entry.author}):
        transaction.put(FORGET, {"old_key": key})
    mine = {"key": entry.key, "author": entry.author, "submitted_at": entry.at}
    transaction.put(INSERT, mine | values)


def _head(entry: SubmissionStored) -> str:
    """Return what a list shows of a submission, as a document of the same kind."""
    test = entry.submission.test
    short = replace(
        entry.submission,
        standings=(),
        rounds=(),
        entrants=entry.submission.entrants[:2],
        test=None if test is None else replace(test, course=()),
    )
    return codec.to_json(short).decode()


def latest(transaction: Transaction, *, tests: bool) -> SubmissionList:
    query = select(*COLUMNS, submissions.c.head).where(submissions.c.is_test.is_(tests))
    query = query.order_by(submissions.c.updated_at.desc(), submissions.c.key).limit(LISTED)
    return SubmissionList(submissions=tuple(map(_summary, transaction.execute(query).mappings())))


def submission_at(transaction: Transaction, key: str) -> SubmissionView | None:
    query = select(*COLUMNS, submissions.c.document).where(submissions.c.key == key)
    row = transaction.execute(query).mappings().one_or_none()
    if row is None:
        return None
    facts = {column.name: row[column.name] for column in COLUMNS}
    return SubmissionView(**facts, submission=codec.from_json(row["document"], Submission))


def _summary(row: RowMapping) -> SubmissionSummary:
    facts = {column.name: row[column.name] for column in COLUMNS}
    head = codec.from_json(row["head"], Submission)
    players = tuple(each.name for each in head.entrants)
    return SubmissionSummary.of(head, **facts, players=players)

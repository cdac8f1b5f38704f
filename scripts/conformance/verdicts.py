"""What a bot did in each situation, in words that its author can act on."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Final, NamedTuple, TypeVar

HEADING: Final = re.compile(r"^## ([0-9]+)\. ", re.MULTILINE)
FRAME_LETTERS: Final = 300

T = TypeVar("T")


class Rule(NamedTuple):
    """A paragraph of SPEC.md: the first with these words, after a heading where needed."""

    words: str
    heading: str = ""


class FailureError(Exception):
    """A bot did something else than it should, by a paragraph of SPEC.md or words of it.

    Attributes:
        is_late: whether a bot that has answered before said nothing in its time, as may happen
            where the machine is busy.
    """

    def __init__(self, expected: str, got: str, spec: str | Rule, *, is_late: bool = False) -> None:
        self.expected = expected
        self.got = got
        self.is_late = is_late
        self.spec = spec if isinstance(spec, Rule) else Rule(spec)
        super().__init__(f"expected {expected}; got {got}")

    @property
    def rule(self) -> str:
        """The paragraph of SPEC.md, after the number of its section."""
        return f"SPEC.md, {paragraph(*self.spec)}"


class AbsentError(FailureError):
    """A bot did not connect."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a bot did in one situation, with the last messages, oldest first, if it failed."""

    situation: str
    failure: FailureError | None = None
    frames: Sequence[str] = ()
    note: str = ""


@dataclass(slots=True)
class ConformanceReport:
    """All verdicts on one bot; skipped are situations not tried, as the bot was gone or silent."""

    bot: str
    verdicts: list[Verdict] = field(default_factory=list)
    skipped: Sequence[str] = ()

    @property
    def failed(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.failure is not None]

    def as_json(self) -> dict[str, Any]:
        return {
            "bot": self.bot,
            "passed": [each.situation for each in self.verdicts if each.failure is None],
            "failed": [_failure(each, each.failure) for each in self.verdicts if each.failure],
            "skipped": list(self.skipped),
        }

    def as_text(self) -> str:
        """Return the report for people: a line for each situation, and a block for each failure."""
        lines = [_line(verdict) for verdict in self.verdicts]
        for number, verdict in enumerate(self.failed, start=1):
            lines += ["", *_block(number, verdict)]
        if self.skipped:
            lines += ["", f"not tried, as the bot was gone or silent: {', '.join(self.skipped)}"]
        lines.append(f"\n{len(self.verdicts) - len(self.failed)} passed, {len(self.failed)} failed")
        return "\n".join(lines)


def _line(verdict: Verdict) -> str:
    mark = "FAILED" if verdict.failure else "passed"
    return f"{mark}  {verdict.situation}" + (f" ({verdict.note})" if verdict.note else "")


def _failure(verdict: Verdict, failure: FailureError) -> dict[str, Any]:
    return {
        "situation": verdict.situation,
        "expected": failure.expected,
        "got": failure.got,
        "spec": failure.rule,
        "frames": list(verdict.frames),
    }


def _block(number: int, verdict: Verdict) -> list[str]:
    failure = verdict.failure
    if failure is None:
        return []
    return [
        f"{number}. {verdict.situation}",
        f"   expected: {failure.expected}",
        f"   got:      {failure.got}",
        f"   rule:     {failure.rule}",
        *(f"     {frame}" for frame in verdict.frames),
    ]


def chosen(situations: Mapping[str, T], names: Collection[str]) -> dict[str, T]:
    """Return the situations of these names, or all; the first one, a greeting, is always met."""
    if unknown := set(names) - set(situations):
        raise ValueError(f"no situation {min(unknown)!r}; there are {', '.join(situations)}")
    first = next(iter(situations))
    return {name: each for name, each in situations.items() if not names or name in {first, *names}}


def paragraph(words: str, heading: str = "") -> str:
    """Return the first paragraph of SPEC.md with these words, after the number of its section."""
    text = files("mancala.protocol").joinpath("SPEC.md").read_text(encoding="utf-8")
    reference = HEADING.search(text)
    begin = reference.start() if reference is not None else 0
    place = text.find(words, max(begin, text.find(heading)))
    if place < 0 or heading not in text:
        raise ValueError(f"SPEC.md has no {words!r}")
    sections = [found[1] for found in HEADING.finditer(text, 0, place)]
    line = text[text.rfind("\n", 0, place) + 1 : text.find("\n", place)]
    return f"section {sections[-1]}: {line.removeprefix('- ')}"


def short(frame: str) -> str:
    """Return a frame for a report, its end cut off if it is long."""
    return frame if len(frame) <= FRAME_LETTERS else f"{frame[:FRAME_LETTERS]} …"

"""Headless events as submissions: what a server's page and a report show of them."""

import os
import platform
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from mancala.protocol.submission import (
    SequentialTest,
    Submission,
    SubmissionState,
    SubmittedEncounter,
    SubmittedGame,
    SubmittedPlayer,
    SubmittedRound,
    SubmittedStanding,
)
from mancala.protocol.text import quantity
from mancala.server.config.events import Format
from mancala.server.contest.events.plan import FORMATS, played_rounds
from mancala.server.contest.headless.event import Event
from mancala.server.contest.headless.played_game import PlayedGame
from mancala.server.contest.headless.runs import EventRun, MatchRun, TournamentRun
from mancala.server.contest.headless.score import MatchScore
from mancala.server.contest.headless.standings import EventStandings

CPU_FACTS: Final = Path("/proc/cpuinfo")
CPU_NAME: Final = re.compile(r"^model name.*?:(.*)$", re.MULTILINE)
COURSE_POINTS: Final = 256
LONGEST_NAME: Final = 128
LONGEST_TEXT: Final = 256
COLUMNS: Final = tuple(
    name for name in SubmittedStanding.__struct_fields__ if name not in {"name", "margin"}
)


@dataclass(slots=True)
class Course:
    """The log-likelihood ratio after every ``step`` pairs of games, which doubles to keep few."""

    values: list[float] = field(default_factory=list)
    step: int = 1
    _pairs: int = 0

    def add(self, llr: float) -> None:
        self._pairs += 1
        if self._pairs % self.step == 0:
            self.values.append(round(llr, 4))
        if len(self.values) >= COURSE_POINTS:
            self.values, self.step = self.values[1::2], 2 * self.step

    def follow(self, score: MatchScore) -> None:
        """Add the ratio after the pairs of games that count now."""
        if (judgement := score.judgement) is not None:
            for _ in range(self._pairs, score.games // 2):
                self.add(judgement.llr)


def event_submission(
    run: TournamentRun, table: EventStandings, *, title: str | None = None, stopped: bool = False
) -> Submission:
    """Return a headless event as a submission; its title is by default its format and players."""
    state = SubmissionState.STOPPED if stopped else SubmissionState.PLAYING
    rounds = _rounds(run)
    return Submission(
        **_head(run, title),
        state=SubmissionState.FINISHED if table.complete else state,
        round=len(rounds),
        played=table.games,
        tie_breaks=tuple(each.value for each in table.tie_breaks),
        standings=tuple(
            SubmittedStanding(
                name=_short(line.name),
                margin=float(line.margin),
                **{name: getattr(line, name) for name in COLUMNS},
            )
            for line in table.standings
        ),
        rounds=rounds,
    )


def match_submission(
    run: MatchRun, course: Course, *, title: str | None = None, stopped: bool = False
) -> Submission:
    """Return a headless match of two as a submission; its test with it, if it is one."""
    event, score = run.event, run.score
    is_over = score.verdict is not None or score.taken >= event.games
    state = SubmissionState.STOPPED if stopped else SubmissionState.PLAYING
    head = _head(run, title or " against ".join(event.names))
    return Submission(
        **head | {"format": Format.MATCH.value},
        state=SubmissionState.FINISHED if is_over else state,
        played=score.games,
        planned=event.games,
        standings=_match_standings(event, score),
        test=_test(score, course),
    )


def _head(run: EventRun, title: str | None) -> dict[str, Any]:
    event, games = run.event, run.journal.games
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {
        "title": title or f"{FORMATS[event.format].title} of {len(event.contenders)}",
        "format": event.format.value,
        "entrants": tuple(
            SubmittedPlayer(_short(each.name), each.spec[:LONGEST_TEXT])
            for each in event.contenders
        ),
        "rules": str(event.conditions.rules),
        "clock": f"{event.conditions.budget_s:g} s a move",
        "seed": event.conditions.seed,
        "version": f"mancala-arena {version('mancala-arena')}",
        "machine": machine(),
        "began_at": games[min(games)].record.started_at or "" if games else now,
        "at": now,
    }


def machine() -> str:
    """Return this machine in words: its system, its processor and the number of cores."""
    try:
        facts = CPU_FACTS.read_text(errors="replace")
    except OSError:
        facts = ""
    named = CPU_NAME.search(facts)
    processor = named[1].strip() if named else platform.machine()
    cores = quantity(os.cpu_count() or 1, "core")
    return f"{platform.system()}, {cores}, {processor}"[:LONGEST_TEXT]


def _short(name: str) -> str:
    return name[:LONGEST_NAME]


def _rounds(run: TournamentRun) -> tuple[SubmittedRound, ...]:
    event, progress = run.event, run.progress
    finished, paired = progress.games, progress.plan.decided.rounds
    results = {number: game.rated for number, game in finished.items()}
    void = {number for number, game in finished.items() if game.is_void}
    counted = played_rounds(event.terms, paired, results, void)
    rounds, first = [], 0
    for number, (each, whole) in enumerate(zip(paired, counted, strict=True), start=1):
        encounters = []
        for one, other in each.encounters:
            its = [finished[it] for it in range(first, first + event.games) if it in finished]
            played = tuple(map(_game, its))
            encounters.append(SubmittedEncounter(_short(one), _short(other), played))
            first += event.games
        byes = tuple(map(_short, each.byes))
        unplayed = {_short(name): points for name, points in whole.unplayed.items()}
        rounds.append(SubmittedRound(number, byes, tuple(encounters), unplayed))
    return tuple(rounds)


def _game(played: PlayedGame) -> SubmittedGame:
    facts = played.facts
    first, second = map(_short, facts.players)
    reason = facts.reason.value if facts.reason is not None else ""
    return SubmittedGame(first, second, facts.winner, facts.margin, reason)


def _match_standings(event: Event, score: MatchScore) -> tuple[SubmittedStanding, ...]:
    """Return the table of a match; of two who are level the one named first is first."""
    points = score.wins + score.draws / 2
    ours = (score.games, points, score.wins, score.draws, score.losses)
    theirs = (score.games, score.games - points, score.losses, score.draws, score.wins)
    lines = sorted(zip(event.names, (ours, theirs), strict=True), key=lambda each: -each[1][1])
    return tuple(
        SubmittedStanding(rank, _short(name), *counts)
        for rank, (name, counts) in enumerate(lines, start=1)
    )


def _test(score: MatchScore, course: Course) -> SequentialTest | None:
    test, judgement = score.sprt, score.judgement
    if test is None or judgement is None:
        return None
    summary = score.summary()
    return SequentialTest(
        *(test.elo0, test.elo1, test.alpha, test.beta, test.model.value),
        llr=judgement.llr,
        lower=test.lower,
        upper=test.upper,
        pentanomial=tuple(summary["pentanomial"]),
        verdict=judgement.verdict,
        **{name: summary[name] for name in ("score", "elo", "elo_error", "los")},
        course=tuple(course.values),
    )

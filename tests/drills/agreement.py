"""Drill: how often other programs pair as the events here are paired.

    python -m tests.drills.agreement --events 100 --bbp FOLDER --caissify FOLDER

Simulated Swiss events of 5 to 60 players with absences, of one game an encounter, are written as
FIDE's reports; each program checks each round of each. gacrux is the one that pairs here, so it
shows that the reports say what was played. bbpPairings is a folder in which it was built,
caissify-pairings one into which it was installed (``pip install --target``). The table of
docs/tournaments.md is its result.

    python -m tests.drills.agreement --report FILE --report FILE --bbp FOLDER

reads reports of events that were held elsewhere, where they lie, and writes them anew: each program
finds the same rounds that it would have paired otherwise, and gacrux the same tie-breaks, if it can
read the file.
"""

import json
import random
import re
import subprocess
import sys
import tempfile
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer
from msgspec.structs import replace

from mancala.server.contest.events.plan import plan, reported
from mancala.server.contest.events.terms import Terms
from mancala.server.contest.events.trf import (
    NOT_PLAYED,
    ReportedPlayer,
    SwissEvent,
    read_report,
    report,
)
from mancala.server.contest.live.archives import imported
from mancala.server.contest.live.reports import archive_of_report, text_of, trf_of
from mancala.server.contest.live.state import restored
from mancala.server.model.game import RatedGame, Round
from tests.drills.pairings import result_of, swiss_terms
from tests.drills.report import DrillReport, SeedOption, command_line

FEWEST, MOST = 5, 60
"""Players of an event."""
HEADING: Final = re.compile(r"(?m)^.*Round #(\d+).*$")
ROW: Final = "| {} | {} | {:.0%} |"
CAISSIFY: Final = """
import json, sys
from caissify_pairings.fpc import check_trf
for each in check_trf(open(sys.argv[1]).read())["rounds"]:
    print("Round #%d" % each["round"])
    print("\\n".join(each["discrepancies"]))
"""


class Checker(NamedTuple):
    """A program that checks reports, and what it is called with before and after the file."""

    name: str
    command: tuple[str, ...]
    after: tuple[str, ...] = ()

    def said_of(self, file: Path) -> str:
        command = [*self.command, str(file), *self.after]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        return ended.stdout + ended.stderr


def rounds_with_lines(printed: str) -> set[int]:
    """Return the rounds whose heading is followed by a line that is not blank."""
    parts = HEADING.split(printed.partition("Check:")[0])
    return {
        int(number) for number, said in zip(parts[1::2], parts[2::2], strict=True) if said.strip()
    }


def programs(bbp: Path | None, caissify: Path | None) -> list[Checker]:
    python = (sys.executable, "-P")
    check = (*python, "-m", "gacrux.pairingchecker", "-c", "-d", "T", "-i")
    found = [Checker(f"gacrux {version('gacrux')}", check)]
    if bbp is not None:
        found.append(Checker("bbpPairings", (str(bbp / "bbpPairings.exe"), "--dutch"), ("-c",)))
    if caissify is not None:
        code = f"import sys; sys.path.insert(0, {str(caissify)!r}){CAISSIFY}"
        (there,) = distributions(name="caissify-pairings", path=[str(caissify)])
        found.append(Checker(f"caissify-pairings {there.version}", (*python, "-c", code)))
    return found


def drill(events: int, seed: int, checked: list[Checker]) -> DrillReport:
    """Have programs check the rounds of simulated events."""
    rng = random.Random(seed)
    rounds = 0
    alike = dict.fromkeys((each.name for each in checked), 0)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "event.trf"
        for _ in range(events):
            terms = replace(swiss_terms(rng, rng.randint(FEWEST, MOST)), games=1)
            paired, played = _played(terms, rng)
            rounds += len(paired)
            past, scores = reported(terms, paired, played)
            event = SwissEvent(terms.players, terms.rounds, 1)
            file.write_text(report(event, past, scores[:-1]))
            for each in checked:
                said = each.said_of(file)
                if "Round #" not in said:
                    raise ValueError(f"{each.name}: {said}")
                alike[each.name] += len(paired) - len(rounds_with_lines(said))
    rows = [ROW.format(name, rounds, count / rounds) for name, count in alike.items()]
    figures = {"events": events, "rounds": rounds, "table": rows}
    own = next(iter(alike.values()))
    return DrillReport("agreement", seed, figures, {"gacrux_reads_its_own_pairs": own == rounds})


def _played(terms: Terms, rng: random.Random) -> tuple[list[Round], dict[int, RatedGame]]:
    played, kept = dict[int, RatedGame](), list[Round]()
    while len(rounds := plan(terms, played, kept).rounds) > len(kept):
        kept = [*rounds]
        for pair in kept[-1].encounters:
            played[len(played)] = result_of(terms, pair, rng)
    return kept, played


def read_back(files: list[Path], checked: list[Checker]) -> DrillReport:
    figures = dict[str, object]()
    same = dict[str, bool]()
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "event.trf"
        for file in files:
            text = text_of(file.read_bytes())
            settings, kept = imported(archive_of_report(text))
            written.write_text(trf_of(settings, restored(kept, settings)))
            both = text, written.read_text()
            figures[file.name] = {
                "players": len(settings.entrants),
                "rounds": kept.round,
                "paired otherwise": {
                    each.name: [_otherwise(each, it) for it in (file, written)] for each in checked
                },
            }
            results = [[results_of(each) for each in read_report(it).players] for it in both]
            same[f"{file.name}: results"] = results[0] == results[1]
            before, after = (tie_breaks(it, kept.round) for it in (file, written))
            same[f"{file.name}: tie-breaks"] = before in {None, after} and after is not None
    return DrillReport("agreement", 0, figures, same)


def _otherwise(program: Checker, file: Path) -> list[int] | None:
    """Return the rounds of a report that a program pairs otherwise; None if it can't read it."""
    said = program.said_of(file)
    return sorted(rounds_with_lines(said)) if "Round #" in said else None


def results_of(player: ReportedPlayer) -> list[tuple[int, str]]:
    return [(each.opponent, each.result) for each in player.entries if each != NOT_PLAYED]


def tie_breaks(file: Path, rounds: int) -> str | None:
    """Return what gacrux makes of a report: each player's tie-breaks; None if it can't read it."""
    wanted = ("-n", str(rounds), "-t", "PTS", "BH", "BH/C1", "SB", "DE")
    module = (sys.executable, "-P", "-m", "gacrux.tiebreakchecker", "-i")
    try:
        said = json.loads(Checker("gacrux", module, wanted).said_of(file))
        return json.dumps(said["tiebreakResult"]["competitors"])
    except (ValueError, KeyError):
        return None


def main(
    *,
    events: Annotated[int, typer.Option(min=1, help="Number of Swiss events.")] = 100,
    seed: SeedOption = 1,
    bbp: Annotated[Path | None, typer.Option(help="Where bbpPairings was built.")] = None,
    caissify: Annotated[Path | None, typer.Option(help="Where caissify-pairings is.")] = None,
    report: Annotated[list[Path] | None, typer.Option(help="An event held elsewhere.")] = None,
) -> DrillReport:
    """Have other programs check how the events here are paired, or what reports become here."""
    checked = programs(bbp, caissify)
    return read_back(report, checked) if report else drill(events, seed, checked)


if __name__ == "__main__":
    command_line(main)

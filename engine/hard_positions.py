"""The files of hard positions: lines of JSON with exact values, and a card that says what they are.

They are those of `mancala.engine.yardstick` for one variant and seed, so that no rule of thumb
helps much: a model is asked for a pit, and what the pit loses stands in the line. No engine is
needed to score. A board that a seed comes by again is left out, and the seed's next positions take
its place: few boards with many seeds meet the demands, and one that stood there twelve times would
count twelve times. A position that is in the file is not made again, so the same call goes on after
an interruption (one that was left out is made, and left out, anew); the lines are put in order, and
the card is written, when a call ends.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from msgspec import Struct

from mancala.files import write_whole
from mancala.protocol import codec
from mancala.protocol.loss import ProvenPosition, one_ply_greed
from mancala.protocol.rules import Rules
from mancala.protocol.text import quantity

from . import yardstick
from .dataset_files import CARD, PAGE, DatasetFile, check_unused

POSITIONS: Final = "positions.jsonl"
FORMAT: Final = 2
"""Raised when plans make other files than before; 1 had boards that a seed comes by again."""
GREED: Final = "one-ply greed"
COLUMNS: Final = {
    "id": "the rules and the number",
    "rules": "what is played, as `mancala --rules` takes it",
    "number": "the position's number among those of the seed",
    "phase": "early, middle or late, by the seeds left in the pits",
    "board": "`<pits,store,other store,pits…,other pits…>`, the mover first",
    "values": "what each legal pit is worth: the proven store difference at the end, for the mover",
}


class HardPlan(Struct, frozen=True):
    """What decides hard positions: in one format, a plan makes the same file on every machine."""

    rules: str
    seed: int
    positions: int


class HardBaseline(Struct, frozen=True):
    """What a choice without thought comes to: how often it is best, what it loses; both 0..1.

    The loss is a share of what the worst pits lose.
    """

    best: float
    loss: float


class HardCard(Struct, frozen=True):
    """What a file of hard positions is; a card that states no format is of the first."""

    plan: HardPlan
    version: str
    columns: dict[str, str]
    positions: int = 0
    baselines: dict[str, HardBaseline] = {}
    file: DatasetFile | None = None
    format: int = 1

    def to_dict(self, home: Path) -> dict[str, Any]:
        """Return the result as JSON values, as ``mancala dataset --hard --json`` prints it."""
        return {
            "positions": self.positions,
            "files": [str(home / self.file.name)] if self.file else [],
            "exact": self.positions,
            "card": str(home / CARD),
        }


def make(home: Path, plan: HardPlan, executor: Executor) -> Iterator[int]:
    """Make the positions that are missing in a folder; yield their number after each.

    Raises:
        ValueError: when there are no such positions, or the folder holds those of another plan
            or format.
        OSError: when a file cannot be read or written.
    """
    rules = Rules.of(plan.rules)
    if rules.majority:
        raise ValueError("under majority a value depends on the stores; choose other rules")
    yardstick.phases_of(rules)
    home.mkdir(parents=True, exist_ok=True)
    made = _begun(home, plan)
    boards = {each.board for each in made.values()}
    yield len(boards)
    if len(boards) == plan.positions == read_card(home).positions:
        return
    try:
        write_whole(home / POSITIONS, _lines(yardstick.distinct(made.values())))
        with (home / POSITIONS).open("ab") as file:
            for position in yardstick.draw(executor, plan.seed, plan.positions, made, rules=rules):
                file.write(_lines([position]))
                file.flush()
                boards.add(position.board)
                yield len(boards)
    finally:
        _write(home, plan, made)


def read_card(home: Path) -> HardCard:
    return codec.from_json((home / CARD).read_bytes(), HardCard)


def _begun(home: Path, plan: HardPlan) -> dict[int, ProvenPosition]:
    """Return the positions that a folder holds by number, after checking whose they are."""
    if not (home / CARD).exists():
        check_unused(home, POSITIONS, PAGE)
        _write(home, plan, {})
    try:
        card = read_card(home)
    except ValueError:
        card = None
    if card is None or (card.plan, card.format) != (plan, FORMAT):
        raise ValueError(
            f"{home / CARD} is of positions made otherwise, or by another version; choose another"
            " folder"
        )
    whole, _, _torn = (home / POSITIONS).read_bytes().rpartition(b"\n")
    lines = map(json.loads, whole.splitlines())
    return {each.number: each for each in map(ProvenPosition.from_dict, lines)}


def _write(home: Path, plan: HardPlan, made: dict[int, ProvenPosition]) -> None:
    positions = yardstick.distinct(made.values())
    lines = _lines(positions)
    digest = hashlib.sha256(lines).hexdigest()
    file = DatasetFile(POSITIONS, len(positions), digest)
    found = (plan, version("mancala-arena"), COLUMNS, len(positions), _baselines(positions), file)
    card = HardCard(*found, FORMAT)
    for name, content in (
        (POSITIONS, lines),
        (CARD, codec.to_json(card) + b"\n"),
        (PAGE, _page(card).encode()),
    ):
        write_whole(home / name, content)


def _lines(positions: Iterable[ProvenPosition]) -> bytes:
    return b"".join(codec.to_json(each.to_dict()) + b"\n" for each in positions)


def _baselines(positions: list[ProvenPosition]) -> dict[str, HardBaseline]:
    if not positions:
        return {}
    chosen = [_choices(each) for each in positions]
    most = sum(each.most_loss for each in positions)
    found = {}
    for name in chosen[0]:
        losses = [
            [each.loss(pit) for pit in choices[name]]
            for each, choices in zip(positions, chosen, strict=True)
        ]
        best = fmean(fmean(loss == 0 for loss in one) for one in losses)
        found[name] = HardBaseline(round(best, 4), round(sum(map(fmean, losses)) / most, 4))
    return found


def _choices(position: ProvenPosition) -> dict[str, tuple[int, ...]]:
    """Return what each choice without thought would sow; only a position of a file lacks it."""
    board = position.to_board()
    known = position.choices or yardstick.choices_on(board)
    return {**known, GREED: one_ply_greed(board)}


def _page(card: HardCard) -> str:
    plan = card.plan
    columns = "\n".join(f"- `{name}`: {meaning}" for name, meaning in card.columns.items())
    rows = "\n".join(
        f"| {name} | {each.best:.1%} | {each.loss:.1%} |" for name, each in card.baselines.items()
    )
    positions = quantity(card.positions, "position")
    return f"""# Hard positions with the values of all moves

{positions} of `{plan.rules}`, seed {plan.seed}, made by mancala-arena {card.version}
with `mancala dataset DIRECTORY --hard`. The same seed makes the same file (format {card.format}).
Each line of `{POSITIONS}` is a JSON object:

{columns}

A move loses the best value less its own. `mancala.yardstick` reads the file, and puts a position
in words.

| a choice without thought | best | share of what can be lost |
| --- | --- | --- |
{rows}

SHA-256 of `{POSITIONS}`: `{card.file.sha256 if card.file else ""}`
"""

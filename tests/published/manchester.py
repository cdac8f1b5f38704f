"""``python -m tests.published.manchester JAR``: the course's engine beside our rules and adapter.

The engine is in no registry; docs/environments.md says where it is found. It plays two agents that
choose by what they are shown. The same agents are then asked here, by the adapter, in each position
of these games: they have to hear the same lines and answer the same moves.
"""

import sys
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final

import typer

from mancala.bot.adapters.dialogue import ProgramQuestion
from mancala.bot.adapters.manchester import AdaptedAgents
from mancala.protocol.rules import SWAP, Board
from mancala.protocol.variants import MANCHESTER
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.published.__main__ import output

HASH: Final = "530b6b683c73156079f48155345e9115ac65aa204d964808689d4c7310cc26d4"
"""Of the engine that the documentation speaks of."""
AGENT: Final = """import sys
from zlib import crc32
seed, path = sys.argv[1:]
side, may_swap = "South", True
def say(text):
    print(text, flush=True)
def drawn(state):
    return crc32((seed + side + state).encode())
def move(state):
    numbers = list(map(int, state.split(",")))
    size = len(numbers) // 2
    row = numbers[size:-1] if side == "South" else numbers[: size - 1]
    holes = [hole for hole, seeds in enumerate(row, 1) if seeds]
    say(f"MOVE;{holes[drawn(state) % len(holes)]}")
for line in sys.stdin:
    with open(path, "a") as log:
        log.write(line)
    name, *rest = line.strip().split(";")
    if name == "START":
        side = rest[0]
        if side == "South":
            move("7,7,7,7,7,7,7,0,7,7,7,7,7,7,7,0")
    elif name == "CHANGE":
        if rest[0] == "SWAP":
            side = "North"
        if rest[2] == "YOU":
            swaps = side == "North" and may_swap and rest[0] != "SWAP" and drawn(rest[1]) % 3 == 0
            may_swap = False
            if swaps:
                side = "South"
                say("SWAP")
            else:
                move(rest[1])
    elif name == "END":
        break
"""
"""An agent whose answers follow from what it was shown, and its number."""


def agents_in(folder: Path, seeds: tuple[int, int]) -> list[list[str]]:
    (folder / "agent.py").write_text(AGENT)
    names = [str(folder / f"heard-{seat}") for seat in (0, 1)]
    program = (sys.executable, str(folder / "agent.py"))
    return [[*program, str(seed), name] for seed, name in zip(seeds, names, strict=True)]


def heard_in(folder: Path) -> list[list[str]]:
    files = [folder / f"heard-{seat}" for seat in (0, 1)]
    return [file.read_text().splitlines() for file in files]


def answered(heard: list[str]) -> list[str]:
    asked = [place for place, line in enumerate(heard) if line.endswith((";YOU", "START;South"))]
    return heard[: asked[-1] + 1]


def moves_of(heard: list[str]) -> Iterator[tuple[Board, int, list[str]]]:
    """Yield each position of a game, the move in it, and the engine's state and turn after it.

    The first agent hears of all moves, since only the other one may swap, which hears nothing then.
    """
    board = Board.start(MANCHESTER)
    for line in heard[1:]:
        _, move, *after = line.split(";")
        pit = SWAP if move == "SWAP" else int(move) - 1
        yield board, pit, after
        board = board.sow(pit).board


def shown_here(board: Board, *, has_swapped: bool) -> list[str]:
    """Return a position's state and turn as the engine writes them for the first agent."""
    rows = [",".join(map(str, (*board.pits[each], board.stores[each]))) for each in (0, 1)]
    turn = "END" if board.is_over else ("YOU", "OPP")[board.player]
    return [",".join(rows if has_swapped else rows[::-1]), turn]


def answers_here(agents: list[list[str]], boards: list[Board]) -> list[int]:
    adapters = [AdaptedAgents(agent) for agent in agents]
    found = []
    for board in boards:
        shown, is_open = Board.from_text(board.text), bool(board.rules.pie)
        question = ProgramQuestion(shown, 1000, "g", board.player, is_open)
        answer = adapters[board.player].answer(question)
        found.append(SWAP if answer == "swap" else int(answer))
    for adapter in adapters:
        adapter.close()
    return found


def compared(jar: Path, seeds: tuple[int, int]) -> tuple[int, int, dict[str, bool]]:
    with tempfile.TemporaryDirectory() as there, tempfile.TemporaryDirectory() as here:
        agents = agents_in(Path(there), seeds)
        output("java", "-jar", jar.absolute(), *map(" ".join, agents))
        heard = heard_in(Path(there))
        played = list(moves_of(heard[0][:-1]))
        swaps = [ply for ply, (_, pit, _) in enumerate(played) if pit == SWAP]
        alike = all(
            shown_here(board.sow(pit).board, has_swapped=bool(swaps) and ply >= swaps[0]) == after
            for ply, (board, pit, after) in enumerate(played)
        )
        answers = answers_here(agents_in(Path(here), seeds), [board for board, _, _ in played])
        lines = heard_in(Path(here))
    return (
        len(played),
        len(swaps),
        {
            "the engine's states and turns are those of the preset manchester": alike,
            "an agent answers here as there": answers == [pit for _, pit, _ in played],
            "an agent hears here the lines that it hears there": [answered(each) for each in lines]
            == [answered(each) for each in heard],
        },
    )


def main(
    jar: Annotated[Path, typer.Argument(help="The course's engine.", exists=True)],
    *,
    seed: SeedOption = 1,
    games: Annotated[int, typer.Option(min=1, help="Games to play.")] = 15,
) -> DrillReport:
    """Compare moves and lines with those of the course's engine."""
    promises = {"the engine is the one of the documentation": digest(jar) == HASH}
    counted = swapped = 0
    for game in range(games):
        plies, swaps, alike = compared(jar, (seed + game, seed + game + 1))
        counted, swapped = counted + plies, swapped + swaps
        for promise, is_kept in alike.items():
            promises[promise] = promises.get(promise, True) and is_kept
    return DrillReport(
        "manchester", seed, {"games": games, "positions": counted, "swaps": swapped}, promises
    )


def digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


if __name__ == "__main__":
    command_line(main)

"""A mancala bot: change `choose`; the package `mancala` speaks the protocol and comes back."""

import os
import sys

from mancala import Board, Turn, play


def choose(turn: Turn) -> int:
    """Answer a turn; runs in a thread of its own."""
    turn.offer(turn.legal[0])  # the best so far: played if the time runs out
    return best(turn.board)


def best(board: Board) -> int:
    """Return the first pit that moves again, or else the last legal one."""
    legal = board.legal()
    return next((pit for pit in legal if board.sow(pit).again), legal[-1])


def main() -> None:
    """Play on a ladder; the session's file takes the seats back after a crash or a kill."""
    if len(sys.argv) < 5 or not (sys.argv[4].isascii() and sys.argv[4].isdigit()):
        sys.exit("usage: python3 play.py URL NAME LADDER GAMES [--debug]")
    url, name, ladder, games = sys.argv[1:5]
    results = play(
        url,
        choose,
        name=name,
        ladder=ladder,
        games=int(games),
        agent="my-bot/my-version",
        token=os.environ.get("MANCALA_TOKEN"),
    )
    for result in results:
        outcome = "won" if result.won else "drawn" if result.winner is None else "lost"
        own, other = result.stores[result.seat], result.stores[1 - result.seat]
        detail = result.evidence.detail if result.evidence else ""
        print(f"{outcome} {own}:{other} against {result.opponent} ({result.reason}) {detail}")


if __name__ == "__main__":
    main()

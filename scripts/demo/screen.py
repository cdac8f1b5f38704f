"""The demo's screen: board, clocks and search reports; plain lines where there is no terminal."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from mancala.protocol.messages import Info, Reason
from mancala.protocol.results import AnyPayload, GameResult
from mancala.protocol.text import quantity

from ..console.views.drawing import draw, reason_text, worth
from .view import DemoGame, DemoView, Watched

REFRESH_S: Final = 0.1
ENDED_BY_RULES: Final = (Reason.NORMAL, Reason.MAJORITY)


class Screen:
    """Shows a match: a live view on a terminal, lines elsewhere, nothing when it is quiet."""

    def __init__(self, terminal: Console, score: DemoView) -> None:
        self._terminal = terminal
        self._score = score

    def say(self, line: str) -> None:
        self._terminal.print(line, markup=False, soft_wrap=True)

    def announce(self, payload: AnyPayload) -> None:
        """Show a result that came over MQTT."""
        if isinstance(payload, GameResult):
            self.say(f"MQTT: {result_line(payload.game, self._score.finished[payload.game])}")

    def announce_end(self, game: str) -> None:
        """Show a result that was seen, where no broker brings it."""
        if game in self._score.finished:
            self.say(result_line(game, self._score.finished[game]))

    def conclude(self) -> None:
        self._terminal.print(match_table(self._score))

    @asynccontextmanager
    async def live(self) -> AsyncIterator[None]:
        """Refresh the live view during the block; do nothing without a terminal."""
        if self._terminal.quiet or not self._terminal.is_terminal:
            yield
            return
        with Live(console=self._terminal, auto_refresh=False, transient=True) as view:
            refreshing = asyncio.create_task(self._refresh(view), name="live view")
            try:
                yield
            finally:
                refreshing.cancel()
                with suppress(asyncio.CancelledError):
                    await refreshing

    async def _refresh(self, view: Live) -> None:
        while True:
            view.update(live_view(self._score, time.monotonic()), refresh=True)
            await asyncio.sleep(REFRESH_S)


def live_view(score: DemoView, now: float) -> Group:
    game = score.watched
    if game is None:
        return Group(Text("The bots warm up and look for each other …", style="dim"))
    number = min(score.games, len(score.finished) + (game.id not in score.finished))
    points = ", ".join(f"{name} {points:g}" for name, points in score.points.items())
    return Group(
        Panel(
            Text(draw(game.board)),
            title=f"Game {number} of {score.games}: {game.names[0]} above, {game.names[1]} below",
            subtitle=f"move {game.plies} · {points}",
            expand=False,
            padding=(0, 3),
        ),
        _bots(score, game, now),
    )


def result_line(game: str, finished: DemoGame) -> str:
    first, second = finished.names
    why = reason_text(finished.reason, finished.evidence)
    return (
        f"game {game}  {first} {finished.stores[0]}-{finished.stores[1]} {second}  "
        f"{_winner(finished)}  ({why}, {quantity(finished.plies, 'move')})"
    )


def match_table(score: DemoView) -> Table:
    """Return a table of the match: one row per game, and the points below."""
    points = ", ".join(f"{name} {points:g}" for name, points in score.points.items())
    table = Table(title="The match", title_justify="left", caption=points, box=SIMPLE_HEAD)
    arrived = {result.game for result in score.results}
    columns = ("game", "Player 1", "Player 2", "stores", "winner", "moves", "MQTT")
    for column in columns if arrived else columns[:-1]:
        table.add_column(column, justify="right" if column in {"game", "moves"} else "left")
    for number, (game, finished) in enumerate(score.finished.items(), 1):
        stores = f"{finished.stores[0]}-{finished.stores[1]}"
        came = ["yes" if game in arrived else "no"] if arrived else []
        plies = str(finished.plies)
        table.add_row(str(number), *finished.names, stores, _ending(finished), plies, *came)
    return table


def _ending(finished: DemoGame) -> str:
    if finished.reason is Reason.ABORTED:
        return _winner(finished)
    winner = "draw" if finished.winner is None else finished.names[finished.winner]
    return winner if finished.reason in ENDED_BY_RULES else f"{winner} ({finished.reason})"


def _winner(finished: DemoGame) -> str:
    if finished.winner is not None:
        return f"{finished.names[finished.winner]} wins"
    return "no result" if finished.reason is Reason.ABORTED else "a draw"


def _bots(score: DemoView, game: Watched, now: float) -> Table:
    table = Table(expand=False)
    for column in ("bot", "clock", "last move", "depth", "value", "nodes"):
        table.add_column(column, justify="left" if column == "bot" else "right", min_width=9)
    for seat, name in enumerate(game.names):
        is_thinking = game.id not in score.finished and game.board.player == seat
        last = score.last_moves.get(name)
        table.add_row(
            Text(name, style="bold" if is_thinking else ""),
            _clock(game, seat, now - game.turn_since if is_thinking else 0.0),
            f"{last.elapsed_ms / 1000:.2f} s" if last else "",
            *_thinking(last.info if last else Info()),
        )
    return table


def _clock(game: Watched, seat: int, running_s: float) -> str:
    banks_ms = game.clock.banks_ms
    left_ms = banks_ms[seat] if banks_ms is not None else game.control.move_ms or 0
    return f"{max(0.0, left_ms / 1000 - running_s):.2f} s"


def _thinking(info: Info) -> tuple[str, str, str]:
    return (
        "" if info.depth is None else str(info.depth),
        "" if info.value is None else worth(info.value, exact=bool(info.exact)),
        "" if info.nodes is None else f"{info.nodes:,}",
    )

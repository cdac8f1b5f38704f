"""The organiser's morning page: what is asked for it, and its HTML without scripts."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any, Final

from msgspec.structs import asdict

from mancala.protocol.text import quantity

from ...contest.events.lifecycle import EventState
from ...contest.live.contest import Contest
from ...health.recent import RecentLog
from ...model.day_counts import DAY_S
from ...model.orders import SwitchKind
from ...model.schemas.morning import (
    ActView,
    DiskView,
    EventOrdersView,
    MorningView,
    RefusedView,
)
from ...model.schemas.status import Delivered
from ...model.timestamps import later
from ...store import Store
from ...store.reading.inspection import free_bytes, is_low, size_of
from ...store.reading.lately import SHOWN, bytes_of_tables, lately
from ..feed import topics
from ..feed.read_model import ReadModel

ENDED: Final = (EventState.PUBLISHED, EventState.CANCELLED)
"""The states in which an event takes no order."""
SIZES: Final = ("B", "kB", "MB", "GB", "TB")
KILO: Final = 1000
TIMES: Final = frozenset({"at", "ended_at", "until"})
"""Fields that hold a time."""
STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 70rem; padding: 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: .6rem; }
dl div { border: 1px solid color-mix(in srgb, currentColor 25%, transparent);
  border-radius: .4rem; padding: .4rem .7rem; }
dt { font-size: .85rem; opacity: .8; }
dd { margin: 0; font-size: 1.15rem; overflow-wrap: anywhere; }
.bad { border-width: 2px; border-color: #c33; } .bad dt::after { content: " (look)"; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; vertical-align: top; }
td:last-child { overflow-wrap: anywhere; min-width: 7rem; }
details { border: 1px solid color-mix(in srgb, currentColor 25%, transparent);
  border-radius: .4rem; margin: .6rem 0; padding: .3rem .7rem; }
form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin: .4rem 0; }
label { display: grid; font-size: .85rem; } textarea { font: .9rem ui-monospace, monospace; }
label:has(textarea) { flex-basis: 100%; } input, select, button, textarea { font-size: 1rem;
  min-height: 2.2rem; max-width: 100%; box-sizing: border-box; }
tr { border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
"""


async def morning(
    read_model: ReadModel, store: Store, recent: RecentLog, utc: Callable[[], str]
) -> MorningView:
    """Return how the last 24 hours went, up to a time of day in RFC 3339."""
    now = utc()
    since = later(now, -DAY_S)
    found = await store.read_apart(lately, since=since, now=now)
    ready = await read_model.ask(topics.READINESS)
    in_tables = await store.read_apart(bytes_of_tables)
    in_file, free = await asyncio.to_thread(_disk, read_model.config.store_path)
    sessions, config = read_model.sessions, read_model.config
    over = {season.name for season in sessions.orders.seasons}
    refused = recent.refused.most_common(SHOWN)
    return MorningView.of(
        found,
        server=config.name,
        at=now,
        since=since,
        ready=ready.store == "ok",
        holds=tuple(_holds(read_model)),
        connections=len(sessions.directory.seats),
        games_running=len(sessions.tables.games),
        endings=dict(sorted(found.endings.items())),
        quarantines=tuple(each for each in found.quarantines if each.ladder not in over),
        refused=tuple(
            RefusedView(code=code, name=name, times=times) for (code, name), times in refused
        ),
        reviewers=sessions.reviews.reviewers,
        house_up=len(sessions.directory.present_of(config.own_names)),
        house_wanted=len(config.own_names),
        **asdict(Delivered.of(ready)),
        fronts_wanted=config.fronts,
        disk=DiskView(
            store=config.store_display, store_bytes=in_file or in_tables, free_bytes=free
        ),
        warnings=recent.warnings,
        faults=tuple([*recent.faults][: -SHOWN - 1 : -1]),
        acts=tuple(ActView.of(act, number=number) for number, act in found.acts),
        events=tuple(_events(sessions.contests.all_contests)),
    )


def _events(contests: Iterable[Contest]) -> Iterable[EventOrdersView]:
    for each in contests:
        phase = each.state.phase
        if each.origin is None and phase.state not in ENDED:
            yield EventOrdersView.of(
                phase,
                name=each.name,
                format=each.settings.format,
                bots=tuple(one.name for one in each.state.entrants if not one.has_withdrawn),
                orders=phase.orders(),
                withdrawn=tuple(one.name for one in each.state.entrants if one.has_withdrawn),
                shown=each.state.tabled_rounds(each.settings),
            )


def _holds(read_model: ReadModel) -> Iterable[str]:
    orders = read_model.sessions.orders
    if (notice := orders.switch(SwitchKind.NOTICE)) is not None:
        yield f"notice: {notice.text}"
    if orders.is_drained:
        yield "the server drains: no new match begins"
    over = {season.name for season in orders.seasons}
    for ladder in read_model.sessions.ladders.all_ladders:
        if ladder.name not in over and (held := ladder.held()) is not None:
            yield held


def _disk(store: str) -> tuple[int, int | None]:
    return size_of(store), free_bytes(store)


# The page


def page_of(view: MorningView, forms: str, said: str = "") -> str:
    """Return the page: what it tells, its forms, and what came of the order of one."""
    name = escape(view.server)
    title = " · ".join(filter(None, (escape(said), f"Status of {name}")))
    told = f'<p role="status"><strong>{escape(said)}</strong></p>' if said else ""
    holds = "".join(f"<p><strong>{escape(each)}</strong></p>" for each in view.holds)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head><body><main>"
        f"<h1>Status of {name}</h1><p>{_when(view.since)} to {_when(view.at)}, UTC</p>{told}{holds}"
        f"<dl>{''.join(_facts(view))}</dl>{forms}"
        f"{''.join(_tables(view))}</main></body></html>\n"
    )


def _facts(view: MorningView) -> tuple[str, ...]:
    games = sum(view.endings.values())
    free = view.disk.free_bytes
    return (
        _fact("Store", "takes writes" if view.ready else "takes no writes", is_bad=not view.ready),
        _fact("Games, 24 h", games),
        _fact("Games now", view.games_running),
        _fact("Connections", view.connections),
        _fact("Void games, 24 h", view.endings.get("aborted", 0)),
        _fact("Quarantines", len(view.quarantines)),
        _fact(
            "Own programs",
            f"{view.house_up} of {view.house_wanted}",
            is_bad=view.house_up < view.house_wanted,
        ),
        *_fronts(view),
        _fact("Reviews waiting", f"{view.reviews_waiting}, {quantity(view.reviewers, 'reviewer')}"),
        _fact("Broker", f"{view.broker}, {view.unpublished} waiting", is_bad=view.broker == "away"),
        _fact("Delivery to it", view.delivery or "unknown", is_bad=view.delivery == "unverified"),
        _fact("To mend", "; ".join(view.findings) or "nothing", is_bad=bool(view.findings)),
        _fact("Results put aside", _aside(view), is_bad=view.put_aside > 0),
        _fact("Store's size", _size(view.disk.store_bytes)),
        _fact(
            "Free on its disk",
            "unknown" if free is None else _size(free),
            is_bad=free is not None and is_low(free, view.disk.store_bytes),
        ),
        _fact("Restarts, 24 h", max(0, len(view.starts) - 1), is_bad=len(view.starts) > 1),
        _fact("Warnings since start", view.warnings),
    )


def _fronts(view: MorningView) -> tuple[str, ...]:
    up, wanted = len(view.fronts_s), view.fronts_wanted
    ages = ", ".join(f"{age_s / 3600:.1f} h" for age_s in view.fronts_s)
    said = f"{up} of {wanted}, up for {ages}" if up else f"{up} of {wanted}"
    return (_fact("Fronts", said, is_bad=up < wanted),) if wanted else ()


def _aside(view: MorningView) -> str:
    if not view.put_aside_since:
        return "none"
    since = _when(view.put_aside_since)
    oldest = f"{view.put_aside_topic}: {view.put_aside_why}"
    return f"{view.put_aside}, the oldest since {since}, {oldest}"


def _tables(view: MorningView) -> tuple[str, ...]:
    return (
        _table("How games ended", ("reason", "games"), view.endings.items()),
        _list("Void games", view.void, "ended:ended_at game bots:players why"),
        _list("Quarantines", view.quarantines, "ladder version:name until why:reason"),
        _list("Refused logins since the start", view.refused, "times name code"),
        _list("Warnings", view.faults, "at what:event facts"),
        _table("Starts", ("at",), ((_when(at),) for at in view.starts)),
        _list("The operator's log", view.acts, "line:number at who:by what:action why"),
    )


def _list(title: str, rows: Iterable[object], columns: str) -> str:
    """Return a table of things: the head of each column, and its field if that differs."""
    heads = [each.partition(":")[::2] for each in columns.split()]
    cells = (
        [_cell(name or head, getattr(row, name or head)) for head, name in heads] for row in rows
    )
    return _table(title, [head for head, _ in heads], cells)


def _cell(name: str, value: Any) -> object:  # noqa: ANN401  # of any field
    if name in TIMES:
        return _when(value)
    return " against ".join(value) if name == "players" else value


def _fact(name: str, value: object, *, is_bad: bool = False) -> str:
    mark = ' class="bad"' if is_bad else ""
    return f"<div{mark}><dt>{escape(name)}</dt><dd>{escape(str(value))}</dd></div>"


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows
    )
    if not body:
        return f"<h2>{escape(title)}</h2><p>None.</p>"
    head = "".join(f'<th scope="col">{escape(each)}</th>' for each in heads)
    return (
        f'<h2>{escape(title)}</h2><div class="wide" tabindex="0" role="region" '
        f'aria-label="{escape(title)}"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _when(at: str) -> str:
    return escape(at[:16].replace("T", " "))


def _size(count: float) -> str:
    for unit in SIZES[:-1]:
        if count < KILO:
            return f"{count:.0f} {unit}"
        count /= KILO
    return f"{count:.1f} {SIZES[-1]}"

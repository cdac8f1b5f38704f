"""Which changed settings a running server applies, and which need a restart."""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from .annotations import RELOADABLE, marked
from .checks import problems_of_kgp
from .ladders import LadderSettings
from .settings import Config, Section

S = TypeVar("S", bound=Struct)

SAME_SEASON: Final = frozenset({"clock"})
"""What a ladder takes up only if the operator wants games before and after rated as one."""

NEW_SEASON: Final = SAME_SEASON | {"rules"}
"""What a ladder takes up that has no game in this season."""


class Reload(NamedTuple):
    """What is in force after a change, which keys were taken up, and which wait for a restart."""

    config: Config
    taken_up: tuple[str, ...]
    wait: tuple[str, ...]


def plan(
    old: Config,
    new: Config,
    *,
    same_season: bool = False,
    unplayed: Collection[str] = (),
) -> Reload:
    """Return the effect of replacing the configuration in force with a new one.

    A ladder or an event that the gateway for KGP clients names waits with what it waits for. With
    ``same_season`` a ladder's new clock is taken up, so that games of both clocks are rated as one;
    the unplayed ladders, without a game in this season, take up clock and rules.
    """
    wait: list[str] = []
    also = dict.fromkeys(unplayed, NEW_SEASON)
    if same_season:
        also = {ladder.name: SAME_SEASON for ladder in old.ladder} | also
    ladders = _ladders(old, new, wait, also)
    wanted = replace(new, ladder=old.ladder)
    if (old.tls.cert is None) != (new.tls.cert is None):
        wait.append("tls.cert")
        wanted = replace(wanted, tls=replace(new.tls, cert=old.tls.cert, key=old.tls.key))
    config = replace(_taken_up(old, wanted, "", wait), ladder=ladders)
    early = [key for key, _problem in problems_of_kgp(config)]
    wait += [f"kgp.{key}" for key in early]
    former = {key: getattr(old.kgp, key) for key in early}
    config = replace(config, kgp=replace(config.kgp, **former))
    return Reload(config, _changed(old, config), tuple(sorted(wait)))


def _ladders(
    old: Config, new: Config, wait: list[str], also: Mapping[str, frozenset[str]]
) -> tuple[LadderSettings, ...]:
    """Return the ladders in force: new ones open, those that are gone stay until the restart."""
    known = {ladder.name: ladder for ladder in old.ladder}
    wanted = {ladder.name: ladder for ladder in new.ladder}
    wait += [f"ladder {name}" for name in known.keys() - wanted.keys()]
    wait += [f"ladder {name}.house" for name in wanted.keys() - known.keys() if wanted[name].house]
    none = frozenset[str]()
    kept = (
        _taken_up(ladder, wanted.get(name, ladder), f"ladder {name}.", wait, also.get(name, none))
        for name, ladder in known.items()
    )
    opened = (replace(ladder, house={}) for ladder in new.ladder if ladder.name not in known)
    return (*kept, *opened)


def _taken_up(old: S, new: S, at: str, wait: list[str], also: frozenset[str] = frozenset()) -> S:
    """Return a table with the changes that are taken up; note the keys of the others."""
    taken_up: dict[str, object] = {}
    for key in _changed(old, new):
        before, after = getattr(old, key), getattr(new, key)
        if isinstance(after, Section):
            taken_up[key] = _taken_up(before, after, f"{at}{key}.", wait)
        elif key in marked(type(old), RELOADABLE) or key in also:
            taken_up[key] = after
        else:
            wait.append(f"{at}{key}")
    return replace(old, **taken_up)


def _changed(old: S, new: S) -> tuple[str, ...]:
    return tuple(key for key in old.__struct_fields__ if getattr(old, key) != getattr(new, key))

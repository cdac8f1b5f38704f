"""What of a changed configuration a running server can take up, and what waits for a restart."""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec.structs import replace

from server.config.ladders import LadderSettings
from server.config.settings import Config

TAKEN_UP: Final = frozenset(
    {"rules", "clock", "guests", "origins", "drain_s", "reconnect_after_s", "limits", "tls"}
)
FIXED_LIMITS: Final = ("handshake_s", "ping_s")
"""What the listening socket was opened with."""
TAKEN_UP_OF_LADDERS: Final = frozenset(
    {"guests", "names", "refit_s", "quarantine_after", "quarantine_s"}
)


class Plan(NamedTuple):
    """What to do about a changed configuration.

    Attributes:
        config: what holds from now on.
        taken_up: the keys that changed with it.
        wait: the keys that changed in the file, and wait for a restart.
    """

    config: Config
    taken_up: tuple[str, ...]
    wait: tuple[str, ...]


def plan(old: Config, new: Config) -> Plan:
    """Compare a configuration in force with a new one."""
    config, wait = old, []
    for key in _changed(old, new):
        if key == "ladder":
            config = replace(config, ladder=_ladders(old, new))
            wait += _waiting_ladder_keys(old, new)
        elif key == "tls" and (old.tls.cert is None) != (new.tls.cert is None):
            wait.append("tls")
        elif key in TAKEN_UP:
            config = replace(config, **{key: getattr(new, key)})
        else:
            wait.append(key)
    fixed = {key: getattr(old.limits, key) for key in FIXED_LIMITS}
    wait += [f"limits.{key}" for key, value in fixed.items() if getattr(new.limits, key) != value]
    config = replace(config, limits=replace(config.limits, **fixed))
    return Plan(config, _changed(old, config), tuple(sorted(wait)))


def _changed(old: Config, new: Config) -> tuple[str, ...]:
    return tuple(key for key in Config.__struct_fields__ if getattr(old, key) != getattr(new, key))


def _ladders(old: Config, new: Config) -> tuple[LadderSettings, ...]:
    wanted = {ladder.name: ladder for ladder in new.ladder}
    return tuple(_mixed(ladder, wanted.get(ladder.name, ladder)) for ladder in old.ladder)


def _mixed(old: LadderSettings, new: LadderSettings) -> LadderSettings:
    return replace(old, **{key: getattr(new, key) for key in TAKEN_UP_OF_LADDERS})


def _waiting_ladder_keys(old: Config, new: Config) -> list[str]:
    mixed = {ladder.name: ladder for ladder in _ladders(old, new)}
    wanted = {ladder.name: ladder for ladder in new.ladder}
    return [
        f"ladder {name}"
        for name in sorted(mixed.keys() | wanted.keys())
        if mixed.get(name) != wanted.get(name)
    ]

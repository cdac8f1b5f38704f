"""Which changed settings a running server applies, and which need a restart."""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec.structs import replace

from server.config.ladders import LadderSettings
from server.config.settings import Config

TAKEN_UP: Final = frozenset(
    {
        "rules",
        "clock",
        "guests",
        "origins",
        "public_url",
        "drain_s",
        "reconnect_after_s",
        "limits",
        "tls",
    }
)
FIXED_LIMITS: Final = ("handshake_s", "ping_s")
"""Fixed when the port is opened."""
TAKEN_UP_OF_LADDERS: Final = frozenset(
    {"guests", "names", "refit_s", "quarantine_after", "quarantine_s"}
)


class Reload(NamedTuple):
    """The effect of a changed configuration.

    Attributes:
        config: the configuration now in force.
        taken_up: the keys applied.
        wait: the changed keys that need a restart.
    """

    config: Config
    taken_up: tuple[str, ...]
    wait: tuple[str, ...]


def plan(old: Config, new: Config) -> Reload:
    """Return the effect of replacing the configuration in force with a new one."""
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
    return Reload(config, _changed(old, config), tuple(sorted(wait)))


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

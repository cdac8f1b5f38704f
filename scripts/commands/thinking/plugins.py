"""``mancala plugins``: what packages add by entry points."""

from collections.abc import Mapping
from importlib import import_module
from typing import Final

from mancala.plugins import Plugged, Plugin, PluginError, PluginGroup, entries

from ...console import output as console
from ...console.options import JsonOption

GROUPS: Final[Mapping[str, tuple[str, str]]] = {
    PluginGroup.PLAYERS: ("bot.players.registry", "PLAYERS"),
    PluginGroup.COMMANDS: ("scripts.mancala", "REGISTERS"),
    PluginGroup.PAGES: ("server.web.pages.pages", "PLUGGED"),
    PluginGroup.GATEWAYS: ("server.net.gateways", "GATEWAYS"),
    PluginGroup.FORMATS: ("server.contest.events.plan", "FORMATS"),
    PluginGroup.RULES: ("protocol.variants", "PLUGGED"),
}
"""Where each group is put together: a module below ``mancala``, and a name in it."""


def command(*, json: JsonOption = False) -> None:
    """List what packages add, and whether it works.

    That is players, commands, pages, gateways, formats of events and rules.
    """
    found = [_described(plugin) for plugin in entries()]
    text = "\n".join(map(_line, found))
    console.show({"plugins": found}, text, json=json)


def _described(plugin: Plugin) -> dict[str, str | None]:
    fault = None
    try:
        _try(plugin)
    except ImportError as error:
        fault = str(error)
    return {
        "group": plugin.group,
        "name": plugin.name,
        "package": plugin.package,
        "missing": plugin.missing,
        "fault": fault,
    }


def _try(plugin: Plugin) -> None:
    """Load an entry as what uses it does; raise an ImportError where it is not used."""
    if plugin.group not in GROUPS:
        raise PluginError(f"{plugin} is of no group that is looked for: {', '.join(GROUPS)}")
    module, name = GROUPS[plugin.group]
    try:
        group: Plugged[object] = getattr(import_module(f"mancala.{module}"), name)
    except ImportError:  # the extra of the server, which is to use it
        plugin.load()
    else:
        group.check(plugin)


def _line(found: dict[str, str | None]) -> str:
    state = f"not installed: {found['missing']}" if found["missing"] else found["fault"] or "ready"
    return f"{found['group']:<8}  {found['name']:<16}  {found['package']}: {state}"

"""``mancala plugins``: what packages add by entry points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...console import output as console
from ...console.options import JsonOption

if TYPE_CHECKING:
    from mancala.plugins import Plugin


def command(*, json: JsonOption = False) -> None:
    """List what packages add, and whether it works.

    That is players, commands, pages, gateways, formats of events and rules.
    """
    from mancala.plugins import entries

    found = [_described(plugin) for plugin in entries()]
    text = "\n".join(map(_line, found))
    console.show({"plugins": found}, text, json=json)


def _described(plugin: Plugin) -> dict[str, str | None]:
    fault = None
    try:
        plugin.load()
    except ImportError as error:
        fault = str(error)
    return {
        "group": plugin.group,
        "name": plugin.name,
        "package": plugin.package,
        "missing": plugin.missing,
        "fault": fault,
    }


def _line(found: dict[str, str | None]) -> str:
    state = f"not installed: {found['missing']}" if found["missing"] else found["fault"] or "ready"
    return f"{found['group']:<8}  {found['name']:<16}  {found['package']}: {state}"

"""What ``mancala admin`` prints for people."""

from __future__ import annotations

from typing import Any

from mancala.protocol.text import quantity
from mancala.server.control.wire import Change

from . import output as console

Result = dict[str, Any]
SHOWN_OF_A_LINE = 3
MOST_CHANGES = 40
"""Changes that are printed; ``--json`` has all."""


def say_changes(result: Result) -> None:
    """Print what an action changed, or would change."""
    changed = result["changed"]
    verb = "would change" if result["dry_run"] else "changed"
    if not changed:
        console.say("nothing to change")
    for change in changed[:MOST_CHANGES]:
        console.say(f"{verb}: {Change(**change)}")
    if len(changed) > MOST_CHANGES:
        console.say(f"{verb}: {len(changed) - MOST_CHANGES} more")


def say_held_back(result: Result) -> None:
    """Print what an order will change that was held back, and its id."""
    verb = "would be held back" if result["dry_run"] else "held back"
    say_changes({**result, "changed": result["would_change"], "dry_run": True})
    console.say(verb if result["dry_run"] else f"{verb}: {result['held']}")


def say_held(result: Result) -> None:
    """Print the orders that wait to be confirmed."""
    for each in result["held"]:
        given = " ".join(f"{name}={value}" for name, value in each["arguments"].items() if value)
        why = f"\t({each['why']})" if each["why"] else ""
        console.say(f"{each['id']}\t{each['at']}\t{each['by']}\t{each['action']} {given}{why}")
    if not result["held"]:
        console.say("no order is held back")


def say_bots(result: Result) -> None:
    """Print who is connected."""
    for bot in result["bots"]:
        agent = bot["agent"] or {}
        program = " ".join(part for part in (agent.get("name"), agent.get("version")) if part)
        facts = (
            *(bot["name"], bot["kind"], bot["address"], f"since {bot['since']}", program or "-"),
            quantity(len(bot["matches"]), "match"),
            f"ladders {', '.join(bot['ladders']) or '-'}",
            f"lag {bot['lag_ms']:g} ms, cost {bot['cost_ms']:g} ms",
        )
        console.say("\t".join(facts))
    console.say(
        f"{quantity(len(result['bots']), 'bot')} on {quantity(result['connections'], 'connection')}"
    )


def say_bans(result: Result) -> None:
    """Print the bans."""
    for ban in result["bans"]:
        until = ban["until"] or "for ever"
        console.say(
            f"{ban['kind']} {ban['key']}\t{until}\t{ban['by']}, {ban['at']}\t{ban['reason']}"
        )
    if not result["bans"]:
        console.say("no bans")


def say_log(result: Result) -> None:
    """Print the trail."""
    for line in result["log"]:
        shown = line["changed"][:SHOWN_OF_A_LINE]
        what = "; ".join(str(Change(**change)) for change in shown)
        more = line["changes"] - len(shown)
        what += f"; {more} more" if more else ""
        why = f"\t({line['why']})" if line["why"] else ""
        by = f"{line['by']} ({line['held_by']}'s order)" if line["held_by"] else line["by"]
        console.say(f"{line['number']}\t{line['at']}\t{by}\t{line['action']}\t{what}{why}")
    if not result["log"]:
        console.say("nothing was done yet")


def say_tables(result: Result) -> None:
    """Print what an action changed, and the tables before and after."""
    say_changes(result)
    if result.get("left_out"):
        console.say(
            f"left out: {quantity(result['left_out'], 'game')} of matches that are under way"
        )
    for ladder, both in result.get("tables", {}).items():
        for when in ("before", "after"):
            if both[when] is not None:
                console.say(f"{ladder} {when}:")
                for row in both[when]:
                    console.say(_row(row))


def _row(row: dict[str, Any]) -> str:
    rating = "-" if row["elo"] is None else f"{row['elo']:g} ± {row['elo_error']:g}"
    return f"  {row['rank']}\t{row['name']}\t{row['points']:g} of {row['games']}\t{rating}"


def say_check(result: Result) -> None:
    """Print whether the tables equal the games."""
    for change in result["differences"][:MOST_CHANGES]:
        console.say(f"differs: {Change(**change)}")
    same = "the tables equal the games"
    console.say(
        same
        if result["equal"]
        else f"{quantity(result['count'], 'row differs', 'rows differ')} from the games"
    )


def say_reload(result: Result) -> None:
    """Print what settings were taken up, and which wait."""
    say_changes(result)
    for key in result["wait_for_restart"]:
        console.say(f"waits for a restart{_or_sooner(key)}: {key}")


def _or_sooner(key: str) -> str:
    """Return what else makes a running server take up a setting."""
    if not key.startswith("ladder "):
        return ""
    sooner = {".clock": ", a new season or --same-season", ".rules": " or a new season"}
    return next((text for end, text in sooner.items() if key.endswith(end)), "")

"""``mancala admin``: the operator's hand on a server, whether or not it runs."""

from typing import Final

import typer

from mancala.protocol.text import quantity
from mancala.server.control.wire import Change

from ...console import output as console
from ...console.ordering import MOST_CHANGES, Result, Say, add_orders, say_changes

SHOWN_OF_A_LINE: Final = 3


def register(app: typer.Typer) -> None:
    """Add the commands."""
    text = "Act on a server: bans, notices, quarantines, games. Works beside it and without it."
    add_orders(app, "admin", text, SAYS)


def _say_bots(result: Result) -> None:
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


def _say_bans(result: Result) -> None:
    for ban in result["bans"]:
        until = ban["until"] or "for ever"
        console.say(
            f"{ban['kind']} {ban['key']}\t{until}\t{ban['by']}, {ban['at']}\t{ban['reason']}"
        )
    if not result["bans"]:
        console.say("no bans")


def _say_held(result: Result) -> None:
    for each in result["held"]:
        given = " ".join(f"{name}={value}" for name, value in each["arguments"].items() if value)
        why = f"\t({each['why']})" if each["why"] else ""
        console.say(f"{each['id']}\t{each['at']}\t{each['by']}\t{each['action']} {given}{why}")
    if not result["held"]:
        console.say("no order is held back")


def _say_aside(result: Result) -> None:
    for row in result["aside"]:
        tried = quantity(row["refusals"], "refusal")
        console.say(f"{row['seq']}\t{row['topic']}\tsince {row['since']}, {tried}\t{row['why']}")
    if more := result["rows"] - len(result["aside"]):
        console.say(f"{more} more")
    if not result["rows"]:
        console.say("nothing is put aside")


def _say_log(result: Result) -> None:
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


def say_check(result: Result) -> None:
    """Print whether the tables equal the games."""
    for change in result["differences"][:MOST_CHANGES]:
        console.say(f"differs: {Change(**change)}")
    differ = f"{quantity(result['count'], 'row differs', 'rows differ')} from the games"
    console.say("the tables equal the games" if result["equal"] else differ)


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


SAYS: Final[dict[str, Say]] = {
    "who": _say_bots,
    "bans": _say_bans,
    "held": _say_held,
    "aside": _say_aside,
    "log": _say_log,
    "check": say_check,
    "reload": say_reload,
}
"""What prints the result of a command that has more to say than what it changed."""

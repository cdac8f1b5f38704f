"""An action added to a copy of the sources: its declaration, and the function that plans it."""

import re
from pathlib import Path
from typing import Final

from mancala.protocol import codec
from tests.server.peers import arena
from tests.sources import copy_sources, run_python

DECLARED: Final = '''

@action("event-shout", ".shouting:shout", kept="all have heard it", button="Shout it")
class ShoutWord(OneEvent, frozen=True):
    """Shout a word at an event."""

    word: Annotated[str, Given("What is shouted.")]
    loudly: Annotated[bool, Given("So that all hear it.")] = False
'''
PLANNED: Final = """
from ..operator import Plan
from ..wire import Change


async def shout(target, wanted, order):
    return Plan(changed=(Change("word", wanted.word, wanted.event, str(wanted.loudly)),))
"""
FORMS: Final = """
from mancala.server.control.forms import OrderForms
from mancala.server.model.schemas.morning import EventOrdersView

event = EventOrdersView(name="final", format="rr", state="draft", round=0, bots=(), orders=())
print(OrderForms(lambda: None, "secret").html([event], "/order"))
"""


def ran(copy: Path, *words: str) -> str:
    done = run_python("-P", *words, check=False, PYTHONPATH=str(copy))
    return done.stdout + done.stderr


async def test_an_action_is_declared_once(tmp_path: Path) -> None:
    """Its command, help, JSON, line of the log, undo and form follow."""
    async with arena(tmp_path) as running:
        at = ("--store", running.server.config.store_path)
    copy = copy_sources(tmp_path / "copy", without=("data", "static"))
    declarations = copy / "server/control/actions.py"
    declarations.write_text(declarations.read_text() + DECLARED)
    (copy / "server/control/plans/shouting.py").write_text(PLANNED)

    def mancala(*words: str) -> str:
        return ran(copy, "-m", "mancala", *words)

    assert re.search("shout +Shout a word at an event.", mancala("event", "--help"))
    shown = mancala("event", "shout", "--help")
    for said in ("What is shouted.", "--loudly", "So that all hear it.", "--dry-run", "--hold"):
        assert said in shown
    done = codec.from_json(
        mancala("event", "shout", "final", "hey", "--loudly", "--json", *at), dict[str, object]
    )
    change = {
        "what": "word",
        "subject": "hey",
        "before": "final",
        "after": "True",
        "event": "final",
    }
    assert (done["action"], done["changed"]) == ("event-shout", [change])
    assert "\tevent-shout\tword hey of final: final -> True" in mancala("admin", "log", *at)
    undone = mancala("admin", "undo", "1", *at)
    assert undone == "mancala: event-shout can't be taken back: all have heard it\n"
    form = ran(copy, "-c", FORMS).partition("New event")[0]
    assert '<label>Word<input name="word" required></label>' in form
    assert '<button name="order" value="shout">Shout it</button>' in form

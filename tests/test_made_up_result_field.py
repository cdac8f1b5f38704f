"""A field of a game's result, added to a copy of the sources in the three places it takes."""

from pathlib import Path
from typing import Final

from tests.sources import copy_sources, edited, run_in

SENTENCE: Final = "        evidence: the facts behind a forced end.\n"
FIELD: Final = "    evidence: Evidence | None = None\n"
ROW: Final = "| `evidence?` | evidence | |\n"
ASKING: Final = (
    "tests/protocol/test_results.py::test_a_published_result_has_all_fields_of_an_outcome",
    "tests/protocol/test_spec.py::test_each_table_of_fields_is_the_codes[outcome]",
)
LOOK: Final = """
from msgspec.structs import replace
from mancala.protocol import codec
from mancala.protocol.asyncapi import document as asyncapi
from mancala.protocol.messages import Outcome, Reason
from mancala.protocol.record import from_pits, from_text, to_text
from mancala.server.web.api.openapi import document as openapi
from mancala.protocol.results import Topics
from mancala.server.model.events import EventFactory
from tests.server.fakes import Harness, paired

harness = Harness()
paired(harness)
[table] = harness.sessions.tables.by_game.values()
over = Outcome(0, (25, 23), Reason.NORMAL, weather="rain")
events, span = EventFactory("x", Topics("x")), ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z")
result = events.game(table.match, table._referee, over, (None, None), span)
print(codec.from_json(codec.to_json(result.payload), dict)["weather"])
record = replace(from_pits([2]), result=over)
print(from_text(to_text(record)).result.weather)
for document in (asyncapi(), openapi()):
    schemas = document["components"]["schemas"]
    print([name for name, each in schemas.items() if "weather" in each.get("properties", ())])
"""
SEEN: Final = """\
rain
rain
['GameResult']
['Outcome']
"""


def test_a_field_of_a_result_is_declared_published_and_described(tmp_path: Path) -> None:
    """Records, the API and the documents follow; tests name the place that lacks it."""
    copy = copy_sources(tmp_path / "copy", "tests", "docs", "pyproject.toml", without=("data",))
    asking = ("-m", "pytest", "-q", "-p", "no:cacheprovider", *ASKING)
    for place in ("protocol/messages/parts.py", "protocol/results/payloads.py"):
        edited(copy, place, SENTENCE, f"{SENTENCE}        weather: how it was.\n")
        edited(copy, place, FIELD, f"{FIELD}    weather: str | None = None\n")
        lacking = run_in(copy, *asking).stdout
        assert ("1 failed" if "results/" in place else "2 failed") in lacking
        assert "weather" in lacking
    edited(copy, "protocol/SPEC.md", ROW, f"{ROW}| `weather?` | string | how it was |\n")
    asked = run_in(copy, *asking)
    assert asked.returncode == 0, asked.stdout
    looked = run_in(copy, "-c", LOOK)
    assert looked.stdout == SEEN, looked.stderr

"""The signature of ``mancala bench``."""

from tests.scripts.commands.results import result_of
from tests.sources import ROOT

SIGNATURE = ROOT / "tests" / "data" / "signature.txt"


def test_the_search_signature_is_the_pinned_one() -> None:
    """A change of the search shows as a change of this number, on purpose or not."""
    answer = result_of("bench")
    assert answer["signature"] == int(SIGNATURE.read_text())
    assert answer["nodes"] == answer["signature"]

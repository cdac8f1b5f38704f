"""What is said of the rules of a game, and which rules the presets have."""

import pytest

from mancala.protocol import codec
from mancala.protocol.rules import KALAH, Capture, Rules
from mancala.protocol.variants import FAMILY, MANCHESTER, PRESETS

LARGER = Rules(pits=9, seeds=3)


def test_rules_that_are_not_in_force_are_not_written() -> None:
    """However it is said that they are not, so rules have one text and one JSON."""
    said = Rules(pie=False, first_again=True, relay=False, keep_one=False, even=False, oware=False)
    assert said == KALAH
    assert codec.to_json(said) == codec.to_json(KALAH)


def test_rules_may_be_given_as_text() -> None:
    """Or as they are."""
    assert Rules.of("kalah:pits=9,seeds=3") == LARGER
    assert Rules.of(LARGER) is LARGER


@pytest.mark.parametrize("changed", [Rules(capture=Capture.ALWAYS), Rules(relap=True)], ids=str)
def test_a_board_of_another_size_is_kalah_and_another_rule_is_not(changed: Rules) -> None:
    """Whether the key of the rule comes before or after the one of Kalah."""
    assert (KALAH.is_kalah, LARGER.is_kalah, changed.is_kalah) == (True, True, False)


def test_the_games_that_sow_or_capture_otherwise_are_the_family() -> None:
    """The older presets are not among them."""
    others = [*FAMILY.values(), Rules.parse("oware"), Rules(capture=Capture.NONE)]
    assert {rules.is_family for rules in others} == {True}
    assert {rules.is_family for rules in (*PRESETS.values(), MANCHESTER)} == {False}


def test_rules_of_the_first_turns_are_left_out_of_what_follows() -> None:
    """The pie rule, and a first sowing that gives no further turn."""
    for rules in (Rules(pie=True), Rules(first_again=False)):
        assert rules.opens is True
        assert rules.without_pie == KALAH
    assert KALAH.opens is False
    assert KALAH.without_pie == KALAH


def test_the_presets_have_the_rules_that_their_sources_state() -> None:
    """Manchester's course, and Mangala as it is played in Turkey."""
    manchester = Rules(pits=7, seeds=7, pie=True, first_again=False)
    assert Rules.parse("manchester") == manchester
    assert Rules.parse("mangala") == Rules(keep_one=True, even=True, empty_takes=True)

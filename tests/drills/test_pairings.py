"""The drill of pairings in short."""

from tests.drills.pairings import drill


def test_simulated_events_break_no_rule_of_pairing() -> None:
    """Swiss events of 5 to 16 players, arenas, knockouts and double round robins keep all rules."""
    report = drill(events=20, seed=1, most=16)
    assert report.ok, report.promises

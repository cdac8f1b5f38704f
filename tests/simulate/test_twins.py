"""No result and no rating depends on restarts of the server."""

from pathlib import Path

from tests.simulate.campaign import make_template
from tests.simulate.twins import MATCHES, twins

SEEDS = 2


def test_a_run_with_restarts_comes_to_the_same_as_one_without(tmp_path: Path) -> None:
    """Game by game, from opening to opening; with a bot of the house, which comes late, too."""
    template, restarts = make_template(tmp_path), 0
    for seed in range(1, SEEDS + 1):
        restarted, other = twins(seed, template)
        assert restarted.differs_from(other) == "", f"seed {seed}"
        assert min(len(restarted.matches), len(other.matches)) >= MATCHES
        assert not other.restarts
        restarts += restarted.restarts
    assert restarts >= SEEDS

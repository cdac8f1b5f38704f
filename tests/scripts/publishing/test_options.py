"""``--live`` and ``--publish``, with real servers."""

import json
import re
from collections import defaultdict
from pathlib import Path
from urllib.request import urlopen

import pytest

from mancala.bot.client.errors import RefusedError
from mancala.protocol.messages import ErrorCode
from mancala.protocol.submission import Submission, submission_of
from mancala.scripts.publishing import sender
from mancala.scripts.publishing.options import PublishingOptions, publishing
from tests.patience import PATIENCE_S
from tests.protocol.test_submission import MATCH
from tests.scripts.commands.results import by_one_worker, mancala

TO = ("--publish", "ws://arena", "--publish-as", "lab")
RULES = ("--rules", "kalah:pits=3,seeds=2", "--openings", "start")


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Submission]]:
    """Return what a server is sent, by id; it refuses tokens other than ``good``."""
    found: dict[str, list[Submission]] = defaultdict(list)

    async def submit(
        url: str, document: str, *, submission: str, name: str, token: str | None
    ) -> str:
        assert (url, name) == ("ws://arena", "lab")
        if token != "good":  # noqa: S105  # no secret
            raise RefusedError(ErrorCode.BAD_TOKEN, "that is not the token of lab")
        found[submission].append(submission_of(document))
        return f"key-of-{submission}"

    monkeypatch.setattr(sender, "submit_event", submit)
    return found


def test_a_match_with_a_test_is_published(
    tmp_path: Path, submitted: dict[str, list[Submission]]
) -> None:
    """With its test; the address on the page is printed."""
    test = ("--sprt", "0", "50", "--games", "4", "--dir", str(tmp_path / "match"))
    asked = ("match", "random", "greedy", *RULES, *test, *TO, "--token", "good")
    held = mancala(*by_one_worker(asked))
    assert held.exit_code == 0, held.stderr
    ((name, states),) = submitted.items()
    assert (states[-1].title, states[-1].state) == ("random against greedy", "finished")
    assert states[-1].test is not None
    assert states[-1].played == 2 * sum(states[-1].test.pentanomial) == 4
    assert f"/elsewhere/key-of-{name}" in held.stderr


def test_an_event_is_published_under_one_id_also_when_it_is_resumed(
    tmp_path: Path, submitted: dict[str, list[Submission]]
) -> None:
    """A refusal fails the command, after its results; the error says how to try again."""
    event = str(tmp_path / "event")
    began = ("tournament", "random", "greedy", *RULES, "--json", "--dir", event)
    refused = mancala(*by_one_worker((*began, *TO, "--token", "bad")))
    assert refused.exit_code == 1
    assert json.loads(refused.stdout)["complete"]
    assert "not published: the server refused: that is not the token of lab" in refused.stderr
    assert f"--resume {event} --publish" in refused.stderr
    for title in ("Club night", "Club day"):
        again = ("tournament", "--resume", event, *TO, "--token", "good", "--title", title)
        assert mancala(*by_one_worker(again)).exit_code == 0
    ((_, states),) = submitted.items()
    assert {"Club night", "Club day"} == {state.title for state in states}
    assert (states[-1].state, states[-1].played) == ("finished", 2)


def test_a_live_page_shows_the_event_for_as_long_as_it_lasts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At a free port; the API has what the page shows."""
    with publishing(PublishingOptions(live=0), tmp_path) as pages:
        assert pages.finish(lambda: MATCH) == []
        address = re.search(r"shown at (http://\S+)/elsewhere/(\w+)", capsys.readouterr().err)
        assert address is not None
        page, key = address.groups()
        with urlopen(f"{page}/api/v1/elsewhere/{key}", timeout=PATIENCE_S) as answer:  # noqa: S310  # http
            found = json.load(answer)
    assert found["submission"]["title"] == MATCH.title
    assert found["author"] == "here"


def test_without_a_page_nothing_is_shown(tmp_path: Path) -> None:
    """No state is made."""
    with publishing(PublishingOptions(), tmp_path) as pages:
        pages.offer(lambda: pytest.fail("a state is made"))
        assert pages.finish(lambda: pytest.fail("a state is made")) == []

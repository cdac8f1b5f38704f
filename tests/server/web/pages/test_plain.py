"""What a page shows where no script runs."""

from mancala.protocol import codec
from mancala.server.web.languages import catalogues
from mancala.server.web.pages.plain import plain_tables

GERMAN = catalogues()["de"]


def test_lists_lead_to_their_tables() -> None:
    """Of ladders, and of events; an empty list is left out, and so is what can't be had now."""
    answers = {"/ladders": codec.to_json({"ladders": [{"ladder": "<a b>", "players": 3}]})}
    answers["/events"] = codec.to_json({"events": []})
    found = "".join(plain_tables(("/ladders", "/events", "/stage"), {}, answers, GERMAN))
    assert '<td><a href="/ladders/%3Ca%20b%3E">&lt;a b&gt;</a></td><td>3</td>' in found
    assert "<caption>Ranglisten</caption>" in found
    assert "Turniere" not in found
    assert not "".join(plain_tables(("/ladders",), {}, {}, GERMAN))


def test_standings_are_a_table() -> None:
    """In the reader's language; a bot without games has no rating yet."""
    rows = [
        {"rank": 1, "name": "ann", "rating": 1514.54, "games": 4},
        {"rank": 2, "name": "bob", "rating": None, "games": 0},
    ]
    answers = {"/ladders/main/standings": codec.to_json({"standings": rows})}
    need = "/ladders/{name}/standings"
    found = "".join(plain_tables((need,), {"name": "main"}, answers, GERMAN))
    assert "<th>Rang</th><th>Bot</th><th>Wertung</th><th>Partien</th>" in found
    assert "<td>1</td><td>ann</td><td>1514.5</td><td>4</td>" in found
    assert "<td>2</td><td>bob</td><td>-</td><td>0</td>" in found


def test_games_lead_to_their_pages() -> None:
    """Those of a bot, whatever the list is asked for; a running one has no stores yet."""
    games = [
        {"game": "g1", "players": ["ann", "bob"], "stores": [30, 18], "plies": 44},
        {"game": "g2", "players": ["ann", "cid"], "stores": None, "plies": 3},
    ]
    answers = {"/games?bot=ann&limit=20": codec.to_json({"games": games})}
    found = "".join(plain_tables(("/games?bot={name}&limit=20",), {"name": "ann"}, answers, GERMAN))
    assert "<th>Partie</th><th>Ergebnis</th><th>Züge</th>" in found
    assert '<td><a href="/games/g1">ann : bob</a></td><td>30 : 18</td><td>44</td>' in found
    assert '<td><a href="/games/g2">ann : cid</a></td><td>-</td><td>3</td>' in found


def test_a_long_list_shows_its_first_hundred() -> None:
    """The page of a large event stays light."""
    rows = [{"name": f"bot-{number}", "games": 1} for number in range(1, 102)]
    answers = {"/bots": codec.to_json({"bots": rows})}
    found = "".join(plain_tables(("/bots",), {}, answers, GERMAN))
    assert ">bot-1<" in found
    assert ">bot-100<" in found
    assert ">bot-101<" not in found

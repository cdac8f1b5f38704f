"""What cannot be done is refused in a sentence that names what is wrong, and changes nothing."""

from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from mancala.server.config.events import EventSettings
from mancala.server.control.operator import RefusedError, UsageError
from tests.server.control.operators import LADDER, laddered, played

NAMING: Final = (replace(LADDER[0], house={"hal": "random"}, anchors={"bob": 1500.0}),)
EVENT: Final = EventSettings(name="final", format="rr", entrants=("ann", "bob", "cid"))
CUP: Final = {
    "name": "cup",
    "format": "match",
    "entrants": ["ann", "bob"],
    "rules": "kalah:pits=2,seeds=1",
    "rated": "main",
    "clock": {"move_ms": 60_000},
}
EVE: Final = {"name": "eve"}
ANN: Final = {"ladder": "main", "bot": "ann"}
FINAL: Final = {"event": "final"}
WRONG: Final[tuple[tuple[str, dict[str, Any], str], ...]] = (
    ("annul", {}, "name the games"),
    ("annul", {"ladder": "main"}, "name the games"),
    ("annul", {"match": "m", "other": "bob"}, "a pair needs both bots"),
    ("annul", {"since": "yesterday"}, "'yesterday' is no time"),
    ("ban", {}, "name one of the three"),
    ("ban", {**EVE, "address": "::1"}, "name one of the three"),
    ("ban", {"name": ""}, "name one of the three"),
    ("ban", {"address": "home"}, "neither an address nor a network"),
    ("ban", {**EVE, "until": "tomorrow"}, "'tomorrow' is no time"),
    ("ban", {**EVE, "until": "9999-12-31T23:00-10:00"}, "is no time"),
    ("ban", {**EVE, "for_s": 1e12}, r"1e\+12 s from now is no time"),
    ("ban", {**EVE, "until": "2031-01-01T00:00"}, "names no time zone"),
    ("ban", {**EVE, "until": "2001-01-01T00:00Z"}, "is over already"),
    ("ban", {**EVE, "until": "2031-01-01T00:00Z", "for_s": 1.0}, "not both"),
    ("bann", {}, "there is no action bann"),
    ("hold", {"action": "ban", "arguments": {"token": "secret"}}, "a token is a secret and is not"),
    ("hold", {"action": "bann", "arguments": {}}, "there is no action bann"),
    *(
        ("hold", {"action": each, "arguments": {}}, f"{each} can't be held back")
        for each in ("confirm", "drop", "hold", "reload")
    ),
    ("hold", {"action": "rename", "arguments": {"bot": "ann", "new": "a/b"}}, "'a/b' is no name: "),
    ("log", {"last": 0}, r"log: .*>= 1.*last"),
    ("notice", {"text": "two\nlines"}, "one line of at most 2000 characters"),
    ("notice", {"text": "x" * 2001}, "one line of at most 2000 characters"),
    ("notice", {"text": "bell\a"}, "one line of at most 2000 characters"),
    ("rename", {"bot": "ann", "new": "a/b"}, "rename: 'a/b' is no name: names"),
    ("event-import", {"file": "none", "name": "a/b"}, "event-import: 'a/b' is no name: names"),
    ("event-new", {"settings": {**CUP, "format": "league"}}, "format: must be one of "),
    ("event-new", {"settings": {**CUP, "format": "arena"}}, "duration_s: an arena lasts as long"),
    ("event-new", {"settings": {**CUP, "boards": 0}}, "boards: "),
    ("event-new", {"settings": {**CUP, "nonsense": 1}}, "nonsense: there is no such setting"),
    ("event-new", {"settings": {**CUP, "entrants": ["ann"]}}, "entrants: an event needs two or"),
    ("event-new", {"settings": {**CUP, "rated": "other"}}, "there is no ladder other; there are:"),
    ("event-new", {"settings": {**CUP, "rules": "kalah"}}, "main has the rules kalah:pits=2,seed"),
    ("event-new", {"settings": {**CUP, "openings_file": "a.txt"}}, "openings_file: the openings"),
    ("undo", {"number": 2**63}, "Expected `int` <= "),
)
"""What is wrong whatever the state."""
REFUSED: Final[tuple[tuple[str, dict[str, Any], str], ...]] = (
    ("abort", {"game": "nope"}, "no game nope is under way"),
    ("abort", {"game": "GAME"}, "game GAME is over; annul it"),
    ("annul", {"games": ["nope"]}, "no finished game nope"),
    ("annul", {"bot": "anm"}, "no finished game is meant"),
    ("confirm", {"id": "a"}, "no order a is held back; there are: none"),
    ("hold", {"action": "who", "arguments": {}}, "who would change nothing"),
    ("hold", {"action": "undrain", "arguments": {}}, "test is not drained"),
    ("merge", {"bot": "ann", "into": "eve"}, "eve has neither played here nor a token"),
    ("merge", {"bot": "ann", "into": "ann"}, "ann is one bot already"),
    ("merge", {"bot": "ann", "into": "bob"}, "have played each other, and no bot plays itself"),
    ("pause", {"ladder": "mian"}, "there is no ladder mian; there are: main"),
    ("quarantine", {**ANN, "bot": "cid"}, "no version of cid has played in the ladder main"),
    ("release", ANN, "no version of ann is in quarantine in the ladder main"),
    ("reload", {}, "no server runs that could take up settings"),
    ("rename", {"bot": "eve", "new": "fay"}, "eve has neither played here nor a token"),
    ("rename", {"bot": "ann", "new": "bob"}, "bob has a session"),
    ("rename", {"bot": "ann", "new": "eve"}, "ann is an entrant of an event that is not over"),
    ("rename", {"bot": "ann", "new": "hal"}, "the settings name hal; change it there"),
    ("rename", {"bot": "bob", "new": "eve"}, "the settings name bob; change it there"),
    ("replay", {"game": "nope"}, "no finished game nope"),
    ("unban", EVE, "there is no ban on name eve"),
    ("undo", {"number": 9}, "the log has no line 9"),
    ("event-annul", {**FINAL, "game": "g1"}, "no round is being played, it is draft"),
    ("event-check-in", {"event": "none"}, "there is no event none"),
    ("event-forfeit", {**FINAL, "bot": "ann"}, "no round is being played"),
    ("event-import", {"file": "WRONG"}, "is not an archive of an event"),
    ("event-import", {"file": "/no"}, "No such"),
    ("event-new", {"settings": {**CUP, "name": "final"}}, "there is an event final already"),
    ("event-publish", FINAL, "while the event is draft"),
    ("event-replay", {**FINAL, "bot": "ann"}, "no round is being played, it is draft"),
    ("event-resume", FINAL, "the step resume can't be taken while"),
    ("event-show", {"event": "cup"}, "there is no event cup; there are: final"),
    ("event-withdraw", {**FINAL, "bot": "eva"}, "eva is no entrant"),
)
"""What the state forbids, after a match of ann and bob in the ladder."""


async def test_what_cannot_be_done_is_refused_in_words(tmp_path: Path) -> None:
    """Nothing is logged then, and no visitor is kept out by mistake."""
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    async with laddered(tmp_path, event=(EVENT,), ladder=NAMING) as running:
        [game, *_] = await played(running, "ann", "bob")
        ids = {"GAME": game, "WRONG": str(wrong)}
        for kind, rows in ((UsageError, WRONG), (RefusedError, REFUSED)):
            for action, given, said in rows:
                named = {key: ids.get(str(value), value) for key, value in given.items()}
                await running.refused(said.replace("GAME", game), action, kind=kind, **named)
        assert (await running.order("log"))["log"] == []

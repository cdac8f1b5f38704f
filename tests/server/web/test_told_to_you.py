"""The story of a game as its player hears it after the last move."""

import json
import random
import subprocess
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from mancala.protocol.messages import Assessment, MoveValue
from mancala.protocol.reasons import Way
from mancala.protocol.review import GameReview, ReviewedGame, ReviewWork, compose
from mancala.protocol.rules import KALAH, Board
from mancala.server.web.languages import ENGLISH, LANGUAGES, catalogues
from mancala.server.web.static import files
from tests.node import prepare
from tests.seeds import seed
from tests.server.web.test_page import plain, random_review

GAMES: Final = 100
"""In each language."""
OTHER: Final = "Zed-7"
RUN: Final = """
import { readFileSync } from "node:fs";
const { language, words, games, moves, other } = JSON.parse(readFileSync("given.json"));
Object.defineProperty(globalThis, "navigator", { value: { languages: [`${language}-u-nu-arab`] } });
globalThis.document = {
  documentElement: { lang: language },
  getElementById: () => ({ textContent: JSON.stringify({ words }) }),
};
const { because, headline, toldToYou, losingMove } = await import("./story.js");
const { YOU } = await import("./words.js");
const { locale } = await import("./opened.js");
const told = games.map(([review, winner, seat]) => [
  toldToYou(review, winner, seat, other), losingMove(review, 1 - winner) ?? null,
  headline(review, 1 - winner, ["ann", other])]);
console.log(JSON.stringify([told, moves.map((move) => because(move, [YOU, other])), locale]));
"""
MOVES: Final[list[dict[str, Any]]] = [
    {"player": mover, "reason": {"way": way, "player": gains, "seeds": seeds, **capture}}
    for mover, gains, way, seeds in product((0, 1), (0, 1), Way, (1, 7))
    for capture in ({}, {"pit": 2, "ply": 4, "at_a_time": 5})[: 1 + (way is Way.CAPTURED)]
]
"""A mistake of each of the two for each reason that a review gives."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_about_the_wrong_person(tmp_path: Path, language: str) -> None:
    """The move that lost is "yours" or the opponent's by name, and who won lost nothing.

    A reason names whose seeds it counts. "Probably the losing move" heads no game whose loser made
    a proven mistake that is another. A reader's own digits are left out of a language's tag.
    """
    rng = random.Random(f"{seed()} {language}")
    catalogue = catalogues()[language]
    games = []
    for _ in range(GAMES):
        review, loser = random_review(rng)
        games.append((plain(review), 1 - loser, rng.randrange(2)))
    # the best move five times in a row, proven and by an estimate
    games += [(plain(only_the_best(depth)), 0, 0) for depth in (None, 5)]
    prepare(tmp_path)
    for name, file in files().items():
        if name.endswith(".js"):
            (tmp_path / name).write_bytes(file.body)
    words = {} if language == ENGLISH else dict(catalogue.entries)
    given = {"language": language, "words": words, "games": games, "moves": MOVES, "other": OTHER}
    (tmp_path / "given.json").write_text(json.dumps(given))
    (tmp_path / "run.js").write_text(RUN)
    command = ["node", "run.js"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    told, reasons, locale = json.loads(done.stdout)
    assert locale == f"{language}-u-nu-latn"
    heads = ("A hard start", "Not lost on the board", "Probably the losing move")
    hard, unlucky, probably = (catalogue.text(each) for each in heads)
    for (review, winner, seat), (it, turn, head) in zip(games, told, strict=True):
        assert it is None or "{{" not in it["text"]
        assert winner != seat or it is None or it["title"] not in (hard, unlucky)
        if turn is not None:
            assert (OTHER in it["text"]) == (turn["player"] != seat), it
        if head and head["title"] == probably:
            slips = [ply for ply in review["plies"] if ply["player"] != winner and ply["loss"]]
            assert not any(ply["loss_proven"] and ply["ply"] != turn["ply"] for ply in slips)
    praise = catalogue.text("You found the best move {{times}} times in a row!", times=5)
    assert [praise in (it or {"text": ""})["text"] for it, *_ in told[-2:]] == [True, False]
    assert len({it["title"] for it, *_ in told if it}) > 4
    for move, reason in zip(MOVES, reasons, strict=True):
        assert (OTHER in reason) == (move["reason"]["player"] == 1), reason
        assert "{{" not in reason
        assert "undefined" not in reason
    assert len(set(reasons)) > len(MOVES) / 2


def only_the_best(depth: int | None) -> GameReview:
    """Return a review of five moves of player 0 that lost nothing, by estimates of this depth."""
    values = (MoveValue(0, 6.0, depth), MoveValue(1, 2.0, depth))
    found = [Assessment(ply=ply, moves=values, line=(0,), depth=depth) for ply in range(5)]
    boards = [Board(KALAH, ((1,) * 6, (1,) * 6), (20, 16), 0)] * 5
    return compose(ReviewedGame("g", boards, [0] * 5, 1), ReviewWork(found, 1, "t", 0))

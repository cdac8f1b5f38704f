"""The story of a game as its player hears it after the last move."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Final

import pytest

from mancala.server.web.languages import ENGLISH, LANGUAGES, catalogues
from mancala.server.web.static import files
from tests.node import prepare
from tests.seeds import seed
from tests.server.web.test_page import plain, random_review

GAMES: Final = 125
"""In each of four languages."""
OTHER: Final = "Zed-7"
RUN: Final = """
import { readFileSync } from "node:fs";
const { language, words, games, other } = JSON.parse(readFileSync("given.json"));
globalThis.navigator ??= { languages: [language] };
globalThis.document = {
  documentElement: { lang: language },
  getElementById: () => ({ textContent: JSON.stringify({ words }) }),
};
const { toldToYou, losingMove } = await import("./story.js");
console.log(JSON.stringify(games.map(([review, winner, seat]) =>
  [toldToYou(review, winner, seat, other), losingMove(review, 1 - winner) ?? null])));
"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_about_the_wrong_person(tmp_path: Path, language: str) -> None:
    """The move that lost is "yours" or the opponent's by name, and who won lost nothing."""
    rng = random.Random(f"{seed()} {language}")
    catalogue = catalogues()[language]
    games = []
    for _ in range(GAMES):
        review, loser = random_review(rng)
        games.append((plain(review), 1 - loser, rng.randrange(2)))
    prepare(tmp_path)
    for name, file in files().items():
        if name.endswith(".js"):
            (tmp_path / name).write_bytes(file.body)
    words = {} if language == ENGLISH else dict(catalogue.entries)
    given = {"language": language, "words": words, "games": games, "other": OTHER}
    (tmp_path / "given.json").write_text(json.dumps(given))
    (tmp_path / "run.js").write_text(RUN)
    command = ["node", "run.js"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    hard, unlucky = (catalogue.text(each) for each in ("A hard start", "Not lost on the board"))
    for (_, winner, seat), (it, turn) in zip(games, told, strict=True):
        assert it is None or "{{" not in it["text"]
        assert winner != seat or it is None or it["title"] not in (hard, unlucky)
        if turn is not None:
            assert (OTHER in it["text"]) == (turn["player"] != seat), it
    assert len({it["title"] for it, _ in told if it}) > 4

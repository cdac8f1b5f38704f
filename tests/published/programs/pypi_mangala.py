"""PyPI's ``mangala``; both rows run in the direction of their sowing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

Game: Any = import_module("mangala_kutuphanesi.oyun").MangalaTurkOyunu


def replay(moves: list[tuple[int, int]], _folder: str) -> list[object]:
    game = Game()
    shown = [_position(game)]
    for player, pit in moves:
        if game.oyun_bitti_mi or game.mevcut_oyuncu != player + 1 or not game.oyna(pit + 1):
            break
        shown.append(_position(game))
    return shown


def _position(game: Any) -> object:  # noqa: ANN401  # MangalaTurkOyunu
    seeds, winner = game.tahta, {None: None, 1: 1, 2: -1}.get(game.kazanan, 0)
    player = None if game.oyun_bitti_mi else game.mevcut_oyuncu - 1
    return seeds[:6], seeds[7:13], (seeds[6], seeds[13]), player, winner

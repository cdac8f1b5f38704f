"""The reviews that a store holds, compared with the games, the broker and bots' accuracies."""

from collections.abc import Mapping, Sequence

from mancala.protocol import codec
from mancala.protocol.accuracy import Phase, Sums, sums_of
from mancala.protocol.results import GameReviewed, Topics
from mancala.protocol.review import ReviewedGame
from mancala.protocol.rules import Board
from mancala.server.model.review.packed_reviews import review_in, unpack_sums
from tests.simulate.promises import Promise, broken
from tests.simulate.reading import Accuracies, Stored, StoredGame, StoredReview
from tests.simulate.reviewers import FALSE


def check_reviews(stored: Stored, received: Sequence[tuple[str, str]], topics: Topics) -> None:
    """Compare the reviews with what reached the broker, and the accuracies with a recount."""
    told: dict[str, GameReviewed] = {}
    reviewed = {topics.game_review(each.game) for each in stored.reviews}
    for topic, payload in received:
        if '"mancala.game_review.v1"' not in payload:
            continue
        if topic not in reviewed:
            broken(Promise.FINAL, f"{topic}: published, and not in the store")
        found = codec.from_json(payload, GameReviewed)
        if topic not in told or told[topic].seq < found.seq:
            told[topic] = found
    games = {game.game: game for game in stored.games}
    added = {
        each.game: _check_review(each, told.get(topics.game_review(each.game)), games[each.game])
        for each in stored.reviews
    }
    counted = {game.game for game in stored.games if not game.is_annulled}
    _check_accuracies([each for each in stored.reviews if each.game in counted], stored, added)


def _check_review(
    stored: StoredReview, told: GameReviewed | None, game: StoredGame
) -> tuple[Mapping[Phase, Sums], Mapping[Phase, Sums]]:
    board, boards = Board.start(game.rules), []
    for pit in game.pits:
        boards.append(board)
        board = board.sow(pit).board
    loser = None if game.winner is None else 1 - game.winner
    body = review_in(stored.body, ReviewedGame(game.game, boards, game.pits, loser))
    if body.engine == FALSE or len(body.plies) != len(game.pits):
        broken(Promise.JUDGED, f"{stored.game}: {body}")
    sums = sums_of(body, boards)
    if sums != unpack_sums(stored.body, None):
        broken(Promise.ACCURATE, f"{stored.game}: {sums}")
    if told is None:
        broken(Promise.PUBLISHED, f"the review of {stored.game} is missing")
    facts = told.version, told.engine, told.players, told.changes, told.losing
    if facts != (stored.version, body.engine, body.players, body.changes, body.losing):
        broken(Promise.PUBLISHED, f"{told} against {stored}")
    return sums


def _check_accuracies(
    counted: Sequence[StoredReview],
    stored: Stored,
    added: Mapping[str, tuple[Mapping[Phase, Sums], ...]],
) -> None:
    recounted: Accuracies = {}
    for each in counted:
        for name, by_phase in zip(each.names, added[each.game], strict=True):
            for phase, sums in by_phase.items():
                key = each.ladder, name, str(phase)
                before = recounted.get(key, (0,) * len(sums))
                recounted[key] = tuple(one + two for one, two in zip(before, sums, strict=True))
    kept = {key: sums for key, sums in stored.accuracies.items() if any(sums)}
    if kept != recounted:
        broken(Promise.ACCURATE, f"{kept}; recounted {recounted}")

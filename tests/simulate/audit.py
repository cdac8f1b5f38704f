"""What was said, what the store holds and what reached the broker, compared at the end of a run."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, TypeVar

from mancala.protocol import codec
from mancala.protocol.accuracy import Phase, Sums, sums_of
from mancala.protocol.messages import Reason
from mancala.protocol.results import (
    GameResult,
    GameReviewed,
    GamesAnnulled,
    LadderStandings,
    MatchResult,
    Presence,
    Status,
    Topics,
)
from mancala.protocol.review import ReviewedGame
from mancala.protocol.rules import Board, IllegalMoveError
from mancala.server.config.settings import Config
from mancala.server.ladders.state import PENALTIES_PER_FORFEIT
from mancala.server.model.review.packed_reviews import review_in, unpack_sums
from tests.simulate.broker import SimulatedBroker
from tests.simulate.faults import KGP_LADDER
from tests.simulate.ledger import Transcript
from tests.simulate.order_watch import MERGING, MOVING, HeldSpan
from tests.simulate.promises import Promise, broken
from tests.simulate.reading import Accuracies, Stored, StoredGame, StoredMatch, StoredReview
from tests.simulate.reviewers import FALSE

FORFEITS: Final = frozenset(
    {Reason.TIMEOUT, Reason.ILLEGAL, Reason.DISCONNECTED, Reason.PROTOCOL, Reason.WEDGED}
)
BY_THE_BOARD: Final = frozenset({Reason.NORMAL, Reason.MAJORITY})

T = TypeVar("T")


def check_all(ledger: Transcript, stored: Stored, broker: SimulatedBroker, config: Config) -> None:
    check_kept(ledger, stored)
    ledger.submissions.check(stored.submissions)
    check_published(stored, broker.received, config.topics)
    check_annulments(stored, broker.received, config.topics)
    check_held(stored, ledger.orders.spans)
    check_events(broker.received, broker.retained)
    check_reviews(stored, broker.received, config.topics)
    seasons = {game.ladder for game in stored.games if game.ladder is not None}
    for name in sorted(seasons | {ladder.name for ladder in config.ladder}):
        standings = broker.retained.get(config.topics.ladder_standings(name))
        if standings is None:
            _check_unranked(stored, name)
        else:
            check_ladder(stored, codec.from_json(standings, LadderStandings))
    _check_pairs(stored)
    if not ledger.orders.has_ordered(MOVING) and seasons:
        most = PENALTIES_PER_FORFEIT * config.ladder[0].quarantine_after
        check_penalties(stored, broker.received, most=most)


def check_kept(ledger: Transcript, stored: Stored) -> None:
    every = *stored.games, *stored.hidden
    finished = {each.game: each for each in every}
    pits = {game: each.pits for game, each in finished.items()} | stored.unfinished
    for (game, ply), (_, pit) in sorted(ledger.moves.items()):
        if ply >= len(pits.get(game, ())) or pits[game][ply] != pit:
            broken(Promise.REMEMBERED, f"{game} ply {ply}: {pit} is not in the store")
    for game, over in sorted(ledger.results.items()):
        kept = finished.get(game)
        said = (over.winner, over.stores, over.reason)
        if kept is None or (kept.winner, kept.stores, kept.reason) != said:
            broken(Promise.FINAL, f"{game}: announced {said}, stored {kept}")
    for each in every:
        _check_rules(each)
    by_match = _by_match(stored)
    for match in stored.matches:
        _check_match(match, by_match.get(match.match, []))
    if not ledger.orders.has_ordered(MERGING):
        _check_one_at_a_time(stored)


def _check_match(match: StoredMatch, games: Sequence[StoredGame]) -> None:
    if len(games) > match.games or [each.number for each in games] != [*range(len(games))]:
        broken(Promise.LAWFUL, f"{match} has games {[each.number for each in games]}")
    points = [sum(_points(each, name) for each in games) for name in match.names]
    if points != [*match.points]:
        broken(Promise.COUNTED_ONCE, f"{match}: recounted {points}")


def _check_one_at_a_time(stored: Stored) -> None:
    played: dict[tuple[str, str], list[StoredMatch]] = {}
    for match in sorted(stored.matches, key=lambda match: match.began_at):
        for name in match.names if match.ladder is not None else ():
            played.setdefault((str(match.ladder), name), []).append(match)
    for key, matches in played.items():
        for one, two in pairwise(matches):
            if two.began_at < one.ended_at:
                broken(Promise.ONE_MATCH, f"{key}: {one} and {two}")


def _check_rules(stored: StoredGame) -> None:
    board = Board.start(stored.rules)
    try:
        for pit in stored.pits:
            board = board.sow(pit).board
    except (IllegalMoveError, ValueError) as error:
        broken(Promise.LAWFUL, f"{stored.game}: {error}")
    if stored.stores != board.settled().stores:
        broken(Promise.LAWFUL, f"{stored.game}: {board} against {stored.stores}")
    if board.is_over != (stored.reason in BY_THE_BOARD):
        broken(Promise.LAWFUL, f"{stored.game}: {board}, and it ended by {stored.reason}")
    one, two = stored.stores
    if board.is_over and stored.winner != (None if one == two else int(one < two)):
        broken(Promise.LAWFUL, f"{stored.game}: {stored.stores}, and {stored.winner} won")


def _by_match(stored: Stored) -> dict[str, list[StoredGame]]:
    games: dict[str, list[StoredGame]] = {}
    for each in sorted(stored.games, key=lambda each: each.number):
        games.setdefault(each.match, []).append(each)
    return games


def _points(game: StoredGame, name: str) -> float:
    if game.reason is Reason.ABORTED:
        return 0.0
    return 0.5 if game.winner is None else float(game.names[game.winner] == name)


# The broker


def check_published(stored: Stored, received: Sequence[tuple[str, str]], topics: Topics) -> None:
    by_topic: dict[str, dict[str, None]] = {}
    for topic, payload in received:
        by_topic.setdefault(topic, {})[payload] = None
    for game in stored.games:
        told = _only(by_topic, topics.game_result(game.game), GameResult)
        facts = (told.winner, told.stores, told.reason, told.moves)
        if facts != (game.winner, game.stores, game.reason, game.pits):
            broken(Promise.PUBLISHED, f"{game.game}: {facts} against {game}")
    for match in stored.matches:
        result = _only(by_topic, topics.match_result(match.match), MatchResult)
        if not _is_score(result.score, match):
            broken(Promise.PUBLISHED, f"{result.score} against {match}")
    for ladder in {game.lasting for game in stored.games} - {""}:
        payloads = by_topic.get(topics.ladder_games(ladder), {})
        seen = Counter(codec.from_json(payload, GameResult).game for payload in payloads)
        played = Counter(game.game for game in stored.games if game.lasting == ladder)
        if seen != played:
            broken(Promise.PUBLISHED, f"games of {ladder}: {seen - played}, {played - seen}")
    numbers = [number for payload in _first_seen(received) if (number := _number(payload)) > 0]
    prompt = [number for number in numbers if number in stored.prompt]
    if any(one >= two for one, two in pairwise(prompt)):
        broken(Promise.IN_ORDER, f"{numbers}")


def _is_score(score: Mapping[str, float], match: StoredMatch) -> bool:
    """Return whether a published score is a match's; its bots may have other names since."""
    if score.keys() == set(match.names):
        return tuple(score[name] for name in match.names) == match.points
    return sorted(score.values()) == sorted(match.points)


def check_annulments(stored: Stored, received: Sequence[tuple[str, str]], topics: Topics) -> None:
    """Compare the games that are annulled with what a consumer of the corrections knows."""
    known: set[str] = set()
    for topic, payload in dict.fromkeys(received):
        if topic == topics.annulments:
            told = codec.from_json(payload, GamesAnnulled)
            (known.difference_update if told.counts else known.update)(told.games)
    annulled = {game.game for game in stored.games if game.is_annulled}
    if known != annulled:
        broken(Promise.ANNULLED, f"published {sorted(known)}; kept {sorted(annulled)}")


def _only(by_topic: dict[str, dict[str, None]], topic: str, kind: type[T]) -> T:
    payloads = by_topic.get(topic, {})
    if len(payloads) != 1:
        broken(Promise.PUBLISHED, f"{topic}: {len(payloads)} payloads")
    return codec.from_json(next(iter(payloads)), kind)


def _first_seen(received: Iterable[tuple[str, str]]) -> Iterable[str]:
    return dict.fromkeys(payload for _, payload in received)


def _number(payload: str) -> int:
    told: dict[str, Any] = codec.from_json(payload, dict[str, Any])
    return int(told.get("seq", 0))


def check_status(
    broker: SimulatedBroker, topics: Topics, presence: Presence, tenure: int | None = None
) -> None:
    text = broker.retained.get(topics.status)
    told = None if text is None else codec.from_json(text, Status)
    if told is None or (told.status, told.tenure) != (presence, tenure):
        broken(Promise.STATUS, f"it should be {presence}, tenure {tenure}: {text}")


# The ladder


def check_ladder(stored: Stored, standings: LadderStandings) -> None:
    games = [game for game in stored.games if game.ladder == standings.ladder]
    _check_points([game for game in games if game.counts], standings)
    _check_ranks(standings)


def _check_pairs(stored: Stored) -> None:
    pairs = _recounted_pairs(stored)
    kept = {key: counts for key, counts in stored.pairs.items() if any(counts)}
    if pairs != kept:
        broken(Promise.COUNTED_ONCE, f"pairs {kept}; recounted {pairs}")


def check_held(stored: Stored, spans: Iterable[HeldSpan]) -> None:
    """Check that no match began while its ladder was on hold, or the whole server.

    Operators put all ladders on hold but that of KGP.
    """
    for span in spans:
        for match in stored.matches:
            is_meant = span.is_drained or match.ladder not in {None, KGP_LADDER}
            if is_meant and span.since < match.began_at < span.until:
                broken(Promise.HELD, f"{match} in {span}")


def _check_unranked(stored: Stored, ladder: str) -> None:
    """Check that no game of a ladder counts, since no standings were published."""
    for game in stored.games:
        if game.ladder == ladder and game.counts:
            broken(Promise.PUBLISHED, f"no standings of {ladder}, with {game.game} played")


def _check_points(games: Iterable[StoredGame], standings: LadderStandings) -> None:
    played: Counter[str] = Counter()
    points: dict[str, float] = {}
    for game in games:
        for entrant in game.entrants:
            played[entrant] += 1
            points[entrant] = points.get(entrant, 0.0) + _entrant_points(game, entrant)
    shown = {row.name: (row.games, row.points) for row in standings.standings if row.games}
    recounted = {name: (played[name], points[name]) for name in played}
    if shown != recounted:
        broken(Promise.COUNTED_ONCE, f"standings {shown}; recounted {recounted}")


def _entrant_points(game: StoredGame, entrant: str) -> float:
    return _points(game, game.names[game.entrants.index(entrant)])


def _check_ranks(standings: LadderStandings) -> None:
    elos = [row.rating or 0.0 for row in standings.standings]
    ranks = [1 + sum(better > elo for better in elos) for elo in elos]
    if elos != sorted(elos, reverse=True) or ranks != [row.rank for row in standings.standings]:
        broken(Promise.RANKED, f"{standings.standings}")


def _recounted_pairs(stored: Stored) -> dict[tuple[str, str, str], tuple[int, ...]]:
    counts: dict[tuple[str, str, str], list[int]] = {}
    for games in _by_match(stored).values():
        for one, two in zip(games[::2], games[1::2], strict=False):
            if one.ladder is None or not (one.counts and two.counts):
                continue
            first, second = min(one.entrants), max(one.entrants)
            half_points = round(2 * (_entrant_points(one, first) + _entrant_points(two, first)))
            key = one.ladder, first, second
            counts.setdefault(key, [0, 0, 0, 0, 0])[half_points] += 1
    return {names: tuple(row) for names, row in counts.items()}


def check_penalties(stored: Stored, received: Sequence[tuple[str, str]], *, most: int) -> None:
    """Recount penalties: two for a forfeited game, one less for another, none after a quarantine.

    Args:
        stored: the store.
        received: topics and payloads, in the order of their arrival at the broker.
        most: the penalties that lead to a quarantine.
    """
    penalties: dict[str, int] = {}
    entrants = {game.game: game.entrants for game in stored.games}
    for payload in _first_seen(received):
        told: dict[str, Any] = codec.from_json(payload, dict[str, Any])
        if not told["event_id"].startswith("game-"):
            continue
        game = codec.from_json(payload, GameResult)
        if game.ladder is None or not game.rated or game.reason is Reason.ABORTED:
            continue
        for seat, entrant in enumerate(entrants[game.game]):
            has_forfeited = game.reason in FORFEITS and game.winner == 1 - seat
            count = penalties.get(entrant, 0)
            count = count + 2 if has_forfeited else max(0, count - 1)
            penalties[entrant] = 0 if count >= most else count
    if penalties != stored.penalties:
        broken(Promise.COUNTED_ONCE, f"penalties {stored.penalties}; recounted {penalties}")


# What a consumer reads


def check_events(received: Iterable[tuple[str, str]], retained: Mapping[str, str]) -> None:
    """Read the events as a consumer does, over all restarts and losses of the broker.

    It drops what it has seen, by ``event_id``: nothing else may come under an id that it knows, and
    what is left has every number of the outbox once.
    """
    events: dict[str, tuple[str, str]] = {}
    numbers: dict[int, str] = {}
    latest: dict[str, tuple[int, str]] = {}
    for topic, text in received:
        payload: dict[str, Any] = codec.from_json(text, dict[str, Any])
        event, number = payload["event_id"], payload.get("seq", 0)
        known = events.setdefault(event, (topic, text))
        if known != (topic, text):
            broken(Promise.ONE_EVENT, f"{event}: {known}, then {topic} {text}")
        if number and numbers.setdefault(number, event) != event:
            broken(Promise.ONE_EVENT, f"number {number}: {numbers[number]}, then {event}")
        latest[topic] = max(latest.get(topic, (0, "")), (number, text))
    for topic, text in retained.items():
        number, last = latest.get(topic, (0, text))
        if number and text != last:
            broken(Promise.ONE_EVENT, f"{topic} retains {text}; the last event is {last}")


# Reviews


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

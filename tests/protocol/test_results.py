"""Results over MQTT: topics that no name can break, payloads that fit their schema."""

import json
from functools import cache
from typing import Final

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from mancala.protocol import codec, results, schemas
from mancala.protocol.codec import DecodeError
from mancala.protocol.messages import Outcome, Reason
from mancala.protocol.results import (
    PAYLOAD_KINDS,
    ActChange,
    Contestant,
    EventGameResult,
    EventRoundPaired,
    EventRow,
    EventStatus,
    EventTable,
    GameResult,
    GamesAnnulled,
    LadderStandings,
    LiveMove,
    MatchResult,
    OrganiserActed,
    Payload,
    Presence,
    ServerNotice,
    Standing,
    Status,
    Topics,
)
from mancala.protocol.rules import KALAH
from tests.protocol.samples import CLOCK, CLOCKS, STATE
from tests.protocol.strategies import EXAMPLES_A_TYPE, values

TOPICS: Final = Topics("mancala/arena")
PLAYERS: Final = (Contestant("ada"), Contestant("bob"))
BEGAN, ENDED = "2026-01-02T03:04:05Z", "2026-01-02T03:04:59.123456+00:00"

PAYLOADS: Final[tuple[Payload, ...]] = (
    GameResult(
        *("e1", 1, "arena", "g1", "m1", True, KALAH, CLOCK, PLAYERS, 0, (25, 23), Reason.NORMAL),
        *(3, (2, 5, 1), BEGAN, ENDED),
    ),
    MatchResult(
        *("e2", 2, "arena", "m1", True, KALAH, CLOCK, PLAYERS, {"ada": 1.5, "bob": 0.5}),
        *(("g1", "g2"), BEGAN, ENDED),
    ),
    LadderStandings("e3", 3, "arena", "main", ENDED, (Standing(1, "ada", 2, 1.5, 1, 1, 0),)),
    Status("e4", 4, "arena", Presence.ONLINE, BEGAN),
    LiveMove("e5", 5, "arena", "g1", 0, 0, 2, 0, True, STATE, CLOCKS, 8, 1),  # as the fields stand
    GamesAnnulled("e6", 6, "arena", ("g1",), ("game-g1",), counts=False, reason="a", at=ENDED),
    ServerNotice("e7", 7, "arena", "maintenance at nine", ENDED),
    EventStatus("e8", 8, "arena", "final", "swiss", "playing", 2, 12, ENDED),
    EventTable(
        *("e9", 9, "arena", "final", 2, ENDED, ("direct", "wins")),
        *((EventRow(1, "ada", 4, 3.5, 3, 1, 0, {"wins": 3.0}),), 12, "/api/v1/events/final"),
    ),
    EventRoundPaired("e10", 10, "arena", "final", 2, (("ada", "bob"),), ("cid",), "ab", ENDED),
    EventGameResult("e11", 11, "arena", "final", 2, 7, ("ada", "bob"), 0, 3, "lot", ENDED),
    OrganiserActed("e12", 12, "arena", "ban", "root", (ActChange("ban", "eve"),), 1, "a", ENDED),
)


def test_a_published_result_has_all_fields_of_an_outcome() -> None:
    """With their types; they are listed again, since a struct has one base with fields."""
    stated = {field.name: field.type for field in msgspec.structs.fields(GameResult)}
    for field in msgspec.structs.fields(Outcome):
        assert stated.get(field.name) == field.type, field.name


def test_topics_are_the_documented_ones() -> None:
    """Consumers subscribe to these strings."""
    assert [
        TOPICS.game_result("g1"),
        TOPICS.game_moves("g1"),
        TOPICS.match_result("m1"),
        TOPICS.ladder_standings("main"),
        TOPICS.ladder_games("main"),
        TOPICS.event_status("final"),
        TOPICS.event_standings("final"),
        TOPICS.event_rounds("final"),
        TOPICS.event_games("final"),
        TOPICS.annulments,
        TOPICS.notice,
        TOPICS.log,
        TOPICS.status,
    ] == [
        "mancala/arena/games/g1/result",
        "mancala/arena/games/g1/moves",
        "mancala/arena/matches/m1/result",
        "mancala/arena/ladders/main/standings",
        "mancala/arena/ladders/main/games",
        "mancala/arena/events/final/status",
        "mancala/arena/events/final/standings",
        "mancala/arena/events/final/rounds",
        "mancala/arena/events/final/games",
        "mancala/arena/annulments",
        "mancala/arena/notice",
        "mancala/arena/log",
        "mancala/arena/status",
    ]


@given(st.text(min_size=1))
def test_no_name_breaks_a_topic(name: str) -> None:
    """A name fills one level, holds no wildcard, and two names never share a topic."""
    topic = Topics.of_server(name).ladder_games(name)
    assert topic.count("/") == 4
    assert not set("+#\0") & set(topic)
    assert topic.isascii()


@given(st.text(min_size=1), st.text(min_size=1))
def test_different_names_have_different_topics(one: str, other: str) -> None:
    """What is escaped stays apart."""
    assert (TOPICS.game_result(one) == TOPICS.game_result(other)) == (one == other)


@pytest.mark.parametrize("prefix", ["", "/", "a/", "/a", "a//b", "a/+/b", "#", "a\0"])
def test_a_prefix_that_no_topic_could_begin_with_is_refused(prefix: str) -> None:
    """The mistake is found at start, not at the first result."""
    with pytest.raises(ValueError, match="a topic prefix"):
        Topics(prefix)


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda payload: type(payload).__name__)
def test_real_payloads_fit_their_json_schema(payload: Payload) -> None:
    """What is sent validates against what is published."""
    validator(type(payload)).validate(json.loads(codec.to_json(payload)))


@pytest.mark.parametrize("kind", PAYLOAD_KINDS, ids=lambda kind: kind.__name__)
@settings(max_examples=EXAMPLES_A_TYPE)
@given(data=st.data())
def test_any_payload_fits_its_schema_and_reads_back(
    kind: type[Payload], data: st.DataObject
) -> None:
    """Any payload fits its schema, and a consumer reads the same."""
    payload = data.draw(values(kind))
    written = codec.to_json(payload)
    validator(kind).validate(json.loads(written))
    assert results.decode(written) == payload


def test_the_schema_forbids_what_no_payload_is() -> None:
    """It is not so wide as to allow anything."""
    plain = json.loads(codec.to_json(PAYLOADS[0]))
    for change in ({"winner": 2}, {"reason": "bored"}, {"ended_at": "yesterday"}, {"seq": -1}):
        with pytest.raises(jsonschema.ValidationError):
            validator(GameResult).validate({**plain, **change})


def test_results_arrive_at_least_once_and_moves_at_most_once() -> None:
    """Tables and the server's status are kept by the broker for later subscribers."""
    assert {kind.__name__: (kind.qos, kind.retain) for kind in PAYLOAD_KINDS} == {
        "GameResult": (1, False),
        "MatchResult": (1, False),
        "LadderStandings": (1, True),
        "Status": (1, True),
        "LiveMove": (0, False),
        "GameReviewed": (1, False),
        "GamesAnnulled": (1, False),
        "OrganiserActed": (1, False),
        "ServerNotice": (1, True),
        "EventStatus": (1, True),
        "EventTable": (1, True),
        "EventRoundPaired": (1, False),
        "EventGameResult": (1, False),
    }


def test_every_payload_names_itself() -> None:
    """Schema names are stable."""
    assert [json.loads(codec.to_json(payload))["schema"] for payload in PAYLOADS] == [
        "mancala.game_result.v1",
        "mancala.match_result.v1",
        "mancala.ladder_standings.v1",
        "mancala.status.v1",
        "mancala.live_move.v1",
        "mancala.games_annulled.v1",
        "mancala.notice.v1",
        "mancala.event_status.v1",
        "mancala.event_standings.v1",
        "mancala.event_round.v1",
        "mancala.event_game.v1",
        "mancala.organiser_acted.v1",
    ]


def test_the_winner_of_a_draw_is_null_not_missing() -> None:
    """Consumers find the same keys in every result."""
    drawn = json.loads(codec.to_json(PAYLOADS[0]).replace(b'"winner":0', b'"winner":null'))
    assert drawn["winner"] is None
    assert results.decode(json.dumps(drawn)) == results.decode(codec.to_json(drawn))


STRUCTS: Final = [
    each
    for each in vars(results).values()
    if isinstance(each, type) and issubclass(each, Struct) and each is not Struct
]


@pytest.mark.parametrize("kind", STRUCTS)
def test_a_payload_and_its_parts_cannot_be_changed(kind: type[Struct]) -> None:
    """They are stored, published and shown."""
    assert kind.__struct_config__.frozen


def test_the_topics_of_a_server_cannot_be_changed() -> None:
    """They are read by all that publish."""
    with pytest.raises(AttributeError):
        TOPICS.prefix = "elsewhere"  # type: ignore[misc]


@pytest.mark.parametrize("kind", [*PAYLOAD_KINDS, Payload, Contestant, Standing, ActChange])
def test_a_payload_takes_no_room_for_defaults(kind: type[Struct]) -> None:
    """A consumer reads what is missing as the default."""
    assert kind.__struct_config__.omit_defaults


@pytest.mark.parametrize("payload", [b"", b"{}", b'{"schema":"mancala.status.v2"}'])
def test_what_is_no_payload_is_refused(payload: bytes) -> None:
    """A consumer gets one kind of error."""
    with pytest.raises(DecodeError):
        results.decode(payload)


@cache
def validator(kind: type[Payload]) -> jsonschema.Draft202012Validator:
    schema = schemas.standalone(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)

"""The session table: each row, and two polite ends that never agree on the moment."""

from collections import deque
from random import Random
from typing import Final

import msgspec
import pytest

from mancala.protocol import messages as wire
from mancala.protocol.session import (
    CONVERSATION,
    GAME,
    GAME_MESSAGES,
    REMEMBERED_GAMES,
    ConnectionState,
    GameStage,
    LocalProtocolError,
    RemoteProtocolError,
    Role,
    Session,
)
from tests.protocol.samples import SAMPLES

SEEDS: Final = 2000
STEPS: Final = 100
GAMES: Final = ("g1", "g2", "g3")


def about(kind: type[wire.Message], game: str = "g1") -> wire.Message:
    sample = SAMPLES[kind]
    return msgspec.structs.replace(sample, game=game) if kind in GAME_MESSAGES else sample


def ready(role: Role) -> Session:
    session = Session(role)
    speak = {Role.CLIENT: session.send, Role.SERVER: session.receive}
    speak[role](about(wire.Hello))
    (session.receive if role is Role.CLIENT else session.send)(about(wire.Welcome))
    return session


def say(session: Session, speaker: Role, message: wire.Message) -> None:
    (session.send if speaker is session.role else session.receive)(message)


@pytest.mark.parametrize(("state", "speaker"), CONVERSATION)
@pytest.mark.parametrize("role", Role)
def test_each_row_takes_what_it_lists_and_nothing_else(
    role: Role, state: ConnectionState, speaker: Role
) -> None:
    """In every state an end may send exactly what the table allows; errors name its fault."""
    for kind in SAMPLES:
        session = Session(role)
        session.state = state
        session.games["g1"] = GameStage.UNKNOWN if kind is wire.GameStart else GameStage.LIVE
        following = CONVERSATION[state, speaker].get(kind)
        if following is not None:
            say(session, speaker, about(kind))
            assert session.state is following
            continue
        fault = LocalProtocolError if speaker is role else RemoteProtocolError
        with pytest.raises(fault, match=f"the {speaker} may not say .* while {state}") as caught:
            say(session, speaker, about(kind))
        assert (caught.value.speaker, caught.value.message) == (speaker, about(kind))
        assert session.state is state


@pytest.mark.parametrize(("game", "speaker"), GAME)
@pytest.mark.parametrize("role", Role)
def test_each_row_of_a_game_takes_what_it_lists_and_nothing_else(
    role: Role, game: GameStage, speaker: Role
) -> None:
    """A game is started, played and over, for both ends alike."""
    for kind in CONVERSATION[ConnectionState.READY, speaker]:
        if kind not in GAME_MESSAGES:
            continue
        session = ready(role)
        session.games["g1"] = game
        following = GAME[game, speaker].get(kind)
        if following is not None:
            say(session, speaker, about(kind))
            assert session.games.get("g1") is following
            continue
        fault = LocalProtocolError if speaker is role else RemoteProtocolError
        with pytest.raises(fault) as caught:
            say(session, speaker, about(kind))
        assert caught.value.state is game


@pytest.mark.parametrize("speaker", Role)
def test_goodbye_is_legal_wherever_one_has_not_left(speaker: Role) -> None:
    """Anyone may go at any time, once."""
    left = {Role.CLIENT: ConnectionState.CLIENT_LEFT, Role.SERVER: ConnectionState.SERVER_LEFT}[
        speaker
    ]
    for state in ConnectionState:
        allowed = wire.Goodbye in CONVERSATION[state, speaker]
        assert allowed == (state not in (left, ConnectionState.CLOSED))


def test_what_is_heard_after_goodbye_is_discarded() -> None:
    """An end that has left accepts all messages of the other end, for any game."""
    session = ready(Role.SERVER)
    assert session.has_left is False
    session.send(wire.Goodbye())
    session.receive(about(wire.Move, "never started"))
    assert session.has_left is True
    session.receive(wire.Goodbye())
    assert session.state is ConnectionState.CLOSED


def test_an_answer_may_arrive_when_the_game_is_over() -> None:
    """The bot could not know yet."""
    session = ready(Role.SERVER)
    for kind in (wire.GameStart, wire.Turn, wire.GameOver):
        session.send(about(kind))
    session.receive(about(wire.Move))
    session.receive(about(wire.Resign))
    assert session.games.get("g1") is GameStage.OVER


def test_old_games_are_forgotten_and_running_ones_are_not() -> None:
    """A connection that plays for weeks does not grow."""
    session = ready(Role.SERVER)
    session.send(about(wire.GameStart, "running"))
    for number in range(REMEMBERED_GAMES + 10):
        session.send(about(wire.GameStart, str(number)))
        session.send(about(wire.GameOver, str(number)))
    assert len(session.games) == 64 + 1
    assert session.games.get("running") is GameStage.LIVE
    assert "0" not in session.games


class End:
    """A polite end: says at random what its own table allows, and hears what arrives."""

    def __init__(self, role: Role, rng: Random) -> None:
        self.session = Session(role)
        self.rng = rng
        self.outgoing: deque[wire.Message] = deque()
        self.said: set[type[wire.Message]] = set()

    def speak(self) -> None:
        """Send a random message that is allowed, if there is one."""
        options = [message for message in ANYTHING if self._may_say(message)]
        if options:
            message = self.rng.choice(options)
            self.session.send(message)
            self.outgoing.append(message)
            self.said.add(type(message))

    def _may_say(self, message: wire.Message) -> bool:
        session = self.session
        if type(message) not in CONVERSATION[session.state, session.role]:
            return False
        if isinstance(message, wire.Goodbye):
            return self.rng.random() < 0.2
        if not isinstance(message, GAME_MESSAGES):
            return True
        stage = session.games.get(message.game, GameStage.UNKNOWN)
        return type(message) in GAME[stage, session.role]


ANYTHING: Final = [
    about(kind, game)
    for kind in SAMPLES
    for game in (GAMES if kind in GAME_MESSAGES else GAMES[:1])
]


def talk(seed: int) -> tuple[End, End]:
    """Let two polite ends talk over links that delay at random, until all has arrived."""
    rng = Random(seed)
    ends = (End(Role.CLIENT, rng), End(Role.SERVER, rng))
    for _ in range(STEPS):
        speaker = rng.choice(ends)
        if rng.random() < 0.5:
            speaker.speak()
        elif speaker.outgoing:
            hearer = ends[speaker is ends[0]]
            hearer.session.receive(speaker.outgoing.popleft())
    for speaker, hearer in (ends, ends[::-1]):
        for message in speaker.outgoing:
            hearer.session.receive(message)
    return ends


def test_two_polite_ends_never_offend_each_other() -> None:
    """What one end may send, the other accepts, however late; in the end they agree."""
    said: set[type[wire.Message]] = set()
    for seed in range(SEEDS):
        try:
            ends = talk(seed)
        except RemoteProtocolError as error:
            pytest.fail(f"seed {seed}: {error}")
        client, server = (end.session for end in ends)
        assert client.state is server.state, f"seed {seed}"
        if not (client.has_left or server.has_left):
            agreed = [client.games.get(game) is server.games.get(game) for game in GAMES]
            assert all(agreed), f"seed {seed}"
        said |= ends[0].said | ends[1].said
    assert said == {*SAMPLES}, "the trial never came to these"


def test_a_rude_end_is_caught() -> None:
    """The trial above can fail: one message out of place is noticed."""
    rude: list[tuple[Role, type[wire.Message]]] = [
        (Role.CLIENT, wire.GameStart),
        (Role.SERVER, wire.Move),
    ]
    for role, kind in rude:
        with pytest.raises(RemoteProtocolError):
            Session(role).receive(about(kind))

"""What worlds vary of a server's input, and what they do not."""

import re

from mancala.protocol.messages import Agent, Error, ErrorCode, Hello, Move, Unseek
from tests.simulate.input_space import InputSpace, space
from tests.simulate.unvaried import PROCESSES, RARE, UNVARIED
from tests.sources import ROOT


def test_a_field_is_varied_once_it_had_two_values() -> None:
    """In any of the worlds together; a message without fields, once it was sent."""
    one, two = InputSpace(), InputSpace()
    one.heard(Move("g", 0, 1))
    two.heard(Move("g", 1, 1))
    two.heard(Unseek())
    one.add(two)
    assert "Move.ply" not in one.unvaried
    assert "Move.pit" in one.unvaried
    assert "Unseek" not in one.unvaried


def test_a_refusal_is_met_by_its_code_and_by_its_sentence() -> None:
    """A code has many branches; a sentence is one, whatever stands in its holes."""
    space, sentence = InputSpace(), "server/lobby/requests.py: {} is not here"
    assert {"refusal unknown_opponent", sentence} <= set(space.unvaried)
    space.told(Error(ErrorCode.UNKNOWN_OPPONENT, "ann is not here", fatal=False))
    assert not {"refusal unknown_opponent", sentence} & set(space.unvaried)
    assert "server/lobby/requests.py: a bot can't play itself" in space.unvaried


def test_parts_of_a_field_are_varied_by_themselves() -> None:
    """The version of an agent, and whether there is an agent at all."""
    space = InputSpace()
    space.heard(Hello("mancala.v1", "ann", agent=Agent("sim", "1")))
    space.heard(Hello("mancala.v1", "ben", agent=Agent("sim", "2")))
    unvaried = set(space.unvaried)
    assert {"Hello.agent.name", "Hello.agent as NoneType"} <= unvaried
    assert not {"Hello.agent.version", "Hello.agent as Agent"} & unvaried


def test_the_report_counts_worlds_and_has_reasons() -> None:
    """A line for each part of the space: worlds, a reason, or a question mark."""
    campaign, world = InputSpace(), InputSpace()
    world.heard(Unseek())
    campaign.add(world)
    campaign.add(world)
    lines = campaign.report({"Leave": "why not"})
    assert "     2  Unseek" in lines
    assert "     -  Leave: why not" in lines
    assert "     ?  Join: not varied" in lines
    assert "Join" in campaign.unexplained({"Leave": "why not"})
    assert "Leave" not in campaign.unexplained({"Leave": "why not"})


def test_only_what_there_is_has_a_reason_not_to_be_varied() -> None:
    """A reason for a field that is gone would hide nothing, and mislead."""
    modules = {key.partition(": ")[0] for key in space()}
    assert UNVARIED.keys() | RARE <= set(space()) | modules


def test_combinations_of_two_are_counted() -> None:
    """A setting with each kind of event, and a fault with each state of one."""
    space = InputSpace()
    for games in (1, 2):
        space.drew({"event.format": "swiss", "event.games": games})
    space.drew({"event.format": "rr", "event.games": 1})
    space.drew({"event.games": 2})
    space.happened("a flag fell", "playing")
    lines = [*space.together(["setting event.games"], ["rr", "swiss"])]
    assert lines == ["   1 of 2  setting event.games; never with rr"]
    assert [*space.together(["a flag fell"], ["playing"])] == ["   1 of 1  a flag fell"]


def test_each_process_that_the_server_starts_is_in_worlds_or_has_a_reason() -> None:
    """Worlds have fronts, publishers and web processes."""
    starts = re.compile(r"create_subprocess_exec\(|subprocess\.(run|Popen)\(|= ChildProgram\(")
    rooms = (ROOT / "server").rglob("*.py")
    found = {path for path in rooms if starts.search(path.read_text())}
    rooms_of_children = "fronts/fronts", "publish/child", "web/child"
    started = {f"server/{each}.py" for each in rooms_of_children}
    simulated = {"server/health/child_process.py", *started}
    assert {path.relative_to(ROOT).as_posix() for path in found} == simulated | PROCESSES.keys()

"""Who takes part in an event: entering, checking in, withdrawing, and staying away.

Entrants are numbered by the order in which they entered, and keep their numbers; that order is the
seeding. Who is not connected when a round of a Swiss event or an arena is paired is left out of it,
without points. Who lost two rounds in a row by being absent is withdrawn. A late entrant of a Swiss
event plays from the next round that is paired, and gets half a point a game for each round before
it. One of an arena plays from the next wave, and gets nothing for those before it. The organiser
may give an entrant of a Swiss event a half-point bye for rounds to come, say whom it meets in them,
and take one back that had withdrawn.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from mancala.protocol.text import quantity

from ...config.events import Format
from ...model.contests import EntrantRow
from .lifecycle import EventState, Phase
from .terms import BY_SCORES, Attendance

MOST_ABSENCES: Final = 2
"""Rounds in a row after which an absent entrant is withdrawn."""


class EntryError(ValueError):
    """A bot can't enter, check in or withdraw; the message says why."""


class NotOpenError(EntryError):
    """A bot can't enter yet, but perhaps once the event is open."""


Entrants = tuple[EntrantRow, ...]
Away = Mapping[str, Sequence[int]]
"""The rounds that each entrant was left out of, in order."""


def entered(
    entrants: Entrants,
    phase: Phase,
    name: str,
    *,
    format_: Format,
    late_until: int = 0,
    owner: str = "",
) -> Entrants:
    """Return the entrants with one more; one that had withdrawn before the start is back.

    Only a Swiss event and an arena take late entrants, the last of them in a round; 0 for none.
    """
    joins = phase.round + 1
    if phase.is_over:
        raise EntryError(f"the event is {phase.state}")
    if phase.has_begun and (format_ not in BY_SCORES or joins > late_until):
        raise EntryError(f"round {phase.round} has begun, which is too late to enter")
    former = next((each for each in entrants if each.name == name), None)
    if former is None:
        return (*entrants, EntrantRow.entering(name, joins, owner=owner))
    if not former.has_withdrawn:
        raise EntryError(f"{name} has entered already")
    if phase.has_begun:
        raise EntryError(f"{name} has withdrawn")
    return _with(entrants, EntrantRow.entering(name, owner=owner))


def checked_in(entrants: Entrants, phase: Phase, name: str) -> Entrants:
    """Return the entrants with one marked as there; EntryError when it is not asked to be."""
    if phase.state is not EventState.CHECK_IN:
        raise EntryError(f"the event is {phase.state}, there is no check-in")
    return _with(entrants, _found(entrants, name)._replace(checked_in=True))


def withdrawn(entrants: Entrants, phase: Phase, name: str) -> Entrants:
    """Return the entrants with one of them withdrawn: it plays the present round to its end.

    Before the first round, one that entered by itself leaves nothing behind: else a bot could fill
    the list with names that come and go.

    Raises:
        EntryError: when the bot has not entered, or the event is over.
    """
    if phase.is_over:
        raise EntryError(f"the event is {phase.state}")
    leaving = _found(entrants, name)
    if leaving.owner and not phase.has_begun:
        return tuple(each for each in entrants if each is not leaving)
    return _with(entrants, leaving._replace(leaves=phase.round))


def excused(
    entrants: Entrants, phase: Phase, name: str, number: int, *, rounds: int | None, has_bye: bool
) -> Entrants:
    """Return the entrants with a half-point bye for one of them in a round to come, or without it.

    The rounds of the Swiss event are None while they are not known.

    Raises:
        EntryError: when the bot has not entered, or not by that round; when the round was paired,
            or is none of the event's; and when nothing changes.
    """
    excused_one = _to_play(entrants, phase, name, number, rounds)
    if has_bye == (number in excused_one.bye_rounds):
        has = "has a bye already" if has_bye else "has no bye"
        raise EntryError(f"{name} {has} in round {number}")
    return _with(entrants, _excused(excused_one, {*excused_one.bye_rounds} ^ {number}))


def _excused(entrant: EntrantRow, rounds: Iterable[int]) -> EntrantRow:
    return entrant._replace(byes=",".join(map(str, sorted(rounds))))


def meeting(
    entrants: Entrants,
    phase: Phase,
    pair: tuple[str, str],
    number: int,
    *,
    rounds: int | None,
    is_set: bool,
) -> Entrants:
    """Return the entrants with two who meet by order in a round to come, or do not after all.

    The first of the two moves first. The rounds of the Swiss event are None while they are not
    known. The order is taken back also when one of them has withdrawn meanwhile.

    Raises:
        EntryError: as :func:`excused`, and when one of them meets another by order.
    """
    if not is_set:
        return _meeting_taken_back(entrants, phase, pair, number, rounds)
    first, second = (_to_play(entrants, phase, name, number, rounds) for name in pair)
    if first is second:
        raise EntryError(f"{first.name} can't meet itself")
    ordered = {each.name: each.meetings[number] for each in entrants if number in each.meetings}
    for name in pair:
        if other := ordered.get(name) or next((o for o, it in ordered.items() if it == name), None):
            raise EntryError(f"{name} meets {other} by order in round {number}")
        if number in _found(entrants, name).bye_rounds:
            raise EntryError(f"{name} has a bye in round {number}")
    return _with(entrants, _meeting(first, first.meetings | {number: second.name}))


def _meeting_taken_back(
    entrants: Entrants, phase: Phase, pair: tuple[str, str], number: int, rounds: int | None
) -> Entrants:
    _expect_to_come(phase, number, rounds)
    first, second = pair
    for each in entrants:
        if each.name == first and each.meetings.get(number) == second:
            kept = {at: it for at, it in each.meetings.items() if at != number}
            return _with(entrants, _meeting(each, kept))
    raise EntryError(f"{first} and {second} do not meet by order in round {number}")


def _meeting(entrant: EntrantRow, meetings: Mapping[int, str]) -> EntrantRow:
    return entrant._replace(meets=",".join(f"{at}:{meetings[at]}" for at in sorted(meetings)))


def _to_play(
    entrants: Entrants, phase: Phase, name: str, number: int, rounds: int | None
) -> EntrantRow:
    """Return an entrant that can be ordered something for a round, which is to come."""
    _expect_to_come(phase, number, rounds)
    found = _found(entrants, name)
    if number < found.joins:
        raise EntryError(f"{name} plays from round {found.joins} on")
    return found


def _expect_to_come(phase: Phase, number: int, rounds: int | None) -> None:
    if phase.is_over:
        raise EntryError(f"the event is {phase.state}")
    if number <= phase.round:
        raise EntryError(f"round {number} was paired already")
    if rounds is not None and number > rounds:
        raise EntryError(f"the event has {quantity(rounds, 'round')}, and no round {number}")


def reinstated(entrants: Entrants, phase: Phase, name: str, *, format_: Format) -> Entrants:
    """Return the entrants with one back that had withdrawn; EntryError when it can't be."""
    if phase.is_over:
        raise EntryError(f"the event is {phase.state}")
    found = next((each for each in entrants if each.name == name), None)
    if found is None or not found.has_withdrawn:
        why = "is no entrant of the event" if found is None else "has not withdrawn"
        raise EntryError(f"{name} {why}")
    if phase.has_begun and not found.has_rounds and format_ not in BY_SCORES:
        raise EntryError(f"{name} left before the rounds were drawn up, which have no place for it")
    last = found.leaves or 0
    byes = (number for number in found.bye_rounds if number <= last or number > phase.round)
    back = found._replace(leaves=None, absences=0, checked_in=True)
    return _with(entrants, _excused(back, byes))


def started(entrants: Entrants, phase: Phase) -> Entrants:
    """Return the entrants when round 1 is to be paired; EntryError when fewer than two are left."""
    if phase.state is EventState.CHECK_IN:
        entrants = tuple(
            each if each.checked_in or each.has_withdrawn else each._replace(leaves=0)
            for each in entrants
        )
    if (count := len(players(entrants))) < 2:
        raise EntryError(f"an event needs two entrants or more, and has {count}")
    return entrants


def filled(entrants: Entrants, name: str) -> Entrants:
    """Return the entrants, with the named one more if an odd number of them plays."""
    if len(players(entrants)) % 2 == 0 or any(each.name == name for each in entrants):
        return entrants
    return (*entrants, EntrantRow.entering(name))


def after_round(
    entrants: Entrants, number: int, paired: Collection[str], absent: Collection[str]
) -> Entrants:
    """Return the entrants after a round; those absent from the second in a row are withdrawn.

    Only those who were paired in it are judged.
    """
    return tuple(
        _judged(each, number, is_absent=each.name in absent) if each.name in paired else each
        for each in entrants
    )


def attendance(
    entrants: Entrants, rounds: int, away: Away = MappingProxyType({})
) -> dict[str, Attendance]:
    """Return which rounds those entrants of a Swiss event or an arena have who miss some of them.

    ``away`` has the rounds that they were left out of, since they were not connected.

    Byes that would leave a round to no player are not granted.
    """
    asked = {number for each in entrants for number in each.bye_rounds if number <= rounds}
    granted = {number for number in asked if any(_plays(each, number) for each in entrants)}
    found = {
        each.name: Attendance(
            each.joins,
            min(each.leaves or 0, rounds),
            tuple(it for it in each.bye_rounds if it in granted and each.is_entered(it)),
            _spans(away.get(each.name, ())),
        )
        for each in entrants
    }
    return {name: each for name, each in found.items() if each != Attendance()}


def _spans(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return the first and the last of each run of numbers, which are in order."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        follows = bool(spans) and spans[-1][1] == number - 1
        spans.append((spans.pop()[0] if follows else number, number))
    return tuple(spans)


def _plays(entrant: EntrantRow, number: int) -> bool:
    return entrant.is_entered(number) and number not in entrant.bye_rounds


def players(entrants: Sequence[EntrantRow]) -> Entrants:
    """Return the entrants who are paired for at least one round, in order of seeding."""
    return tuple(each for each in entrants if each.has_rounds)


def _judged(entrant: EntrantRow, number: int, *, is_absent: bool) -> EntrantRow:
    absences = entrant.absences + 1 if is_absent else 0
    is_out = absences >= MOST_ABSENCES and not entrant.has_withdrawn
    return entrant._replace(absences=absences, leaves=number if is_out else entrant.leaves)


def _found(entrants: Entrants, name: str) -> EntrantRow:
    for each in entrants:
        if each.name == name and not each.has_withdrawn:
            return each
    raise EntryError(f"{name} is no entrant of the event")


def _with(entrants: Entrants, entrant: EntrantRow) -> Entrants:
    return tuple(entrant if each.name == entrant.name else each for each in entrants)

"""What server and client promise to a bot's author and to an organiser, in one sentence each."""

from enum import StrEnum
from typing import Final, NoReturn

NOTICED_S: Final = 2.0
"""By then the server has acted on what is due: some commits and a stall of its loop included."""


class Promise(StrEnum):
    """One sentence of what a bot's author or an organiser may rely on."""

    REMEMBERED = "a move that was announced is never forgotten or changed"
    FINAL = "a result that was announced is never forgotten or changed"
    LAWFUL = "what is stored replays by the rules and the terms of its match"
    PUBLISHED = "every result reaches the broker, and its payload is the store's"
    IN_ORDER = "results reach the broker in the order of their numbers, but for those put aside"
    ONE_EVENT = "an event id names one event, whenever and how often it is delivered"
    STATUS = "the broker's status says whether the server runs"
    COUNTED_ONCE = "standings, pairs and penalties equal a recount of the results"
    RANKED = "standings are in the order of their ratings"
    IN_TIME = "an answer that arrived before its flag counts"
    DOUBT = "a game is void where the server itself hid whether an answer was in time"
    FEW_VOIDS = "no more games a day are void for one bot's sake than stated"
    OWN_RECORD = "a bot without a record is neither refused nor paused for what its neighbours did"
    PROMPT = "a flag that has fallen ends the game, or plays for its bot, within two seconds"
    EARLY = "no flag falls before its time"
    WHOLE_TIME = "a question leaves a bot the whole time of its clock"
    CLOCK = "a clock shows what each move took, and no more lag is credited than its quota"
    HEARD = "a bot hears every move of its games, in order"
    LATE = "no answer that arrived after its flag is played"
    AS_GIVEN = "the last provisional move that came before the flag is played, and no later one"
    ASKED = "no flag falls on a bot that is present and was not asked"
    ONE_SEAT = "a bot is asked on one connection at a time"
    GRACE = "a dropped seat is kept for the stated time"
    ABSENT = "a dropped seat is given up within four seconds after the stated time"
    PRESENT = "a bot that came back in time does not lose for having been away"
    RESUMED = "a session is resumed while its seat is kept, also after a restart"
    ENDED = "a session that was left with a goodbye is not resumed"
    SHOWN = "a bot that is present is shown each game that it plays in"
    SHOWN_LESS = "a spectator that has overdrawn its budget is shown no further move"
    CAUGHT_UP = "a spectator that can pay again is shown its game as it stands"
    HEARS_END = "a spectator hears the end of each game that it was shown"
    TOLD = "a bot that comes back hears the results that it missed"
    POLITE = "a bot that stays polite loses by nothing but the board"
    OWN_PROGRAMS = "a program that the server runs loses no game by being away, however long"
    DESERVED = "a game is lost only for what its loser did"
    HEEDED = "a goodbye or a resignation ends the game within two seconds"
    ONE_MATCH = "a bot plays one match of a ladder at a time"
    WILLING = "a bot that has left a ladder is given no further match"
    LENT = "places of house bots are lent: none holds one longest while others wait for it"
    OWN_NAME = "a name with a token is only its holder's"
    REVOKED = "a session ends within twenty seconds once its token is revoked or its name reserved"
    LISTED = "a list has every bot that is there, and nothing that is not"
    REVIEWED = "every game gets its review once a reviewer is there"
    IN_TURN = "games to review go to the reviewer whose address has the fewest, and in turns"
    JUDGED = "a review that contradicts the rules is not taken"
    ACCURATE = "a bot's accuracy equals a recount of its reviews"
    BOUNDED = "what a server keeps in memory does not grow with the time it runs"
    PAIRED_ONCE = "a round of an event is paired once, and follows from the results before it"
    EXCUSED = "an entrant of an event is not paired in a round for which it was given a bye"
    FILLED = "a bot fills an event if an odd number begins without it, and only then"
    EACH_GAME = "each game of a round of an event that is over has one result"
    ONE_BOARD = "no entrant of an event is in two of its encounters at a time"
    WAVES_END = "an arena begins no wave once its time is over"
    TABLED = "the table of an event is a function of its results, and equals a recount"
    AWAITED = "an entrant that is there forfeits no game of an event by being absent"
    ADMITTED = "a bot that enters an event by itself has what the event asks for"
    RESTED = "an event rests between its rounds as long as its settings say"
    APART = "bots that are to be kept apart in a Swiss event meet only where it can't be helped"
    MET_BY_ORDER = "two whom the organiser paired by hand meet, unless one of them is not paired"
    REINSTATED = "an entrant that was reinstated, and is there, is paired in each later round"
    RULED = (
        "a result that the organiser set stands, with its reason, until it is set or played anew"
    )
    HIDDEN = "what an event hides reaches no one but its players until it is revealed"
    CONTINUED = "an edition of a series that is over has one next edition, and no other"
    SHARED = "no address keeps the places of an event from others"
    EVENT_FIRST = "while rounds of an event are played, no ladder gives its entrants a match"
    SUBMITTED = "an event that was submitted and answered is kept, as it was sent"
    OBEYED = "an order and its line of the log are both kept, or neither, also over a kill"
    ANSWERED = "an order that reaches its server whole has one answer, unless the server ends"
    SERVED = "what the page asks of a server that runs is answered within four seconds"
    FOLLOWED = "the page hears each move of a game that it follows, in order, and its end"
    BANNED = "a bot that is banned is not welcome, and its session ends"
    HELD = "no match begins in a ladder that is on hold, nor on a server that drains"
    NOTICED = "each bot hears the operator's notice that holds"
    ANNULLED = "who follows the broker knows which games were annulled"
    BARRED = "a quarantine lasts as long as was said, also over a restart"
    MET = "a match begins between bots that are present"
    PAIRED = "bots that wait in a ladder are given a match"
    LIVE = "once faults end, what is under way ends in a stated time"
    EMPTY = "once all have left, nothing is kept of them"
    REJOINS = "a client that comes back asks for its session, also after its process was killed"
    ANSWERS = "a client answers the open question of a game, and says nothing after its answer"
    BACKS_OFF = "a client that can't connect waits longer each time"
    PERSISTS = "a client that was welcome once reconnects without end"
    ASKS = "a client that is free asks for what it plays"
    FINISHES = "a client that is asked to leave plays its games, or its ladder's match, to the end"
    REPORTS = "a client reports each of its games once, as it ended"
    STOPS = "a server whose store takes nothing stops within two seconds"
    RUNNING = "nothing that peers or the broker do ends the server"


class BrokenPromiseError(AssertionError):
    """A promise was broken."""

    def __init__(self, promise: Promise, detail: str) -> None:
        self.promise = promise
        super().__init__(f"{promise}: {detail}")


def broken(promise: Promise, detail: str) -> NoReturn:
    raise BrokenPromiseError(promise, detail)

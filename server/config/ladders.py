"""The settings of a ladder: one ``[[ladder]]`` of the configuration file."""

from fnmatch import fnmatchcase

import msgspec

from mancala.protocol.clock import TimeControl
from mancala.protocol.levels import ScaleHolder, level_ratings
from mancala.protocol.messages import Name
from mancala.protocol.rules import Rules

from .annotations import Count, Elo, EvenCount, PositiveCount, PositiveSeconds, Reloadable, Seconds
from .games import problem_of_games


class LadderSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A ladder's settings.

    Attributes:
        name: the name that bots join.
        rules: the rules of its games.
        clock: the time control of its games. A reload takes up another one, or other rules, after
            ``mancala admin season``, before the first game. ``mancala admin reload --same-season``
            takes up a clock at any time: games of both are then rated as one.
        games: games of a match; even, since seats are swapped. Two, so that bots are soon free
            for other opponents.
        openings: starting positions, as board literals, each for a pair of games; by default, the
            standard start.
        openings_file: file with further openings, one per line; ``#`` begins a comment. Its path
            is relative to the configuration's folder.
        seed: shuffles the openings; the same seed gives the same order.
        guests: whether bots without a token may join.
        names: patterns (``*``, ``?``) of the names that may join, beside house bots; by default,
            every name.
        patience_s: how long a bot waits for another opponent before it meets its last one again;
            a little longer than a quick match, so that others become free.
        refit_s: how often all ratings are fitted together while games are played; five seconds
            keep a thousand games an hour current at a hundredth of a core.
        anchors: fixed ratings, in Elo, by ``bot@version`` or by ``bot`` for all its
            versions. By default those of the house bots that are levels of the engine, on the scale
            of ``mancala rate``, where Kalah(6,4) is played.
        quarantine_after: consecutive forfeits after which a bot is quarantined. Three in a row are
            a program that crashes, not a lost connection.
        quarantine_s: duration of a quarantine; an hour, for its author to fix it.
        early_departures: how often a day a bot may leave a match before its first move without
            losing it; a few, for programs that crash and lines that break.
        address_departures: after how many such departures a day of all guests of an address its new
            names are paired one after another, two seconds apart; more than a class that begins.
        departure_pause_s: how long a bot is not paired after the first one beyond that; each
            further one doubles it.
        versions_a_day: new versions that one bot may bring in 24 hours; more than an author tries.
        guests_a_day: new names that guests of one address may bring in 24 hours; a classroom's.
            Further ones play unrated at first, until it is their turn, one a minute.
        guest_pool: whether guests play only one another and house bots, so that what they lose on
            purpose lifts no bot with a token; by default they do in a ladder that has neither
            anchors nor house bots to hold its scale, where clients bind no names to tokens of
            their own (`kgp.claim_names`).
        pulse_s: how often two house bots play on while the ladder is idle, so that there is
            something to watch; 0 for never.
        requests: whether it counts the rated matches that bots ask for themselves, by ``challenge``
            or ``seek``, with its rules and its clock, and pairs none itself; so those ratings stay
            apart. The first such ladder whose terms they are counts them. Without one they count
            for no rating.
        leave_out_unusual: whether the ratings leave out the games of unusual pairs, whose results
            differ from what both score against all others by more than chance explains (misfit in
            /api/v1/ladders/NAME/superiority); only in ladders of at most 1,000 entrants.
        house: bots that the organiser runs in the ladder: name and player SPEC.
    """

    name: Name
    rules: str = "kalah"
    clock: TimeControl = TimeControl(move_ms=1000)
    games: Reloadable[EvenCount] = 2
    openings: Reloadable[tuple[str, ...]] = ()
    openings_file: str | None = None
    seed: Reloadable[int] = 1
    guests: Reloadable[bool] = True
    names: Reloadable[tuple[str, ...]] = ()
    patience_s: Reloadable[Seconds] = 5.0
    refit_s: Reloadable[PositiveSeconds] = 5.0
    anchors: Reloadable[dict[str, Elo]] = {}
    quarantine_after: Reloadable[PositiveCount] = 3
    quarantine_s: Reloadable[PositiveSeconds] = 3600.0
    early_departures: Reloadable[Count] = 3
    address_departures: Reloadable[PositiveCount] = 50
    departure_pause_s: Reloadable[Seconds] = 60.0
    versions_a_day: Reloadable[PositiveCount] = 20
    guests_a_day: Reloadable[PositiveCount] = 50
    guest_pool: Reloadable[bool | None] = None
    pulse_s: Reloadable[Seconds] = 45.0
    requests: bool = False
    leave_out_unusual: Reloadable[bool] = False
    house: dict[Name, str] = {}

    @property
    def parsed_rules(self) -> Rules:
        return Rules.parse(self.rules)

    def parts_guests(self, *, has_claims: bool) -> bool:
        """Return whether guests play only one another and house bots.

        ``has_claims`` is whether a client may bind a free name to a token of its own.
        """
        if self.guest_pool is not None:
            return self.guest_pool
        return not (self.anchors or self.house or has_claims)

    @property
    def fixed_ratings(self) -> dict[str, float]:
        """The ratings that hold the scale: the anchors; without any, those of levels."""
        return self.anchors or level_ratings(self.house, self.parsed_rules)

    @property
    def scale_holder(self) -> ScaleHolder:
        if self.anchors:
            return ScaleHolder.ANCHORS
        if self.fixed_ratings:
            return ScaleHolder.LEVELS
        return ScaleHolder.HOUSE if self.house else ScaleHolder.NOTHING

    def admits(self, name: str) -> bool:
        """Return whether a bot of that name may join; house bots may."""
        if not self.names or name in self.house:
            return True
        return any(fnmatchcase(name, pattern) for pattern in self.names)

    def problem(self) -> str | None:
        """Return the first invalid key and the reason; None when all are valid."""
        if self.requests and self.house:
            return "house: a ladder of requests pairs none; house bots can be challenged anyway"
        return problem_of_games(self.rules, self.openings)

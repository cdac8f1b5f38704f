"""The settings of a simulated server, drawn from its seed, and those that no world varies.

A setting stands here with the values that worlds have, or with the reason why all have the same.
One that does not is drawn as its default suggests: a switch both ways, a number and half of it.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from mancala.protocol.clock import TimeControl, TimeoutPolicy
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config
from tests.simulate import event_knobs
from tests.simulate.faults import LADDER, POLITE_NAME
from tests.simulate.reviewers import PATIENCE_S

HOUSE: Final = {POLITE_NAME: "random", "polite1": "random", "slow1": "random"}
"""The house's bots, as far as the world has bots of these names."""
RULES: Final = (
    "kalah:pits=2,seeds=2",
    "kalah:pits=3,seeds=2",
    "kalah:pits=4,seeds=1",
    "kalah-empty-capture:pits=3,seeds=1",
    "article:pits=3,seeds=3",
)
KNOBS: Final[Mapping[str, tuple[Any, ...]]] = {
    "grace_s": (5.0, 15.0),
    "drain_s": (0.0, 1.0),
    "reconnect_after_s": (0.5, 2.0),
    "mqtt.prefix": (None, "club/arena"),
    "mqtt.live_moves": (False, True),
    "kgp.rated": (True, False),
    "kgp.games": (2, 4),
    "play.challenges": (1, 1, 2, 4),
    "play.lease_s": (2.0, 5.0),
    "play.longest_turn_s": (30.0, 900.0),
    "play.games": (4, 100),
    "limits.moves_per_s": (10.0, 100.0),
    "limits.games": (4, 1000),
    "limits.tables": (4, 64),
    "limits.challenges": (1, 16),
    "limits.watched": (1, 256),
    "limits.loop_lag_ms": (100.0, 250.0),
    "limits.own_delay_ms": (20.0, 50.0),
    "limits.info_move_bytes": (16, 4096),
    "limits.info_game_bytes": (64, 65_536),
    "limits.info_bot_bytes": (256, 36_000_000),
    "limits.info_guests_bytes": (1024, 200_000_000),
    "limits.voids_per_day": (1, 2, 5),
    "limits.handshake_s": (5.0, 10.0),
    "limits.messages_per_s": (20.0, 40.0),
    "limits.messages_burst": (300, 400),
    "limits.address_per_s": (800.0, 1000.0),
    "limits.ping_s": (2.0, 5.0),
    "limits.keepalive_s": (5.0, 30.0),
    "ladder.games": (2, 2, 4),
    "ladder.seed": (1, 2),
    "ladder.patience_s": (0.5, 2.0, 5.0),
    "ladder.refit_s": (5.0, 20.0),
    "ladder.anchors": ({}, {POLITE_NAME: 1500.0}),
    "ladder.quarantine_after": (2, 3),
    "ladder.quarantine_s": (5.0, 20.0),
    "ladder.early_departures": (0, 3),
    "ladder.address_departures": (1, 50),
    "ladder.departure_pause_s": (1.0, 3.0),
    "ladder.versions_a_day": (1, 20),
    "ladder.guests_a_day": (2, 50),
    "ladder.pulse_s": (0.0, 10.0),
    "ladder.house": (HOUSE, {}),
}
"""The values of each setting that worlds draw, beside rules and clocks."""
EVENT_KNOBS: Final = {
    f"event.{name}": values for name, values in {**event_knobs.KNOBS, **event_knobs.ASKED}.items()
} | {"event.freeze": event_knobs.FREEZES}
ELSEWHERE: Final = "no world has what it is for: HTTP, TLS and child processes have no virtual time"
FIXED_PLACE: Final = "a place of the simulated network or store, which tests of the app vary"
AT_LENGTH: Final = "it acts after days, longer than a world lasts; tests of the store pass the days"
UNVARIED: Final[Mapping[str, str]] = {
    "event.pairing": "a simulated event is paired by no other program",
    **dict.fromkeys(
        (
            *("http_port", "http_host", "web_feed", "ctl", "docs", "public_url", "origins"),
            *(
                "hosts",
                "health_port",
                "health_host",
                "status_token",
                "front_port",
                "front_host",
                "front_tokens",
                "tls.cert",
                "tls.key",
                "tls.ca",
                "mqtt.ca",
                "mqtt.cert",
                "mqtt.key",
            ),
            "limits.http_connections_per_address",
            *("limits.http_connections", "limits.http_per_s", "limits.http_burst"),
            *("play.levels", "play.analysis", "reviewers.house", "reviewers.seconds"),
        ),
        ELSEWHERE,
    ),
    **dict.fromkeys(
        (
            *("name", "host", "port", "store", "mqtt.url", "mqtt.user", "mqtt.password"),
            *(
                "mqtt.client_id",
                "mqtt.private_broker",
                "kgp.tcp_port",
                "kgp.ws_port",
                "kgp.ladder",
                "ladder.name",
            ),
        ),
        FIXED_PLACE,
    ),
    **dict.fromkeys(
        (
            *("mqtt.keep_days", "keep.games_days", "keep.reviews_days", "keep.reports_days"),
            *("keep.quiet_hour", "limits.idle_s"),
        ),
        AT_LENGTH,
    ),
    **dict.fromkeys(
        ("mqtt.outbox_rows", "mqtt.outbox_bytes", "limits.info_bytes"),
        "beyond it the oldest are dropped, which the promise of every result would not allow",
    ),
    **dict.fromkeys(
        (
            *("limits.connections", "limits.connections_per_address", "limits.exempt"),
            "kgp.connections",
        ),
        "a world has fewer connections than the least useful value; the flood drill has more",
    ),
    **dict.fromkeys(
        ("limits.address_burst", "limits.flood_s", "limits.outgoing_bytes"),
        "a peer that is cut off for a flood is no polite bot's peer; the flood drill varies it",
    ),
    "log_level": "no promise is about lines of the log; tests of the log and of serve vary it",
    "limits.proxies": "a proxy's header is read before the first byte; a test of accepting has it",
    "kgp.claim_names": "simulated KGP clients bring no token; the drill of neighbours has them",
    "kgp.claims_a_day": "as claim_names",
    "ladder.openings": "the audit replays from the usual start; tests of ladders have openings",
    "ladder.openings_file": "as openings",
    **dict.fromkeys(
        ("guests", "ladder.guests", "ladder.names"),
        "no guest could play, and all polite bots are guests; tests of logins refuse them",
    ),
    "gateways": "plug-ins add them; the wheel's test runs one",
    "kgp.event": "a place of the simulated network; events are in process, where no KGP is",
    "event.name": FIXED_PLACE,
    "event.openings": "as ladder.openings",
    **dict.fromkeys(
        (*("event.about", "event.edition"), *("event.division", "event.promoted")), "tests have it"
    ),
    "event.max_rating": "as event.min_rating",
    "event.rated": "the watches know matches by their ladder; tests of contests have it",
    "event.openings_file": "as ladder.openings",
    **dict.fromkeys(
        ("stage_names", "stage_words"), "a world has no page; tests of the stage have both"
    ),
    "public_log": "what it publishes is no result; tests of the control port read it",
    "play.exhibition_s": "its games are the house's own; tests of exhibitions have them",
    "ladder.requests": "such a ladder pairs none; tests of ladders have it",
    "ladder.leave_out_unusual": "a world's bots have no deals; tests of the fit have them",
    "ladder.guest_pool": "who waits for whom would differ; tests of membership have it",
    "reviewers.queue": "a game that no one waits for would be no fault of the server",
    "reviewers.patience_s": "the watch of reviews counts on it",
}
"""The settings that are the same in all worlds, each with the reason."""

DRIVEN: Final[Mapping[str, Mapping[str, str]]] = {
    "server/app/test_housekeeping.py": {
        "test_matches_are_kept_for_ever_or_as_long_as_wanted": "keep.games_days",
        "test_results_wait_for_their_broker_within_bounds": "mqtt.outbox_rows mqtt.outbox_bytes",
    },
    "server/app/test_server.py": {
        "test_each_port_is_open_at_the_address_that_its_setting_names": (
            "host http_host health_host"
        ),
    },
    "server/app/test_operating.py": {
        "test_a_server_listens_for_its_operator": "ctl",
    },
    "server/app/test_written_settings.py": {
        "test_divisions_of_a_written_edition_make_the_next_one": (
            "event.division event.edition event.promoted"
        ),
        "test_rooms_of_a_written_file_are_as_it_says": (
            "event.name event.about event.max_rating event.openings event.openings_file "
            "kgp.event ladder.guests ladder.names play.exhibition_s"
        ),
        "test_what_is_kept_is_as_a_written_file_says": (
            "keep.quiet_hour keep.reports_days keep.reviews_days limits.info_bytes "
            "mqtt.keep_days reviewers.queue"
        ),
    },
    "server/config/test_reload.py": {
        "test_idle_clients_are_asked_to_come_back": "limits.idle_s",
    },
    "server/control/plans/test_events.py": {
        "test_an_event_is_made_rated_annulled_exported_and_imported": "event.rated",
    },
    "server/control/plans/test_replays.py": {
        "test_a_match_is_played_again_from_the_same_positions": "ladder.openings",
        "test_games_that_bots_asked_for_are_not_ordered_again": "ladder.requests",
    },
    "server/control/plans/test_reloading.py": {
        "test_results_go_to_the_broker_that_the_settings_name_now": (
            "mqtt.url mqtt.user mqtt.password"
        ),
    },
    "server/control/plans/test_trail.py": {
        "test_a_public_log_is_on_mqtt_and_on_the_page": "public_log",
    },
    "server/fronts/test_remote.py": {
        "test_a_front_goes_on_with_the_next_server_at_the_same_port": (
            "front_port front_host front_tokens"
        ),
    },
    "server/net/kgp/test_kgp_gateway.py": {
        "test_the_clients_of_an_address_bind_as_many_names_a_day_as_the_settings_say": (
            "kgp.claims_a_day"
        ),
        "test_clients_that_come_after_a_reload_join_the_ladder_that_it_names": (
            "kgp.ladder kgp.connections ladder.name"
        ),
    },
    "server/net/test_connection_port.py": {
        "test_a_flood_of_connections_is_reset_before_any_handshake": "limits.address_burst",
    },
    "packaging/test_plugin.py": {
        "test_its_gateway_accepts_and_its_page_is_served_and_linked": "gateways",
    },
    "server/net/test_listener.py": {
        "test_a_certificate_that_is_broken_changes_nothing": "tls.cert tls.key",
        "test_a_peer_that_is_silent_in_its_tls_handshake_is_cut_off": "kgp.tcp_port kgp.ws_port",
        "test_a_peer_that_stays_past_its_budget_is_sent_away": "limits.flood_s",
        "test_a_refused_origin_is_told_which_settings_let_it_in": "hosts origins",
        "test_an_own_program_needs_no_certificate_and_no_place": "limits.connections",
        "test_behind_a_trusted_proxy_each_client_has_limits_of_its_own": "limits.proxies",
        "test_one_connection_too_many_is_told_so_and_sent_away": (
            "limits.connections_per_address limits.exempt"
        ),
    },
    "server/publish/test_publisher.py": {
        "test_a_broker_behind_an_authority_of_ones_own_is_trusted_when_it_is_named": (
            "tls.ca mqtt.ca"
        ),
        "test_a_broker_that_asks_for_a_certificate_gets_the_one_that_is_named": (
            "mqtt.cert mqtt.key"
        ),
        "test_what_a_former_server_could_not_publish_its_successor_does": "mqtt.private_broker",
    },
    "server/publish/test_refusals.py": {
        "test_a_server_shows_what_its_broker_refuses": "mqtt.client_id",
    },
    "server/web/api/test_api.py": {
        "test_a_public_address_takes_the_place_of_the_port": "public_url",
        "test_a_server_may_offer_no_analysis": "play.analysis",
    },
    "server/web/api/test_organisers_walk.py": {
        "test_an_evening_with_two_helpers_goes_as_the_document_says": "limits.http_burst",
    },
    "server/web/api/test_stage.py": {
        "test_guests_and_bad_words_are_on_the_stage_only_if_allowed": "stage_names stage_words",
    },
    "server/web/http/test_http_server.py": {
        "test_one_connection_too_many_is_cut_off_while_all_are_answered": (
            "limits.http_connections limits.http_connections_per_address"
        ),
    },
    "server/web/pages/test_documentation.py": {
        "test_without_rendered_pages_the_packages_own_documents_are_listed": "docs",
    },
    "server/web/status/test_morning.py": {
        "test_from_elsewhere_the_page_needs_its_password": "health_port status_token",
    },
    "end_to_end/test_web_process.py": {
        "test_a_web_process_apart_shows_the_archive_while_the_server_is_away": (
            "http_port web_feed log_level"
        ),
    },
    "end_to_end/test_reviewer.py": {
        "test_a_random_bot_learns_which_move_lost_its_games": "reviewers.house reviewers.seconds",
    },
    "scripts/commands/hosting/test_levels.py": {
        "test_ten_levels_wait_for_people_on_a_server_that_wants_them": "play.levels",
    },
    "drills/hosts.py": {
        "drill": "name port store",
    },
    "drills/hostile.py": {
        "drill": "guests",
    },
    "drills/neighbours.py": {
        "drill": "kgp.claim_names",
    },
    "drills/nginx.py": {
        "drill": "limits.http_per_s ladder.guest_pool",
    },
}
"""By file below tests, and test or drill: what it sets for a running server, and sees."""
IN_ROOMS: Final = {
    "event.pairing": "both of its values mean the same",
    "limits.outgoing_bytes": "a reader that stops; tests of connections have one",
    "ladder.openings_file": "read as an event's, which a running server has",
    "ladder.leave_out_unusual": "it shows after hundreds of games, which tests of the fit have",
    "reviewers.patience_s": "a reviewer that hangs; tests of the dispatcher have one",
}
"""Settings that no test gives a running server, each with the reason."""
DRAWN_BY_THEMSELVES: Final = ("rules", "clock", "ladder.rules", "ladder.clock")


def draw_clock(rng: random.Random) -> TimeControl:
    """Draw the limits of a game: of a move, of a bank, or of both."""
    move_ms = rng.choice((None, 1000, 2000, 5000, rng.randint(800, 6000)))
    bank_ms = rng.choice((None, 10_000, 20_000, rng.randint(8000, 30_000)))
    if move_ms is bank_ms is None:
        move_ms = 2000
    increment_ms = rng.choice((0, 200, 1000)) if bank_ms is not None else 0
    timeout = rng.choice(tuple(TimeoutPolicy))
    return TimeControl(move_ms, bank_ms, increment_ms, timeout)


def draw_config(rng: random.Random) -> Config:
    rules, clock = rng.choice(RULES), draw_clock(rng)
    drawn: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    drawn["reviewers"]["patience_s"] = PATIENCE_S
    ladder = LadderSettings(name=LADDER)
    for key, values in {**KNOBS, **unlisted(Config(ladder=(ladder,)))}.items():
        table, _, name = key.rpartition(".")
        drawn[table][name] = rng.choice(values)
    ladder = replace(ladder, rules=rules, clock=clock, guest_pool=False, **drawn.pop("ladder"))
    config = Config(name="simulated", rules=rules, clock=clock, ladder=(ladder,), **drawn.pop(""))
    tables = {key: replace(getattr(config, key), **values) for key, values in drawn.items()}
    return replace(config, **tables)


def unlisted(config: Config) -> dict[str, tuple[object, ...]]:
    """Return what settings are drawn from that stand in no list, beside those of events."""
    listed = {*KNOBS, *UNVARIED, *DRAWN_BY_THEMSELVES}
    return {
        name: values_like(value)
        for name, value in settings_of(config).items()
        if name not in listed
    }


def values_like(default: object) -> tuple[object, ...]:
    """Return a default and another value; the default alone if it is neither switch nor number."""
    if isinstance(default, bool):
        return default, not default
    if isinstance(default, int):
        return default, 2 if default < 2 else default // 2
    return (default, default / 2 or 1.0) if isinstance(default, float) else (default,)


def settings_of(config: Config) -> dict[str, object]:
    tables: dict[str, Struct] = {"": config, "ladder.": config.ladder[0]}
    if config.event:
        tables["event."] = config.event[0]
    return {
        name: value for prefix, table in tables.items() for name, value in _settings(table, prefix)
    }


def _settings(table: Struct, prefix: str) -> Iterator[tuple[str, object]]:
    for name in table.__struct_fields__:
        value = getattr(table, name)
        if isinstance(value, Struct):
            yield from _settings(value, f"{prefix}{name}.")
        elif name not in {"ladder", "event"} or prefix:
            yield f"{prefix}{name}", value

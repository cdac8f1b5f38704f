"""The drills in their short forms: what holds for a thousand games holds for twenty."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable

import orjson
import pytest

from tests import node
from tests.drills import (
    arrival,
    broker,
    churn,
    costly,
    dodging,
    flood,
    greedy_broker,
    half_open,
    hostile,
    hosts,
    ladder,
    load,
    neighbours,
    nginx,
    operator,
    places,
    poison,
    programs,
    reviewers,
    reviews,
    soak,
    swiss_event,
    sybils,
    terminal,
)
from tests.drills.databases import Database, find_postgresql
from tests.drills.report import DrillReport
from tests.patience import PATIENCE_S, WALK_S
from tests.world import proxies
from tests.world.programs import find

ON_POSTGRESQL = pytest.mark.parametrize("where", ["postgresql"], indirect=True)
"""Of what simulated worlds try on SQLite; ``make drills`` runs each drill on both."""


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest) -> Database:
    if request.param == "sqlite":
        return Database()
    return Database(request.getfixturevalue("postgresql"))


@pytest.fixture
def network_namespaces() -> None:
    """Skip the test where hosts of this machine, or PostgreSQL on one of them, cannot be had."""
    for program in ("ip", "mount", "nsenter", "openssl", "setpriv", "ss", "unshare"):
        if shutil.which(program) is None:
            node.skip(f"not installed: {program}")
    if find_postgresql() is None:
        node.skip("not installed: postgresql")
    words = ("unshare", "--net", "--uts", "--mount", "true")
    tried = subprocess.run(words, capture_output=True, check=False)
    if os.geteuid() != 0 or tried.returncode != 0:
        node.skip(f"no network namespaces: {tried.stderr.decode().strip() or 'not root'}")


def kept(report: DrillReport) -> bool:
    """Check that every promise was kept; name the others, and print what was found."""
    print(report)  # noqa: T201  # shown when the test fails, seed included
    assert [promise for promise, is_kept in report.promises.items() if not is_kept] == []
    return True


async def held(drill: Awaitable[DrillReport]) -> bool:
    async with asyncio.timeout(WALK_S):
        return kept(await drill)


@ON_POSTGRESQL
async def test_a_server_killed_amid_its_operators_orders_did_each_wholly_or_not_at_all(
    where: Database,
) -> None:
    """Two kills: the tables equal the games that remain, and what holds is what the log says."""
    assert await held(operator.drill(kills=2, seed=1, where=where))


async def test_a_server_killed_in_a_swiss_event_ends_in_the_table_of_one_left_in_peace(
    mosquitto: str,
) -> None:
    """Two kills amid absences, a withdrawal, an annulled game and a broker that is away."""
    plan = swiss_event.SwissPlan(6, kgp=1, house=0, rounds=3, kills=2, browser=False, vanishing=1)
    assert await held(swiss_event.drill(plan, mosquitto))


async def test_a_server_killed_in_a_ladder_counts_every_game_once(mosquitto: str) -> None:
    """One kill in six games: store, bots, MQTT and the ladder's tallies agree."""
    plan = ladder.LadderPlan(bots=3, games=6, kills=1, seed=1)
    assert await held(ladder.drill(plan, mosquitto))


@pytest.mark.usefixtures("mosquitto", "network_namespaces")
async def test_a_second_server_takes_over_ladders_and_an_event() -> None:
    """A kill and a cut network, with fronts on other hosts: all accounts agree in the end."""
    kinds = [word for kind in ("kill", "cut") for word in ("--only", kind)]
    small = ("--bots", "12", "--rounds", "2", "--think", "0.02")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", hosts.__name__, *kinds, *small, "--most", str(PATIENCE_S)),
        stdout=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(WALK_S):
        told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()


@ON_POSTGRESQL
async def test_results_survive_a_broker_that_comes_and_goes(
    mosquitto: str, where: Database
) -> None:
    """Stopped, frozen and restarted: each result arrives, under one event id."""
    plan = broker.BrokerPlan(results=40, disturbances=3, freeze_s=0.5, seed=1)
    assert await held(broker.drill(plan, mosquitto, where))


async def test_a_broker_that_announces_huge_packets_costs_neither_memory_nor_moves() -> None:
    """Three packets of 268,435,455 bytes: none is read, no process grows, the games go on."""
    assert await held(greedy_broker.drill(greedy_broker.GreedyBrokerPlan(3, plies=100, seed=1)))


async def test_half_open_requests_and_a_hanging_web_process_silence_nothing() -> None:
    """Page and health answer beside 330 half-open requests; a stopped web process is replaced."""
    assert await held(half_open.drill(half_open.HalfOpenPlan(330, rounds=3, longest_s=PATIENCE_S)))


async def test_a_bot_neither_voids_its_lost_games_nor_buys_time() -> None:
    """Answers around the flag while the server is held up, and late pongs."""
    assert await held(arrival.drill(arrival.ArrivalPlan(8, longest_s=0.3, has_link=False)))


async def test_leaving_before_the_first_move_does_not_pay() -> None:
    """Three departures are free, the others lost; four guests that leave do not stop the games."""
    plan = dodging.DodgingPlan(
        attempts=8, dodgers=4, bots=4, seconds=0.0, games=40, share=0.0, seed=1
    )
    assert await held(dodging.drill(plan))


async def test_a_stranger_closes_no_ladder_to_its_neighbours(where: Database) -> None:
    """Names, departures and tokens of one address: its newcomers are paired and rated.

    On SQLite the clients come from this machine, on PostgreSQL through a proxy that names them.
    """
    is_proxied = where != Database()
    plan = neighbours.NeighboursPlan(51, leavers=4, claimers=21, seed=1, is_proxied=is_proxied)
    assert await held(neighbours.drill(plan, where))


async def test_a_server_behind_nginx_knows_its_clients() -> None:
    """The documentation's recipe: addresses, a school beside a stranger, deaf followers, games."""
    program = find(nginx.PROGRAM)
    if program is None:
        node.skip("not installed: nginx")
    plan = nginx.NginxPlan(students=30, names=51, deaf=8, games=8, seed=1)
    assert await held(nginx.drill(plan, program))


async def test_a_server_behind_haproxy_keeps_its_bots() -> None:
    """The documentation's recipe, beside timeouts that are shorter than what a bot waits."""
    if find("haproxy") is None:
        node.skip("not installed: haproxy")
    plan = proxies.ProxyPlan(idle_s=2.5, timeout_s=1)
    assert await held(proxies.drill("haproxy", plan))


async def test_a_stranger_holds_no_place_of_the_house_for_ever() -> None:
    """Challenges of a week a move, then the longest allowed, also over a restart: visitors play."""
    assert await held(places.drill(places.PlacesPlan(names=4, seed=1), Database()))


async def test_polite_games_go_on_while_the_server_is_attacked() -> None:
    """Spoilt frames and handshakes, slow clients and impostors delay no game."""
    plan = hostile.HostilePlan(*(400, 50, 100, 5), seed=1, late_s=PATIENCE_S, talks_s=PATIENCE_S)
    assert await held(hostile.drill(plan, Database()))


@ON_POSTGRESQL
async def test_no_text_of_a_stranger_harms_the_server(where: Database) -> None:
    """NUL in every text, line and URL is refused; strange texts play; polite games go on."""
    assert await held(poison.drill(1, where))


async def test_nothing_that_a_stranger_sends_costs_much_to_read() -> None:
    """Long lists, open quotes, escapes and their like, once to each port, counted in moves."""
    assert await held(costly.drill(1))


async def test_no_text_of_a_stranger_reaches_a_terminal_as_it_is() -> None:
    """One spoilt text for each command, of servers, programs and files."""
    assert await held(terminal.drill(1, seed=1))


async def test_guests_that_lose_on_purpose_lift_no_rating() -> None:
    """Ten of them, beside an anchor and without one."""
    assert await held(sybils.drill(sybils.SHORT))


async def test_a_ladder_takes_a_bounded_number_of_versions() -> None:
    """Two guests come 25 times each, and are taken 20 times."""
    plan = churn.ChurnPlan(bots=2, guests=2, versions=25, seconds=0.0, seed=1, is_timed=False)
    assert await held(churn.drill(plan, Database()))


def test_a_server_keeps_nothing_in_memory_of_games_that_are_over() -> None:
    """Two minutes of virtual time: all objects grow by less than a hundred bytes a game."""
    assert kept(soak.drill(minutes=2.0, seed=1))


async def test_floods_at_every_port_cost_no_honest_game() -> None:
    """All kinds, then spectators, half-open connections and a hostile broker: the games go on."""
    plan = flood.FloodPlan(2, 2, 1.0, crowd=8, is_each=False, is_timed=False)
    assert await held(flood.drill(plan))


async def test_a_tournament_of_programs_with_bad_habits_ends_by_itself() -> None:
    """Chatter, floods, forks and late words: each game ends for its reason, no process is left."""
    report = await asyncio.to_thread(programs.drill, short=True, margin_s=30.0, start_up_s=20.0)
    assert kept(report)


async def test_the_load_drill_tells_its_figures_as_one_json_object() -> None:
    """Exit code 0; latency, fairness, memory and speed are all there."""
    small = ("--idle", "50", "--games", "10", "--pairs", "8", "--seconds", "0.5", "--rounds", "1")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", load.__name__, *small, "--json"), stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE_S):
        told, _ = await process.communicate()
    figures = orjson.loads(told)
    assert (process.returncode, figures["ok"]) == (0, True)
    assert {
        "relay_ms_p99",
        "clock_error_ms_p99",
        "stolen_percent",
        "bytes_per_connection",
    } <= figures.keys()
    assert figures["plies_per_s"] > 0
    assert figures["plies_to_relays"] > 0
    assert figures["frames_to_echo_frames"] > 0


async def test_reviewers_that_are_killed_lose_no_game_and_review_none_twice() -> None:
    """Two kills in twelve games, and one of the server."""
    assert await held(reviewers.drill(kills=2, seed=1, time_s=0.1))


def test_every_value_called_proven_is_the_solvers() -> None:
    """Ten games, one of each variant; the bounds are CPU time."""
    assert kept(reviews.drill(games=10, time_s=0.15, check_s=0.15))

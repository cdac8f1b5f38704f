"""The dashboard and the alert rules that ship with a server, against a real Prometheus."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from mancala.server.config.ladders import LadderSettings
from tests.drills.ports import HOST, free_port
from tests.patience import PATIENCE_S, WALK_S
from tests.server.peers import arena
from tests.sources import ROOT

DEPLOY: Final = ROOT / "scripts" / "deploy"
RULES: Final = DEPLOY / "prometheus-alerts.yml"
DASHBOARD: Final = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
NAME: Final = re.compile(r"\b(?:mancala|process)_[a-z_]+")
OF_THE_WEB: Final = (
    *("mancala_web_", "mancala_http_", "mancala_outbox_depth"),
    *("mancala_outbox_bytes", "mancala_reviews_waiting"),
)


def program(name: str) -> str:
    """Return a program of Prometheus; where there is none the test is skipped, but not in CI."""
    found = shutil.which(name)
    if found is None:
        if os.environ.get("MANCALA_SKIP_NOTHING"):
            pytest.fail(f"{name} is missing, and nothing may be skipped")
        pytest.skip(f"{name} is not installed")
    return found


def queries() -> Iterator[str]:
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            yield target["expr"]


def test_the_alert_rules_are_rules() -> None:
    """``promtool`` accepts them."""
    command = [program("promtool"), "check", "rules", str(RULES)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def fetch(url: str) -> str:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:  # noqa: S310  # our own server
        return str(answer.read().decode())


def ask(port: int, query: str) -> list[Any]:
    words = urllib.parse.urlencode({"query": query})
    answer = json.loads(fetch(f"http://{HOST}:{port}/api/v1/query?{words}"))
    assert answer["status"] == "success", answer
    found: list[Any] = answer["data"]["result"]
    return found


async def test_each_metric_that_is_asked_for_is_there(tmp_path: Path) -> None:
    """In the rules and on the dashboard; by the conventions, and without times of creation."""
    ladder = (LadderSettings(name="main"),)
    async with arena(tmp_path, http_port=0, ladder=ladder) as running:
        url = f"{running.server.http_url}/metrics"
        await asyncio.to_thread(fetch, url)
        text = await asyncio.to_thread(fetch, url)
    families = set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))
    asked = {name for text_ in (RULES.read_text(), *queries()) for name in NAME.findall(text_)}
    suffixed = families | {f"{name}_bucket" for name in families}
    assert asked - suffixed == set()
    assert "_created" not in text
    assert 'mancala_ladder_members{ladder="main"} 0.0' in text


async def test_a_prometheus_scrapes_a_server_and_answers_the_dashboard(tmp_path: Path) -> None:
    """Every query is understood, and the gauges have a value."""
    port, prometheus = free_port(), program("prometheus")
    async with arena(tmp_path, health_port=0) as running:
        target = urllib.parse.urlsplit(str(running.server.health_url)).netloc
        config = tmp_path / "prometheus.yml"
        config.write_text(
            "global: {scrape_interval: 1s}\n"
            f"rule_files: ['{RULES}']\n"
            "scrape_configs:\n"
            f"  - {{job_name: mancala, static_configs: [{{targets: ['{target}']}}]}}\n"
        )
        process = await asyncio.create_subprocess_exec(
            prometheus,
            f"--config.file={config}",
            f"--storage.tsdb.path={tmp_path / 'data'}",
            f"--web.listen-address={HOST}:{port}",
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(WALK_S):
                while not await scraped(port):  # noqa: ASYNC110  # another program is waited for
                    await asyncio.sleep(0.2)
            for query in queries():
                found = await asyncio.to_thread(ask, port, query)
                if not query.startswith(OF_THE_WEB) and "(" not in query and "ladder" not in query:
                    assert found, query
        finally:
            process.terminate()
            await process.wait()


async def scraped(port: int) -> bool:
    try:
        return bool(await asyncio.to_thread(ask, port, 'up{job="mancala"} == 1'))
    except OSError:
        return False

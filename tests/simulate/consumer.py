"""A consumer of the results over MQTT, over all restarts of the server and losses of the broker.

As the specification asks of consumers, it drops what it has seen, by ``event_id``. So nothing else
may come under an id that it knows, and what is left has every number of the outbox once.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from mancala.protocol import codec
from tests.simulate.promises import Promise, broken


def check_events(received: Iterable[tuple[str, str]], retained: Mapping[str, str]) -> None:
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

"""A chat endpoint on this machine that answers as a test wants it to."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import orjson


class FakeEndpoint:
    """What a fake endpoint was asked, and where it is.

    Attributes:
        url: the base of its API.
        requests: the body of every request.
        keys: the header with the key of every request, if there was one.
        is_over: set when the test is; an endpoint that never answers waits for it.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.is_over = threading.Event()


def completion(text: str, **usage: float | str | None) -> bytes:
    message = {"role": "assistant", "content": text}
    return orjson.dumps({"id": "x", "choices": [{"index": 0, "message": message}], "usage": usage})


Respond = Callable[[FakeEndpoint, BaseHTTPRequestHandler], None]


def saying(*answers: str, **usage: float) -> Respond:
    def respond(endpoint: FakeEndpoint, handler: BaseHTTPRequestHandler) -> None:
        said = answers[min(len(endpoint.requests), len(answers)) - 1]
        send(handler, 200, completion(said, **usage))

    return respond


def sending(
    body: bytes | str, status: int = 200, headers: Mapping[str, str] = {}, *, times: int = 0
) -> Respond:
    """Return an endpoint that sends a body, for ever or only at first, and then a good answer."""

    def respond(endpoint: FakeEndpoint, handler: BaseHTTPRequestHandler) -> None:
        if times and len(endpoint.requests) > times:
            send(handler, 200, completion('{"move": 3}'))
        else:
            send(handler, status, body if isinstance(body, bytes) else body.encode(), headers)

    return respond


def send(
    handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: Mapping[str, str] = {}
) -> None:
    handler.send_response(status)
    own = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    for name, value in {**own, **headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def fake_endpoint(respond: Respond) -> Iterator[FakeEndpoint]:
    class EndpointHandler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the name that http.server calls
            length = int(self.headers["Content-Length"])
            endpoint.requests.append(orjson.loads(self.rfile.read(length)))
            endpoint.keys.append(self.headers.get("Authorization"))
            respond(endpoint, self)

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), EndpointHandler) as server:
        server.daemon_threads = True
        endpoint = FakeEndpoint(f"http://127.0.0.1:{server.server_port}/v1")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield endpoint
        finally:
            endpoint.is_over.set()
            server.shutdown()
            thread.join()

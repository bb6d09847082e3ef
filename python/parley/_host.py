"""The server that answers for this process: JSON by POST on 127.0.0.1, with a token.

A request is read in its own thread, and its call is handed to :class:`Calls`, which decide in which thread the callable runs.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import http.server
import json
import secrets
import socket
import threading
import time
import traceback
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Callable, Mapping

LONGEST = 16 << 20  # bytes of a request
WITHIN = 30.0  # seconds that a request may take to arrive, once it has begun
CONNECTIONS = 512  # at once; more are closed
ASYNC = 8  # calls of asynchronous callables in flight
KEPT = 8  # exceptions, with all that their frames hold

Call = dict[str, Any]


@dataclass(frozen=True)
class Route:
    """What is answered at a path. about is what the call "about" gets; with chat an error has a status of its own, as OpenAI's protocol has it."""

    answer: Callable[[Call], Any]
    about: Mapping[str, Any]
    asynchronous: bool = False
    chat: bool = False


class Calls:
    """Where callables run: in the thread whose jobs ``put`` takes, in a pool, or in a loop of their own.

    A call that is broken off by ^C has no answer: the run that waits for it is being stopped, and is to see no failure. For the same reason
    calls that come once it is stopped are not made, but for those that end an episode.
    """

    def __init__(self, put: Callable[[Callable[[], None]], None], concurrency: int = 1):
        self.stopped = self.closed = False
        self.loop: asyncio.AbstractEventLoop | None = None
        self.raised: dict[str, BaseException] = {}  # a few of what callables have raised, by the last line of each
        self._put, self._room = put, threading.Semaphore(ASYNC)
        self._pool = ThreadPoolExecutor(concurrency, "parley-call") if concurrency > 1 else None

    def make(self, route: Route, call: Call) -> bytes | None:
        """Have a call made, and wait for its answer; None: there will be none."""
        with self._room if route.asynchronous else contextlib.nullcontext():
            future = self._begun(route, call)
            while not wait([future], 0.5).done:
                if self.closed:
                    return None
        return future.result()

    def _begun(self, route: Route, call: Call) -> Future[bytes]:
        if self.loop and route.asynchronous:
            return asyncio.run_coroutine_threadsafe(self._awaited(route, call), self.loop)
        if self._pool:
            return self._pool.submit(self._made, route, call)
        future: Future[bytes] = Future()

        def job() -> None:
            if not self.stopped or call.get("call") == "end":
                future.set_result(self._made(route, call))

        self._put(job)
        return future

    def _made(self, route: Route, call: Call) -> bytes:
        """Make a call in this thread. What is no Exception, such as ^C, passes."""
        try:
            return encoded(route.answer(call))
        except Exception as e:
            return self._failed(e)

    async def _awaited(self, route: Route, call: Call) -> bytes:
        try:
            return encoded(await route.answer(call))
        except (Exception, asyncio.CancelledError) as e:
            return self._failed(e)

    def _failed(self, e: BaseException) -> bytes:
        if len(self.raised) < KEPT:
            self.raised.setdefault(traceback.format_exception_only(type(e), e)[-1].strip(), e)
        return encoded(failed(e))

    def cause(self, text: str) -> BaseException | None:
        """The exception that a message of the program quotes."""
        return next((e for line, e in self.raised.items() if line in text), None)

    def close(self) -> None:
        """Leave all calls that wait without an answer."""
        self.closed = True
        if self._pool:
            self._pool.shutdown(wait=False, cancel_futures=True)
        if self.loop:
            self.loop.call_soon_threadsafe(self.loop.stop)


class Host(http.server.ThreadingHTTPServer):
    """Serves routes by their paths, ``reward`` for instance. ``env`` is what the program has to know."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, routes: Mapping[str, Route], calls: Calls):
        self.routes, self.calls, self.token = routes, calls, secrets.token_urlsafe(24)
        self.arriving: dict[socket.socket, float] = {}  # connections, and until when their request has to be there
        super().__init__(("127.0.0.1", 0), _Handler)
        self.env = {"PARLEY_HOST": f"http://127.0.0.1:{self.server_address[1]}", "PARLEY_HOST_TOKEN": self.token}
        if any(route.asynchronous for route in routes.values()):
            calls.loop = loop = asyncio.new_event_loop()
            threading.Thread(target=lambda: (loop.run_forever(), loop.close()), name="parley-async", daemon=True).start()
        threading.Thread(target=self.serve_forever, args=(0.1,), name="parley-host", daemon=True).start()

    def close(self) -> None:
        """Stop serving, and end all connections."""
        self.calls.close()
        self.shutdown()
        self.server_close()
        self.end(lambda until: True)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        if room := len(self.arriving) < CONNECTIONS:
            self.arriving[request] = time.monotonic() + WITHIN
        return room

    def shutdown_request(self, request: Any) -> None:
        self.arriving.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        now = time.monotonic()
        self.end(lambda until: until < now)

    def end(self, which: Callable[[float], bool]) -> None:
        for connection in [c for c, until in list(self.arriving.items()) if which(until)]:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)  # its thread reads an end, and closes it

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke is the program's matter."""


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Host  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: a request's line could only say what the program does."""

    def handle_one_request(self) -> None:
        if self.rfile.peek(1):  # type: ignore[attr-defined]
            self.server.arriving[self.connection] = time.monotonic() + WITHIN
            super().handle_one_request()
        else:
            self.close_connection = True

    def do_POST(self) -> None:
        given = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        size = self.headers.get("Content-Length") or ""
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self.server.token.encode()):
            return self.refuse(401, "no token, or a wrong one")
        if not (size.isascii() and size.isdigit()):
            return self.refuse(411, "a request needs its length")
        if int(size) > LONGEST:
            return self.refuse(413, f"a request has at most {LONGEST} bytes")
        body = self.rfile.read(int(size))
        self.server.arriving[self.connection] = float("inf")  # it is there, and from now on the connection may be kept open
        try:
            call = json.loads(body)
        except (ValueError, RecursionError):
            call = None
        if not isinstance(call, dict):
            return self.refuse(400, "a request is a JSON object")
        path = self.path.strip("/").removesuffix("/chat/completions")
        route = self.server.routes.get(path)
        if route is None:
            return self.answer(404, encoded({"error": f"no callable was given for host:{path}"}))
        answer = encoded(route.about) if call.get("call") == "about" else self.server.calls.make(route, call)
        if answer is None:
            self.close_connection = True
        else:
            self.answer(400 if route.chat and answer.startswith(b'{"error"') else 200, answer)

    def refuse(self, status: int, why: str) -> None:
        self.close_connection = True
        self.answer(status, encoded({"error": why}))

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


def encoded(value: Any) -> bytes:
    """JSON. What has a number, such as a scalar of numpy or torch, is one."""
    return json.dumps(value, default=_number).encode()


def _number(value: Any) -> float:
    if not hasattr(value, "__float__"):
        raise TypeError(f"{type(value).__name__} is neither JSON nor a number: {value!r:.200}")
    return float(value)


def failed(e: BaseException) -> dict[str, str]:
    """The answer of a callable that raised: its traceback, from the user's code on."""
    at = e.__traceback__
    while at and str(at.tb_frame.f_globals.get("__name__")).split(".")[0] in ("parley", "json"):
        at = at.tb_next
    return {"error": "".join(traceback.format_exception(type(e), e, at)).strip()}

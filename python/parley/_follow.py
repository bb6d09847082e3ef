"""One process of the program that works for long: its events come here, its calls are made here, and ^C goes there."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import queue
import signal
import sys
import tempfile
import threading
import time
from typing import Any, Callable, Iterator, Mapping, Sequence, Union

from parley import _program
from parley._errors import failure, last_words
from parley._host import Calls, Host, Route
from parley._run import Run

Event = dict[str, Any]
Show = Callable[[Event], None]
Job = Union[Callable[[], None], Event, None]  # a call to make, an event to show, or the end


class Follower:
    """Runs the program to its end in the thread that calls :meth:`result`. Callables and ``show`` are called in that thread."""

    def __init__(self, routes: Mapping[str, Route], concurrency: int, show: Show):
        self.run: Run | None = None
        self._show = show
        self._inbox: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._calls = Calls(self._inbox.put, concurrency)
        self._host = Host(routes, self._calls) if routes else None
        self._process: _program.Process | None = None
        self._stops = 0  # how often this was told to stop
        self._inside = False  # the user's code is running in this thread
        self._raised: BaseException | None = None  # by the user's code
        self._error: Event = {}
        self._out, self._err = "", ""

    def stop(self) -> None:
        """Interrupt the run; a second time, kill it."""
        self._stops += 1
        self._calls.stopped = True
        if self._process:
            (_program.interrupt if self._stops == 1 else _program.kill)(self._process)

    def result(self, args: Sequence[str], scratch: str = "") -> str:
        """Run the program and return what it printed; ``run`` is then its run. scratch is a folder whose name is left out of messages."""
        try:
            with self._interrupts(), self._events() as (where, fds, lines):
                try:
                    self._process = _program.start([*args, "--events", where], self._host.env if self._host else None, held=bool(self._host), fds=fds)
                finally:
                    for fd in fds:
                        os.close(fd)
                if self._stops:
                    _program.interrupt(self._process)
                threading.Thread(target=self._read, args=(self._process, lines), daemon=True).start()
                while (job := self._next()) is not None:
                    self._do(job)
        finally:
            if self._host:
                self._host.close()
        return self._ended(self._process.returncode, scratch)

    def _next(self) -> Job:
        while True:
            with contextlib.suppress(queue.Empty):
                return self._inbox.get(timeout=0.5)  # Windows notices ^C only between waits

    def _do(self, job: Callable[[], None] | Event) -> None:
        """Make a call or show an event. What the user's code raises stops the run as ^C does, and passes once that has ended."""
        try:
            if isinstance(job, dict):
                self._happened(job)
                job = functools.partial(self._show, job)
            if self._raised is None:
                self._inside = True
                job()
        except BaseException as e:
            self._inside = False
            if not isinstance(e, KeyboardInterrupt):
                self._raised = self._raised or e
            if not self._stops:
                self.stop()
        finally:
            self._inside = False

    def _happened(self, event: Event) -> None:
        if event.get("run") and self.run is None and os.path.isdir(event["run"]):
            self.run = Run(event["run"])
        if event["event"] == "error":
            self._error = event

    def _ended(self, code: int, scratch: str) -> str:
        if self._raised is not None:
            raise self._raised
        if code == 0:
            return self._out
        text = self._error.get("text") or last_words(self._err)
        errors: list[dict[str, Any]] = self._error.get("errors") or []
        if scratch:
            text = text.replace(scratch, "")
            errors = without(errors, scratch)
        raise failure(code, text, run=self.run, errors=errors, stopped=self._stops > 0)

    @contextlib.contextmanager
    def _interrupts(self) -> Iterator[None]:
        """^C stops the run. Where it meets the user's code, that is broken off as ever."""
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or before is signal.SIG_IGN:
            yield
            return

        def stopped(number: int, frame: Any) -> None:
            self.stop()
            if self._inside and callable(before):
                before(number, frame)

        signal.signal(signal.SIGINT, stopped)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextlib.contextmanager
    def _events(self) -> Iterator[tuple[str, list[int], Iterator[str]]]:
        """Where events come: what the flag says, the descriptors that the program is given, and the lines."""
        if sys.platform != "win32":
            read, write = os.pipe()
            with os.fdopen(read, encoding="utf-8") as lines:
                yield f"fd:{write}", [write], lines
            return
        with tempfile.TemporaryDirectory(prefix="parley-", ignore_cleanup_errors=True) as folder:
            file = os.path.join(folder, "events")
            open(file, "w").close()
            yield file, [], self._tail(file)

    def _tail(self, file: str) -> Iterator[str]:
        """The lines of a growing file, until the program has ended."""
        with open(file, encoding="utf-8") as f:
            line, last = "", False
            while not last:
                last = self._process is not None and self._process.poll() is not None
                while piece := f.readline():
                    line = "" if line.endswith("\n") else line
                    line += piece
                    if line.endswith("\n"):
                        yield line
                time.sleep(0.1)

    def _read(self, process: _program.Process, lines: Iterator[str]) -> None:
        """Hand events on as they come, keep the outputs, and say when the process has ended."""
        out: list[str] = []
        err: list[str] = []

        def hand_on(line: str) -> None:
            with contextlib.suppress(ValueError):  # a torn last line
                self._inbox.put(json.loads(line))

        def read(stream: Any, each: Callable[[str], None]) -> None:
            with contextlib.closing(stream):
                for line in stream:
                    each(line)

        work = [(lines, hand_on), (process.stdout, out.append), (process.stderr, err.append)]
        readers = [threading.Thread(target=read, args=of, daemon=True) for of in work]
        for reader in readers:
            reader.start()
        process.wait()
        for reader in readers:
            reader.join(5)  # what a killed program has started may hold its outputs open
        if process.stdin:
            process.stdin.close()
        self._out, self._err = "".join(out), "".join(err)
        self._inbox.put(None)


def without(errors: Sequence[dict[str, Any]], folder: str) -> list[dict[str, Any]]:
    """Errors whose files are named without a folder that the user has not made."""
    return [{**e, "file": str(e.get("file", "")).replace(folder, "")} for e in errors]

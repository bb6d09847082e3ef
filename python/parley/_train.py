"""Training from Python: arguments become flags and a fragment of a recipe, callables stay here, and ^C goes there."""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import queue
import signal
import tempfile
import threading
from collections.abc import Mapping as Maps
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping, ParamSpec, Sequence, TypeVar, Union, cast

from parley import _data, _program, _show
from parley._callables import Callables, Environment, pure
from parley._host import Calls, Host, Route
from parley._program import UsageError, failure, last_words, options
from parley._run import Run, Where
from parley._show import Event

P = ParamSpec("P")
T = TypeVar("T")

Recipe = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Job = Union[Callable[[], None], Event, None]  # a call to make, an event to show, or the end


def train(
    recipe: Recipe = "debate-sums", overrides: Mapping[str, Any] | None = None, *,
    reward: Callable[..., Any] | None = None, reward_range: tuple[float, float] = (0, 1),
    environment: Callable[[], Environment] | pure | None = None, agents: Mapping[str, Callable[..., Any]] | None = None,
    tools: Sequence[Callable[..., Any] | str | os.PathLike[str]] = (), data: Any = None, seconds: float = 600, concurrency: int = 1,
    seed: int | None = None, out: str | os.PathLike[str] | None = None, max_updates: int | None = None, updates: int | str | None = None,
    progress: bool | Callable[[Event], None] = True, resume: Where | None = None, trust: bool = False, accept_changed: bool = False,
) -> Run:
    """Train a team and return its run, as ``parley train`` does.

    recipe is the name of a shipped one, a file, or a mapping; overrides has keys of it, dotted or nested. Callables run in this thread, one at a
    time; with ``concurrency`` above 1 in so many threads, and asynchronous ones in a loop of their own. ``seconds`` bounds a call with its wait
    behind the others. A run that goes on (``resume``) needs its callables again. ^C stops the run and raises :class:`Interrupted`, which has it; a
    second ^C kills it.
    """
    return _Task(locals()).trained()


def _as(f: Callable[P, Any]) -> Callable[[Callable[..., T]], Callable[P, T]]:
    """Marks a function that takes what f takes."""
    return cast("Callable[[Callable[..., T]], Callable[P, T]]", lambda g: g)


@_as(train)
def start(*args: Any, **more: Any) -> Training:
    """:func:`train` in a thread of its own, in which callables run too. The run is stopped where this process ends before it."""
    return Training(_Task(_given(*args, **more)))


def _given(*args: Any, **more: Any) -> dict[str, Any]:
    """All arguments of train."""
    given = inspect.signature(train).bind(*args, **more)
    given.apply_defaults()
    return given.arguments


class Training:
    """A training that goes on in a thread of its own."""

    def __init__(self, task: _Task):
        self._follower = task
        self._future: Future[Run] = Future()
        threading.Thread(target=self._work, args=(task,), name="parley-train", daemon=True).start()

    def _work(self, task: _Task) -> None:
        try:
            self._future.set_result(task.trained())
        except BaseException as e:
            self._future.set_exception(e)

    @property
    def run(self) -> Run | None:
        """The run, as soon as it has a folder."""
        return self._follower.run

    def done(self) -> bool:
        """Whether it has ended."""
        return self._future.done()

    def stop(self) -> None:
        """Stop as ^C does; a second time, kill."""
        if not self.done():
            self._follower.stop()

    def result(self, timeout: float | None = None) -> Run:
        """Wait for the end, and return the run or raise what ended it. ^C ends the wait, and not the training."""
        if not wait([self._future], timeout).done:
            raise TimeoutError(f"not done within {timeout} s")
        return self._future.result()


def shown_by(progress: bool | Callable[[Event], None]) -> Callable[[Event], None]:
    """What is called with each event."""
    return progress if callable(progress) else _show.Line() if progress else _show.silent


def written(file: Path, content: Mapping[str, Any]) -> str:
    """A file of JSON. Each key has a line of its own, so that errors name it."""
    file.write_text(json.dumps(content, indent=1, default=_text), "utf-8")
    return str(file)


def set_flags(sets: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """Changes of a recipe as flags, a key each."""
    for key, value in sets.items():
        if isinstance(value, Maps) and value:
            yield from set_flags(cast("dict[str, Any]", value), f"{before}{key}.")
        else:
            text = value if isinstance(value, (str, os.PathLike)) else json.dumps(value, default=_text)
            yield f"--set={before}{key}={os.fspath(cast('str', text))}"


def _text(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else float(value)


def check(recipe: Recipe, overrides: Mapping[str, Any] | None = None, **more: Any) -> list[dict[str, Any]]:
    """All that is wrong with a recipe: file, line, column, message and hint of each error. Callables and data are given as to :func:`train`."""
    with tempfile.TemporaryDirectory(prefix="parley-") as folder:
        task = _Task(_given(recipe, overrides, progress=False, **more))
        return without(task.checked(task.recipe(Path(folder)), files=True), folder + os.sep)


class Follower:
    """Runs the program to its end in the thread that calls :meth:`result`. Callables and ``show`` are called in that thread."""

    def __init__(self, routes: Mapping[str, Route], concurrency: int, show: Callable[[Event], None]):
        self.run: Run | None = None
        self._show, self._routes = show, routes
        self._inbox: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._calls = Calls(self._inbox.put, concurrency)
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
        host = Host(self._routes, self._calls) if self._routes else None
        read, write = os.pipe()
        try:
            with self._interrupts(), os.fdopen(read, encoding="utf-8") as lines:
                try:
                    self._process = _program.start(args, host.env if host else None, held=bool(host), events=write)
                finally:
                    os.close(write)
                if self._stops:
                    _program.interrupt(self._process)
                threading.Thread(target=self._read, args=(self._process, lines), daemon=True).start()
                while (job := self._next()) is not None:
                    self._do(job)
        finally:
            if host:
                host.close()
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
            if self._raised is None:
                self._inside = True
                self._show(job) if isinstance(job, dict) else job()
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
        text, errors = self._error.get("text") or last_words(self._err), self._error.get("errors") or []
        if scratch:
            text, errors = text.replace(scratch, ""), without(errors, scratch)
        raise failure(code, text, run=self.run, errors=errors, stopped=self._stops > 0) from self._calls.cause(text)

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

    def _read(self, process: _program.Process, lines: Iterable[str]) -> None:
        """Hand events on as they come, keep the outputs, and say when the process has ended."""

        def events() -> None:
            for line in lines:
                with contextlib.suppress(ValueError):  # a torn last line
                    self._inbox.put(json.loads(line))

        def outputs() -> None:
            self._out, self._err = process.communicate()

        held, process.stdin = process.stdin, None  # which communicate would close
        readers = [threading.Thread(target=each, daemon=True) for each in (events, outputs)]
        for reader in readers:
            reader.start()
        process.wait()
        for reader in readers:
            reader.join(5)  # what a killed program has started may hold its outputs open
        if held:
            held.close()
        self._inbox.put(None)


def without(errors: Sequence[dict[str, Any]], folder: str) -> list[dict[str, Any]]:
    """Errors whose files are named without a folder that the user has not made."""
    return [{**e, "file": str(e.get("file", "")).replace(folder, "")} for e in errors]


class _Task(Follower):
    """One call of train: what it was given, and the process that follows from it."""

    def __init__(self, given: Mapping[str, Any]):
        self.given = given
        self.callables = Callables(**{key: given[key] for key in ("reward", "reward_range", "environment", "agents", "tools", "seconds")})
        self.sets: dict[str, Any] = dict(given["overrides"] or {})
        if given["data"] is not None:
            self.sets["task.path"] = str(_data.path_of(given["data"]))
        super().__init__(self.callables.routes(), given["concurrency"], shown_by(given["progress"]))

    def trained(self) -> Run:
        with tempfile.TemporaryDirectory(prefix="parley-") as folder:
            named = self.recipe(Path(folder)) if self.given["resume"] is None else ["--resume", os.fspath(Run(self.given["resume"])), *set_flags(self.sets)]
            if self.callables.seats and self.given["resume"] is None:
                self.checked(named)
            flags = {key: self.given[key] for key in ("seed", "out", "max_updates", "updates", "trust", "accept_changed")}
            self.result(["train", *named, *options(flags)], folder + os.sep)
        assert self.run is not None
        return self.run

    def checked(self, named: Sequence[str], **flags: Any) -> list[dict[str, Any]]:
        """What is wrong with the recipe. Players of a game who are no agents of it are an error."""
        found, seats = _program.ask("recipe check", *named, *options(flags), whatever=True), self.callables.seats
        agents = found.get("agents") or seats
        if not set(seats) <= set(agents):
            raise UsageError(f"the game's players are {', '.join(seats)}, and team.agents are {', '.join(agents)}: name these in seats=, in the players' order, or those in team.agents")
        return cast("list[dict[str, Any]]", found["errors"])

    def recipe(self, folder: Path) -> list[str]:
        """The recipe as the command line takes it. A mapping is written as JSON, which the program reads as YAML."""
        recipe, overlay = self.given["recipe"], self.callables.overlay()
        named = written(folder / "recipe", recipe) if isinstance(recipe, Maps) else os.fspath(recipe)
        return [named, *(["--overlay", written(folder / "arguments", overlay)] if overlay else []), *set_flags(self.sets)]

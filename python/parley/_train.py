"""Training from Python: arguments become flags and a fragment of a recipe, and callables stay here."""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import queue
import tempfile
import threading
from collections.abc import Mapping as Maps
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, ParamSpec, Sequence, TypeVar, Union, cast

from parley import _data, _program, _progress
from parley._callables import Callables, Environment, pure
from parley._follow import Event, Follower, without
from parley._host import Calls, Host
from parley._program import options
from parley._run import Run, Where

P = ParamSpec("P")
T = TypeVar("T")

Recipe = Union[str, "os.PathLike[str]", Mapping[str, Any]]


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
    return _Task(locals()).result()


def _as(f: Callable[P, Any]) -> Callable[[Callable[..., T]], Callable[P, T]]:
    """Marks a function that takes what f takes."""
    return cast("Callable[[Callable[..., T]], Callable[P, T]]", lambda g: g)


@_as(train)
def start(*args: Any, **more: Any) -> Training:
    """:func:`train` in a thread of its own, in which callables run too. The run is stopped where this process ends before it."""
    given = inspect.signature(train).bind(*args, **more)
    given.apply_defaults()
    return Training(_Task(given.arguments))


class Training:
    """A training that goes on in a thread of its own."""

    def __init__(self, task: _Task):
        self._task = task
        self._run: Run | None = None
        self._raised: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="parley-train", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            self._run = self._task.result()
        except BaseException as e:
            self._raised = e

    @property
    def run(self) -> Run | None:
        """The run, as soon as it has a folder."""
        return self._task.follower.run

    def done(self) -> bool:
        """Whether it has ended."""
        return not self._thread.is_alive()

    def stop(self) -> None:
        """Stop as ^C does; a second time, kill."""
        if not self.done():
            self._task.follower.stop()

    def result(self, timeout: float | None = None) -> Run:
        """Wait for the end, and return the run or raise what ended it. ^C ends the wait, and not the training."""
        self._thread.join(timeout)
        if not self.done():
            raise TimeoutError(f"not done within {timeout} s")
        if self._raised is not None:
            raise self._raised
        assert self._run is not None
        return self._run


class _Task:
    """One call of train: what it was given, and the process that follows from it."""

    def __init__(self, given: Mapping[str, Any]):
        self.given = given
        self.callables = Callables(**{key: given[key] for key in ("reward", "reward_range", "environment", "agents", "tools", "seconds")})
        self.sets: dict[str, Any] = dict(given["overrides"] or {})
        if given["data"] is not None:
            self.sets["task.path"] = str(_data.path_of(given["data"]))
        self.follower = Follower(self.callables.routes(), given["concurrency"], shown_by(given["progress"]))

    def result(self) -> Run:
        with tempfile.TemporaryDirectory(prefix="parley-") as folder:
            flags = {key: self.given[key] for key in ("seed", "out", "max_updates", "updates", "trust", "accept_changed")}
            self.follower.result(["train", *self._recipe(Path(folder)), *set_flags(self.sets), *options(flags)], folder + os.sep)
        assert self.follower.run is not None
        return self.follower.run

    def _recipe(self, folder: Path) -> list[str]:
        if self.given["resume"] is not None:
            return ["--resume", os.fspath(Run(self.given["resume"]))]
        named = recipe_in(folder, self.given["recipe"])
        if overlay := self.callables.overlay():
            return [named, "--overlay", written(folder / "arguments", overlay)]
        return [named]


def shown_by(progress: bool | Callable[[Event], None]) -> Callable[[Event], None]:
    """What is called with each event."""
    if callable(progress):
        return progress
    return _progress.Line() if progress else lambda event: None


def recipe_in(folder: Path, recipe: Recipe) -> str:
    """A recipe as the command line takes it. A mapping is written as JSON, which the program reads as YAML."""
    if isinstance(recipe, Maps):
        return written(folder / "recipe", recipe)
    return os.fspath(recipe)


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
        named = recipe_in(Path(folder), recipe)
        sets = dict(overrides or {}, **{"task.path": str(_data.path_of(more.pop("data")))} if "data" in more else {})
        overlay = written(Path(folder) / "arguments", Callables(**more).overlay())
        errors: list[dict[str, Any]] = _program.ask("recipe check", named, "--overlay", overlay, *set_flags(sets), whatever=True)["errors"]
        return without(errors, folder + os.sep)


def evaluate(run: Run, **more: Any) -> dict[str, Any]:
    """``parley eval`` of a run. What is no argument of :func:`train` becomes a flag."""
    follower = Follower(taken(more).routes(), more.pop("concurrency", 1), shown_by(more.pop("progress", True)))
    report: dict[str, Any] = json.loads(follower.result(["eval", os.fspath(run), *options(more), "--json"]))
    return report


def taken(more: dict[str, Any]) -> Callables:
    """The callables among keyword arguments, which leaves flags."""
    return Callables(**{key: more.pop(key) for key in ("reward", "environment", "agents", "tools") if key in more})


@contextlib.contextmanager
def hosted(more: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Serve the callables among keyword arguments while a block runs, in a thread of their own. The value is what the program has to know."""
    routes = taken(more).routes()
    if not routes:
        yield {}
        return
    jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
    host = Host(routes, Calls(jobs.put))
    threading.Thread(target=lambda: [job() for job in iter(jobs.get, None)], name="parley-calls", daemon=True).start()
    try:
        yield host.env
    finally:
        jobs.put(None)
        host.close()

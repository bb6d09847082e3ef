"""Callables of the user as routes of the host, and the keys of a recipe that name them."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import inspect
import queue
import textwrap
import threading
import traceback
from dataclasses import dataclass, fields
from typing import Any, Callable, Iterator, Mapping, Protocol, Sequence, TypeVar, Union, overload

from parley._host import Call, Calls, Host, Route
from parley._program import UsageError

F = TypeVar("F", bound=Callable[..., Any])

Item = dict[str, Any]


@dataclass
class Step:
    """What an environment answers. ``reward`` is the team's, ``rewards`` are agents' own; ``state`` is for :func:`pure` only."""

    observations: Union[str, Mapping[str, str], None] = None
    reward: float = 0.0
    rewards: Mapping[str, float] | None = None
    done: bool = False
    info: Any = None
    state: Any = None


Came = Union[Step, Mapping[str, Any]]


class Environment(Protocol):
    """One episode. ``parley.train(environment=F)`` calls ``F()`` for each.

    It begins with a row of the data, and goes on with what the agents of a step ``act`` said, by name. It may have a method ``close()`` too.
    """

    def reset(self, item: Item) -> Came: ...

    def step(self, actions: dict[str, str]) -> Came: ...


@dataclass(frozen=True)
class pure:
    """An environment of two functions, ``reset(item)`` and ``step(state, actions)``; their answers have the state. Trees of episodes need one."""

    reset: Callable[[Item], Came]
    step: Callable[[Any, dict[str, str]], Came]

    def __call__(self, call: Call) -> Any:
        """Answer a call of the program."""
        return _step(self.reset(call["item"]) if call["call"] == "reset" else self.step(call.get("state"), call["actions"]))

    @property
    def parley_identity(self) -> str:
        return hashlib.sha256((identity(self.reset) + identity(self.step)).encode()).hexdigest()


@overload
def batched(most: F) -> F: ...
@overload
def batched(most: int = 64) -> Callable[[F], F]: ...
def batched(most: Any = 64) -> Any:
    """A reward of lists: ``f(items, responses)`` returns a list with an answer for each. ``@batched(16)`` bounds their length."""

    def mark(f: Any) -> Any:
        f.parley_batch = most if isinstance(most, int) else 64
        return f

    return mark if isinstance(most, int) else mark(most)


def identity(f: Any) -> str:
    """What tells callables apart when a run goes on: ``parley_identity``, or a hash of the source and the name, or of the bytecode.

    It does not see values that a function captures, such as a threshold or a model: give such a callable a ``parley_identity``.
    """
    if (given := getattr(f, "parley_identity", None)) is not None:
        return str(given)
    while hasattr(f, "func"):  # functools.partial
        f = f.func
    f = inspect.unwrap(f)
    what: Any = f if inspect.isroutine(f) or inspect.isclass(f) else type(f)
    try:
        source = inspect.getsource(what).encode()
    except (OSError, TypeError):
        code = getattr(what, "__code__", None)
        source = code.co_code + repr(code.co_consts).encode() if code else str(getattr(what, "__module__", "")).encode()
    return hashlib.sha256(source + b"\0" + getattr(what, "__qualname__", "").encode()).hexdigest()


WANTED = {
    "reward": "one function f(item, responses): of several, write one that calls them and returns their sum, with each as a part",
    "environment": "what makes the object of an episode: a class with reset(item) and step(actions), or an adapter of parley.adapters",
    "agents": "functions by the names of agents, {name: f(messages) -> text}",
}
OTHERS = {"gymnasium": "Gymnasium", "pettingzoo": "PettingZoo", "pyspiel": "OpenSpiel", "textarena": "TextArena"}


@dataclass
class Callables:
    """What was given to train."""

    reward: Callable[..., Any] | None = None
    reward_range: tuple[float, float] = (0.0, 1.0)
    environment: Callable[..., Any] | None = None
    agents: Mapping[str, Callable[..., Any]] | None = None
    tools: Sequence[Any] = ()
    seconds: float = 600
    seats = ()  # the names of a game's players, as the recipe has them

    def __post_init__(self) -> None:
        given = [("reward", self.reward), ("environment", self.environment), *(("agents", f) for f in dict(self.agents or {}).values())]
        for name, f in given:
            if f is not None and not callable(f):
                raise UsageError(f"{name} is {f!r:.80}, expected {WANTED[name]}{_adapter(f)}")
        try:
            self.low, self.high = map(float, self.reward_range)
        except (TypeError, ValueError):
            raise UsageError(f"reward_range is {self.reward_range!r:.80}, expected the least and the greatest reward, such as (0, 1)") from None
        if self.environment and not isinstance(self.environment, pure):
            made = self.environment()
            if _adapter(made) or not (hasattr(made, "reset") and hasattr(made, "step")):
                raise UsageError(f"environment makes a {type(made).__name__}, expected {WANTED['environment']}{_adapter(made)}")
            self.seats = getattr(made, "seated", lambda seed: ())(0)
            getattr(made, "close", lambda: None)()

    def routes(self) -> dict[str, Route]:
        """What the host serves."""
        found: dict[str, Route] = {}
        if self.reward:
            found["reward"] = _reward(self.reward)
        if self.environment:
            found["environment"] = Route(self.environment if isinstance(self.environment, pure) else _Episodes(self.environment), {"identity": identity(self.environment)})
        for name, speak in (self.agents or {}).items():
            found[f"agents/{name}"] = _route(speak, lambda call: (call["messages"],), _completion, chat=True)
        if functions := [t for t in self.tools if callable(t)]:
            found["tools"] = _tools(functions)
        return found

    def overlay(self) -> dict[str, Any]:
        """The keys of a recipe that name the host: all the keys that this package knows."""
        keys: dict[str, Any] = {}
        if self.environment:
            keeps = not isinstance(self.environment, pure)
            keys["task"] = {"name": "environment", "environment": {"url": "host:environment", "seconds": self.seconds, "stateful": keeps}}
            keys["reward"] = {"source": "joint"}
            if keeps:
                keys["group"] = {"rollout": "episodes"}
        if self.reward:
            keys["reward"] = {"source": "user", "user": {"url": "host:reward", "min": self.low, "max": self.high, "seconds": self.seconds, "retries": 0}}
        if self.agents:
            keys["team"] = {"agents": {name: {"endpoint": {"url": f"host:agents/{name}", "model": name}} for name in self.agents}}
        if self.tools:
            hosted = ["host:tools"] if any(callable(t) for t in self.tools) else []
            keys.setdefault("team", {})["tools"] = {"use": [str(t) for t in self.tools if not callable(t)] + hosted}
        return keys


def _adapter(made: Any) -> str:
    """The adapter for what another library makes."""
    names = [name for kind in type(made).__mro__ if (name := OTHERS.get(kind.__module__.split(".")[0]))]
    return f", such as parley.adapters.{names[0]}(lambda: …)" if names else ""


def _name(f: Any) -> str:
    return str(getattr(f, "__name__", type(f).__name__))


def _program(file: str) -> Any:
    """A file of the program's own Python, which wheels have too."""
    return importlib.import_module(f"parley.{file}")


def _route(f: Any, arguments: Callable[[Call], Sequence[Any]], finish: Callable[[Call, Any], Any], *, chat: bool = False, **about: Any) -> Route:
    """Answers a call with what f returns, or awaits."""
    code: Any = getattr(inspect.unwrap(f), "__code__", None)
    about |= {"identity": identity(f), "name": _name(f) + (f" ({code.co_filename}:{code.co_firstlineno})" if code else "")}

    async def later(call: Call) -> Any:
        return finish(call, await f(*arguments(call)))

    if inspect.iscoroutinefunction(f) or inspect.iscoroutinefunction(getattr(f, "__call__", None)):
        return Route(later, about, asynchronous=True, chat=chat)
    return Route(lambda call: finish(call, f(*arguments(call))), about, chat=chat)


def _reward(f: Callable[..., Any]) -> Route:
    read, batch = _program("reward").answered, getattr(f, "parley_batch", 0)
    if not batch:
        return _route(f, lambda call: (call["item"], call["responses"]), lambda call, answer: read(answer, _name(f), True))

    def lists(call: Call) -> Sequence[Any]:
        calls = call.get("calls", [call])
        return [c["item"] for c in calls], [c["responses"] for c in calls]

    def finish(call: Call, given: Any) -> Any:
        answers, items = [] if given is None else list(given), len(lists(call)[0])
        if len(answers) != items:
            raise ValueError(f"{_name(f)} returned {len(answers)} answers, expected a list with one for each of {items} items")
        return {"answers": answers} if "calls" in call else read(answers[0], _name(f), True)

    return _route(f, lists, finish, batch=batch)


class _Episodes:
    """Answers the calls of an environment that keeps its state: each episode has an object of its own."""

    def __init__(self, make: Callable[[], Any]):
        self._make = make
        self._under_way: dict[str, Any] = {}

    def __call__(self, call: Call) -> Any:
        name = call["episode"]
        if call["call"] == "end":
            getattr(self._under_way.pop(name, None), "close", lambda: None)()
            return {}
        if call["call"] == "reset":
            self._under_way[name] = self._make()
            return _step(self._under_way[name].reset(call["item"]))
        return _step(self._under_way[name].step(call["actions"]))


def _step(answer: Any) -> Any:
    if not isinstance(answer, Step):
        return answer
    return {f.name: value for f in fields(answer) if (value := getattr(answer, f.name)) is not None}


def _completion(call: Call, said: Any) -> Any:
    if not isinstance(said, str):
        raise TypeError(f"an agent answers with a text, and this is {type(said).__name__}: {said!r:.200}")
    return {"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}]}


def _tools(functions: Sequence[Callable[..., Any]]) -> Route:
    by_name = {f.__name__: f for f in functions}

    def answer(call: Call) -> Any:
        try:
            return {"result": _program("annotations").written(by_name[call["name"]](**call["arguments"]))}
        except Exception as e:  # which the agent reads, in a line
            return {"error": "".join(traceback.format_exception_only(type(e), e)).strip()}

    together = hashlib.sha256("".join(identity(f) for f in functions).encode()).hexdigest()
    return Route(answer, {"identity": together, "tools": [described(f) for f in functions]})


def described(f: Callable[..., Any]) -> Any:
    """A function as a tool, by the program's own reader of docstrings and annotations."""
    try:
        source = textwrap.dedent(inspect.getsource(f))
    except (OSError, TypeError):
        raise UsageError(f"tool {f.__name__}: its source cannot be read, and so neither can its annotations") from None
    found = _program("annotations").describe({"source": source, "name": f.__name__})
    if not found.get("functions"):
        why = "; ".join(found.get("others", [])) or found.get("error") or "it is no def"
        raise UsageError(f"tool {f.__name__}: {why}")
    return found["functions"][0]


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

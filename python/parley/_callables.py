"""Callables of the user as routes of the host, and the keys of a recipe that name them."""

from __future__ import annotations

import hashlib
import inspect
import textwrap
import traceback
from collections.abc import Mapping as Maps
from dataclasses import dataclass, fields
from typing import Any, Callable, Mapping, Protocol, Sequence, TypeVar, Union, cast, overload

from parley import _annotations
from parley._errors import UsageError
from parley._host import Call, Route

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
    """One episode. ``parley.train(environment=F)`` calls ``F()`` for each. It may have a method ``close()`` too."""

    def reset(self, item: Item) -> Came:
        """Begin with a row of the data."""
        ...

    def step(self, actions: dict[str, str]) -> Came:
        """Go on with what the agents of a step ``act`` said, by name."""
        ...


@dataclass(frozen=True)
class pure:
    """An environment of two functions, ``reset(item)`` and ``step(state, actions)``; their answers have the state. Trees of episodes need one."""

    reset: Callable[[Item], Came]
    step: Callable[[Any, dict[str, str]], Came]

    def __call__(self, call: Call) -> Any:
        """Answer a call of the program."""
        if call["call"] == "reset":
            return _step(self.reset(call["item"]))
        return _step(self.step(call.get("state"), call["actions"]))

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
    given = getattr(f, "parley_identity", None)
    if given is not None:
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


@dataclass
class Callables:
    """What was given to train."""

    reward: Callable[..., Any] | None = None
    reward_range: tuple[float, float] = (0.0, 1.0)
    environment: Callable[..., Any] | None = None
    agents: Mapping[str, Callable[..., Any]] | None = None
    tools: Sequence[Any] = ()
    seconds: float = 600

    def routes(self) -> dict[str, Route]:
        """What the host serves."""
        found: dict[str, Route] = {}
        if self.reward:
            found["reward"] = _reward(self.reward)
        if self.environment:
            answer = self.environment if isinstance(self.environment, pure) else _Episodes(self.environment)
            found["environment"] = Route(answer, {"identity": identity(self.environment)})
        for name, speak in (self.agents or {}).items():
            found[f"agents/{name}"] = _route(speak, lambda call: (call["messages"],), _completion, chat=True)
        functions = [t for t in self.tools if callable(t)]
        if functions:
            found["tools"] = _tools(functions)
        return found

    def overlay(self) -> dict[str, Any]:
        """The keys of a recipe that name the host: all the keys that this package knows."""
        keys: dict[str, Any] = {}
        if self.environment:
            place: dict[str, Any] = {"url": "host:environment", "seconds": self.seconds}
            keys["task"] = {"name": "environment", "environment": place}
            keys["reward"] = {"source": "joint"}
            if not isinstance(self.environment, pure):
                place["stateful"] = True
                keys["group"] = {"rollout": "episodes"}
        if self.reward:
            low, high = self.reward_range
            keys["reward"] = {"source": "user", "user": {"url": "host:reward", "min": low, "max": high, "seconds": self.seconds, "retries": 0}}
        team: dict[str, Any] = {}
        if self.agents:
            team["agents"] = {name: {"endpoint": {"url": f"host:agents/{name}", "model": name}} for name in self.agents}
        if self.tools:
            hosted = ["host:tools"] if any(callable(t) for t in self.tools) else []
            team["tools"] = {"use": [str(t) for t in self.tools if not callable(t)] + hosted}
        return {**keys, "team": team} if team else keys


def _route(f: Any, arguments: Callable[[Call], Sequence[Any]], finish: Callable[[Call, Any], Any], *, chat: bool = False, **about: Any) -> Route:
    """Answers a call with what f returns, or awaits."""
    about["identity"] = identity(f)

    async def later(call: Call) -> Any:
        return finish(call, await f(*arguments(call)))

    if inspect.iscoroutinefunction(f) or inspect.iscoroutinefunction(getattr(f, "__call__", None)):
        return Route(later, about, asynchronous=True, chat=chat)
    return Route(lambda call: finish(call, f(*arguments(call))), about, chat=chat)


def _reward(f: Callable[..., Any]) -> Route:
    batch = getattr(f, "parley_batch", 0)
    if not batch:
        return _route(f, lambda call: (call["item"], call["responses"]), lambda call, answer: _numbers(answer))

    def lists(call: Call) -> Sequence[Any]:
        calls = call.get("calls", [call])
        return [c["item"] for c in calls], [c["responses"] for c in calls]

    def finish(call: Call, given: Any) -> Any:
        answers = [_numbers(a) for a in given]
        if "calls" not in call and len(answers) != 1:
            raise ValueError(f"the reward of lists returned {len(answers)} answers for 1 call")
        return {"answers": answers} if "calls" in call else answers[0]

    return _route(f, lists, finish, batch=batch)


def _numbers(answer: Any) -> Any:
    """A bool is 0 or 1, wherever an answer to a reward has it."""
    if isinstance(answer, bool):
        return int(answer)
    if isinstance(answer, Maps):
        return {key: _numbers(value) for key, value in cast("dict[str, Any]", answer).items()}
    if isinstance(answer, (list, tuple)):
        return [_numbers(value) for value in cast("Sequence[Any]", answer)]
    return answer


class _Episodes:
    """Answers the calls of an environment that keeps its state: each episode has an object of its own."""

    def __init__(self, make: Callable[[], Any]):
        self._make = make
        self._under_way: dict[str, Any] = {}

    def __call__(self, call: Call) -> Any:
        name = call["episode"]
        if call["call"] == "end":
            close = getattr(self._under_way.pop(name, None), "close", None)
            if close:
                close()
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
            return {"result": _annotations.written(by_name[call["name"]](**call["arguments"]))}
        except Exception as e:  # which the agent reads, in a line
            return {"error": "".join(traceback.format_exception_only(type(e), e)).strip()}

    together = hashlib.sha256("".join(identity(f) for f in functions).encode()).hexdigest()
    return Route(answer, {"identity": together, "tools": [described(f) for f in functions]})


def described(f: Callable[..., Any]) -> dict[str, Any]:
    """A function as a tool, by the program's own reader of docstrings and annotations."""
    try:
        source = textwrap.dedent(inspect.getsource(f))
    except (OSError, TypeError):
        raise UsageError(f"tool {f.__name__}: its source cannot be read, and so neither can its annotations") from None
    found = _annotations.describe({"source": source, "name": f.__name__})
    if not found.get("functions"):
        why = "; ".join(found.get("others", [])) or found.get("error") or "it is no def"
        raise UsageError(f"tool {f.__name__}: {why}")
    tool: dict[str, Any] = found["functions"][0]
    return tool

"""What users write, for mypy --strict and pyright: every call of docs/python.md has the types that it says. Nothing runs it."""

from __future__ import annotations

from typing import Any

import parley
from parley import adapters


def reward(item: dict[str, Any], responses: list[str]) -> dict[str, Any]:
    return {"reward": float(item["truth"] in responses[1]), "parts": {"brief": len(responses[0]) < 80}}


async def later(item: dict[str, Any], responses: list[str]) -> float:
    return 0.5


@parley.batched
def lists(items: list[dict[str, Any]], responses: list[list[str]]) -> list[float]:
    return [float(len(r)) for r in responses]


@parley.batched(16)
def short(items: list[dict[str, Any]], responses: list[list[str]]) -> list[float]:
    return lists(items, responses)


class World:
    def reset(self, item: dict[str, Any]) -> parley.Step:
        return parley.Step("Go.")

    def step(self, actions: dict[str, str]) -> dict[str, Any]:
        return {"observations": "On.", "done": True}


def reset(item: dict[str, Any]) -> parley.Step:
    return parley.Step("Go.", state=1)


def step(state: Any, actions: dict[str, str]) -> parley.Step:
    return parley.Step({"ann": "On."}, reward=0.5, rewards={"ann": 1}, done=True)


def look(name: str) -> str:
    """Look something up."""
    return name


run: parley.Run = parley.train("magrpo-tiny", {"training.updates": 5}, reward=reward, progress=print)
run = parley.train({"name": "mine", "preset": "magrpo-tiny"}, reward=lists, reward_range=(-1, 1), data=[{"question": "1+1?", "answer": 2}], seed=3, out="here")
run = parley.train("world.yaml", environment=World, tools=[look, "tools.py"], agents={"critic": lambda messages: "Fine."}, concurrency=4)
run = parley.train("world.yaml", environment=parley.pure(reset, step))
run = parley.train("world.yaml", environment=adapters.OpenSpiel(lambda: None, seats=["x", "o"], resample=True))
work: parley.Training = parley.start("magrpo-tiny", reward=later, max_updates=3)
done: bool = work.done()
run = run.resume("+20", reward=reward, accept_changed=True)
table: parley.Table = run.sql("select 1", rows=5)
columns: list[str] = table.columns
rows: list[dict[str, Any]] = run.metrics
state: str = run.state
differences: parley.Table = parley.compare([run, "other"])["differences"]
mistakes: list[dict[str, Any]] = parley.check({"name": "mine"}, {"training": {"updates": 3}})
with parley.serve(run, "parley-base", temperature=0.5) as server:
    url: str = server.base_url
page: str = parley.ui(run).url
try:
    parley.train()
except parley.UsageError as error:
    found: list[dict[str, Any]] = error.errors
except parley.Interrupted as error:
    stopped: parley.Run | None = error.run
workflow: list[dict[str, Any]] = adapters.in_turn(["x", "o"], steps=9)

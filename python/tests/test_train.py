"""Training with callables of this process: the same numbers as with files, errors as of the command line, runs that go on."""

from __future__ import annotations

import asyncio
import json
import linecache
import os
import socket
import subprocess
import sys
import textwrap
import threading
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import parley
from judge import judge
from parley import batched, pure
from support import SMALL, Case, quiet

USER = {"name": "mine", "preset": "magrpo-tiny", "reward": {"source": "user", "user": {"python": "judge.py"}}}
FILE = "import sys\nsys.path.insert(0, {tests!r})\nfrom judge import judge as reward\n"


class TestEqualNumbers(Case):
    def test_callable_file_and_sandbox(self) -> None:
        """One reward in four places gives one metrics.jsonl."""
        source = (Path(__file__).parent / "judge.py").read_text("utf-8").replace("def judge", "def reward")
        Path("judge.py").write_text(source, "utf-8")
        want = self.metrics(parley.train("magrpo-tiny", SMALL, reward=judge, **quiet()))
        self.assertIn(b'"update":2', want)

        async def later(item: Any, responses: Any) -> Any:
            await asyncio.sleep(0)
            return judge(item, responses)

        @batched
        def lists(items: list[Any], responses: list[Any]) -> list[Any]:
            return [judge(i, r) for i, r in zip(items, responses)]

        alone = {**USER, "reward": {"source": "user", "user": {"python": "judge.py", "isolated": False}}}
        for name, run in {
            "a pool": lambda: parley.train("magrpo-tiny", SMALL, reward=judge, concurrency=4, **quiet()),
            "asynchronous": lambda: parley.train("magrpo-tiny", SMALL, reward=later, **quiet()),
            "lists": lambda: parley.train("magrpo-tiny", SMALL, reward=lists, **quiet()),
            "a thread": lambda: parley.start("magrpo-tiny", SMALL, reward=judge, **quiet()).result(60),
            "a file": lambda: parley.train(alone, SMALL, **quiet()),
            "the sandbox": lambda: parley.train(USER, SMALL, **quiet()),
        }.items():
            with self.subTest(name):
                self.assertEqual(self.metrics(run()), want)

    def test_it_runs_where_train_was_called(self) -> None:
        threads = set()

        def reward(item: Any, responses: Any) -> float:
            threads.add(threading.get_ident())
            return 0.5

        parley.train("magrpo-tiny", {**SMALL, "training.updates": 1}, reward=reward, **quiet())
        self.assertEqual(threads, {threading.get_ident()})

    def test_the_range(self) -> None:
        run = parley.train("magrpo-tiny", {**SMALL, "training.updates": 1}, reward=lambda item, responses: -3, reward_range=(-4, 4), **quiet())
        self.assertEqual(run.metrics[0]["reward"], [-3, -3])
        self.assertEqual({k: run.recipe["reward"]["user"][k] for k in ("url", "min", "max")}, {"url": "host:reward", "min": -4, "max": 4})


class TestErrors(Case):
    def train(self, *of: Any, **more: Any) -> Any:
        return lambda: parley.train(*of, **quiet(**more))

    def test_texts_are_those_of_the_command_line(self) -> None:
        Path("wrong.yaml").write_text("preset: magrpo-tiny\ntrainin: {updates: 1}\n")
        Path("recipe").write_text('{\n "preset": "magrpo-tiny",\n "trainin": {\n  "updates": 1\n }\n}')
        for args, of in [
            (["train", "wrong.yaml"], self.train("wrong.yaml")),
            (["train", "magrpo-tin"], self.train("magrpo-tin")),
            (["train", "magrpo-tiny", "--set", "training.updates=many"], self.train("magrpo-tiny", {"training.updates": "many"})),
            (["train", "magrpo-tiny", "--set", "training.updats=1"], self.train("magrpo-tiny", {"training": {"updats": 1}})),
            (["train", "recipe"], self.train({"preset": "magrpo-tiny", "trainin": {"updates": 1}})),
            (["train", "recipe", "--set", "sampling.temperature=-1"], self.train({"preset": "magrpo-tiny", "trainin": {"updates": 1}}, {"sampling": {"temperature": -1}})),
            (["train", "magrpo-tiny", "--seed=-1"], self.train("magrpo-tiny", seed=-1)),
            (["train", "magrpo-tiny", "--max-updates=-5"], self.train("magrpo-tiny", max_updates=-5)),
            (["train", "magrpo-tiny", "--updates", "3"], self.train("magrpo-tiny", updates=3)),
            (["train", "magrpo-tiny", "--accept-changed"], self.train("magrpo-tiny", accept_changed=True)),
            (["train", "--resume", "nobody"], lambda: parley.Run("nobody")),
        ]:
            with self.subTest(args=args):
                said = subprocess.run([parley.find(), *args], capture_output=True, text=True, env={**os.environ, "PARLEY_CALLER": "python"})
                self.assertEqual(said.returncode, 2, said)
                text = said.stderr.split("parley: ", 1)[1].strip()
                if "nobody" not in args:
                    self.assertEqual(str(self.fails(parley.UsageError, of=of)), text)
                else:
                    self.fails(parley.UsageError, 'no run "nobody"', of=of)
        self.assertFalse(os.path.exists("runs"))

    def test_places_of_mistakes(self) -> None:
        mapping = {"preset": "magrpo-tiny", "trainin": {"updates": 1}}
        error = self.fails(parley.UsageError, "recipe:3:2: unknown key", of=self.train(mapping))
        want = [{"file": "recipe", "line": 3, "column": 2, "message": 'unknown key "trainin"', "hint": 'did you mean "training"?'}]
        self.assertEqual(error.errors, want)
        self.assertEqual(parley.check(mapping), want)
        self.assertEqual(parley.check("magrpo-tiny", {"training": {"updates": 3}}), [])

    def test_callables_that_fail_at_once(self) -> None:
        def lost(item: Any, responses: Any) -> Any:
            return {}["judge"]

        error = self.fails(parley.UsageError, "before any training", "test_train.py", "in lost", "KeyError: 'judge'", of=self.train("magrpo-tiny", SMALL, reward=lost))
        self.assertNotIn("parley/_", str(error))
        for given, words in [
            ("much", ["number"]),
            (object(), ["expected a number"]),
            (None, ["returned None", "is a return missing?"]),
            ([0.5, 0.5], ["returned a list", "@parley.batched"]),
            (1.5, ["1.5", "reward_range=(low, high)"]),
            (float("nan"), ["before any training"]),
            ({"parts": {}}, ["reward"]),
        ]:
            with self.subTest(given=given):
                self.fails(parley.UsageError, *words, of=self.train("magrpo-tiny", SMALL, reward=lambda item, responses, given=given: given))
        self.fails(parley.UsageError, "0 answers", of=self.train("magrpo-tiny", SMALL, reward=batched(lambda items, responses: None)))
        self.fails(parley.UsageError, "0 answers", of=self.train("magrpo-tiny", SMALL, reward=batched(lambda items, responses: [])))

        @batched
        def few(items: Any, responses: Any) -> Any:
            return [0.5]

        words = "few returned 1 answers", "one for each of 2 items", "reward(items, responses)", "before any training"
        error = self.fails(parley.UsageError, *words, of=self.train("magrpo-tiny", SMALL, reward=few))
        self.assertNotIn("reward(item, responses)", str(error))

    def test_callables_that_fail_later(self) -> None:
        calls = 0

        def tires(item: Any, responses: Any) -> float:
            nonlocal calls
            calls += 1
            if calls > 40:
                raise RuntimeError("too tired")
            return 0.5

        with self.assertWarns(UserWarning) as caught:  # also where progress is silent
            error = self.fails(parley.ParleyError, "too tired", "in tires", of=self.train("magrpo-tiny", {**SMALL, "training.updates": 9}, reward=tires))
        self.assertIn("too tired", str(caught.warning))
        self.assertEqual((type(error.__cause__), error.__cause__.args), (RuntimeError, ("too tired",)))
        self.assertEqual((type(error), error.code, error.run.state), (parley.ParleyError, 1, "failed"))

    def test_a_file_and_a_callable_say_the_same(self) -> None:
        """Of one reward, in a file that the command line runs, and in this process: only the places of the traceback differ."""
        for body in ("return", "return 'much'", "return float('nan')", "return 1.5", "return {'parts': {}}", "return [1, 2]",
                     "return {'reward': 1, 'rewards': 2}", "return {'reward': 1, 'flags': 'x'}", "return {'reward': 1, 'agents': {'nobody': 1}}", "return {'reward': 1, 'agents': 'x'}",
                     "raise ValueError('no judge')", "return {}['judge']"):  # fmt: skip
            with self.subTest(body=body):
                Path("judge.py").write_text(f"def reward(item, responses):\n    {body}\n")
                space: dict[str, Any] = {}
                exec(compile(Path("judge.py").read_text(), "judge.py", "exec"), space)
                linecache.checkcache()
                alone = {"preset": "magrpo-tiny", "name": "mine", "reward": {"source": "user", "user": {"python": "judge.py", "isolated": False}}}
                Path("alone.yaml").write_text(json.dumps(alone))
                args = [parley.find(), "train", "alone.yaml", *(f"--set={key}={value}" for key, value in SMALL.items())]
                said = subprocess.run(args, capture_output=True, text=True, env={**os.environ, "PARLEY_CALLER": "python", "PARLEY_PYTHON": sys.executable})
                want = said.stderr.split("parley: ", 1)[1].strip().replace(str(self.folder) + "/", "")
                error = self.fails(parley.UsageError, of=self.train("magrpo-tiny", SMALL, reward=space["reward"]))
                text = str(error).replace("; a function that takes and returns lists is marked with @parley.batched", "")
                self.assertEqual((said.returncode, text), (2, want))
                self.assertEqual(type(error.__cause__).__name__, "NoneType" if "outside of the declared range" in text or "nobody" in text else text.split("\n")[-2].split(":")[0])

    def test_what_is_no_function(self) -> None:
        for more, words in [
            ({"reward": [judge, judge]}, ["reward is [", "expected one function", "returns their sum"]),
            ({"reward_range": 5}, ["reward_range is 5", "such as (0, 1)"]),
            ({"reward_range": (0, "x")}, ["reward_range is"]),
            ({"agents": {"bob": "BOB"}}, ["agents is 'BOB'", "{name: f(messages) -> text}"]),
            ({"environment": Counter()}, ["environment is", "a class with reset(item) and step(actions)"]),
            ({"environment": dict}, ["environment makes a dict", "an adapter of parley.adapters"]),
        ]:
            with self.subTest(more=more):
                self.fails(parley.UsageError, *words, of=self.train("magrpo-tiny", **more))
                self.fails(parley.UsageError, *words, of=lambda more=more: parley.check("magrpo-tiny", **more))

        def failing() -> Any:
            raise OSError("no such game")

        self.fails(OSError, "no such game", of=lambda: parley.check("magrpo-tiny", environment=failing))

    def test_data_for_a_task_that_makes_its_own(self) -> None:
        self.fails(parley.UsageError, "data= has no effect with task duet", "tasks that take it are", "data,", of=self.train("magrpo-tiny", data=[{"question": "1+1?", "answer": "2"}]))

    def test_data_that_lacks_something(self) -> None:
        recipe = {"preset": "magrpo-tiny", "name": "mine", "task": {"name": "data", "match": "number"}, "reward": {"source": "user"}}
        for data, words in [
            (None, ["data=", '"question"', '"answer"']),
            ([{"question": "1+1?", "answer": "2"}, {"question": "?"}], ["data: row 1: there is no answer", "task.match none"]),
            ({"train": [{"question": "?"}], "test": [{"question": "?"}]}, ["data: row 0 of train: there is no answer"]),
        ]:
            with self.subTest(data=data):
                error = self.fails(parley.UsageError, *words, of=self.train(recipe, SMALL, reward=judge, data=data))
                self.assertNotIn(".inputs", str(error))
        world = {**TestTeams.recipe, "task": {}}
        self.fails(parley.UsageError, "give data=", of=self.train(world, environment=Counter))
        self.fails(parley.UsageError, "leave out reward=", of=self.train(world, environment=Counter, reward=judge, data=[{"id": n} for n in range(30)]))

    def test_a_model_that_is_not_there(self) -> None:
        self.assertIn('there is no model "nobody/nothing"', parley.check("magrpo-tiny", {"model": "nobody/nothing"})[0]["message"])

    def test_a_reward_that_fails_on_held_out_problems(self) -> None:
        def picky(item: Any, responses: Any) -> float:
            if item["id"] == "sums-test-000001":
                raise RuntimeError("not that one")
            return 0.5

        with self.assertWarns(UserWarning) as caught:
            parley.train("magrpo-tiny", {**SMALL, "training.failed_share": 0.5}, reward=picky, **quiet())
        self.assertIn("leaves out sums-test-000001", str(caught.warning))
        self.assertIn("not that one", str(caught.warning))
        self.assertEqual(caught.filename, __file__)

    def test_what_is_no_exception_passes(self) -> None:
        def leaves(item: Any, responses: Any) -> float:
            raise SystemExit("gone")

        self.fails(SystemExit, "gone", of=self.train("magrpo-tiny", SMALL, reward=leaves))

    def test_a_progress_callback_that_raises(self) -> None:
        def show(event: Any) -> None:
            if event["event"] == "update":
                raise LookupError(event["run"] if "run" in event else "seen")

        self.fails(LookupError, of=lambda: parley.train("magrpo-tiny", {**SMALL, "training.updates": 4000}, progress=show))
        self.assertEqual([r.state for r in parley.runs()], ["interrupted"])

        def stop(event: Any) -> None:
            if event["event"] == "update":
                raise KeyboardInterrupt

        error = self.fails(parley.Interrupted, of=lambda: parley.train("magrpo-tiny", {**SMALL, "training.updates": 4000}, reward=judge, out="mine", progress=stop))
        self.assertIn('run = parley.train(resume="mine", reward=reward)', str(error))

    def test_a_program_of_another_version(self) -> None:
        other = self.folder / "parley"
        other.write_text('#!/bin/sh\necho \'{"version": "9.0.0", "api": 9}\'\n')
        other.chmod(0o755)
        with mock.patch.dict(os.environ, PARLEY_BINARY=str(other)):
            self.fails(parley.UsageError, "9.0.0", "api 9", "api 1", of=self.train("magrpo-tiny"))
        with mock.patch.dict(os.environ, PARLEY_BINARY=str(self.folder / "none")), mock.patch("shutil.which", return_value=None):
            self.fails(FileNotFoundError, "pip install parley-rl", of=parley.find)


class TestGoingOn(Case):
    def test_another_function_is_refused(self) -> None:
        run = parley.train("magrpo-tiny", SMALL, reward=judge, **quiet())

        def other(item: Any, responses: Any) -> float:
            return 0.25

        self.fails(parley.UsageError, "host:reward", "give reward= again", of=lambda: run.resume("+1", **quiet()))
        self.fails(parley.UsageError, "host:reward", "it is other (", "test_train.py:", "go on with accept_changed=True", of=lambda: run.resume("+1", reward=other, **quiet()))
        self.assertEqual(len(run.metrics), 2)
        run.resume("+1", reward=other, accept_changed=True, **quiet())
        self.assertEqual(run.metrics[-1]["reward"], [0.25, 0.25])
        self.assertIn("host:reward", (run.dir / "report.md").read_text("utf-8"))

    def test_the_former_port_is_taken_and_bytes_are_equal(self) -> None:
        ports: list[str] = []
        begin = parley._train.Host.__init__

        def noted(host: Any, *of: Any) -> None:
            begin(host, *of)
            ports.append(host.env["PARLEY_HOST"])

        with mock.patch.object(parley._train.Host, "__init__", noted):
            whole = parley.train("magrpo-tiny", {**SMALL, "training.updates": 5}, reward=judge, out="whole", **quiet())
            run = parley.train("magrpo-tiny", {**SMALL, "training.updates": 5}, reward=judge, max_updates=2, **quiet())
            with socket.create_server(("127.0.0.1", int(ports[-1].rsplit(":")[-1]))):
                run.resume(5, reward=judge, **quiet())
        self.assertEqual(len(set(ports)), 3)
        self.assertEqual(self.metrics(run), self.metrics(whole))
        self.assertTrue(run.verify()["ok"])
        for file in run.dir.rglob("*"):
            if file.is_file() and file.suffix in (".json", ".jsonl", ".md"):
                for secret in (*ports, "PARLEY_HOST_TOKEN"):
                    self.assertNotIn(secret.encode(), file.read_bytes(), file)

    def test_what_needs_no_reward(self) -> None:
        run = parley.train("magrpo-tiny", {**SMALL, "training.updates": 1}, reward=judge, **quiet())
        self.assertIn("answer", run.ask("What is 2 + 3?", seed=1))
        with parley.serve(run) as s:
            self.assertEqual(s.models, [run.name])
        self.assertEqual(run.evaluate(reward=judge, **quiet())["rows"][-1], run.rows[-1])


class Counter:
    """An environment: an agent says a number of digits, and the team is paid by how many came together."""

    def reset(self, item: Any) -> Any:
        self.left, self.all = 2, item["n"]
        return parley.Step("Question: 1+1=")

    def step(self, actions: Any) -> Any:
        self.left -= 1
        return parley.Step("Question: 1+1=", reward=min(1, sum(map(len, actions.values())) / 80) / 2, done=self.left == 0)


def fresh(item: Any) -> Any:
    return parley.Step("Question: 1+1=", state=2)


def onward(state: Any, actions: Any) -> Any:
    return parley.Step("Question: 1+1=", reward=min(1, sum(map(len, actions.values())) / 80) / 2, done=state == 1, state=state - 1)


class TestTeams(Case):
    recipe = {
        "name": "world", "policies": {"sharing": "per-agent"}, "sampling": {"max_tokens": 8}, "algorithm": "magrpo", "group": {"size": 2},
        "team": {"protocol": "workflow", "agents": {"ann": {}, "bob": {}}, "workflow": [{"repeat": 2, "steps": [{"ask": ["ann", "bob"], "prompt": "{{.Observation}}"}, {"act": ["ann", "bob"]}]}]},
        "training": {"updates": 1, "problems": 2}, "eval": {"problems": 2, "baselines": []},
    }  # fmt: skip

    def test_environments(self) -> None:
        data = [{"id": str(i), "n": i} for i in range(30)]
        run = parley.train(self.recipe, environment=Counter, data=data, **quiet())
        self.assertGreater(run.metrics[0]["return"] if not isinstance(run.metrics[0]["return"], dict) else 1, 0)
        self.assertNotIn("failed", run.metrics[0])
        self.assertEqual((run.recipe["task"]["environment"]["stateful"], run.recipe["group"]["rollout"]), (True, "episodes"))
        tree = parley.train(self.recipe, environment=pure(fresh, onward), data=data, **quiet())
        self.assertNotIn("failed", tree.metrics[0])
        self.assertTrue(tree.verify()["ok"])

        source = "def reset(item):\n    return {'state': 2, 'observations': 'Question: 1+1='}\ndef step(state, actions):\n" \
            "    paid = min(1, sum(map(len, actions.values())) / 80) / 2\n    return {'state': state - 1, 'observations': 'Question: 1+1=', 'reward': paid, 'done': state == 1}\n"  # fmt: skip
        Path("world.py").write_text(source)
        for name, isolated in (("sandbox", True), ("child", False)):
            place = {"name": "environment", "environment": {"python": "world.py", "isolated": isolated}}
            of = {**self.recipe, "name": name, "task": place, "reward": {"source": "joint"}}
            self.assertEqual(self.metrics(parley.train(of, data=data, **quiet())), self.metrics(tree), name)
            place["environment"]["stateful"] = True  # type: ignore[index]
            of = {**of, "name": name + "-kept", "group": {"size": 2, "rollout": "episodes"}}
            self.assertEqual(self.metrics(parley.train(of, data=data, **quiet())), self.metrics(run), name)

        class Paid(Counter):
            def step(self, actions: Any) -> Any:
                self.left -= 1
                return parley.Step("Question: 1+1=", rewards={"ann": 0.25, "bob": -0.25}, done=self.left == 0)

        of = {**self.recipe, "name": "alone", "task": {"min_reward": -1}}
        of["team"] = {**self.recipe["team"], "agents": {a: {"reward": {"team": 0, "own": 1}} for a in ("ann", "bob")}}  # type: ignore[dict-item]
        paid = parley.train(of, environment=Paid, data=data, **quiet())
        self.assertEqual(paid.metrics.column("own_reward"), [{"ann": 0.5, "bob": -0.5}])
        self.assertEqual(paid.rows.column("own_reward"), [{"ann": 0.5, "bob": -0.5}] * 2)
        self.assertIn("ann 0.5, bob -0.5", paid._repr_html_())
        self.assertIn("ann 0.500, bob -0.500", (paid.dir / "report.md").read_text("utf-8"))

        unheard = {**of, "name": "unheard", "team": self.recipe["team"]}
        with self.assertWarns(UserWarning) as caught:  # once, beside this file, though nothing is shown
            deaf = parley.train(unheard, {"training.updates": 8}, environment=Paid, data=data, **quiet())
        self.assertIn("team.agents.ann.reward.own", str(caught.warning))
        self.assertEqual((sum("unheard_pay" in str(w.message) for w in caught.warnings), caught.filename), (2, __file__))
        kinds = [d["kind"] for d in deaf.why()["diagnostics"]]
        self.assertEqual((kinds[0], "constant_reward" in kinds), ("unheard_pay", False))

        class Endless(Counter):
            def step(self, actions: Any) -> Any:
                return parley.Step("Question: 1+1=")

        with self.assertWarns(UserWarning) as caught:
            parley.train({**self.recipe, "name": "endless"}, environment=Endless, data=data, **quiet())
        self.assertIn("4 of 4 episodes ended with the team's steps, before the environment was done", str(caught.warning))
        self.assertIn("in_turn calls steps", str(caught.warning))

        class Broken(Counter):
            def step(self, actions: Any) -> Any:
                raise ValueError("no floor")

        self.fails(parley.ParleyError, "no floor", of=lambda: parley.train(self.recipe, environment=Broken, data=data, **quiet()))

    def test_agents_of_this_process(self) -> None:
        recipe = {**self.recipe, "task": {"name": "sums"}, "reward": {"source": "user", "user": {"expression": "1.0 if 'BOB' in responses[-1] else 0.0"}}}
        recipe["team"] = {"protocol": "workflow", "agents": {"ann": {}, "bob": {}}, "workflow": [{"ask": "ann", "prompt": "{{.Question}}"}, {"ask": "bob", "prompt": "Say BOB."}]}
        seen: list[Any] = []

        def bob(messages: Any) -> str:
            seen.append(messages)
            return "BOB"

        run = parley.train(recipe, agents={"bob": bob}, **quiet())
        self.assertEqual(seen[0][-1], {"role": "user", "content": "Say BOB."})
        self.assertEqual(run.sql("select distinct text from completions where name = 'bob'"), [{"text": "BOB"}])
        self.assertTrue(run.ask("What is 1 + 1?", agents={"bob": bob})["lines"])

    def test_tools_of_this_process(self) -> None:
        factor = 1

        def compute(expression: str) -> str:
            """Compute a sum."""
            left, right = expression.split("+")
            return str((int(left) + int(right)) * factor)

        recipe = {"name": "tools", "preset": "tool-sums-tiny", "team": {"agents": {"solver": {}, "editor": {}}}}
        run = parley.train(recipe, {**SMALL, "training.updates": 1}, tools=[compute], **quiet())
        self.assertGreater(run.metrics[0]["calls"], 0)

        def untyped(x) -> None:  # type: ignore[no-untyped-def]
            """Nothing."""

        self.fails(parley.UsageError, "tool untyped", "parameter x has no annotation", of=lambda: parley.train("tool-sums-tiny", tools=[untyped], **quiet()))


class TestStart(Case):
    def test_in_a_thread(self) -> None:
        events: list[str] = []
        work = parley.start("magrpo-tiny", {**SMALL, "training.updates": 4000}, reward=judge, progress=lambda e: events.append(e["event"]))
        for _ in range(200):
            if "update" in events:
                break
            time.sleep(0.1)
        self.assertFalse(work.done())
        self.fails(TimeoutError, "0.1 s", of=lambda: work.result(0.1))
        assert work.run
        self.assertEqual(work.run.state, "running")
        work.stop()
        error = self.fails(parley.Interrupted, of=lambda: work.result(30))
        self.assertEqual((error.run, error.run.state, work.done()), (work.run, "interrupted", True))
        self.fails(TypeError, "updats", of=lambda: parley.start("magrpo-tiny", updats=3))  # type: ignore[call-arg]


if __name__ == "__main__":
    unittest.main()

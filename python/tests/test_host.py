"""The server that answers for this process, asked by plain sockets."""

from __future__ import annotations

import asyncio
import http.client
import json
import queue
import socket
import threading
import time
import unittest
from typing import Any
from unittest import mock

from parley import _host
from parley._callables import Callables, Step, batched, identity, pure
from parley._host import Calls, Host


class HostCase(unittest.TestCase):
    """A host whose calls are made in a thread of the test."""

    def host(self, concurrency: int = 1, **callables: Any) -> Host:
        jobs: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.calls = Calls(jobs.put, concurrency)
        host = Host(Callables(**callables).routes(), self.calls)
        self.addCleanup(host.close)
        self.address = host.env["PARLEY_HOST"].removeprefix("http://")
        self.token = host.env["PARLEY_HOST_TOKEN"]
        threading.Thread(target=lambda: [job() for job in iter(jobs.get, None)], daemon=True).start()
        self.addCleanup(jobs.put, None)
        return host

    def post(self, path: str, call: Any, token: str | None = None, **headers: str) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self.address, timeout=20)
        body = call if isinstance(call, bytes) else json.dumps(call).encode()
        connection.request("POST", path, body, {"Authorization": f"Bearer {self.token if token is None else token}", **headers})
        answer = connection.getresponse()
        out = answer.status, json.loads(answer.read())
        connection.close()
        return out

    def reward(self, **call: Any) -> Any:
        status, answer = self.post("/reward", {"item": {"id": "1"}, "responses": ["a", "b"], **call})
        self.assertEqual(status, 200)
        return answer["reward"] if isinstance(answer, dict) and not any(answer.get(key) for key in ("error", "parts", "flags", "agents")) else answer


class TestRefusals(HostCase):
    def test_what_is_refused(self) -> None:
        self.host(reward=lambda item, responses: 1)
        call = {"item": {}, "responses": []}
        for want, path, body, token, headers in [
            (401, "/reward", call, "", {}),
            (401, "/reward", call, "wrong", {}),
            (401, "/reward", call, "\xe9", {}),
            (404, "/elsewhere", call, None, {}),
            (404, "/", call, None, {}),
            (400, "/reward", b"{", None, {}),
            (400, "/reward", b"[]", None, {}),
            (400, "/reward", b"[" * 100_000, None, {}),
            (413, "/reward", b"", None, {"Content-Length": str((16 << 20) + 1)}),
            (411, "/reward", b"", None, {"Content-Length": "-1"}),
            (411, "/reward", b"", None, {"Content-Length": "many"}),
            (200, "/reward", call, None, {}),
        ]:
            with self.subTest(want=want, path=path, token=token, headers=headers):
                status, answer = self.post(path, body, token, **headers)
                self.assertEqual(status, want, answer)
                self.assertEqual("error" in str(answer), want != 200)

    def test_it_listens_on_this_machine_only(self) -> None:
        self.host(reward=lambda item, responses: 1)
        self.assertTrue(self.address.startswith("127.0.0.1:"))

    def test_the_token_is_in_no_text(self) -> None:
        host = self.host(reward=lambda item, responses: 1)
        for text in (repr(host), str(host), repr(self.calls), json.dumps(self.post("/x", {})), json.dumps(self.post("/reward", {}))):
            self.assertNotIn(self.token, text)


class TestConnections(HostCase):
    def test_half_a_request_is_given_up(self) -> None:
        with mock.patch.object(_host, "WITHIN", 0.5):
            self.host(reward=lambda item, responses: 1)
            head = f"POST /reward HTTP/1.1\r\nAuthorization: Bearer {self.token}\r\nContent-Length: 100\r\n\r\n".encode()
            for sent in (b"", b"POST", head[:40], head, head + b"{"):
                with self.subTest(sent=sent[:20]), self.connected() as s:
                    s.sendall(sent)
                    began = time.monotonic()
                    while s.recv(1000):
                        pass
                    self.assertLess(time.monotonic() - began, 5)

    def test_a_slow_request_is_given_up_as_a_whole(self) -> None:
        with mock.patch.object(_host, "WITHIN", 0.5):
            self.host(reward=lambda item, responses: 1)
            with self.connected() as s, self.assertRaises(OSError):
                for _ in range(100):  # a byte now and then does not put the end off
                    s.sendall(b"P")
                    time.sleep(0.1)

    def connected(self) -> socket.socket:
        name, port = self.address.split(":")
        return socket.create_connection((name, int(port)), timeout=20)

    def test_many_at_once(self) -> None:
        self.host(reward=lambda item, responses: len(responses))
        silent = [self.connected() for _ in range(64)]
        answers: list[Any] = []
        threads = [threading.Thread(target=lambda: answers.append(self.reward())) for _ in range(64)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(20)
        self.assertEqual(answers, [2] * 64)
        for s in silent:
            s.close()

    def test_more_than_the_bound_are_closed(self) -> None:
        with mock.patch.object(_host, "CONNECTIONS", 4):
            self.host(reward=lambda item, responses: 1)
            held = [self.connected() for _ in range(4)]
            time.sleep(0.5)
            with self.connected() as s:
                self.assertEqual(s.recv(10), b"")
            for s in held:
                s.close()
            for _ in range(50):
                try:
                    self.assertEqual(self.reward(), 1)
                    break
                except OSError:
                    time.sleep(0.1)
            else:
                self.fail("places of closed connections are not given again")

    def test_a_connection_is_kept(self) -> None:
        self.host(reward=lambda item, responses: 1)
        connection = http.client.HTTPConnection(self.address, timeout=20)
        for _ in range(3):
            connection.request("POST", "/reward", b'{"item": {}, "responses": []}', {"Authorization": f"Bearer {self.token}"})
            self.assertEqual(json.loads(connection.getresponse().read())["reward"], 1)
        connection.close()

    def test_calls_without_an_answer_end_with_the_host(self) -> None:
        begun = threading.Event()

        def reward(item: Any, responses: Any) -> float:
            begun.set()
            raise KeyboardInterrupt

        host = self.host(reward=reward)
        with self.connected() as s:
            body = b'{"item":{},"responses":[]}'
            s.sendall(f"POST /reward HTTP/1.1\r\nAuthorization: Bearer {self.token}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
            with mock.patch("threading.excepthook"):
                self.assertTrue(begun.wait(10))
            s.settimeout(0.5)
            with self.assertRaises(TimeoutError):
                s.recv(10)
            s.settimeout(10)
            host.close()
            self.assertEqual(s.recv(10), b"")


class Scalar:
    """As numpy's: no number of Python's, but it has one."""

    def __float__(self) -> float:
        return 0.25


class TestAnswers(HostCase):
    def test_what_a_reward_may_be(self) -> None:
        for given, want in [
            (1, 1),
            (0.5, 0.5),
            (True, 1),
            (Scalar(), 0.25),
            ({"reward": False, "parts": {"a": Scalar(), "b": True}, "flags": ["x"]}, {"reward": 0, "parts": {"a": 0.25, "b": 1}, "flags": ["x"], "agents": None}),
            ({"reward": 1, "agents": [True, 0.5]}, {"reward": 1, "parts": {}, "flags": [], "agents": [1, 0.5]}),
        ]:
            with self.subTest(given=given):
                self.host(reward=lambda item, responses, given=given: given)
                self.assertEqual(self.reward(), want)

    def test_what_is_no_answer_is_an_error(self) -> None:
        def judge(item: Any, responses: Any) -> Any:
            return given

        for given, words in [
            (object(), ["TypeError", "expected a number"]),
            ({1, 2}, ["TypeError"]),
            (b"bytes", ["TypeError"]),
            ({"reward": object()}, ["TypeError"]),
            (float, ["expected a number"]),
            ("text", ["reward returned 'text', expected a number"]),
            (None, ["judge returned None, expected a number, or a dict with the key reward: is a return missing?"]),
            ([0.5, 1], ["judge returned a list, expected one number for all responses", "is marked with @parley.batched"]),
            ({"parts": {}}, ["judge returned a dict without the key reward"]),
            (float("nan"), ["finite"]),
        ]:
            with self.subTest(given=given):
                self.host(reward=judge)
                text = self.reward()["error"]
                for word in words:
                    self.assertIn(word, text)
                self.assertNotIn("Traceback", text)  # no line of the user's raised it

    def test_a_traceback_begins_in_the_users_code(self) -> None:
        def inner() -> None:
            raise KeyError("lost")

        def reward(item: Any, responses: Any) -> None:
            try:
                inner()
            except KeyError as e:
                raise ValueError("no reward") from e

        self.host(reward=reward)
        text = self.reward()["error"]
        for word in ("in inner", "KeyError: 'lost'", "direct cause", "in reward", "ValueError: no reward", __file__):
            self.assertIn(word, text)
        for word in ("parley/_", "concurrent"):
            self.assertNotIn(word, text)

    def test_half_characters(self) -> None:
        self.host(reward=lambda item, responses: {"reward": 0, "flags": responses})
        self.assertEqual(self.reward(responses=["\ud800", "é"])["flags"], ["\ud800", "é"])

        def fails(item: Any, responses: Any) -> None:
            raise ValueError("\udfff")

        self.host(reward=fails)
        self.assertIn("ValueError", self.reward()["error"])

    def test_lists(self) -> None:
        @batched
        def each(items: list[Any], responses: list[Any]) -> list[Any]:
            return [len(r) + i["n"] for i, r in zip(items, responses)]

        @batched(16)
        def short(items: list[Any], responses: list[Any]) -> list[Any]:
            return []

        calls = [{"item": {"n": n}, "responses": ["a"]} for n in range(3)]
        self.host(reward=each)
        self.assertEqual(self.post("/reward", {"call": "about"})[1]["batch"], 64)
        self.assertEqual(self.post("/reward", {"calls": calls})[1], {"answers": [1, 2, 3]})
        self.assertEqual(self.reward(item={"n": 5}), 7)
        self.host(reward=short)
        self.assertEqual(self.post("/reward", {"call": "about"})[1]["batch"], 16)
        self.assertIn("short returned 0 answers, expected a list with one for each of 3 items", self.post("/reward", {"calls": calls})[1]["error"])
        self.assertIn("short returned", self.reward()["error"])

    def test_asynchronous_ones_run_eight_at_a_time(self) -> None:
        now, most = 0, 0

        async def reward(item: Any, responses: Any) -> float:
            nonlocal now, most
            now, most = now + 1, max(most, now + 1)
            await asyncio.sleep(0.05)
            now -= 1
            return item["n"]

        self.host(reward=reward)
        answers: list[Any] = []
        threads = [threading.Thread(target=lambda n=n: answers.append(self.reward(item={"n": n}))) for n in range(20)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(20)
        self.assertEqual(sorted(answers), list(range(20)))
        self.assertEqual(most, 8)

        async def fails(item: Any, responses: Any) -> float:
            raise ValueError("not today")

        self.host(reward=fails)
        self.assertIn("ValueError: not today", self.reward()["error"])

    def test_one_at_a_time_or_a_pool(self) -> None:
        for concurrency in (1, 4):
            now, most, lock = 0, 0, threading.Lock()

            def reward(item: Any, responses: Any) -> float:
                nonlocal now, most
                with lock:
                    now, most = now + 1, max(most, now + 1)
                time.sleep(0.05)
                with lock:
                    now -= 1
                return 1

            self.host(concurrency=concurrency, reward=reward)
            threads = [threading.Thread(target=self.reward) for _ in range(12)]
            for t in threads:
                t.start()
            for t in threads:
                t.join(20)
            self.assertEqual(most, concurrency)

    def test_agents(self) -> None:
        self.host(agents={"critic": lambda messages: messages[-1]["content"].upper(), "mute": lambda messages: 3})
        call = {"model": "critic", "messages": [{"role": "user", "content": "fine"}]}
        status, answer = self.post("/agents/critic/chat/completions", call)
        self.assertEqual((status, answer["choices"][0]["message"]), (200, {"role": "assistant", "content": "FINE"}))
        status, answer = self.post("/agents/mute/chat/completions", call)
        self.assertEqual(status, 400)
        self.assertIn("TypeError", answer["error"])

    def test_tools(self) -> None:
        stock = {"apples": 3}

        def count(fruit: str, most: int = 10) -> int:
            """How many there are.

            Args:
                fruit: which
            """
            return min(stock[fruit], most)

        self.host(tools=[count])
        about = self.post("/tools", {"call": "about"})[1]
        want = {"fruit": {"type": "string", "description": "which"}, "most": {"type": "integer"}}
        self.assertEqual(about["tools"], [{"name": "count", "description": "How many there are.", "parameters": {"type": "object", "properties": want, "required": ["fruit"]}}])
        call = {"call": "tool", "name": "count", "arguments": {"fruit": "apples"}}
        self.assertEqual(self.post("/tools", call), (200, {"result": "3"}))
        self.assertIn("KeyError", self.post("/tools", {**call, "arguments": {"fruit": "pears"}})[1]["error"])


class World:
    """Counts to what the item says."""

    closed = 0

    def reset(self, item: Any) -> Step:
        self.left = item["n"]
        return Step(f"{self.left} left")

    def step(self, actions: Any) -> Any:
        self.left -= 1
        return {"observations": f"{self.left} left", "reward": 1 / 4, "done": self.left == 0}

    def close(self) -> None:
        World.closed += 1


class TestEnvironments(HostCase):
    def test_each_episode_has_its_own(self) -> None:
        self.host(environment=World)
        for n, name in ((2, "a"), (3, "b")):
            self.assertEqual(self.post("/environment", {"call": "reset", "episode": name, "item": {"n": n}})[1]["observations"], f"{n} left")
        step = {"call": "step", "actions": {}}
        self.assertEqual(self.post("/environment", {**step, "episode": "a"})[1]["done"], False)
        self.assertEqual(self.post("/environment", {**step, "episode": "b"})[1]["observations"], "2 left")
        self.assertEqual(self.post("/environment", {**step, "episode": "a"})[1]["done"], True)
        before = World.closed
        for _ in range(2):  # an end that comes twice is one
            self.assertEqual(self.post("/environment", {"call": "end", "episode": "a"}), (200, {}))
        self.assertEqual(World.closed, before + 1)
        self.assertIn("KeyError", self.post("/environment", {**step, "episode": "a"})[1]["error"])

    def test_two_functions(self) -> None:
        def reset(item: Any) -> Step:
            return Step("go", state={"at": item["n"]})

        def step(state: Any, actions: Any) -> Step:
            return Step("on", reward=0.5, done=True, state={"at": state["at"] + 1})

        self.host(environment=pure(reset, step))
        first = self.post("/environment", {"call": "reset", "item": {"n": 4}})[1]
        self.assertEqual(first, {"observations": "go", "state": {"at": 4}, "reward": 0.0, "done": False})
        self.assertEqual(self.post("/environment", {"call": "step", "state": first["state"], "actions": {}})[1]["state"], {"at": 5})


class TestIdentity(unittest.TestCase):
    def test_what_tells_callables_apart(self) -> None:
        def one(item: Any, responses: Any) -> float:
            return 1

        def other(item: Any, responses: Any) -> float:
            return 2

        class Judge:
            def __call__(self, item: Any, responses: Any) -> float:
                return 3

        class Named(Judge):
            parley_identity = "judge, version 2"

        made = [eval(f"lambda item, responses: {n}") for n in (1, 2)]  # without a source
        found = [identity(f) for f in (one, other, Judge(), *made, World, pure(one, other), pure(other, one))]  # type: ignore[arg-type]
        self.assertEqual(len(set(found)), len(found))
        self.assertEqual(found, [identity(f) for f in (one, other, Judge(), *made, World, pure(one, other), pure(other, one))])  # type: ignore[arg-type]
        self.assertEqual(identity(Named()), "judge, version 2")
        self.assertTrue(all(len(f.encode()) <= 200 for f in found))


if __name__ == "__main__":
    unittest.main()

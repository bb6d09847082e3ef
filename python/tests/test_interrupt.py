"""^C and kill -9 at every place: the run ends, can go on, and then has the bytes of one that nobody stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
import unittest
from pathlib import Path
from threading import Timer
from typing import Any, Callable

import parley
from judge import judge, waits
from parley._run import Run
from support import SMALL, Case, quiet

UPDATES = 6
SIX = {**SMALL, "training.updates": UPDATES}


def strike(times: int = 1) -> None:
    """^C, as a terminal or a notebook sends it."""
    for _ in range(times):
        os.kill(os.getpid(), signal.SIGINT)


class Stops(Case):
    whole: bytes = b""

    def setUp(self) -> None:
        super().setUp()
        if not Stops.whole:
            Stops.whole = self.metrics(parley.train("magrpo-tiny", SIX, reward=judge, out="whole", **quiet()))

    def resumed(self, run: Any, reward: Callable[..., Any] = judge) -> None:
        """The run was stopped, goes on, and has the bytes of an unbroken one."""
        self.assertIsInstance(run, Run)
        self.assertEqual(run.state, "interrupted")
        run.resume(reward=reward, **quiet())
        self.assertEqual(run.state, "finished")
        self.assertEqual(self.metrics(run), Stops.whole)

    def interrupted(self, **more: Any) -> Any:
        before = signal.getsignal(signal.SIGINT)
        began = time.monotonic()
        error = self.fails(parley.Interrupted, of=lambda: parley.train("magrpo-tiny", SIX, **{**quiet(), **more}))
        self.assertLess(time.monotonic() - began, 20)
        self.assertIs(signal.getsignal(signal.SIGINT), before)
        return error


class TestOnce(Stops):
    def test_in_the_callable(self) -> None:
        calls, passed = 0, 0

        class Judge:
            parley_identity = parley.identity(judge)

            def __call__(self, item: Any, responses: Any) -> Any:
                nonlocal calls, passed
                calls += 1
                if calls == 60:
                    strike()
                    time.sleep(60)  # ^C breaks it off
                    passed += 1
                return judge(item, responses)

        error = self.interrupted(reward=Judge())
        self.assertEqual(passed, 0)
        self.assertIn("interrupted", str(error))
        self.resumed(error.run)

    def test_in_the_progress_callback(self) -> None:
        def show(event: Any) -> None:
            if event.get("update") == 3:
                strike()
                time.sleep(60)

        self.resumed(self.interrupted(reward=judge, progress=show).run)

    def test_while_nothing_runs_here(self) -> None:
        """The callable runs in a pool, and the thread of train waits."""
        self.resumed(self.interrupted(reward=waiting(judge), concurrency=2, progress=soon).run)

    def test_in_a_callable_that_catches_everything(self) -> None:
        calls = 0

        class Stubborn:
            parley_identity = parley.identity(judge)

            def __call__(self, item: Any, responses: Any) -> Any:
                nonlocal calls
                calls += 1
                if calls == 60:
                    with contextlib.suppress(BaseException):
                        strike()
                        time.sleep(60)
                return judge(item, responses)

        self.resumed(self.interrupted(reward=Stubborn()).run)

    def test_before_there_is_a_run(self) -> None:
        timer = Timer(0.02, strike)  # which may come before start returns, where the machine is busy
        error = self.fails(KeyboardInterrupt, of=lambda: (timer.start(), parley.train("magrpo-tiny", SIX, reward=judge, **quiet())))
        timer.join()
        if run := getattr(error, "run", None):
            self.assertEqual(run.state, "interrupted")

    def test_in_a_verb(self) -> None:
        run = parley.Run("whole") if os.path.isdir("whole") else parley.train("magrpo-tiny", SMALL, **quiet())
        Timer(0.3, strike).start()
        began = time.monotonic()
        self.fails(KeyboardInterrupt, of=lambda: run.sql("with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"))
        self.assertLess(time.monotonic() - began, 10)


class TestTwice(Stops):
    def test_it_is_killed(self) -> None:
        def show(event: Any) -> None:
            if event.get("update") == 3:
                with contextlib.suppress(KeyboardInterrupt):
                    strike()
                strike()

        self.resumed(self.interrupted(reward=judge, progress=show).run)


def soon(event: Any) -> None:
    if event.get("update") == 3:
        Timer(0.05, strike).start()


def waiting(f: Any) -> Any:
    """f, with some time for each call."""

    class Slow:
        parley_identity = parley.identity(f)

        def __call__(self, item: Any, responses: Any) -> Any:
            time.sleep(0.005)
            return f(item, responses)

    return Slow()


class TestKilled(Stops):
    script = """
        import sys
        sys.path[:0] = {path!r}
        import parley
        from judge import waits
        parley.train("magrpo-tiny", {recipe!r}, {reward} progress=False)
    """

    def killed(self, reward: str, when: Callable[[], bool]) -> Run:
        """The run of a Python that is killed, which ends within ten seconds."""
        path = [str(Path(__file__).parent), str(Path(parley.__file__).parent.parent)]
        text = textwrap.dedent(self.script).format(path=path, recipe={**SIX} if reward else {**SIX, "training.updates": 4000}, reward=reward)
        process = subprocess.Popen([sys.executable, "-c", text], stderr=subprocess.DEVNULL)
        for _ in range(600):
            if when() and parley.runs():
                break
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        process.kill()
        process.wait()
        run = parley.Run("runs/magrpo-tiny-s1")
        began = time.monotonic()
        while run.state == "running":
            self.assertLess(time.monotonic() - began, 10)
            time.sleep(0.1)
        return run

    def test_while_a_call_is_made(self) -> None:
        def when() -> bool:
            lines = run.read_bytes().count(b"\n") if (run := Path("runs/magrpo-tiny-s1/metrics.jsonl")).exists() else 0
            if lines >= 2:
                Path("wait").touch()
            return Path("waiting").exists()

        run = self.killed("reward=waits,", when)
        Path("wait").unlink()
        self.resumed(run, waits)

    def test_without_callables(self) -> None:
        run = self.killed("", lambda: Path("runs/magrpo-tiny-s1/metrics.jsonl").exists())
        self.assertEqual(run.state, "interrupted")


if __name__ == "__main__":
    unittest.main()

"""Runs, tables, servers and the page: what reads a run that is there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest
import urllib.request
from pathlib import Path
from typing import Any

import parley
from parley import Table
from support import SMALL, Case, quiet


class TestTable(unittest.TestCase):
    def test_columns(self) -> None:
        t = Table([{"a": 1, "b": 2.0}, {"b": 0.123456, "c": [0.5, 1.25]}])
        self.assertEqual((t.columns, t.column("b"), t.column("c")), (["a", "b", "c"], [2.0, 0.123456], [None, [0.5, 1.25]]))
        self.assertEqual(t, [{"a": 1, "b": 2.0}, {"b": 0.123456, "c": [0.5, 1.25]}])

    def test_html(self) -> None:
        text = Table([{"<b>": "<script>alert(1)</script>", "n": 0.123456}] * 60)._repr_html_()
        self.assertNotIn("<script>", text)
        self.assertIn("&lt;script&gt;", text)
        self.assertIn("<th>&lt;b&gt;</th>", text)
        self.assertIn("<td>0.1235</td>", text)
        self.assertEqual(text.count("<tr>"), 51)
        self.assertIn("50 of 60 rows", text)
        self.assertEqual(Table()._repr_html_(), "<table><thead><tr></tr></thead><tbody></tbody></table>")


class TestRun(Case):
    """One run for all tests, which read it."""

    made: Any = None

    def setUp(self) -> None:
        super().setUp()
        if TestRun.made is None:
            import tempfile

            folder = tempfile.mkdtemp(prefix="parley-run-")
            unittest.addModuleCleanup(__import__("shutil").rmtree, folder)
            TestRun.made = parley.train("magrpo-tiny", SMALL, out=f"{folder}/magrpo-tiny-s1", **quiet())
        self.run_: parley.Run = TestRun.made

    def test_what_it_has(self) -> None:
        run = self.run_
        self.assertEqual((run.name, run.state, run.info()["updates"]), ("magrpo-tiny-s1", "finished", 2))
        self.assertEqual(run.metrics, [json.loads(line) for line in (run.dir / "metrics.jsonl").read_text().splitlines()])
        self.assertEqual(run.timing.column("update"), [1, 2])
        self.assertEqual(run.rows.column("system"), [r["system"] for r in run.report()["rows"]])
        self.assertEqual((run.recipe["name"], run.recipe["training"]["problems"]), ("magrpo-tiny", 4))
        self.assertEqual(run.runs, [])
        self.assertTrue(run.why()["checked"])
        self.assertTrue(run.verify()["ok"])
        self.assertEqual(run.sql("select update, reward_1 from updates", rows=10).columns, ["update", "reward_1"])
        self.assertEqual(run.sql("select update from updates where update > 9"), [])
        self.assertEqual([e["update"] for e in run.episodes(2)], [2] * 4)
        self.assertEqual(len(run.episodes()), 8)
        self.assertEqual([p["number"] for p in run.answers()["problems"]], list(range(run.report()["problems"])))
        self.assertTrue(run.answers(problem=0, system="trained")["answers"][0]["lines"])
        self.assertIn("finished", run._repr_html_())
        self.assertEqual(parley.Run(run), run)
        self.assertEqual(len({run, parley.Run(run.dir)}), 1)

    def test_what_it_does(self) -> None:
        run = self.run_
        self.assertTrue(run.ask("What is 2 + 3?", seed=1, agent=1)["lines"])
        self.assertTrue(run.swap("1=untrained", update=2, episode=0)["lines"])
        self.assertTrue((run.export("adapters") / "policy-agent1" / "adapter_config.json").exists())
        self.assertIn("<html", run.html("run.html", episodes=1).read_text())
        page = run.page(2, 1)._repr_html_()
        self.assertTrue(page.startswith("<iframe sandbox="))
        self.assertIn("#/runs/magrpo-tiny-s1/episodes/2/1", page)
        self.assertLess(len(page), len(run.page()._repr_html_()))
        self.assertIn("update 2, episode 1: ", run.episode(2, 1))
        self.assertEqual(run.evaluate(**quiet())["rows"][-1], run.rows[-1])
        self.fails(parley.UsageError, "no such column", of=lambda: run.sql("select x from updates"))
        self.fails(TypeError, of=lambda: run.sql())  # type: ignore[call-arg]

    def test_a_damaged_episode_is_told(self) -> None:
        import shutil

        shutil.copytree(self.run_.dir, "damaged")
        run = parley.Run("damaged")
        file = run.dir / "episodes" / "000002.jsonl.zst"
        file.write_bytes(file.read_bytes()[:40])
        with self.assertWarns(UserWarning) as caught:
            self.assertEqual([e["update"] for e in run.episodes()], [1] * 4)
        self.assertIn("000002", str(caught.warning))
        self.fails(parley.ParleyError, "000002", of=run.verify)

    def test_a_torn_last_line(self) -> None:
        os.makedirs("torn")
        Path("torn/metrics.jsonl").write_bytes(b'{"update": 1}\n{"upd')
        self.assertEqual(parley.Run("torn").metrics, [{"update": 1}])
        self.assertEqual(parley.Run("torn").timing, [])

    def test_names_and_lists(self) -> None:
        self.assertEqual(parley.runs(self.run_.dir.parent), [self.run_])
        self.assertEqual(parley.runs(), [])  # out= lies elsewhere
        self.fails(parley.UsageError, 'there is no run "nobody"', of=lambda: parley.Run("nobody"))
        other = parley.train("magrpo-tiny", {**SMALL, "seed": 2, "sampling.temperature": 0.5}, **quiet())
        self.assertEqual(parley.Run("magrpo-tiny-s2"), other)
        found = parley.compare([self.run_, other.name])
        self.assertEqual([len(found["rows"]), len(found["differences"])], [2, 1])
        self.fails(parley.UsageError, "cannot compare", of=lambda: parley.compare([self.run_, self.run_]))

    def test_experiments(self) -> None:
        several = {"name": "several", "preset": "magrpo-tiny", "experiment": {"seeds": [1, 2]}}
        run = parley.train(several, {**SMALL, "training.updates": 1}, **quiet())
        self.assertEqual([r.info()["seed"] for r in run.runs], [1, 2])
        self.assertEqual(run.info()["kind"], "experiment")

    def test_servers(self) -> None:
        with parley.serve(self.run_) as s:
            self.assertEqual((s.base_url, s.models), (s.url + "/v1", [self.run_.name]))
            self.assertNotIn(s.api_key, repr(s))
            ask = urllib.request.Request(s.base_url + "/models", headers={"Authorization": f"Bearer {s.api_key}"})
            self.assertEqual(json.load(urllib.request.urlopen(ask, timeout=20))["data"][0]["id"], self.run_.name)
        self.fails(OSError, of=lambda: urllib.request.urlopen(ask, timeout=20))
        self.fails(parley.UsageError, "nobody", of=lambda: parley.serve("nobody").__enter__())
        page = parley.ui(self.run_)
        with urllib.request.urlopen(page.url, timeout=20) as answer:
            self.assertIn(b"<html", answer.read())
        self.assertIn(page.url, page._repr_html_())
        self.assertNotIn("token", repr(page))
        page.close()
        self.fails(OSError, of=lambda: urllib.request.urlopen(page.url, timeout=20))

    def test_a_server_ends_with_this_process(self) -> None:
        text = f"import parley, os; p = parley.ui({str(self.run_.dir)!r}); print(p.url, flush=True)"
        url = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}).stdout.strip()
        self.assertTrue(url.startswith("http://127.0.0.1:"), url)
        self.fails(OSError, of=lambda: urllib.request.urlopen(url, timeout=20))

    def test_the_module(self) -> None:
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run([sys.executable, "-m", "parley", "version", "--json"], capture_output=True, text=True, env=env)
        self.assertEqual((done.returncode, json.loads(done.stdout)["api"]), (0, 1))
        self.assertEqual(subprocess.run([sys.executable, "-m", "parley", "nothing"], capture_output=True, env=env).returncode, 2)


if __name__ == "__main__":
    unittest.main()

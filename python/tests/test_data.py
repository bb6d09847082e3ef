"""Data of this process as files. Frames are fakes where their packages are not there."""

from __future__ import annotations

import json
import os
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import parley
from parley._data import path_of
from support import Case


class Polars:
    def to_dicts(self) -> Any:
        return [{"question": "1+1?", "answer": 2}]


class Pandas:
    columns = ["question", "answer"]

    def to_dict(self, form: str) -> Any:
        assert form == "records"
        return [{"question": "1+1?", "answer": float("nan")}]


class Array:
    """As numpy's."""

    def __init__(self, value: Any):
        self.value = value

    def tolist(self) -> Any:
        return self.value


class Dataset:
    """As datasets': it iterates over rows."""

    def __iter__(self) -> Any:
        return iter([{"question": "1+1?", "answer": Array(2), "tags": Array([1, 2.5])}])


class TestData(Case):
    def read(self, path: Path) -> list[Any]:
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]

    def test_forms(self) -> None:
        for given, want in [
            ([{"a": 1, "b": True, "c": None, "d": "é\n", "e": [1, {"f": 2.5}], 3: "x"}], [{"a": 1, "b": True, "c": None, "d": "é\n", "e": [1, {"f": 2.5}], "3": "x"}]),
            (Polars(), [{"question": "1+1?", "answer": 2}]),
            (Pandas(), [{"question": "1+1?", "answer": None}]),
            (Dataset(), [{"question": "1+1?", "answer": 2, "tags": [1, 2.5]}]),
            (({"n": n} for n in range(2)), [{"n": 0}, {"n": 1}]),
            ([], []),
        ]:
            with self.subTest(given=type(given)):
                path = path_of(given)
                self.assertEqual(self.read(path), want)
                self.assertEqual((path.parent, path.suffix), (self.folder / "runs" / ".inputs", ".jsonl"))

    def test_names_are_contents(self) -> None:
        rows = [{"question": "1+1?", "answer": "2"}]
        self.assertEqual(path_of(rows), path_of(list(rows)))
        self.assertNotEqual(path_of(rows), path_of(rows * 2))
        splits = {"train": rows * 3, "test": rows}
        folder = path_of(splits)
        self.assertEqual(folder, path_of(dict(splits)))
        self.assertEqual(sorted(os.listdir(folder)), ["test.jsonl", "train.jsonl"])
        self.assertNotEqual(folder, path_of({"train": rows, "test": rows * 3}))
        Path("mine.jsonl").write_text('{"question": "2+2?"}\n')
        self.assertEqual(path_of("mine.jsonl"), Path("mine.jsonl"))
        self.assertEqual(self.read(path_of({"train": "mine.jsonl", "test": rows}) / "train.jsonl"), [{"question": "2+2?"}])
        with mock.patch.dict(os.environ, PARLEY_RUNS=str(self.folder / "elsewhere")):
            self.assertEqual(path_of(rows).parent, self.folder / "elsewhere" / ".inputs")
        self.assertEqual([f for f in os.listdir("runs/.inputs") if f.startswith(".")], [])

    def test_what_json_lacks_is_named(self) -> None:
        for row, words in [
            ({"picture": b"\x89PNG"}, ["row 1", "column picture", "bytes"]),
            ({"when": object()}, ["row 1", "column when", "object"]),
            ({"deep": [{"x": {1, 2}}]}, ["row 1", "column deep", "set"]),
            ({"size": float("inf")}, ["row 1", "column size", "inf"]),
            ({"text": "\ud800"}, ["row 1", "column text", "surrogate"]),
            ([1], ["row 1", "list", "expected a dict"]),
        ]:
            with self.subTest(row=row):
                self.fails(parley.UsageError, *words, of=lambda row=row: path_of([{"fine": 1}, row]))
                self.fails(parley.UsageError, "of test", of=lambda row=row: path_of({"train": [{"fine": 1}], "test": [{"fine": 1}, row]}))
        self.assertEqual(os.listdir("runs/.inputs"), [])

    def test_training_on_it(self) -> None:
        rows = [{"question": f"What is {n} + 1?", "answer": str(n + 1)} for n in range(40)]
        recipe = {"name": "mine", "preset": "magrpo-tiny", "task": {"name": "data", "match": "number"}}
        small = {"training.updates": 1, "training.problems": 2, "eval.problems": 2}
        run = parley.train(recipe, small, data=rows, reward=lambda item, responses: item["truth"] in responses[1], progress=False)
        self.assertEqual(parley.runs(), [run])  # and no .inputs
        self.assertIn(run.sql("select question from episodes")[0]["question"], [r["question"] for r in rows])
        run.resume("+1", reward=lambda item, responses: item["truth"] in responses[1], accept_changed=True, progress=False)
        self.assertEqual(len(run.metrics), 2)


if __name__ == "__main__":
    unittest.main()

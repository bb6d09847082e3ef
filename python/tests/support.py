"""What the tests share: a small training, and a runs folder of each test's own."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import unittest
from pathlib import Path
from typing import Any

import parley

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests in the background may have had it ignored

SMALL: dict[str, Any] = {"training.updates": 2, "training.problems": 4, "eval.problems": 4}
LONG: dict[str, Any] = {**SMALL, "training.updates": 4000}


def quiet(**more: Any) -> dict[str, Any]:
    return {"progress": False, **more}


class Case(unittest.TestCase):
    """A test in a folder of its own, which is the current one and has the runs."""

    maxDiff = None

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="parley-test-")).resolve()
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(os.chdir, before)
        os.environ.pop("PARLEY_RUNS", None)

    def metrics(self, run: parley.Run) -> bytes:
        return (run.dir / "metrics.jsonl").read_bytes()

    def fails(self, kind: type[BaseException], *words: str, of: Any) -> Any:
        """What of raises is of a kind, and its text has some words."""
        with self.assertRaises(kind) as caught:
            of()
        for word in words:
            self.assertIn(word, str(caught.exception))
        return caught.exception

"""A run on disk, and what can be asked of it."""

from __future__ import annotations

import html
import json
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any, Iterable, Union
from urllib.parse import quote

from parley import _program
from parley._data import runs_folder
from parley._errors import UsageError
from parley._program import options
from parley._table import Table

Where = Union[str, "os.PathLike[str]", "Run"]


class Run:
    """A run, or an experiment, by its folder or its name in the runs folder. Nothing is cached: each property reads what is there now."""

    def __init__(self, where: Where):
        folder = Path(os.fspath(where))
        if not folder.is_dir() and len(folder.parts) == 1:
            folder = runs_folder() / folder
        if not folder.is_dir():
            folder = Path(_program.ask("run show", os.fspath(where))["dir"])  # which says that there is none
        self.dir = folder.resolve()

    def __fspath__(self) -> str:
        return str(self.dir)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Run) and self.dir == other.dir

    def __hash__(self) -> int:
        return hash(self.dir)

    def __repr__(self) -> str:
        return f"parley.Run({str(self.dir)!r})"

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.dir.name

    @property
    def state(self) -> str:
        """running, interrupted, failed, finished or damaged."""
        return str(self.info()["state"])

    def info(self) -> dict[str, Any]:
        """State, updates, checkpoint and report: ``parley run show --json``."""
        return self._ask("show")

    def report(self) -> dict[str, Any]:
        """report.json. A run without one is a :class:`UsageError`."""
        info = self.info()
        if not info.get("report"):
            raise UsageError(f"run {self.name} has no report: its state is {info['state']}", run=self)
        report: dict[str, Any] = info["report"]
        return report

    @property
    def recipe(self) -> dict[str, Any]:
        """What applies in the run's recipe."""
        values: dict[str, Any] = _program.ask("recipe show", str(self.dir))["values"]
        return values

    @property
    def runs(self) -> list[Run]:
        """The runs of an experiment; a run has none."""
        return [Run(folder) for folder in sorted(self.dir.iterdir()) if self.info()["kind"] == "experiment" and (folder / "metrics.jsonl").exists()]

    @property
    def rows(self) -> Table:
        """The rows of the report: a system each."""
        return Table(self.report()["rows"])

    @property
    def metrics(self) -> Table:
        """metrics.jsonl, a row an update."""
        return self._lines("metrics.jsonl")

    @property
    def timing(self) -> Table:
        """timing.jsonl, a row an update."""
        return self._lines("timing.jsonl")

    def _lines(self, name: str) -> Table:
        try:
            text = (self.dir / name).read_bytes()
        except FileNotFoundError:
            return Table()
        return Table(json.loads(line) for line in text.splitlines(keepends=True) if line.endswith(b"\n"))  # a torn last line does not count

    def sql(self, query: str, rows: int | None = None) -> Table:
        """The answer to a question in SQL over updates, episodes, nodes, completions, tokens and answers."""
        out, err = _program.said("run", "query", "--json", *options({"rows": rows}), "--", str(self.dir), query)
        _heed(err)
        return Table(json.loads(out))

    def episodes(self, update: int | None = None) -> list[dict[str, Any]]:
        """The episodes of an update, or of all, as they are stored."""
        some = options({"update": None if update is None else f"{update}:{update}"})
        out, err = _program.said("run", "episodes", str(self.dir), *some, "--json")
        _heed(err)
        return [json.loads(line) for line in out.split("\n") if line]

    def episode(self, update: int, episode: int = 0) -> str:
        """An episode as text to print: who said what, and why each answer was rewarded or punished."""
        return _program.said("run", "episode", str(self.dir), str(update), str(episode))[0]

    def answers(self, **flags: Any) -> dict[str, Any]:
        """What each system answered to the held-out problems, and what training changed; ``problem=3`` gives the dialogues about one."""
        return self._ask("answers", **flags)

    def why(self) -> dict[str, Any]:
        """Diagnostics: what may keep the reward from rising."""
        return self._ask("show", why=True)

    def verify(self, **flags: Any) -> dict[str, Any]:
        """Check that the run is undamaged and still gives its numbers. What is wrong is in ``problems``, and no exception."""
        found: dict[str, Any] = _program.ask("run verify", str(self.dir), *options(flags), whatever=True)
        return found

    def export(self, out: str | os.PathLike[str], **flags: Any) -> Path:
        """Write PEFT adapters; with ``merged=True`` full checkpoints, with ``gguf=True`` GGUF files."""
        return Path(self._ask("export", out=os.fspath(out), **flags)["out"])

    def swap(self, *changes: str, **more: Any) -> dict[str, Any]:
        """Play an episode again with another one in an agent's place: ``run.swap("writer=untrained", update=3, episode=0)``."""
        return self._hosted("swap", changes, more)

    def html(self, out: str | os.PathLike[str], episodes: int | None = None, **flags: Any) -> Path:
        """Write one file that shows the run in any browser."""
        _program.ask("ui export", str(self.dir), *options({"out": os.fspath(out), "episodes": episodes, **flags}))
        return Path(out)

    def page(self, update: int | None = None, episode: int = 0, *, episodes: int = 50, height: int = 700) -> Shown:
        """The run's page within a notebook, with the newest episodes; or that of one episode, by its update and its number in it. The notebook keeps it."""
        place, one = f"#/runs/{quote(self.name)}", dict[str, str]()
        if update is not None:
            place, episodes, one = f"{place}/episodes/{update}/{episode}", 0, {"episode": f"{update}/{episode}"}
        with tempfile.TemporaryDirectory(prefix="parley-") as folder:
            return Shown(self.html(Path(folder) / "run.html", episodes, **one).read_text("utf-8"), place, height)

    def ask(self, question: str, **more: Any) -> dict[str, Any]:
        """Let the team answer. ``agent``, ``update``, ``seed``, ``temperature`` are flags; callables of the team have to be given again."""
        return self._hosted("ask", [question], more)

    def evaluate(self, **more: Any) -> dict[str, Any]:
        """``parley eval``: the report of the team before and after training. Callables of the run have to be given again."""
        from parley._train import evaluate

        return evaluate(self, **more)

    def resume(self, updates: int | str | None = None, **more: Any) -> Run:
        """Go on. ``updates="+20"`` trains a finished run further. Callables have to be given again; the other arguments are those of :func:`train`."""
        from parley._train import train

        return train(resume=self, updates=updates, **more)

    def _hosted(self, verb: str, words: Iterable[str], more: dict[str, Any]) -> dict[str, Any]:
        """Ask a verb that may make calls; they are made in a thread of their own."""
        from parley._train import hosted

        with hosted(more) as env:
            answer: dict[str, Any] = _program.ask(f"run {verb}", *options(more), "--", str(self.dir), *words, env=env)
        return answer

    def _ask(self, verb: str, **flags: Any) -> dict[str, Any]:
        answer: dict[str, Any] = _program.ask(f"run {verb}", str(self.dir), *options(flags))
        return answer

    def _repr_html_(self) -> str:
        info = self.info()
        head = f"<p><b>{html.escape(self.name)}</b>: {info['state']}, {info['updates']} updates, {html.escape(str(self.dir))}</p>"
        report = info.get("report")
        return head + Table(report["rows"] if report else self.metrics[-1:]).to_html()


class Shown:
    """A page within a notebook. It cannot read the notebook around it."""

    def __init__(self, page: str, place: str, height: int):
        # Links lead within the page, and not to the notebook's address; both stand before the page's policy, which forbids such elements.
        within = f'<base href="about:srcdoc"><script>location.hash={json.dumps(place)}</script>'
        self._page, self._height = page.replace("<head>", "<head>" + within, 1), height

    def _repr_html_(self) -> str:
        return f'<iframe sandbox="allow-scripts" style="width:100%;height:{self._height}px;border:1px solid #ccc" srcdoc="{html.escape(self._page)}"></iframe>'


def _heed(err: str) -> None:
    """What a verb says beside its answer, such as that something is damaged, is a warning."""
    if err.strip():
        warnings.warn(err.strip(), stacklevel=3)


def runs(folder: str | os.PathLike[str] | None = None) -> list[Run]:
    """The runs, experiments and studies of a folder of runs, by default of PARLEY_RUNS or runs."""
    env = None if folder is None else {"PARLEY_RUNS": os.fspath(folder)}
    return [Run(found["dir"]) for found in _program.ask("run list", env=env)["runs"]]


def compare(which: Iterable[Where], system: str | None = None) -> dict[str, Table]:
    """Compare runs on the same held-out problems: ``rows`` and ``differences``."""
    found = _program.ask("run compare", *map(_program.path, which), *options({"system": system}))
    return {key: Table(found[key]) for key in ("rows", "differences")}

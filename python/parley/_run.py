"""A run on disk, what can be asked of it, and servers that the program runs beside this process."""

from __future__ import annotations

import atexit
import contextlib
import html
import json
import os
import secrets
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping, Sequence, Union, cast
from urllib.parse import quote

from parley import _program
from parley._callables import hosted, taken
from parley._data import runs_folder
from parley._program import UsageError, failure, last_words, options
from parley._show import Table, beside

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
            raise UsageError(f"run {self.name} has no report: its state is {info['state']}")
        return cast("dict[str, Any]", info["report"])

    @property
    def recipe(self) -> dict[str, Any]:
        """What applies in the run's recipe."""
        return cast("dict[str, Any]", _program.ask("recipe show", str(self.dir))["values"])

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
        text = (self.dir / name).read_bytes() if (self.dir / name).exists() else b""
        return Table(json.loads(line) for line in text.splitlines(keepends=True) if line.endswith(b"\n"))  # a torn last line does not count

    def sql(self, query: str, rows: int | None = None) -> Table:
        """The answer to a question in SQL over updates, episodes, nodes, completions, tokens and answers."""
        return Table(json.loads(_told("query", "--json", *options({"rows": rows}), "--", str(self.dir), query)))

    def episodes(self, update: int | None = None) -> list[dict[str, Any]]:
        """The episodes of an update, or of all, as they are stored."""
        return [json.loads(line) for line in _told("episodes", str(self.dir), *options({"update": update and f"{update}:{update}"}), "--json").split("\n") if line]

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
        return _program.ask("run verify", str(self.dir), *options(flags), whatever=True)

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
        from parley._train import Follower, shown_by

        follower = Follower(taken(more).routes(), more.pop("concurrency", 1), shown_by(more.pop("progress", True)))
        return cast("dict[str, Any]", json.loads(follower.result(["eval", str(self.dir), *options(more), "--json"])))

    def resume(self, updates: int | str | None = None, **more: Any) -> Run:
        """Go on. ``updates="+20"`` trains a finished run further. Callables have to be given again; the other arguments are those of :func:`train`."""
        from parley._train import train

        return train(resume=self, updates=updates, **more)

    def _hosted(self, verb: str, words: Iterable[str], more: dict[str, Any]) -> dict[str, Any]:
        """Ask a verb that may make calls; they are made in a thread of their own."""
        with hosted(more) as env:
            return _program.ask(f"run {verb}", *options(more), "--", str(self.dir), *words, env=env)

    def _ask(self, verb: str, **flags: Any) -> dict[str, Any]:
        return _program.ask(f"run {verb}", str(self.dir), *options(flags))

    def _repr_html_(self) -> str:
        info = self.info()
        head = f"<p><b>{html.escape(self.name)}</b>: {info['state']}, {info['updates']} updates, {html.escape(str(self.dir))}</p>"
        report = info.get("report")
        return head + Table(report["rows"] if report else self.metrics[-1:])._repr_html_()


class Shown:
    """A page within a notebook. It cannot read the notebook around it."""

    def __init__(self, page: str, place: str, height: int):
        # Links lead within the page, and not to the notebook's address; both stand before the page's policy, which forbids such elements.
        within = f'<base href="about:srcdoc"><script>location.hash={json.dumps(place)}</script>'
        self._page, self._height = page.replace("<head>", "<head>" + within, 1), height

    def _repr_html_(self) -> str:
        return f'<iframe sandbox="allow-scripts" style="width:100%;height:{self._height}px;border:1px solid #ccc" srcdoc="{html.escape(self._page)}"></iframe>'


def _told(*words: str) -> str:
    """What a verb about runs prints. What it says beside that, such as that something is damaged, is a warning."""
    out, err = _program.said("run", *words)
    if err.strip():
        beside(err.strip())
    return out


def runs(folder: str | os.PathLike[str] | None = None) -> list[Run]:
    """The runs, experiments and studies of a folder of runs, by default of PARLEY_RUNS or runs."""
    env = None if folder is None else {"PARLEY_RUNS": os.fspath(folder)}
    return [Run(found["dir"]) for found in _program.ask("run list", env=env)["runs"]]


def compare(which: Iterable[Where], system: str | None = None) -> dict[str, Table]:
    """Compare runs on the same held-out problems: ``rows`` and ``differences``."""
    found = _program.ask("run compare", *(os.fspath(w) for w in which), *options({"system": system}))
    return {key: Table(found[key]) for key in ("rows", "differences")}


class _Server:
    """A process of the program that serves until it is closed."""

    def __init__(self, args: Sequence[str], env: Mapping[str, str]):
        self.api_key = secrets.token_urlsafe(24)
        self._process = _program.start([*args, "--addr", "127.0.0.1:0", "--json"], {**env, "PARLEY_TOKEN": self.api_key}, held=bool(env))
        said: list[str] = []
        assert self._process.stdout and self._process.stderr
        reader = threading.Thread(target=said.extend, args=(self._process.stderr,), daemon=True)
        reader.start()
        try:
            ready = self._process.stdout.readline()  # comes when it listens
        except BaseException:
            self.close()
            raise
        if not ready:
            reader.join(5)
            self.close()
            raise failure(self._process.returncode, last_words("".join(said)))
        self.url = str(json.loads(ready)["url"]).rstrip("/")
        atexit.register(self.close)

    def close(self) -> None:
        """End it, and wait for that."""
        atexit.unregister(self.close)
        if self._process.poll() is None:
            _program.interrupt(self._process)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                _program.kill(self._process)
        with self._process:  # closes its outputs
            pass


class Server(_Server):
    """Serves models: ``base_url`` and ``api_key`` are for clients of OpenAI's protocol."""

    def __init__(self, args: Sequence[str], env: Mapping[str, str], models: Sequence[str]):
        super().__init__(args, env)
        self.models, self.base_url = list(models), self.url + "/v1"

    def client(self, **more: Any) -> Any:
        """An ``openai.OpenAI`` for this server."""
        import openai  # type: ignore[import-not-found, unused-ignore]

        return openai.OpenAI(base_url=self.base_url, api_key=self.api_key, **more)

    def __repr__(self) -> str:
        return f"<parley serves {', '.join(self.models)} at {self.url}>"


@contextlib.contextmanager
def serve(*runs: Where, **more: Any) -> Iterator[Server]:
    """Serve runs, recipes and models until the block ends. Keyword arguments are flags of ``parley serve``, and callables of a team, such as agents."""
    names = [Run(w).name if isinstance(w, Run) else os.path.basename(os.fspath(w)) for w in runs]
    with hosted(more) as env, contextlib.closing(Server(["serve", *(os.fspath(w) for w in runs), *options(more)], env, names)) as server:
        yield server


class Page(_Server):
    """The page of ``parley ui``, which ends with :meth:`close` or with this process. In a notebook it is a link."""

    def __init__(self, run: Where | None):
        super().__init__(["ui", *([os.fspath(run)] if run is not None else [])], {})
        self._place, self.url = self.url, f"{self.url}/?token={self.api_key}"

    def __repr__(self) -> str:
        return f"<the page at {self._place}; .url opens it>"

    def _repr_html_(self) -> str:
        return f'<a href="{html.escape(self.url)}" target="_blank">{html.escape(self._place)}</a>'


def ui(run: Where | None = None) -> Page:
    """Show a run, or all of the runs folder, on a page of this machine."""
    return Page(run)

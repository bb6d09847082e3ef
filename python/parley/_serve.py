"""Servers that the program runs beside this process."""

from __future__ import annotations

import atexit
import contextlib
import html
import json
import os
import secrets
import subprocess
import threading
from typing import Any, Iterator, Mapping, Sequence

from parley import _program
from parley._errors import failure, last_words
from parley._program import options
from parley._run import Run, Where
from parley._train import hosted


class Server:
    """Serves models: ``base_url`` and ``api_key`` are for clients of OpenAI's protocol."""

    def __init__(self, url: str, api_key: str, models: Sequence[str]):
        self.url, self.api_key, self.models = url, api_key, list(models)
        self.base_url = url + "/v1"

    def client(self, **more: Any) -> Any:
        """An ``openai.OpenAI`` for this server."""
        import openai  # type: ignore[import-not-found, unused-ignore]

        return openai.OpenAI(base_url=self.base_url, api_key=self.api_key, **more)

    def __repr__(self) -> str:
        return f"<parley serves {', '.join(self.models)} at {self.url}>"


class _Process:
    """A process of the program that serves until it is closed."""

    def __init__(self, args: Sequence[str], env: Mapping[str, str]):
        self.token = secrets.token_urlsafe(24)
        self._process = _program.start([*args, "--addr", "127.0.0.1:0", "--json"], {**env, "PARLEY_TOKEN": self.token}, held=bool(env))
        self._said: list[str] = []
        assert self._process.stdout and self._process.stderr
        reader = threading.Thread(target=self._said.extend, args=(self._process.stderr,), daemon=True)
        reader.start()
        try:
            ready = self._process.stdout.readline()  # comes when it listens
        except BaseException:
            self.close()
            raise
        if not ready:
            reader.join(5)
            self.close()
            code = self._process.returncode
            raise failure(code, last_words("".join(self._said)))
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


@contextlib.contextmanager
def serve(*runs: Where, **more: Any) -> Iterator[Server]:
    """Serve runs, recipes and models until the block ends. Keyword arguments are flags of ``parley serve``, and callables of a team, such as agents."""
    names = [Run(w).name if isinstance(w, Run) else os.path.basename(os.fspath(w)) for w in runs]
    with hosted(more) as env:
        process = _Process(["serve", *map(_program.path, runs), *options(more)], env)
        try:
            yield Server(process.url, process.token, names)
        finally:
            process.close()


class Page:
    """The page of ``parley ui``, which ends with :meth:`close` or with this process. In a notebook it is a link."""

    def __init__(self, process: _Process):
        self._process = process
        self.url = f"{process.url}/?token={process.token}"

    def close(self) -> None:
        """End the page's server."""
        self._process.close()

    def __repr__(self) -> str:
        return f"<the page at {self._process.url}; .url opens it>"

    def _repr_html_(self) -> str:
        return f'<a href="{html.escape(self.url)}" target="_blank">{html.escape(self._process.url)}</a>'


def ui(run: Where | None = None) -> Page:
    """Show a run, or all of the runs folder, on a page of this machine."""
    return Page(_Process(["ui", *([os.fspath(run)] if run is not None else [])], {}))

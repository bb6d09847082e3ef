"""Where the program is, and how its verbs are asked."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence

from parley._errors import UsageError, failure, last_words

API = 1  # what this package expects of the program: the number "api" of `parley version --json`
NAME = "parley.exe" if os.name == "nt" else "parley"

Process = subprocess.Popen[str]


def find() -> str:
    """The path of the program: PARLEY_BINARY, that of this installation, or the first on PATH."""
    for place in _places():
        if os.path.isfile(place) and os.access(place, os.X_OK):
            return place
    raise FileNotFoundError("the program parley is not here: pip install parley-rl, or set PARLEY_BINARY to its path")


def _places() -> Iterator[str]:
    yield os.environ.get("PARLEY_BINARY", "")
    yield os.path.join(sysconfig.get_path("scripts"), NAME)
    with contextlib.suppress(KeyError):
        yield os.path.join(sysconfig.get_path("scripts", f"{os.name}_user"), NAME)
    yield str(Path(__file__).parent.parent / "bin" / NAME)  # pip install --target
    yield shutil.which("parley") or ""


@functools.lru_cache(maxsize=None)
def _agrees(program: str) -> None:
    """Refuse a program that speaks another version of what this package knows, once a process."""
    done = subprocess.run([program, "version", "--json"], stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8")
    try:
        said = json.loads(done.stdout)
    except ValueError:
        raise UsageError(f"{program} is not parley: it does not answer `version --json`") from None
    if said.get("api") != API:
        raise UsageError(f"{program} (version {said.get('version')}) has api {said.get('api')}, and this package needs api {API}: install both from one release")


def start(args: Sequence[str], env: Mapping[str, str] | None = None, *, held: bool = False, fds: Sequence[int] = ()) -> Process:
    """Start the program in a group of its own: ^C of a terminal or a notebook reaches Python alone, which passes it on once.

    held: the program's input stays open as long as this process lives, and its end ends the program.
    """
    program = find()
    _agrees(program)
    own: dict[str, Any] = {"creationflags": 0x200} if os.name == "nt" else {"start_new_session": True, "pass_fds": fds}
    return subprocess.Popen(
        [program, *args], stdin=subprocess.PIPE if held else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, encoding="utf-8", errors="replace", env={"PARLEY_PYTHON": sys.executable, **os.environ, **(env or {})}, **own,
    )


def interrupt(process: Process) -> None:
    """What ^C does."""
    with contextlib.suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.send_signal(signal.CTRL_BREAK_EVENT)
        else:
            process.send_signal(signal.SIGINT)


def kill(process: Process) -> None:
    """End the program at once, and what it has started in its group."""
    with contextlib.suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def ended(process: Process) -> tuple[str, str]:
    """What a verb printed, once it has ended. ^C is passed on, and a second one kills."""
    try:
        return process.communicate()
    except BaseException:
        interrupt(process)
        try:
            process.communicate()
        except BaseException:
            kill(process)
            raise
        raise


def said(*args: str, env: Mapping[str, str] | None = None, whatever: bool = False) -> tuple[str, str]:
    """Run a verb to its end, and return what it printed on both outputs. whatever: also where it printed an answer and failed."""
    process = start(args, env, held=bool(env and "PARLEY_HOST" in env))
    out, err = ended(process)
    if process.returncode and not (whatever and out.strip()):
        raise failure(process.returncode, last_words(err)) from None
    return out, err


def ask(verb: str, *args: str, env: Mapping[str, str] | None = None, whatever: bool = False) -> Any:
    """Run a verb that prints one JSON value, and return it."""
    return json.loads(said(*verb.split(), "--json", *args, env=env, whatever=whatever)[0])


def path(where: str | os.PathLike[str]) -> str:
    """os.fspath, which checkers cannot map."""
    return os.fspath(where)


def options(flags: Mapping[str, Any]) -> list[str]:
    """Keyword arguments as flags: ``merged=True`` is --merged, ``base_name="x"`` is --base-name=x. A list repeats the flag."""
    out = []
    for name, given in flags.items():
        flag = "--" + name.replace("_", "-")
        for value in given if isinstance(given, (list, tuple)) else [given]:
            if value is True:
                out.append(flag)
            elif value is not None and value is not False:
                out.append(f"{flag}={value}")
    return out

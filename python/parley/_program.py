"""Where the program is, how its verbs are asked, and what went wrong, as exceptions: their text is the program's own."""

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
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence, cast

if TYPE_CHECKING:
    from parley._run import Run

API = 1  # what this package expects of the program: the number "api" of `parley version --json`
NAME = "parley.exe" if os.name == "nt" else "parley"

Process = subprocess.Popen[str]


class ParleyError(RuntimeError):
    """The work failed. ``run``, where there is one, can be resumed."""

    __module__, code = "parley", 1
    run: Run | None = None


class UsageError(ParleyError, ValueError):
    """A recipe, an argument or an input file is wrong, and nothing was started.

    ``errors`` has what is wrong with a recipe: file, line, column, message, hint of each.
    """

    __module__, code = "parley", 2

    def __init__(self, message: str):
        super().__init__(message)
        self.errors: list[dict[str, Any]] = []


class Interrupted(KeyboardInterrupt):
    """The run was stopped and its state is saved: ``error.run.resume()`` goes on."""

    __module__, code = "parley", 130
    run: Run | None = None


def failure(code: int, text: str, *, run: Run | None = None, errors: Sequence[dict[str, Any]] = (), stopped: bool = False) -> ParleyError | Interrupted:
    """The exception for an exit code. stopped: the program was interrupted from here, perhaps before it could catch that, or killed."""
    stop = code == 130 or (stopped and code in (-2, -9))
    kind: type[ParleyError | Interrupted] = Interrupted if stop else UsageError if code == 2 else ParleyError
    if code < 0 and not stop:
        text = f"the program was ended by signal {-code}{' (out of memory?)' if code == -9 else ''}"
    error = kind(text or ("interrupted" if stop else f"the program ended with exit code {code}"))
    error.run = run
    if isinstance(error, UsageError):
        error.errors = list(errors)
    return error


def last_words(stderr: str) -> str:
    """The message that the program ended with, without its name before it."""
    start = ("\n" + stderr).find("\nparley: ")
    return stderr[start:].removeprefix("parley: ").strip() if start >= 0 else stderr.strip()


def find() -> str:
    """The path of the program: PARLEY_BINARY, that of this installation, or the first on PATH."""
    for place in _places():
        if os.path.isfile(place) and os.access(place, os.X_OK):
            return place
    raise FileNotFoundError("the program parley is not here: pip install parley-rl, or set PARLEY_BINARY to its path")


def _places() -> Iterator[str]:
    yield os.environ.get("PARLEY_BINARY", "")
    yield os.path.join(sysconfig.get_path("scripts"), NAME)
    yield os.path.join(sysconfig.get_path("scripts", f"{os.name}_user"), NAME)
    yield str(Path(__file__).parent.parent / "bin" / NAME)  # pip install --target
    yield shutil.which("parley") or ""


@functools.lru_cache(maxsize=None)
def _agreed(program: str) -> str:
    """Refuse a program that speaks another version of what this package knows, once a process."""
    done = subprocess.run([program, "version", "--json"], stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8")
    try:
        said = json.loads(done.stdout)
    except ValueError:
        raise UsageError(f"{program} is not parley: it does not answer `version --json`") from None
    if said.get("api") != API:
        raise UsageError(f"{program} (version {said.get('version')}) has api {said.get('api')}, and this package needs api {API}: install both from one release")
    return program


def start(args: Sequence[str], env: Mapping[str, str] | None = None, *, held: bool = False, events: int | None = None) -> Process:
    """Start the program in a group of its own: ^C of a terminal or a notebook reaches Python alone, which passes it on once.

    held: the program's input stays open as long as this process lives, and its end ends the program. events is a descriptor that it writes them to.
    """
    fds = [] if events is None else [events]
    own: dict[str, Any] = {"start_new_session": True, "pass_fds": fds}
    if sys.platform == "win32":
        import msvcrt

        fds = [msvcrt.get_osfhandle(fd) for fd in fds]
        for handle in fds:
            os.set_handle_inheritable(handle, True)
        own = {"creationflags": 0x200, "startupinfo": subprocess.STARTUPINFO(lpAttributeList={"handle_list": fds})}
    return subprocess.Popen(
        [_agreed(find()), *args, *(f"--events=fd:{fd}" for fd in fds)], stdin=subprocess.PIPE if held else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, encoding="utf-8", errors="replace", env={"PARLEY_PYTHON": sys.executable, **os.environ, "PARLEY_CALLER": "python", **(env or {})}, **own,
    )


def interrupt(process: Process) -> None:
    """What ^C does."""
    process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))


def kill(process: Process) -> None:
    """End the program at once, and what it has started in its group."""
    with contextlib.suppress(OSError):
        getattr(os, "killpg", os.kill)(process.pid, 9)


def said(*args: str, env: Mapping[str, str] | None = None, whatever: bool = False) -> tuple[str, str]:
    """Run a verb to its end, and return what it printed on both outputs. whatever: also where it printed an answer and failed.

    ^C is passed on, and a second one kills.
    """
    process = start(args, env, held=bool(env and "PARLEY_HOST" in env))
    try:
        out, err = process.communicate()
    except BaseException:
        interrupt(process)
        try:
            process.communicate()
        except BaseException:
            kill(process)
        raise
    if process.returncode and not (whatever and out.strip()):
        raise failure(process.returncode, last_words(err)) from None
    return out, err


def ask(verb: str, *args: str, env: Mapping[str, str] | None = None, whatever: bool = False) -> dict[str, Any]:
    """Run a verb that prints one JSON object, and return it."""
    return cast("dict[str, Any]", json.loads(said(*verb.split(), "--json", *args, env=env, whatever=whatever)[0]))


def options(flags: Mapping[str, Any]) -> list[str]:
    """Keyword arguments as flags: ``merged=True`` is --merged, ``base_name="x"`` is --base-name=x. A list repeats the flag."""
    several = [(f"--{name.replace('_', '-')}", value) for name, given in flags.items() for value in (given if isinstance(given, (list, tuple)) else [given])]
    return [flag if value is True else f"{flag}={value}" for flag, value in several if value is not None and value is not False]

"""What went wrong, as exceptions. Their text is the program's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

if TYPE_CHECKING:
    from parley._run import Run

Errors = Sequence[dict[str, Any]]


class ParleyError(RuntimeError):
    """The work failed. ``run``, where there is one, can be resumed."""

    __module__ = "parley"
    code = 1

    def __init__(self, message: str, *, run: Run | None = None):
        super().__init__(message)
        self.run = run


class UsageError(ParleyError, ValueError):
    """A recipe, an argument or an input file is wrong, and nothing was started.

    ``errors`` has what is wrong with a recipe: file, line, column, message, hint of each.
    """

    __module__ = "parley"
    code = 2

    def __init__(self, message: str, *, run: Run | None = None, errors: Errors = ()):
        super().__init__(message, run=run)
        self.errors = list(errors)


class Interrupted(KeyboardInterrupt):
    """The run was stopped and its state is saved: ``error.run.resume()`` goes on."""

    __module__ = "parley"
    code = 130

    def __init__(self, message: str, *, run: Run | None = None):
        super().__init__(message)
        self.run = run


def failure(code: int, text: str, *, run: Run | None = None, errors: Errors = (), stopped: bool = False) -> BaseException:
    """The exception for an exit code. stopped: the program was interrupted from here, perhaps before it could catch that, or killed."""
    if code == 130 or (stopped and code in (-2, -9)):
        return Interrupted(text or "interrupted", run=run)
    if code < 0:
        memory = " (out of memory?)" if code == -9 else ""
        return ParleyError(f"the program was ended by signal {-code}{memory}", run=run)
    if code == 2:
        return UsageError(text, run=run, errors=errors)
    return ParleyError(text or f"the program ended with exit code {code}", run=run)


def last_words(stderr: str) -> str:
    """The message that the program ended with, without its name before it."""
    start = ("\n" + stderr).find("\nparley: ")
    return stderr[start:].removeprefix("parley: ").strip() if start >= 0 else stderr.strip()

"""What people see: rows as tables, and progress as a line that is rewritten, a display that is updated in a notebook, or else a line now and then."""

from __future__ import annotations

import html
import sys
import time
import warnings
from typing import Any, Iterable, cast

Event = dict[str, Any]
NOTES = ("note", "warning")
SHOWN = 50  # rows in a notebook


class Table(list[dict[str, Any]]):
    """A list of dicts. ``to_pandas()`` and ``to_polars()`` need these packages; nothing else does."""

    @property
    def columns(self) -> list[str]:
        """The names of all columns, in the order in which rows bring them."""
        return list(dict.fromkeys(key for row in self for key in row))

    def column(self, name: str) -> list[Any]:
        """The values of one column; None where a row has none."""
        return [row.get(name) for row in self]

    def to_pandas(self) -> Any:
        """The rows as a ``pandas.DataFrame``."""
        import pandas  # type: ignore[import-untyped, import-not-found, unused-ignore]

        return pandas.DataFrame(list(self), columns=self.columns)

    def to_polars(self) -> Any:
        """The rows as a ``polars.DataFrame``."""
        import polars  # type: ignore[import-not-found, unused-ignore]

        return polars.DataFrame(list(self), infer_schema_length=None)

    def _repr_html_(self) -> str:
        """The first rows as a table of HTML; nothing of what they hold is read as HTML."""
        columns = self.columns
        head = "".join(f"<th>{html.escape(c)}</th>" for c in columns)
        body = "".join("<tr>" + "".join(f"<td>{cell(row.get(c))}</td>" for c in columns) + "</tr>" for row in self[:SHOWN])
        more = f"<p>{SHOWN} of {len(self)} rows</p>" if len(self) > SHOWN else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def cell(value: Any) -> str:
    """A value as HTML, cut where it is long."""
    text = shown(value)
    return html.escape(text if len(text) <= 400 else text[:400] + "…")


def shown(value: Any) -> str:
    """A value as people read it: numbers with four digits."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return ", ".join(shown(v) for v in cast("Iterable[Any]", value))
    if isinstance(value, dict):
        return ", ".join(f"{k} {shown(v)}" for k, v in cast("dict[str, Any]", value).items())
    return "" if value is None else str(value)


class Line:
    """Shows events where this process is watched, in the program's words."""

    def __init__(self) -> None:
        self._width, self._last, self._notes = 0, 0.0, [""]
        self._display: Any = None
        ipython = sys.modules.get("IPython")  # never imported for this: a notebook has it
        if ipython and hasattr(ipython.get_ipython(), "kernel"):
            self._html = sys.modules["IPython.display"].HTML
            self._display = sys.modules["IPython.display"].display(self._html(""), display_id=True)

    def __call__(self, event: Event) -> None:
        kind, text = event["event"], event.get("line", "")
        if self._display:
            self._shown(event, html.escape(text))
        elif sys.stderr.isatty() and kind not in NOTES:
            sys.stderr.write("\n" if kind == "end" and self._width else "\r" + text[:200].ljust(self._width) if text else "")
            self._width = max(self._width, len(text[:200]))
            sys.stderr.flush()
        elif text and (kind in (*NOTES, "started") or time.monotonic() - self._last > 10):
            print(text, file=sys.stderr, flush=True)
            self._last = time.monotonic()

    def _shown(self, event: Event, text: str) -> None:
        if event["event"] in NOTES:
            self._notes, text = [*self._notes[-5:], f"<div>{text}</div>"], ""
        done, most = (event.get("update"), event.get("updates")) if event["event"] == "update" else (event.get("done"), event.get("all"))
        bar = f'<progress value="{float(done)}" max="{float(most)}"></progress> ' if done is not None and most else ""
        if text or event["event"] in NOTES:
            self._display.update(self._html(f"{''.join(self._notes)}<div>{bar}<code>{text}</code></div>"))


def silent(event: Event) -> None:
    """Shows nothing. What goes wrong in training, such as a callable's first failure, is a warning of Python, which has filters of its own."""
    if event["event"] == "warning" and event.get("phase"):
        beside(event["text"])


def beside(text: str) -> None:
    """Warn beside the user's code, not within the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back and str(frame.f_globals.get("__name__")).split(".")[0] == "parley":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)

"""Progress: a line that is rewritten on a terminal, a display that is updated in a notebook, or else a line now and then."""

from __future__ import annotations

import html
import sys
import time
from typing import Any

from parley._table import shown

Event = dict[str, Any]
NOTES = ("note", "warning")


class Line:
    """Shows events where this process is watched."""

    def __init__(self) -> None:
        self._width, self._last, self._notes = 0, 0.0, [""]
        self._display: Any = None
        ipython = sys.modules.get("IPython")  # never imported for this: a notebook has it
        if ipython and hasattr(ipython.get_ipython(), "kernel"):
            self._html = sys.modules["IPython.display"].HTML
            self._display = sys.modules["IPython.display"].display(self._html(""), display_id=True)

    def __call__(self, event: Event) -> None:
        kind, text = event["event"], told(event)
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


def told(event: Event) -> str:
    """An event in a line; empty: it says nothing to people."""
    kind, metrics = event["event"], event.get("metrics") or {}
    left = event.get("total_left_seconds") or event.get("left_seconds")
    parts = [f"{key} {shown(metrics[key])}" for key in ("reward", "own_reward", "failed") if metrics.get(key)] + ([f"{left:.0f} s left"] if left else [])
    texts = {
        "started": f"{event.get('name', '')}: {event.get('run', '')}",
        "update": ", ".join([f"update {event.get('update')}/{event.get('updates') or '?'}", *parts]),
        "measuring": f"measuring {event.get('system')}",
        "measured": f"{event.get('system')}: {shown(event.get('score'))}",
        "working": f"{event.get('what') or event.get('phase') or event.get('system') or ''} {event.get('done')}/{event.get('all')}",
    }
    return texts.get(kind, str(event.get("text", "")) if kind in NOTES else "")

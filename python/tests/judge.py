"""A reward that two processes have: its source, and so its identity, is the same in both."""

from __future__ import annotations

import os
import time
from typing import Any


def judge(item: Any, responses: Any) -> dict[str, Any]:
    """Both of the same length is best; the item is read too, so that it has to come whole."""
    short, long = sorted(len(r) for r in responses) if len(responses) > 1 else (len(responses[0]),) * 2
    share = short / long if long else 0.0
    named = str(item["truth"]) in responses[-1]
    return {"reward": (share + named) / 2, "parts": {"share": share, "named": named}}


def waits(item: Any, responses: Any) -> dict[str, Any]:
    """The judge, who waits for a very long time where a file says so."""
    while os.path.exists("wait"):
        open("waiting", "w").close()
        time.sleep(0.05)
    return judge(item, responses)

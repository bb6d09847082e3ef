"""Rows as a list of dicts that knows its columns."""

from __future__ import annotations

import html
from typing import Any, Iterable, cast

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
        return self.to_html()

    def to_html(self) -> str:
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

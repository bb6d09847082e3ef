"""Data of this process as files of JSON lines, which a run finds again when it goes on."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import tempfile
from collections.abc import Mapping as Maps
from pathlib import Path
from typing import Any, Iterable, Mapping, cast

from parley._program import UsageError


def runs_folder() -> Path:
    """PARLEY_RUNS, or else runs in the current folder."""
    return Path(os.environ.get("PARLEY_RUNS") or "runs")


def path_of(data: Any) -> Path:
    """Where the program reads data: a path as it is; rows as a file, and a mapping of splits as a folder, both named by their content."""
    if isinstance(data, (str, os.PathLike)):
        return Path(cast("str", data))
    inputs = runs_folder() / ".inputs"
    inputs.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=inputs, prefix=".unfinished-") as scratch:
        whole = Path(scratch) / "whole"
        if isinstance(data, Maps):
            whole.mkdir()
            splits = cast("Mapping[str, Any]", data)
            content = "".join(f"{name} {_written(rows, whole / name, f' of {name}')}\n" for name, rows in splits.items())
            return _kept(whole, inputs / hashlib.sha256(content.encode()).hexdigest()[:16])
        return _kept(whole.with_suffix(".jsonl"), inputs / f"{_written(data, whole, '')[:16]}.jsonl")


def _kept(new: Path, final: Path) -> Path:
    if not final.exists():
        new.rename(final)
    return final.resolve()


def _written(rows: Any, to: Path, of: str) -> str:
    """Write one split, and return its hash."""
    if isinstance(rows, (str, os.PathLike)):
        source = Path(cast("str", rows))
        to = to.with_name(to.name + "".join(source.suffixes))
        shutil.copyfile(source, to)
    else:
        to = to.with_name(to.name + ".jsonl")
        with open(to, "w", encoding="utf-8", newline="\n") as f:
            for number, row in enumerate(_rows(rows)):
                f.write(json.dumps(_row(row, f"row {number}{of}"), ensure_ascii=False) + "\n")
    return hashlib.sha256(to.read_bytes()).hexdigest()


def _rows(data: Any) -> Iterable[Any]:
    if hasattr(data, "to_dicts"):  # polars
        return cast("Iterable[Any]", data.to_dicts())
    if hasattr(data, "to_dict") and hasattr(data, "columns"):  # pandas
        return cast("Iterable[Any]", data.to_dict("records"))
    return cast("Iterable[Any]", data)  # dicts, or a Dataset


def _row(row: Any, where: str) -> dict[str, Any]:
    if not isinstance(row, Maps):
        raise UsageError(f"data: {where} is {type(row).__name__}, expected a dict")
    return {str(key): _json(value, f"{where}, column {key}") for key, value in cast("dict[Any, Any]", row).items()}


def _json(value: Any, where: str) -> Any:
    """A value as JSON has it. NaN and what pandas has in its place are null; scalars and arrays of other packages are their numbers."""
    if hasattr(value, "tolist") and not isinstance(value, memoryview):  # numpy
        value = value.tolist()
    if isinstance(value, Maps):
        return {str(k): _json(v, where) for k, v in cast("dict[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_json(v, where) for v in cast("Iterable[Any]", value)]
    if type(value).__name__ in ("NAType", "NaTType") or isinstance(value, float) and math.isnan(value):
        return None
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as e:
        raise UsageError(f"data: {where} is the {type(value).__name__} {value!r:.40}: {e}") from None
    return value

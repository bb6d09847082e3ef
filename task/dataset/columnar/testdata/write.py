"""Writes types.parquet, empty.parquet and nocolumns.parquet: python write.py (needs pyarrow)."""

import datetime
import decimal

import pyarrow as pa
import pyarrow.parquet as pq

D = decimal.Decimal
columns = {
    "text": pa.array(["a", "ü"], pa.string()),
    "large": pa.array(["b", None], pa.large_string()),
    "dictionary": pa.array(["x", "y"]).dictionary_encode(),
    "bytes": pa.array([b"plain", b"\xff\x00"], pa.binary()),
    "yes": pa.array([True, False]),
    "i8": pa.array([-128, 127], pa.int8()),
    "u8": pa.array([0, 255], pa.uint8()),
    "u32": pa.array([0, 2**32 - 1], pa.uint32()),
    "i64": pa.array([-(2**63), 2**63 - 1], pa.int64()),
    "u64": pa.array([2**63, 2**64 - 1], pa.uint64()),
    "f16": pa.array([0.5, -1.0], pa.float16()),
    "f16nan": pa.array([float("nan"), 65504.0], pa.float16()),
    "f32": pa.array([0.1, 2.0], pa.float32()),
    "f64": pa.array([0.1, float("nan")], pa.float64()),
    "inf": pa.array([float("inf"), float("-inf")], pa.float64()),
    "big": pa.array([1e300, 2.0], pa.float64()),
    "d9": pa.array([D("1.50"), D("-0.05")], pa.decimal32(9, 2)),
    "d18": pa.array([D("12.3450"), D("-7.0000")], pa.decimal64(18, 4)),
    "d38": pa.array([D("123456789012345678901234567890.12"), D("-0.01")], pa.decimal128(38, 2)),
    "d0": pa.array([D("17"), None], pa.decimal128(5, 0)),
    "day": pa.array([datetime.date(2024, 2, 29), datetime.date(1969, 12, 31)]),
    "at": pa.array([datetime.datetime(2024, 2, 29, 12, 30, 1, 250000), None], pa.timestamp("us")),
    "list": pa.array([[1, 2], []], pa.list_(pa.int64())),
    "lists": pa.array([[["a"], []], None], pa.list_(pa.list_(pa.string()))),
    "struct": pa.array([{"u": 2**64 - 1, "d": D("0.5")}, {"u": 1, "d": None}], pa.struct([("u", pa.uint64()), ("d", pa.decimal128(4, 1))])),
    "structs": pa.array([[{"t": "a", "f": float("nan")}], []], pa.list_(pa.struct([("t", pa.string()), ("f", pa.float64())]))),
    "map": pa.array([[("k", D("1.5"))], []], pa.map_(pa.string(), pa.decimal128(4, 1))),
    "none": pa.nulls(2),
}
table = pa.table(columns)
pq.write_table(table, "types.parquet")
pq.write_table(table.select(["text", "u64"]).slice(0, 0), "empty.parquet")
pq.write_table(table.select([]), "nocolumns.parquet")

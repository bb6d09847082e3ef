"""Writes the Arrow files of this folder, each set beside the same rows in parquet: python arrow.py (needs pyarrow)."""

import decimal
from datetime import date, datetime, time, timedelta, timezone

import pyarrow as pa
import pyarrow.parquet as pq


def every():
    """Two rows with a column of every type."""
    d = decimal.Decimal
    at = datetime(2024, 2, 29, 12, 30, 1, 250000)
    columns = {
        "text": (pa.string(), ["a", "ü <&>"]),
        "large": (pa.large_string(), ["b", None]),
        "view": (pa.string_view(), ["short", "a text of more than twelve bytes"]),
        "dictionary": (pa.dictionary(pa.int8(), pa.string()), ["x", "y"]),
        "dictionary list": (pa.list_(pa.dictionary(pa.int32(), pa.string())), [["u", None, "v"], None]),
        "bytes": (pa.binary(), [b"plain", b"\xff\x00"]),
        "large bytes": (pa.large_binary(), [None, b"\xff"]),
        "bytes view": (pa.binary_view(), [b"", b"\xff of more than twelve bytes"]),
        "fixed": (pa.binary(3), [b"abc", b"\xff\x00\x01"]),
        "yes": (pa.bool_(), [True, False]),
        "i8": (pa.int8(), [-128, 127]),
        "u8": (pa.uint8(), [0, 255]),
        "i16": (pa.int16(), [-(2**15), None]),
        "u16": (pa.uint16(), [2**16 - 1, 1]),
        "i32": (pa.int32(), [-(2**31), 7]),
        "u32": (pa.uint32(), [0, 2**32 - 1]),
        "i64": (pa.int64(), [-(2**63), 2**63 - 1]),
        "u64": (pa.uint64(), [2**63, 2**64 - 1]),
        "f16": (pa.float16(), [0.5, -1.0]),
        "f32": (pa.float32(), [0.1, 2.0]),
        "f64": (pa.float64(), [0.1, float("nan")]),
        "d9": (pa.decimal128(5, 2), [d("1.50"), d("-0.05")]),
        "d38": (pa.decimal128(38, 2), [d("123456789012345678901234567890.12"), d("-0.01")]),
        "d70": (pa.decimal256(70, 3), [d("-7"), None]),
        "day": (pa.date32(), [date(2024, 2, 29), date(1969, 12, 31)]),
        "day64": (pa.date64(), [date(2024, 2, 29), date(1969, 12, 31)]),
        "seconds": (pa.timestamp("s"), [at.replace(microsecond=0), None]),
        "at": (pa.timestamp("us"), [at, datetime(1969, 12, 31, 23, 59, 59, 500000)]),
        "zone": (pa.timestamp("ns", "Europe/Berlin"), [at.replace(tzinfo=timezone.utc), None]),
        "clock": (pa.time32("ms"), [time(1, 2, 3, 4000), None]),
        "clock64": (pa.time64("us"), [time(1, 2, 3, 4), time(0)]),
        "took": (pa.duration("us"), [timedelta(seconds=-1), None]),
        "list": (pa.list_(pa.int64()), [[1, 2], []]),
        "lists": (pa.large_list(pa.list_(pa.string())), [[["a"], []], None]),
        "pair": (pa.list_(pa.int32(), 2), [[1, 2], [None, 4]]),
        "struct": (pa.struct({"u": pa.uint64(), "d": pa.float64()}), [{"u": 2**64 - 1, "d": 0.5}, {"u": 1, "d": None}]),
        "structs": (pa.list_(pa.struct({"role": pa.string(), "n": pa.float32()})), [[{"role": "a", "n": None}, None], []]),
        "map": (pa.map_(pa.string(), pa.float64()), [[("k", 1.5)], []]),
        "none": (pa.null(), [None, None]),
        "json": (pa.json_(), ['{"a": [1, 2.50]}', None]),
        "uuid": (pa.uuid(), [bytes(range(16)), None]),
    }
    arrays = []
    for kind, values in columns.values():
        storage = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
        array = pa.array(values, storage)
        arrays.append(array if storage is kind else pa.ExtensionArray.from_storage(kind, array))
    return pa.table(arrays, names=list(columns))


def arrow(table, name, compression=None, file=False, **options):
    options = pa.ipc.IpcWriteOptions(compression=compression, **options)
    new = pa.ipc.new_file if file else pa.ipc.new_stream
    with new(name, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=1)


table = every()
pq.write_table(table, "every.parquet", compression="zstd")
arrow(table, "every.arrow")
few = table.select(["text", "list", "structs", "i64", "dictionary", "none"])
pq.write_table(few, "few.parquet", compression="zstd")
arrow(few, "few-zstd.arrow", "zstd")
arrow(few, "few-lz4.arrow", "lz4")
arrow(few, "few-file.arrow", file=True)
deltas = pa.table({"word": pa.chunked_array([pa.array(["a"]).dictionary_encode(), pa.array(["a", "b"]).dictionary_encode()])})
with pa.ipc.new_stream("delta.arrow", deltas.schema, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as writer:
    writer.write_table(deltas)
with pa.ipc.new_stream("replaced.arrow", deltas.schema) as writer:
    writer.write_table(deltas)
arrow(pa.table({"odd": pa.array([1, 2]).cast(pa.int32()), "ends": pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array(["a"]))}), "ends.arrow")

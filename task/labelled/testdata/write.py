"""Writes qa.jsonl, qa.json, qa.csv, qa.tsv and qa.parquet, the same rows in every form: python write.py (needs pyarrow)."""

import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq

rows = [
    {"id": i, "question": f"Which “word” comes\nafter {i}, \"if any\"?", "answer": f"The word; no. {i}", "level": i % 5, "share": i / 4, "easy": i % 2 == 0}
    for i in range(20)
]
with open("qa.jsonl", "w") as f:
    for row in rows:
        f.write(json.dumps(row, ensure_ascii=False) + "\n")
with open("qa.json", "w", encoding="utf-8-sig") as f:
    json.dump(rows, f, indent=2)
for name, delimiter in ("qa.csv", ","), ("qa.tsv", "\t"):
    with open(name, "w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f, delimiter=delimiter)
        writer.writerow(rows[0])
        for row in rows:
            writer.writerow([json.dumps(v) if isinstance(v, bool) else v for v in row.values()])
pq.write_table(pa.Table.from_pylist(rows), "qa.parquet")

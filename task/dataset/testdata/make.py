"""Writes the folders saved, jsonl and parquet, the same rows in each: python make.py (needs datasets)."""

import os
import shutil

import datasets

datasets.disable_progress_bars()
for folder in "saved", "jsonl", "parquet":
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
rows = [
    {
        "id": i,
        "messages": [{"role": "system", "content": "Answer in one word."}, {"role": "user", "content": f"Which “word” comes\nafter {i} <&>?"}],
        "answer": f"word {i}",
        "level": i % 2,
        "note": None if i % 3 == 0 else f"é{i}",
        "shares": [i / 4, None][: i % 3],
        "at": {"x": i / 8, "tags": ["a"] * (i % 2)},
    }
    for i in range(9)
]
whole = datasets.Dataset.from_list(rows).cast_column("level", datasets.ClassLabel(names=["easy", "hard"]))
train = whole.select([6, 0, 3, 5, 1, 2])  # through a mapping of indices, which save_to_disk writes out
assert train._indices is not None
splits = datasets.DatasetDict(train=train.with_format(columns=["answer"]), test=whole.select([4, 8, 7]))
datasets.DatasetDict(old=whole, train=train).save_to_disk("saved", num_shards={"old": 1, "train": 3})
splits.save_to_disk("saved", num_shards={"train": 2, "test": 1})  # leaves a split and shards of before beside its own
datasets.load_from_disk("saved")["train"].map(lambda row: {"answer": "mapped"})  # leaves a cache there
for name, split in splits.items():
    split.to_json(f"jsonl/{name}.jsonl")
    split.to_parquet(f"parquet/{name}.parquet")

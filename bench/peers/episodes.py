"""Reads what was said in a run of parley's; as a program, prints it: one JSON line a problem."""

import json
import pathlib
import sys

import pyarrow


def lines(folder):
    for file in sorted(pathlib.Path(folder, "episodes").iterdir()):
        with pyarrow.input_stream(str(file), compression="zstd") as stream:
            yield from stream.read().decode().splitlines()


def read(folder):
    return [json.loads(line) for line in lines(folder)]


if __name__ == "__main__":
    print("\n".join(lines(sys.argv[1])))

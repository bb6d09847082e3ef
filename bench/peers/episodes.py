"""Reads what was said in a run of parley's; as a program, prints it: one JSON line a problem."""

import json
import pathlib
import sys

import pyarrow


def lines(folder):
    for file in sorted(pathlib.Path(folder, "episodes").iterdir()):
        with pyarrow.input_stream(str(file), compression="zstd") as stream:
            yield from map(bytes.decode, stream.read().splitlines())  # sampled text may hold other line ends


def read(folder):
    return [json.loads(line) for line in lines(folder)]


if __name__ == "__main__":
    print("\n".join(lines(sys.argv[1])))

"""parley from Python: a thin layer over the program.

    import parley

    run = parley.train("magrpo-tiny", {"training.updates": 5}, reward=my_function)
    run.metrics.to_pandas()

It starts the program, answers its calls and reads its JSON. What a recipe means, and every number, is the program's.
docs/python.md has all of it.
"""

from importlib.metadata import PackageNotFoundError, version

from parley._callables import Environment, Step, batched, identity, pure
from parley._errors import Interrupted, ParleyError, UsageError
from parley._program import find
from parley._run import Run, compare, runs
from parley._serve import Page, Server, serve, ui
from parley._table import Table
from parley._train import Training, check, start, train

try:
    __version__ = version("parley-rl")
except PackageNotFoundError:  # a checkout of the sources
    __version__ = "0.0.0"

__all__ = ["Environment", "Interrupted", "Page", "ParleyError", "Run", "Server", "Step", "Table", "Training", "UsageError"]
__all__ += ["batched", "check", "compare", "find", "identity", "pure", "runs", "serve", "start", "train", "ui"]

"""parley from Python: a thin layer over the program. It starts the program, answers its calls and reads its JSON."""

from parley._callables import Environment, Step, batched, identity, pure
from parley._errors import Interrupted, ParleyError, UsageError

__all__ = ["Environment", "Interrupted", "ParleyError", "Step", "UsageError", "batched", "identity", "pure"]

"""Messages between two sandboxes: values as JSON over a descriptor. What this module uses of Python it takes when it is loaded, before any
program runs."""

import builtins
import collections
import datetime
import decimal
import fractions
from json import dumps, loads
from os import read, write
from struct import pack, unpack

MOST = 8 << 20  # bytes of a message
MOST_ITEMS = 100_000  # of an iterator

ITERATORS = (type(iter([])), type(iter(())), type(iter({})), type(iter(set())), type(iter("")), type(iter(range(0))), map, filter, zip, enumerate, reversed,
             type(_ for _ in ()), type(reversed([])))
VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
FACTORIES = {f.__name__: f for f in (int, float, str, list, dict, set, tuple, bool)}


class Foreign(TypeError):
    """A value that cannot cross; its second argument is the name of its type."""


def plain(x, other=None):
    """A value as JSON. Only the content of built-in types is taken, whatever a subclass says of itself. other says what to do with the rest."""
    if x is None or x is True or x is False:
        return x
    if other is not None:
        found = other(x)
        if found is not None:
            return found
    if isinstance(x, int):
        return {"int": hex(int.__index__(x))}
    if isinstance(x, float):
        return float.__float__(x)
    if isinstance(x, complex):
        return {"complex": [complex.__getattribute__(x, "real"), complex.__getattribute__(x, "imag")]}
    if isinstance(x, str):
        return str.__str__(x)
    if isinstance(x, (bytes, bytearray)):
        return {"bytearray" if isinstance(x, bytearray) else "bytes": bytes(x).hex()}
    for kind in (list, tuple, set, frozenset):
        if isinstance(x, kind):
            return {kind.__name__: [plain(v, other) for v in kind.__iter__(x)]}
    if isinstance(x, dict):
        return {"dict": pairs(x, other)}
    raise Foreign("%s is no plain data" % type(x).__name__, type(x).__name__)


def pairs(x, other):
    return [[plain(k, other), plain(v, other)] for k, v in dict.items(x)]


def library(x):
    """Values of common types of Python's library as JSON, by their exact type; None: it is none."""
    kind = type(x)
    if kind in (collections.Counter, collections.OrderedDict):
        return {kind.__name__: pairs(x, library)}
    if kind is collections.defaultdict:
        made = getattr(x.default_factory, "__name__", None)
        return {"defaultdict": [made if FACTORIES.get(made) is x.default_factory else None, pairs(x, library)]}
    if kind is collections.deque:
        return {"deque": [[plain(v, library) for v in x], x.maxlen]}
    if kind is range:
        return {"range": [x.start, x.stop, x.step]}
    if kind is decimal.Decimal:
        return {"Decimal": str(x)}
    if kind is fractions.Fraction:
        return {"Fraction": [hex(x.numerator), hex(x.denominator)]}
    if kind in (datetime.datetime, datetime.date, datetime.time) and getattr(x, "tzinfo", None) is None:
        return {kind.__name__: x.isoformat()}
    if kind is datetime.timedelta:
        return {"timedelta": [x.days, x.seconds, x.microseconds]}
    if kind in VIEWS:
        return {"list": [plain(v, library) for v in x]}
    return None


def wide(x):
    """A value as JSON, common types of Python's library among them."""
    return plain(x, library)


def listed(x):
    """A result as JSON; of an iterator what it yields."""
    if type(x) not in ITERATORS:
        return wide(x)
    items = []
    for v in x:
        items.append(wide(v))
        if len(items) > MOST_ITEMS:
            raise Foreign("the iterator is too long", "%s of more than %d items" % (type(x).__name__, MOST_ITEMS))
    return {"iterator": items}


MAKERS = {
    "int": lambda c, v: int(c, 16),
    "complex": lambda c, v: complex(*c),
    "bytes": lambda c, v: bytes.fromhex(c),
    "bytearray": lambda c, v: bytearray.fromhex(c),
    "list": lambda c, v: [value(x, v) for x in c],
    "tuple": lambda c, v: tuple(value(x, v) for x in c),
    "set": lambda c, v: {value(x, v) for x in c},
    "frozenset": lambda c, v: frozenset(value(x, v) for x in c),
    "dict": lambda c, v: {value(k, v): value(x, v) for k, x in c},
    "OrderedDict": lambda c, v: collections.OrderedDict((value(k, v), value(x, v)) for k, x in c),
    "Counter": lambda c, v: collections.Counter({value(k, v): value(x, v) for k, x in c}),
    "defaultdict": lambda c, v: collections.defaultdict(FACTORIES.get(c[0]), {value(k, v): value(x, v) for k, x in c[1]}),
    "deque": lambda c, v: collections.deque([value(x, v) for x in c[0]], c[1]),
    "range": lambda c, v: range(*c),
    "Decimal": lambda c, v: decimal.Decimal(c),
    "Fraction": lambda c, v: fractions.Fraction(int(c[0], 16), int(c[1], 16)),
    "datetime": lambda c, v: datetime.datetime.fromisoformat(c),
    "date": lambda c, v: datetime.date.fromisoformat(c),
    "time": lambda c, v: datetime.time.fromisoformat(c),
    "timedelta": lambda c, v: datetime.timedelta(*c),
    "iterator": lambda c, v: iter([value(x, v) for x in c]),
}


def value(x, others=None):
    """The inverse of plain, wide and listed. others makes values of further kinds."""
    if not isinstance(x, dict):
        return x
    ((kind, content),) = x.items()
    if others is not None and kind in others:
        return others[kind](content)
    return MAKERS[kind](content, others)


def error_of(e):
    """The name of the built-in exception that an exception is."""
    return next(c.__name__ for c in type(e).__mro__ if c.__module__ == "builtins")


def exception(name):
    """The built-in exception of a name; one that would end loops without a failure is another one."""
    kind = vars(builtins).get(str(name))
    if not (isinstance(kind, type) and issubclass(kind, Exception)) or issubclass(kind, (StopIteration, StopAsyncIteration)):
        return RuntimeError
    return kind


class Channel:
    """Messages over a descriptor."""

    def __init__(self, descriptor):
        self.descriptor = descriptor

    def send(self, message):
        data = dumps(message).encode()
        if len(data) > MOST:
            raise ValueError("the message is too long")
        rest = memoryview(pack("<I", len(data)) + data)
        while rest:
            rest = rest[write(self.descriptor, rest) :]

    def exactly(self, n):
        parts = []
        while n > 0:
            part = read(self.descriptor, min(n, 1 << 16))
            if not part:
                raise EOFError
            parts.append(part)
            n -= len(part)
        return b"".join(parts)

    def receive(self):
        (n,) = unpack("<I", self.exactly(4))
        if n > MOST:
            raise EOFError
        return loads(self.exactly(n))


class NotComparable(BaseException):
    """The other sandbox has a result that cannot cross. No test may catch it."""


class Gone(BaseException):
    """The other sandbox did not answer. No test may catch it."""

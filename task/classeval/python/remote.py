"""A class in another sandbox. A test finds a stand-in for it. What crosses is plain data; all else, such as instances, stays where it is, and
the test has a stand-in for it too. A stand-in is equal to nothing but to itself and to one with equal attributes: what a class says of
equality, order and sums is asked of no class."""

import builtins
import inspect
import io
import os
import stat
import sys
from json import dumps

from parley_calls import alone
from parley_wire import Channel, Gone, error_of, exception, library, plain, value

MOST_FILES = 64
MOST_BYTES = 1 << 20  # of files and of printed text
TYPES = {name: x for name, x in vars(builtins).items() if isinstance(x, type)}
PLAIN = (int, float, complex, str, bytes, bytearray, list, tuple, set, frozenset, dict)
CONTAINERS = (list, dict, set, bytearray)
BARRED = (".py", ".pyc", ".so", ".pth")


def refill(old, new):
    """Give a container new content."""
    if isinstance(old, (list, bytearray)):
        old[:] = new
    else:
        old.clear()
        old.update(new)


def own_type(x):
    """A type of Python itself as JSON; None: it is none."""
    return {"type": x.__name__} if isinstance(x, type) and TYPES.get(x.__name__) is x else None


class Shared:
    """Containers that both sides have, by numbers: what one side changes the other is told with the next message."""

    def __init__(self, first):
        self.next = first
        self.known = {}  # the container and its content as JSON, by number
        self.numbers = {}  # by identity

    def number(self, x, encoded):
        """The number of a container; None where it is new, which it is no longer."""
        if id(x) in self.numbers:
            return self.numbers[id(x)]
        self.next += 2
        self.keep(self.next, x, encoded)
        return None

    def keep(self, number, x, encoded):
        self.known[number] = [x, dumps(encoded)]
        self.numbers[id(x)] = number

    def changes(self, encode):
        """What changed here since it was told."""
        list = []
        for number, entry in self.known.items():
            encoded = encode(entry[0])
            text = dumps(encoded)
            if text != entry[1]:
                entry[1] = text
                list.append([number, encoded])
        return list

    def apply(self, changes, decode, encode):
        for number, encoded in changes:
            entry = self.known[number]
            refill(entry[0], decode(encoded))
            entry[1] = dumps(encode(entry[0]))


class Files:
    """The files of the writable folder that both sides have."""

    def __init__(self):
        self.known = {}

    def here(self):
        """Their contents and modes by their paths; folders have no content."""
        found, size = {}, 0
        for folder, folders, files in os.walk("."):
            for name in folders + files:
                path = os.path.normpath(os.path.join(folder, name))
                try:
                    mode = os.lstat(path)
                    size += mode.st_size
                    if len(found) == MOST_FILES or size > MOST_BYTES:
                        return found
                    found[path] = self.entry(path, mode)
                except OSError:
                    continue
        return {path: entry for path, entry in found.items() if entry}

    def entry(self, path, mode):
        if stat.S_ISDIR(mode.st_mode):
            return [None, stat.S_IMODE(mode.st_mode)]
        if not stat.S_ISREG(mode.st_mode) or path.endswith(BARRED):
            return None
        with open(path, "rb") as f:
            return [f.read().hex(), stat.S_IMODE(mode.st_mode)]

    def changes(self):
        """What changed here since it was told: entries by paths, None for what is gone."""
        found = self.here()
        changed = {path: entry for path, entry in found.items() if self.known.get(path) != entry}
        changed.update(dict.fromkeys(reversed([path for path in self.known if path not in found])))
        self.known = found
        return changed

    def apply(self, changes):
        for path, entry in changes.items():
            if os.path.isabs(path) or os.path.normpath(path) != path or path.startswith("..") or path.endswith(BARRED):
                continue
            try:
                self.put(path, entry)
            except OSError:
                continue
        if changes:
            self.known = self.here()

    def put(self, path, entry):
        if entry is None:
            (os.rmdir if os.path.isdir(path) else os.unlink)(path)
            return
        text, mode = entry
        if text is None:
            os.makedirs(path, exist_ok=True)
        else:
            with open(path, "wb") as f:
                f.write(bytes.fromhex(text))
        os.chmod(path, mode)


class Side:
    """One side: what it says of values, and how it understands the other."""

    def __init__(self, first):
        self.shared = Shared(first)
        self.files = Files()

    def encoded(self, x):
        """A value without regard to what is shared."""
        return plain(x, self.other)

    def said(self, x):
        """A value for the other side."""
        if type(x) not in CONTAINERS:
            return self.encoded(x)
        encoded = self.encoded(x)
        number = self.shared.number(x, encoded)
        return {"share": [self.shared.numbers[id(x)], encoded]} if number is None else {"shared": number}

    def heard(self, x):
        """A value from the other side."""
        return value(x, {"object": self.object, "method": self.method, "opaque": self.opaque, "type": TYPES.get, "shared": self.known, "share": self.share})

    def known(self, number):
        return self.shared.known[number][0]

    def share(self, content):
        number, encoded = content
        x = self.heard(encoded)
        self.shared.keep(number, x, self.encoded(x))
        return x

    def message(self, **content):
        content["changed"] = self.shared.changes(self.encoded)
        content["files"] = self.files.changes()
        return content

    def take(self, message):
        self.files.apply(message["files"])
        self.shared.apply(message["changed"], self.heard, self.encoded)


class Method:
    """A stand-in for a function or a method."""

    def __init__(self, remote, number, name):
        self.remote, self.number, self.name = remote, number, name

    def __call__(self, *args, **kwargs):
        return self.remote.call(self.number, self.name, args, kwargs)


class Opaque:
    """What the test has and the class may only hold."""

    def __init__(self, number):
        self.number = number


class StandIn(type):
    """The class of stand-ins for classes: they are called and have attributes as those do."""

    def __call__(cls, *args, **kwargs):
        return cls.remote.call(cls.number, None, args, kwargs)

    def __getattr__(cls, name):
        return cls.remote.get(cls.number, name)

    def __setattr__(cls, name, x):
        cls.remote.ask("set", cls.number, name, x)


def forwarded(name):
    def method(self, *args):
        return self.remote.ask("special", self.number, name, *args)

    return method


class Thing:
    """A stand-in for an object."""

    def __getattr__(self, name):
        return self.remote.get(self.number, name)

    def __setattr__(self, name, x):
        self.remote.ask("set", self.number, name, x)

    def __delattr__(self, name):
        self.remote.ask("delete", self.number, name)

    def __eq__(self, other):
        if self is other:
            return True
        if not isinstance(other, Thing) or type(self) is not type(other):
            return NotImplemented
        mine, theirs = (self.remote.ask("attributes", x.number) for x in (self, other))
        return mine == theirs

    def __hash__(self):
        return self.number

    def __iter__(self):
        return iter(self.remote.ask("items", self.number))

    def __bool__(self):
        return self.remote.ask("truth", self.number) is True

    def __call__(self, *args, **kwargs):
        return self.remote.call(self.number, None, args, kwargs)


for name in ("__len__", "__getitem__", "__setitem__", "__delitem__", "__str__", "__repr__", "__enter__", "__exit__", "__next__"):
    setattr(Thing, name, forwarded(name))


class Remote(Side):
    """The side of the test."""

    def __init__(self, channel, out):
        super().__init__(0)
        self.channel = channel
        self.out = out
        self.classes = {}
        self.things = {}
        self.mine = []

    def other(self, x):
        if isinstance(x, (Thing, StandIn)):
            return {"object": [x.number, ""]}
        if isinstance(x, Method):
            return {"method": [x.number, x.name]}
        return library(x) or own_type(x) or self.kept(x)

    def kept(self, x):
        """What the other side may only hold and give back."""
        if isinstance(x, PLAIN):
            return None
        number = next((i for i, known in enumerate(self.mine) if known is x), len(self.mine))
        self.mine[number:] = self.mine[number:] or [x]
        return {"opaque": number}

    def opaque(self, content):
        return self.mine[content]

    def object(self, content):
        """A stand-in for what has a number; the name is that of its class, or empty for a class."""
        number, name = content
        if number not in self.things:
            thing = object.__new__(self.class_of(name))
            object.__setattr__(thing, "number", number)
            self.things[number] = thing
        return self.things[number]

    def method(self, content):
        raise TypeError("a method stays in its own sandbox")

    def class_of(self, name):
        """The class of the stand-ins for objects of a class."""
        if name not in self.classes:
            self.classes[name] = type.__new__(StandIn, name, (Thing,), {"remote": self, "number": -1})
        return self.classes[name]

    def named(self, name):
        """The stand-in for a class of the program."""
        cls = self.class_of(name)
        number = self.answer(self.message(do="named", what=[name]))["class"]
        type.__setattr__(cls, "number", number)
        self.things[number] = cls
        return cls

    def answer(self, message):
        """Send a message and wait for the answer to it."""
        try:
            self.channel.send(message)
            answer = self.channel.receive()
            self.take(answer)
            (sys.stdout or self.out).write(answer["printed"])
            if "error" not in answer:
                return answer
            kind, text = exception(answer["error"]), str(answer["text"])
        except BaseException as e:
            raise Gone from e
        raise kind(text)

    def ask(self, do, number, *what):
        answer = self.answer(self.message(do=do, what=[number] + [self.said(x) for x in what]))
        return self.heard(answer["value"])

    def get(self, number, name):
        answer = self.answer(self.message(do="get", what=[number, self.said(name)]))
        if "method" in answer:
            return Method(self, number, name)
        return self.heard(answer["value"])

    def call(self, number, name, args, kwargs):
        what = [number, name, [self.said(x) for x in args], [[k, self.said(x)] for k, x in kwargs.items()]]
        return self.heard(self.answer(self.message(do="call", what=what))["value"])


class Service(Side):
    """The side of the class."""

    def __init__(self, space):
        super().__init__(1)
        self.space = space
        self.objects = {}
        self.places = {}  # by identity

    def other(self, x):
        if isinstance(x, Opaque):
            return {"opaque": x.number}
        found = library(x) or own_type(x)
        if found is None and not isinstance(x, PLAIN):
            return {"object": [self.number(x), type(x).__name__]}
        return found

    def number(self, x):
        if id(x) not in self.places:
            self.places[id(x)] = len(self.places) + 1
            self.objects[self.places[id(x)]] = x
        return self.places[id(x)]

    def object(self, content):
        return self.objects[content[0]]

    def opaque(self, content):
        return Opaque(content)

    def method(self, content):
        return getattr(self.objects[content[0]], content[1])

    def do(self, message):
        self.take(message)
        return getattr(self, "do_" + message["do"])(*message["what"])

    def do_named(self, name):
        return {"class": self.number(self.space[name])}

    def do_get(self, number, name):
        found = getattr(self.objects[number], self.heard(name))
        if inspect.isroutine(found):
            return {"method": True}
        return {"value": self.said(found)}

    def do_call(self, number, name, args, kwargs):
        target = self.objects[number]
        if name is not None:
            target = getattr(target, name)
        return {"value": self.said(target(*map(self.heard, args), **{k: self.heard(x) for k, x in kwargs}))}

    def do_set(self, number, name, x):
        setattr(self.objects[number], self.heard(name), self.heard(x))
        return {"value": None}

    def do_delete(self, number, name):
        delattr(self.objects[number], self.heard(name))
        return {"value": None}

    def do_attributes(self, number):
        return {"value": self.encoded(dict(vars(self.objects[number])))}

    def do_items(self, number):
        return {"value": {"list": [self.encoded(x) for _, x in zip(range(10_000), self.objects[number])]}}

    def do_truth(self, number):
        return {"value": bool(self.objects[number])}

    def do_special(self, number, name, *args):
        x = self.objects[number]
        return {"value": self.said(getattr(type(x), self.heard(name))(x, *map(self.heard, args)))}


def serve(job, descriptor):
    """Define a class and do with it what the other side asks for, until that ends."""
    channel, space = Channel(descriptor), {"__name__": "program"}
    printed = sys.stdout = io.StringIO()
    alone(job["program"], job["entry"], space)
    service = Service(space)
    while True:
        try:
            message = channel.receive()
        except EOFError:
            os._exit(0)
        try:
            answer = service.do(message)
        except Exception as e:
            answer = {"error": error_of(e), "text": str(e)[:10_000]}
        answer = service.message(**answer, printed=printed.getvalue()[:MOST_BYTES])
        printed.seek(0)
        printed.truncate()
        channel.send(answer)

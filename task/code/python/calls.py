"""The tested function in a sandbox of its own: its arguments and results, and those of the helper, cross as plain data."""

import sys
from builtins import compile, exec
from json import dumps
from os import _exit as end_process

import parley_fault
from parley_wire import Channel, Foreign, Gone, NotComparable, error_of, exception, listed, value, wide


def execute(sources, space):
    for source in sources:
        exec(compile(source, "<program>", "exec"), space)


class Tested:
    """The tested function for a test. Calls of the helper that it makes meanwhile are answered from here."""

    def __init__(self, channel, answers):
        self.channel = channel
        self.answers = answers
        self.history = []  # of its calls: arguments, outcome, calls of the helper

    def __call__(self, *args, **kwargs):
        question = [wide(args), wide(kwargs)]
        calls = []
        try:
            answer = self.answer(question, calls)
            self.history.append({"asked": answer.pop("asked", None), "passed": [question, answer, calls]})
            if "foreign" in answer:
                raise NotComparable(str(answer["foreign"])[:MOST_NAME])
            if "error" not in answer:
                for old, new in zip(args, value(answer.get("args", {"tuple": []}))):
                    refill(old, new)
                return value(answer["value"])
            kind = exception(answer["error"])
        except NotComparable:
            raise
        except BaseException as e:
            raise Gone from e
        raise kind("the tested function raised it")

    def answer(self, question, calls):
        self.channel.send(question)
        while True:
            answer = self.channel.receive()
            if "aux" not in answer:
                return answer
            outcome = self.answers.of(answer["aux"])
            calls.append([answer["aux"], outcome])
            self.channel.send(outcome)


class Answers:
    """What the helper answers to main: its own outcomes by its arguments, or something else instead. Both take the same work for a question, so
    that the time until the answer tells nothing."""

    def __init__(self, job):
        self.table = {dumps(question): outcome for question, outcome in job["table"]}
        self.kind, self.content = job["instead"] or ["nothing", None]
        self.first = next(iter(self.table.values()))  # of arguments that the helper was not asked for, in other answers than its own
        self.others = {key: other(outcome, self.content) for key, outcome in self.table.items()} if self.kind == "perturbed" else {}
        self.left = job["most"]
        self.count = 0

    def of(self, question):
        self.left -= 1
        if self.left < 0:
            raise Gone
        self.count += 1
        key = dumps(question)
        return getattr(self, self.kind)(question, key, self.table.get(key))

    def nothing(self, question, key, own):
        if own is None:
            raise Gone
        return own

    def constant(self, question, key, own):
        return self.content

    def sequence(self, question, key, own):
        return self.content[(self.count - 1) % len(self.content)]

    def argument(self, question, key, own):
        args, named = question[0]["tuple"], dict(question[1]["dict"])
        found = named if isinstance(self.content, str) else dict(enumerate(args))
        return {"value": found[self.content]} if self.content in found else own or self.first

    def perturbed(self, question, key, own):
        return self.others.get(key) or other(self.first, self.content)


def other(outcome, variant):
    """Another outcome of the same type; an exception stays."""
    if "error" in outcome:
        return outcome
    return {"value": wide(perturbed(value(outcome["value"]), variant))}


def perturbed(x, variant):
    """Another value of the same type."""
    first = variant == 1
    if x is None:
        return None
    if isinstance(x, bool):
        return not x
    if isinstance(x, (int, float, complex)):
        return x + 1 if first else -x - 1
    if isinstance(x, str):
        return x + "~" if first else ""
    if isinstance(x, list):
        return x + x if first else []
    if isinstance(x, tuple):
        return x + x if first else ()
    if isinstance(x, dict):
        return {**x, "~": "~"} if first else {}
    if isinstance(x, (set, frozenset)):
        return x | {"~"} if first else set()
    return None


def judge(job, descriptor):
    """Run one test here, against the function in the other sandbox, and print what is to be told of its calls."""
    out = parley_fault.quietly()
    tested = Tested(Channel(descriptor), Answers(job["aux"]) if job["aux"] else None)
    space = {"__name__": "tests"}
    execute([job["prelude"]], space)
    space[job["candidate"]] = space[job["entry"]] = tested
    try:
        execute(job["setup"] + [job["source"]], space)
    except NotComparable as e:
        tell(out, e.args[0])
        raise SystemExit(NOT_COMPARABLE)
    tell(out, [found.get(job["tell"]) for found in tested.history] if job["tell"] else None)


MOST_TOLD = 4 << 20  # characters
MOST_NAME = 80  # characters of the name of a type
NOT_COMPARABLE = 9  # exit code of a test that got a result which cannot cross


def tell(out, found):
    """Print what was found; null where that is too much."""
    text = dumps(found)
    out.write("\n" + (text if len(text) <= MOST_TOLD else "null") + "\n")
    out.flush()


def probe(job, descriptor):
    """Ask the helper in the other sandbox, and print its outcomes. Each list of arguments is asked for once."""
    out, channel = parley_fault.quietly(), Channel(descriptor)
    outcomes = []
    for question in varied(job["questions"][0]) if job["vary"] else job["questions"]:
        channel.send(question)
        outcomes.append(channel.receive())
    tell(out, outcomes)


def varied(question):
    """A question with other arguments, one of them at a time."""
    args = question[0]["tuple"]
    for i, arg in enumerate(args):
        for variant in (1, 2):
            yield [{"tuple": args[:i] + [wide(perturbed(value(arg), variant))] + args[i + 1 :]}, question[1]]


class Record:
    """The arguments of a helper's calls, each once, as far as they are plain data and not too much of it."""

    MOST_CALLS = 20_000
    MOST_BYTES = 2 << 20

    def __init__(self):
        self.seen = set()
        self.new = []
        self.bytes = 0
        self.whole = True

    def add(self, args, kwargs):
        if not self.whole:
            return
        try:
            question = [wide(args), wide(kwargs)]
            key = dumps(question)
        except (TypeError, ValueError, RecursionError):
            self.whole = False
            return
        if key not in self.seen:
            self.seen.add(key)
            self.new.append(question)
            self.bytes += len(key)
            self.whole = len(self.seen) <= self.MOST_CALLS and self.bytes <= self.MOST_BYTES

    def take(self):
        """What is new; None: something is missing."""
        new, self.new = self.new, []
        return new if self.whole else None


def recorded(aux, record):
    """aux with a record of how it is called; calls that it makes to itself do not count."""
    depth = 0

    def called(*args, **kwargs):
        nonlocal depth
        if depth == 0:
            record.add(args, kwargs)
        depth += 1
        try:
            return aux(*args, **kwargs)
        finally:
            depth -= 1

    return called


def refill(old, new):
    """Give a container that the helper changed its new content."""
    if isinstance(old, (list, bytearray)):
        old[:] = new
    elif isinstance(old, (dict, set)):
        old.clear()
        old.update(new)


def elsewhere(channel):
    """aux as main finds it where the helper is in no reach: the other side of the channel answers."""

    def aux(*args, **kwargs):
        channel.send({"aux": [wide(args), wide(kwargs)]})
        outcome = channel.receive()
        if "error" in outcome:
            raise exception(outcome["error"])("aux raised it")
        for old, new in zip(args, value(outcome.get("args", {"tuple": []}))):
            refill(old, new)
        return value(outcome["value"])

    return aux


def outcome(target, question):
    """What a call of main comes to: as outcome_of_aux says, but that a result which cannot cross is named."""
    args, kwargs = map(value, question)
    try:
        result = target(*args, **kwargs)
    except Exception as e:
        return {"error": error_of(e)}
    try:
        found = {"value": listed(result)}
        after = wide(args)
    except Foreign as e:
        return {"foreign": e.args[1]}
    except Exception as e:
        return {"error": error_of(e)}
    return found if after == question[0] else {**found, "args": after}


def outcome_of_aux(target, question):
    """What a call of the helper comes to: its result, and its arguments where it changed them."""
    args, kwargs = map(value, question)
    try:
        found = {"value": listed(target(*args, **kwargs))}
        after = wide(args)
    except Exception as e:
        return {"error": error_of(e)}
    return found if after == question[0] else {**found, "args": after}


def alone(program, entry, space):
    """Define a program of which the function entry is the target; nothing of this module is in its reach but by the frames of its callers."""
    for name in [name for name in sys.modules if name.startswith("parley_")]:
        del sys.modules[name]
    vars(sys.modules["__main__"]).clear()
    execute([program], space)
    return space[entry]


def serve(job, descriptor):
    """Answer calls of the tested function until the other side ends."""
    channel, record = Channel(descriptor), None
    space = {"__name__": "program"}
    if job["elsewhere"]:
        space["aux"] = elsewhere(channel)
    target = alone(job["program"], job["entry"], space)
    if job["record"]:
        record = Record()
        space["aux"] = recorded(space["aux"], record)
    call = outcome_of_aux if job["entry"] == "aux" else outcome
    while True:
        try:
            question = channel.receive()
        except EOFError:
            end_process(0)
        answer = call(target, question)
        if record is not None:
            answer["asked"] = record.take()
        channel.send(answer)

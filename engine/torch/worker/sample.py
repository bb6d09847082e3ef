"""Sampling: a loop over columns of keys and values. All rows write to the same column; a row that ends makes room for a waiting one, whose prompt
is put to the left of the column. So what a row sees depends on nothing beside it."""
import collections, time

import torch
from transformers.cache_utils import Cache, DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

import base as bases
from cuts import groups, settings
from pipe import NoMemory

MOST_ROWS = 256
STEP = 256        # columns are added in such pieces
PAUSE = 0.1       # seconds between two bursts of tokens that nobody watches
MASK = (1 << 64) - 1


class Stream:
    """The stream of random numbers that Go's math/rand/v2 has for a seed: PCG-DXSM, a number of which depends on the seed and its place alone."""

    def __init__(self, high, low):
        self.state = high << 64 | low

    def number(self):
        self.state = (self.state * (2549297995355413924 << 64 | 4865540595714422341) + (6364136223846793005 << 64 | 1442695040888963407)) & (1 << 128) - 1
        high, low = self.state >> 64, self.state & MASK
        high = (high ^ high >> 32) * 0xda942042e4dd58b5 & MASK
        high = (high ^ high >> 48) * (low | 1) & MASK
        return (high & (1 << 53) - 1) / (1 << 53)


class Columns(DynamicLayer):
    """Keys and values of a layer: [rows, heads, columns, width], of which the first used are."""

    def __init__(self):
        super().__init__()
        self.used = 0

    def update(self, keys, values, *args, **kwargs):
        if not self.is_initialized:
            self.lazy_initialization(keys, values)
            self.keys, self.values = keys, values
        else:
            self.reserve(self.used + keys.shape[2])
            self.keys[:, :, self.used:self.used + keys.shape[2]] = keys
            self.values[:, :, self.used:self.used + keys.shape[2]] = values
        self.used += keys.shape[2]
        return self.keys[:, :, :self.used], self.values[:, :, :self.used]

    def reserve(self, n):
        short = n - self.keys.shape[2]
        if short > 0:
            pad = (0, 0, 0, -(-short // STEP) * STEP)
            self.keys, self.values = torch.nn.functional.pad(self.keys, pad), torch.nn.functional.pad(self.values, pad)

    def get_seq_length(self):
        return self.used

    def get_mask_sizes(self, query_length):
        return self.used + query_length, 0

    def change(self, f):
        self.keys, self.values = f(self.keys), f(self.values)


def columns(config):
    """A cache of columns; None: the model has layers that remember otherwise."""
    layers = DynamicCache(config=config).layers
    if not layers or any(type(l) not in (DynamicLayer, DynamicSlidingWindowLayer) for l in layers):
        return None
    return Cache(layers=[Columns() for _ in layers])


class Row:
    def __init__(self, index, spec):
        self.index, self.policy, self.setting, self.most = index, spec["policy"], spec["setting"], spec["most"]
        self.stop, self.watched = frozenset(spec["stop"]), spec["watched"]
        self.stream, self.drawn = Stream(*spec["seed"]), 0


class Sampler:
    def __init__(self, call, worker):
        self.call, self.base, self.policies = call, worker.base, worker.policies
        self.settings = settings(call, self.base)
        tokens, at, prompts = call.tensor("tokens").long(), 0, collections.OrderedDict()
        for i, spec in enumerate(call.head["requests"]):
            prompt = tokens[at:at + spec["tokens"]]
            at += spec["tokens"]
            if spec["most"] > 0:
                key = (spec["policy"], prompt.numpy().tobytes())
                prompts.setdefault(key, (prompt, collections.deque()))[1].append(Row(i, spec))
        self.waiting = collections.deque(prompts.values())
        self.burst, self.flushed, self.computed = [], time.monotonic(), 0
        self.watched = any(r["watched"] for r in call.head["requests"])
        self.cache, self.rows, self.start = None, [], None  # rows: of each slot, None: free; start: its first column

    def slots(self):
        """How many rows at once: as many as their keys and values have room for."""
        n = sum(len(rows) for _, rows in self.waiting)
        longest = max((len(p) + r.most for p, rows in self.waiting for r in rows), default=1)
        c = self.base.config
        width = getattr(c, "head_dim", None) or self.base.hidden // c.num_attention_heads
        each = 4 * self.base.layers * (getattr(c, "num_key_value_heads", None) or c.num_attention_heads) * width * (longest + STEP)
        room = 2 << 30 if self.base.device == "cpu" else int(0.4 * self.base.share * (bases.memory(self.base.device)[1] or 8 << 30))
        return max(1, min(n, MOST_ROWS, room // each))

    def run(self):
        with torch.no_grad():
            if columns(self.base.config) is None:
                return self.without_cache()
            self.rows = [None] * self.slots()
            while self.waiting or any(self.rows):
                self.call.check()
                free = [i for i, r in enumerate(self.rows) if r is None]
                if self.waiting and free:
                    self.admit(free)
                elif any(self.rows):
                    self.advance()
        self.flush(True)
        return {"computed": self.computed}

    def admit(self, free):
        """Takes waiting rows in: computes their prompts, each once, and puts keys and values beside those of the rows in flight."""
        taken, budget, longest = [], self.base.budget(), 0
        while self.waiting and free:
            prompt, rows = self.waiting[0]
            longest = max(longest, len(prompt))
            if taken and (len(taken) + 1) * longest > budget:
                break
            some = [(free.pop(0), rows.popleft()) for _ in range(min(len(free), len(rows)))]
            taken.append((prompt, some))
            if not rows:
                self.waiting.popleft()
        longest = max(len(p) for p, _ in taken)
        ids, mask = torch.zeros(len(taken), longest, dtype=torch.long), torch.zeros(len(taken), longest, dtype=torch.bool)
        for i, (prompt, _) in enumerate(taken):
            ids[i, longest - len(prompt):], mask[i, longest - len(prompt):] = prompt, True
        self.computed += sum(len(p) for p, _ in taken)
        fresh = columns(self.base.config)
        states = self.body([some[0][1].policy for _, some in taken], ids, mask, (mask.cumsum(1) - 1).clamp(min=0), fresh)
        copies = [(i, slot, row) for i, (_, some) in enumerate(taken) for slot, row in some]
        self.place(fresh, longest, [(i, slot, len(taken[i][0])) for i, slot, _ in copies])
        for _, slot, row in copies:
            self.rows[slot] = row
        self.regroup()
        self.draw([slot for _, slot, _ in copies], states[[i for i, _, _ in copies]])

    def body(self, names, ids, mask, positions, cache):
        device = self.base.device
        with self.policies.over(names, ids.shape[1]):
            more = {} if bool(mask.all()) and cache.get_seq_length() == 0 else {"attention_mask": mask.to(device), "position_ids": positions.to(device)}
            return self.base.body(ids.to(device), past_key_values=cache, use_cache=True, **more)[:, -1]

    def place(self, fresh, longest, copies):
        """Puts the columns of fresh prompts to the left of the column that is written next."""
        device, n = self.base.device, len(self.rows)
        first = self.cache is None
        if first:
            self.cache, self.column = columns(self.base.config), longest
            self.start = torch.zeros(n, dtype=torch.long, device=device)
        if not any(self.rows):
            self.column = longest
        shift = max(0, longest - self.column)
        self.column += shift
        self.start += shift
        pairs = [torch.tensor(x, device=device) for x in zip(*[(i, slot) for i, slot, _ in copies])]
        for layer, source in zip(self.cache.layers, fresh.layers):
            if not layer.is_initialized:
                layer.lazy_initialization(source.keys, source.values)
                layer.change(lambda _, like=source.keys: like.new_zeros(n, like.shape[1], 0, like.shape[3]))
                layer.values = source.values.new_zeros(n, source.values.shape[1], 0, source.values.shape[3])
            elif shift:
                layer.change(lambda t: torch.nn.functional.pad(t, (0, 0, shift, 0)))
            layer.reserve(self.column)
            layer.used = self.column
            for to, of in ((layer.keys, source.keys), (layer.values, source.values)):
                to[pairs[1], :, self.column - longest:self.column] = of[pairs[0], :, :longest]
        for _, slot, length in copies:
            self.start[slot] = self.column - length

    def regroup(self):
        """What changes with the rows alone: under which policies and settings they are."""
        live = [i for i, r in enumerate(self.rows) if r is not None]
        spare = self.rows[live[0]].policy if live else ""
        self.names = [spare if r is None else r.policy for r in self.rows]

    def advance(self):
        """One token more for every row."""
        self.tidy()
        live = [i for i, r in enumerate(self.rows) if r is not None]
        self.regroup()
        ids = torch.tensor([[0 if r is None else r.last] for r in self.rows])
        at = torch.arange(self.column + 1, device=self.base.device)
        mask = at >= self.start[:, None]
        states = self.body(self.names, ids, mask, (self.column - self.start)[:, None], self.cache)
        self.column += 1
        self.computed += len(live)
        self.draw(live, states[live] if len(live) < len(self.rows) else states)

    def tidy(self):
        """Gives back slots that nobody will use, and columns that no row has."""
        live = [i for i, r in enumerate(self.rows) if r is not None]
        if not self.waiting and len(live) <= len(self.rows) // 2:
            at = torch.tensor(live, device=self.base.device)
            for layer in self.cache.layers:
                layer.change(lambda t: t[at])
            self.start, self.rows = self.start[at], [self.rows[i] for i in live]
            live = list(range(len(live)))
        empty = int(self.start[live].min())
        if empty > self.column // 2 and empty > STEP:
            for layer in self.cache.layers:
                layer.change(lambda t: t[:, :, empty:].contiguous())
                layer.used -= empty
            self.column -= empty
            self.start -= empty
        for i, r in enumerate(self.rows):
            if r is None:
                self.start[i] = self.column  # a free slot looks at itself alone

    def draw(self, slots, states):
        """Draws a token for some slots from their states."""
        z, device = self.base.head(states), self.base.device
        rows = [self.rows[s] for s in slots]
        tokens, logprobs = torch.zeros(len(rows), dtype=torch.long, device=device), torch.zeros(len(rows), device=device)
        places = torch.tensor([r.drawn for r in rows], device=device)
        numbers = torch.tensor([0.0 if self.settings[r.setting].greedy else r.stream.number() for r in rows], dtype=torch.float64)
        numbers = numbers.to(torch.float32).to(device) if self.base.device == "mps" else numbers.to(device)
        for s, at in groups([r.setting for r in rows], device):
            at = torch.arange(len(rows), device=device) if at is None else at
            tokens[at], logprobs[at] = self.settings[s].draw(z[at], places[at], numbers[at])
        for slot, row, token, logprob in zip(slots, rows, tokens.tolist(), logprobs.tolist()):
            row.last, row.drawn = token, row.drawn + 1
            self.burst.append((row.index, token, logprob))
            if token in row.stop or row.drawn >= row.most or row.index in self.call.stops:
                self.rows[slot] = None
        self.flush(False)

    def flush(self, all_):
        if self.burst and (all_ or self.watched or time.monotonic() - self.flushed > PAUSE):
            rows, tokens, logprobs = zip(*self.burst)
            self.call.say({"burst": True}, {
                "rows": torch.tensor(rows, dtype=torch.int32), "drawn": torch.tensor(tokens, dtype=torch.int32), "logprobs": torch.tensor(logprobs)})
            self.burst, self.flushed = [], time.monotonic()

    def without_cache(self):
        """Computes whole sequences at every token, for models whose layers remember by other means than keys and values."""
        device = self.base.device
        pending = [(list(p.tolist()), r) for p, rows in self.waiting for r in rows]
        most = max(1, self.base.budget() // max((len(t) + r.most for t, r in pending), default=1))
        for first in range(0, len(pending), most):
            part = pending[first:first + most]
            self.rows = [r for _, r in part]
            while any(self.rows):
                self.call.check()
                live = [i for i, r in enumerate(self.rows) if r is not None]
                texts = [part[i][0] for i in live]
                n = max(map(len, texts))
                ids = torch.tensor([t + [0] * (n - len(t)) for t in texts], device=device)
                with self.policies.over([part[i][1].policy for i in live], n):
                    states = self.base.body(ids)
                ends = torch.tensor([len(t) - 1 for t in texts], device=device)
                self.computed += sum(map(len, texts))
                self.draw(live, states[torch.arange(len(live), device=device), ends])
                for i in live:
                    part[i][0].append(part[i][1].last)
        self.flush(True)
        return {"computed": self.computed}


def sample(call, worker):
    try:
        return Sampler(call, worker).run()
    except (RuntimeError, MemoryError) as e:
        if not bases.is_out_of_memory(e) and not isinstance(e, MemoryError):
            raise
        total, free = bases.memory(worker.base.device)
        raise NoMemory("sampling %d requests does not fit: %.1f of %.1f GB are free on %s" % (len(call.head["requests"]), free / 1e9, total / 1e9, worker.base.device))

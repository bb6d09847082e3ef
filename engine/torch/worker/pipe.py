"""Frames on stdin and stdout: u32 length of a head, the head as JSON, and the tensors that it lists, as raw bytes, little-endian."""
import json, os, queue, struct, sys, threading, time

VERSION = 1
MOST_HEAD = 64 << 20
WIDTHS = {"i32": 4, "f32": 4}


class Failure(Exception):
    """What a call is answered with instead of a result."""
    kind = "internal"


class Refused(Failure):
    kind = "refused"


class Bad(Failure):
    kind = "bad"


class NoMemory(Failure):
    kind = "memory"


class NotFinite(Failure):
    kind = "not finite"


class Cancelled(Failure):
    kind = "cancelled"


class Frame:
    def __init__(self, head, raw):
        self.head, self.raw = head, raw

    def tensor(self, name):
        import torch
        dtype, shape, data = self.raw[name]
        if not data:
            return torch.zeros(shape, dtype={"i32": torch.int32, "f32": torch.float32}[dtype])
        return torch.frombuffer(data, dtype={"i32": torch.int32, "f32": torch.float32}[dtype]).reshape(shape)


class Pipe:
    def __init__(self):
        # Prints of libraries go to stderr: stdout is the pipe's alone.
        self.out, self.inp = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        self.frames = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        try:
            while True:
                self.frames.put(self._read())
        except BaseException:  # the end of stdin, mostly: nobody is there to compute for
            os._exit(0)

    def _exactly(self, n):
        data = bytearray(n)
        view, at = memoryview(data), 0
        while at < n:
            got = self.inp.readinto(view[at:])
            if not got:
                raise EOFError
            at += got
        return data

    def _read(self):
        (n,) = struct.unpack("<I", self._exactly(4))
        if n > MOST_HEAD:
            raise ValueError("a head of %d bytes" % n)
        head, raw = json.loads(self._exactly(n)), {}
        for t in head.get("tensors") or []:
            size = WIDTHS[t["dtype"]]
            for d in t["shape"]:
                size *= d
            raw[t["name"]] = (t["dtype"], t["shape"], self._exactly(size))
        return Frame(head, raw)

    def put(self, head, tensors=None):
        import_torch = tensors and sys.modules["torch"]
        specs, parts = [], []
        for name, t in (tensors or {}).items():
            t = t.detach().to("cpu", import_torch.int32 if not t.is_floating_point() else import_torch.float32).contiguous()
            specs.append({"name": name, "dtype": "f32" if t.is_floating_point() else "i32", "shape": list(t.shape)})
            parts.append(t.numpy().tobytes())
        text = json.dumps(dict(head, tensors=specs) if specs else head).encode()
        self.out.write(struct.pack("<I", len(text)) + text)
        for p in parts:
            self.out.write(p)
        self.out.flush()


class Call:
    """One request, and what is said about it until its answer."""

    def __init__(self, pipe, frame):
        self.pipe, self.frame, self.head, self.id = pipe, frame, frame.head, frame.head["id"]
        self.later, self.stops, self.heard = [], set(), time.monotonic()

    def tensor(self, name):
        return self.frame.tensor(name)

    def _sort(self, frame):
        if frame.head.get("id") != self.id:
            raise Bad("call %s is interrupted by %s" % (self.id, frame.head.get("id")))
        if frame.head.get("cancel"):
            raise Cancelled("cancelled")
        if "stop" in frame.head:
            self.stops.update(frame.head["stop"])
        else:
            self.later.append(frame)

    def check(self):
        """Reads what has come meanwhile, and gives a sign of life now and then."""
        while True:
            try:
                self._sort(self.pipe.frames.get_nowait())
            except queue.Empty:
                break
        if time.monotonic() - self.heard > 1:
            self.say({"alive": True})

    def more(self):
        """The second request of a call that has two."""
        while not self.later:
            self._sort(self.pipe.frames.get())
        return self.later.pop(0)

    def say(self, head, tensors=None):
        self.heard = time.monotonic()
        self.pipe.put(dict(head, id=self.id), tensors)

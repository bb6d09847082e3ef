import json
import os


class Later:
    """Finds the host's own modules when something imports them: to compile all of them takes longer than most programs run."""

    def __init__(self, modules):
        self.sources = {m["name"]: m["source"] for m in modules}

    def find_spec(self, name, path=None, target=None):
        return type(sys.__spec__)(name, self) if name in self.sources else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(compile(self.sources[module.__name__], module.__name__ + ".py", "exec"), module.__dict__)


end = os._exit
job = json.loads(sys.stdin.readline())
sys.meta_path.insert(0, Later(job["modules"] or []))
channel = os.open("/parley/channel", os.O_RDWR) if job["joined"] else None
sys.stdin.read()  # its end is the sign that the program begins
end(program(job.pop("source"), job["argument"], channel))

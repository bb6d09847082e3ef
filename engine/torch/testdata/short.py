"""A worker whose device has memory for one sequence at a time, and says so as PyTorch does: short.py FOLDER."""
import runpy, sys

sys.path.insert(0, sys.argv[1])
import score, torch

run = score.Pass.run


def short(self, batch):
    if len(batch) > 1 or len(batch[0].tokens) > 15 and not self.base.checkpointing or len(batch[0].tokens) > 30:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
    return run(self, batch)


score.Pass.run = short
runpy.run_path(sys.argv[1], run_name="__main__")

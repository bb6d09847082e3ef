"""Copies a model folder with its weights in float32: SkyRL's adapters have the type of their base.

usage: python float32.py FROM TO
"""
import json
import pathlib
import shutil
import sys

import safetensors.torch

source, target = map(pathlib.Path, sys.argv[1:])
target.mkdir(parents=True)
for file in source.iterdir():
    if file.suffix == ".safetensors":
        tensors = safetensors.torch.load_file(file)
        safetensors.torch.save_file({name: t.float() for name, t in tensors.items()}, target / file.name, metadata={"format": "pt"})
    elif file.name == "config.json":
        config = json.loads(file.read_text())
        config["torch_dtype"] = "float32"
        (target / file.name).write_text(json.dumps(config))
    else:
        shutil.copy(file, target)

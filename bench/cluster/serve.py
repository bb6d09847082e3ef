"""Serves a base on loopback with SkyRL's JAX backend, on the CPU, from an installed package.

The package starts its engine with uv in a checkout of its source; here it is this interpreter that runs it. Files go to the current folder.

usage: python serve.py MODEL PORT
"""
import json
import os
import sys

os.environ.update(JAX_PLATFORMS="cpu", CUDA_VISIBLE_DEVICES="", HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1")
# Whatever is compiled is kept where JAX_COMPILATION_CACHE_DIR says, also what takes less than a second.
os.environ.update(JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS="0", JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES="-1")

import uvicorn  # noqa: E402
from skyrl.tinker import api, config  # noqa: E402

model, port = sys.argv[1], int(sys.argv[2])
api._build_uv_run_cmd_engine = lambda _, settings: [sys.executable, "-m", "skyrl.tinker.engine", *config.config_to_argv(settings)]
api.app.state.engine_config = config.EngineConfig.model_validate({
    "base_model": model,
    "backend": "jax",
    # A pass of so many data compiles a program for every length of text and for every number of data up to that: of one, for every length.
    "backend_config": {"max_lora_adapters": 16, "max_lora_rank": 8, "train_micro_batch_size": 1, "sample_max_num_sequences": 32},
    "checkpoints_base": os.path.abspath("checkpoints"),
    "database_url": "sqlite:///" + os.path.abspath("queue.sqlite"),
})
uvicorn.run(api.app, host="127.0.0.1", port=port, timeout_keep_alive=75)

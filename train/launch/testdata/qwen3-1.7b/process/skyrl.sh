#!/bin/bash
# Written by parley cluster write. docs/cluster.md says how it is used.
export CUDA_VISIBLE_DEVICES=0
set -euo pipefail
mkdir -p "$HOME/parley-pair"
cd "$HOME/parley-pair"
command -v uv >/dev/null || { python3 -m pip install --user uv; export PATH="$HOME/.local/bin:$PATH"; }
[ -e skyrl/complete ] || {
  uv venv --clear --python 3.12 skyrl
  uv pip install --python skyrl/bin/python 'skyrl[tinker,jax,gpu]==0.4.0' aiohttp
  touch skyrl/complete
}
set -euo pipefail
cd "$HOME/parley-pair"
export XLA_PYTHON_CLIENT_MEM_FRACTION=0.94
cat >serve.py <<'END'
import json
import os
import sys

import uvicorn
from skyrl.tinker import api, config

settings = json.loads(sys.argv[1])
settings["checkpoints_base"] = os.path.abspath("checkpoints")
settings["database_url"] = "sqlite:///" + os.path.abspath("queue.sqlite")
api._build_uv_run_cmd_engine = lambda _, c: [sys.executable, "-m", "skyrl.tinker.engine", *config.config_to_argv(c)]
api.app.state.engine_config = config.EngineConfig.model_validate(settings)
uvicorn.run(api.app, host=sys.argv[2], port=int(sys.argv[3]), timeout_keep_alive=75)
END
exec skyrl/bin/python serve.py '{"base_model":"Qwen/Qwen3-1.7B","backend":"jax","backend_config":{"fully_sharded_data_parallel_size":1,"gradient_checkpointing":true,"loss_chunk_size":1024,"max_lora_adapters":8,"max_lora_rank":16,"sample_max_num_sequences":64,"tensor_parallel_size":1,"train_micro_batch_size":8}}' 127.0.0.1 8000

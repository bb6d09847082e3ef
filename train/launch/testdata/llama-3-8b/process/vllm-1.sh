#!/bin/bash
# Written by parley cluster write. docs/cluster.md says how it is used.
export CUDA_VISIBLE_DEVICES=4
set -euo pipefail
mkdir -p "$HOME/parley-pair-vllm-1"
cd "$HOME/parley-pair-vllm-1"
command -v uv >/dev/null || { python3 -m pip install --user uv; export PATH="$HOME/.local/bin:$PATH"; }
[ -e vllm/complete ] || {
  uv venv --clear --python 3.12 vllm
  uv pip install --python vllm/bin/python vllm==0.33.0
  touch vllm/complete
}
set -euo pipefail
cd "$HOME/parley-pair-vllm-1"
exec vllm/bin/vllm serve Qwen/Qwen3-4B --served-model-name Qwen/Qwen3-4B --host 127.0.0.1 --port 8001 --tensor-parallel-size 1 --gpu-memory-utilization 0.85

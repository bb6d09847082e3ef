#!/usr/bin/env bash
# The engine torch on a device: does it conform, how far are sampler and trainer apart, and how fast is it beside PEFT with transformers, and beside vLLM
# where that is installed, in the same run.
#
#   bench/torch/gpu.sh                                   # a tiny model on the CPU: does everything run?
#   bench/torch/gpu.sh --device cuda --model FOLDER      # a real one; half an hour at most
#
# It needs Go, and a Python with torch, transformers and peft: PARLEY_TORCH_PYTHON, or that of $VIRTUAL_ENV, or python3.
set -euo pipefail
cd "$(dirname "$0")/../.."

device=cpu model= dtype= rows=16 tokens=32
while [ $# -gt 0 ]; do
  case "$1" in
    --device) device="$2" ;;
    --model) model="$2" ;;
    --dtype) dtype="$2" ;;
    --rows) rows="$2" ;;
    --tokens) tokens="$2" ;;
    *) echo "usage: $0 [--device cpu|cuda|xpu|mps] [--model FOLDER] [--dtype f32|bf16|f16] [--rows N] [--tokens N]" >&2; exit 2 ;;
  esac
  shift 2
done
dtype="${dtype:-$([ "$device" = cpu ] && echo f32 || echo bf16)}"
python="${PARLEY_TORCH_PYTHON:-${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/python}}"
export PARLEY_TORCH_PYTHON="${python:-$(command -v python3)}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
if [ -z "$model" ]; then
  model="$work/tiny"
  "$PARLEY_TORCH_PYTHON" bench/torch/peers.py make "$model"
fi
export PARLEY_TORCH_DEVICE="$device" PARLEY_TORCH_MODEL="$model" PARLEY_TORCH_DTYPE="$dtype" PARLEY_TORCH_ROWS="$rows" PARLEY_TORCH_TOKENS="$tokens"

echo "== conformance on $device, in float32"
go test -tags torch -run TestConformance ./engine/torch
echo "== $rows sequences, $tokens tokens to read and $tokens to write, $dtype on $device"
go test -tags torch -run '^$' -bench . -benchtime 3x ./engine/torch
for peer in transformers-generate peft-train vllm-generate; do
  "$PARLEY_TORCH_PYTHON" bench/torch/peers.py "$peer" "$model" --device "$device" --dtype "$dtype" --rows "$rows" --tokens "$tokens"
done

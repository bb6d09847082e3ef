{{/* Becomes a server of a frozen model. It reads its key from VLLM_API_KEY, where that is set. */ -}}
set -euo pipefail
cd {{.Folder}}
exec vllm/bin/vllm serve {{shell .Model}} --served-model-name {{shell .Model}} --host 127.0.0.1 --port {{.Port}} --tensor-parallel-size {{.GPUs}} --gpu-memory-utilization 0.85

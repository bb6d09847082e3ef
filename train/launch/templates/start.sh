{{/* Becomes the training server. Of several machines each learns its part, and all but the first become workers. */ -}}
set -euo pipefail
{{if eq .Backend "jax" -}}
cd {{.Folder}}
export XLA_PYTHON_CLIENT_MEM_FRACTION=0.94
{{if gt .Nodes 1 -}}
{{if eq .Kind "skypilot" -}}
{{/* sed reads to the end. head leaves before that, and then pipefail may end the script. */ -}}
RANK="$SKYPILOT_NODE_RANK"
COORDINATOR="$(echo "$SKYPILOT_NODE_IPS" | sed -n 1p):{{template "meeting port"}}"
export COORDINATOR
{{else if eq .Kind "slurm" -}}
{{/* skyrl.sbatch has exported COORDINATOR. */ -}}
RANK="$SLURM_PROCID"
{{else -}}
COORDINATOR="$(hostname -i):{{template "meeting port"}}"
export COORDINATOR
cat >workers.py <<'END'
{{template "workers.py" .}}END
python workers.py "$PWD" {{template "worker" .}} &
RANK=0
{{end -}}
[ "$RANK" = 0 ] || exec {{template "worker" .}} --process-id "$RANK"
{{end -}}
cat >serve.py <<'END'
{{template "serve.py" .}}END
exec skyrl/bin/python serve.py {{shell .Settings}} {{.Host}} {{.Port}}
{{else -}}
export PATH="$HOME/.local/bin:$PATH"
cd {{.Folder}}
files="$PWD"
cd SkyRL
exec uv run --extra tinker --extra megatron -m skyrl.tinker.api --host {{.Host}} --port {{.Port}} --base-model {{shell .Base}} --backend megatron --checkpoints-base "$files/checkpoints" --database-url "sqlite:///$files/queue.sqlite" --backend-config {{shell .BackendConfig}}
{{end -}}

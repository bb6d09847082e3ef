package launch

import (
	"encoding/json"
	"fmt"

	"parley/internal/shell"
)

// launcher starts SkyRL from an installed package: published, it starts its engine with uv in a checkout of its source.
const launcher = `import json
import os
import sys

import uvicorn
from skyrl.tinker import api, config

settings = json.loads(sys.argv[1])
%ssettings["checkpoints_base"] = os.path.abspath("checkpoints")
settings["database_url"] = "sqlite:///" + os.path.abspath("queue.sqlite")
api._build_uv_run_cmd_engine = lambda _, c: [sys.executable, "-m", "skyrl.tinker.engine", *config.config_to_argv(c)]
api.app.state.engine_config = config.EngineConfig.model_validate(settings)
uvicorn.run(api.app, host=sys.argv[2], port=int(sys.argv[3]), timeout_keep_alive=75)
`

// A place is where a server runs.
type place struct {
	folder string // of what it installs and writes, as the shell reads it: it is quoted already
	host   string // to listen on
	part   string // lines that set RANK and COORDINATOR, where there are several machines
}

// settings are what SkyRL's server is told.
type settings struct {
	Base    string         `json:"base_model"`
	Backend string         `json:"backend"`
	Config  map[string]any `json:"backend_config"`
}

// Settings are what SkyRL's server is told, as its configuration has them, in JSON. Where its checkpoints go and where it listens comes beside.
func (l *Layout) Settings() (string, error) {
	text, err := json.Marshal(settings{l.Job.Base, l.Backend, l.backendConfig()})
	return string(text), err
}

func (l *Layout) backendConfig() map[string]any {
	if l.Backend == JAX {
		c := map[string]any{
			"max_lora_adapters":                l.Slots,
			"max_lora_rank":                    l.Rank,
			"tensor_parallel_size":             l.TensorParallel,
			"fully_sharded_data_parallel_size": l.DataParallel,
			"train_micro_batch_size":           l.MicroBatch,
			"sample_max_num_sequences":         l.Sequences,
			"gradient_checkpointing":           true,
			"loss_chunk_size":                  lossChunk,
		}
		if n := l.Job.machines(); n > 1 {
			c["num_processes"] = n
		}
		return c
	}
	return map[string]any{
		"strategy":                                                    Megatron,
		"trainer.placement.colocate_all":                              false, // several adapters need engines of their own
		"trainer.placement.policy_num_nodes":                          1,
		"trainer.placement.policy_num_gpus_per_node":                  l.TensorParallel * l.DataParallel,
		"trainer.policy.megatron_config.tensor_model_parallel_size":   l.TensorParallel,
		"trainer.policy.megatron_config.pipeline_model_parallel_size": 1,
		"trainer.policy.megatron_config.lora_config.merge_lora":       false, // vLLM then serves each adapter by name
		"trainer.policy.model.lora.max_loras":                         l.Slots,
		"trainer.policy.model.lora.max_cpu_loras":                     l.Slots,
		"trainer.logprobs_chunk_size":                                 nil,
		"trainer.micro_train_batch_size_per_gpu":                      l.MicroBatch,
		"trainer.micro_forward_batch_size_per_gpu":                    l.MicroBatch,
		"generator.inference_engine.num_engines":                      l.SamplingGPUs / l.TensorParallel,
		"generator.inference_engine.tensor_parallel_size":             l.TensorParallel,
		"generator.inference_engine.gpu_memory_utilization":           0.85,
		"generator.inference_engine.max_num_seqs":                     l.Sequences,
		"generator.inference_engine.engine_init_kwargs.max_model_len": l.Job.Length,
		"generator.inference_engine.engine_init_kwargs.logprobs_mode": "raw_logprobs",
		"generator.inference_engine.engine_init_kwargs.max_lora_rank": loraRank(l.Rank),
		"generator.inference_engine.distributed_executor_backend":     "ray",
		"generator.inference_engine.enable_ray_prometheus_stats":      false,
		"generator.inference_engine.weight_sync_backend":              "nccl",
		"generator.inference_engine.run_engines_locally":              true,
		"generator.inference_engine.backend":                          "vllm",
	}
}

// loraRank is the least rank that vLLM can be told and that holds one.
func loraRank(rank int) int {
	n := 8
	for n < rank {
		n *= 2
	}
	return n
}

// install are the lines that install what a server needs, once.
func (l *Layout) install(p place) string {
	folder := p.folder
	if l.Backend == JAX {
		return fmt.Sprintf(`set -euo pipefail
mkdir -p %[1]s
cd %[1]s
command -v uv >/dev/null || { python3 -m pip install --user uv; export PATH="$HOME/.local/bin:$PATH"; }
[ -e skyrl/complete ] || {
  uv venv --clear --python 3.12 skyrl
  uv pip install --python skyrl/bin/python 'skyrl[tinker,jax,gpu]==%[2]s' aiohttp
  touch skyrl/complete
}
`, folder, SkyRLVersion)
	}
	return fmt.Sprintf(`set -euo pipefail
mkdir -p %[1]s
cd %[1]s
command -v uv >/dev/null || { python3 -m pip install --user uv; export PATH="$HOME/.local/bin:$PATH"; }
[ -e SkyRL ] || git clone --filter=blob:none https://github.com/NovaSky-AI/SkyRL SkyRL
git -C SkyRL checkout --quiet --detach %[2]s
(cd SkyRL && uv sync --python 3.12 --extra tinker --extra megatron)
`, folder, shell.Quote(l.source()))
}

func (l *Layout) source() string {
	if l.Job.SkyRL != "" {
		return l.Job.SkyRL
	}
	return SourceCommit
}

// start are the lines that become the server.
func (l *Layout) start(p place) (string, error) {
	if l.Backend == JAX {
		text, err := l.Settings()
		if err != nil {
			return "", err
		}
		return fmt.Sprintf(`set -euo pipefail
cd %s
export XLA_PYTHON_CLIENT_MEM_FRACTION=0.94
%scat >serve.py <<'END'
%sEND
exec skyrl/bin/python serve.py %s %s %d
`, p.folder, l.joins(p), fmt.Sprintf(launcher, l.meets()), shell.Quote(text), p.host, l.Job.Port), nil
	}
	config, err := json.Marshal(l.backendConfig())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`set -euo pipefail
export PATH="$HOME/.local/bin:$PATH"
cd %[1]s
files="$PWD"
cd SkyRL
exec uv run --extra tinker --extra megatron -m skyrl.tinker.api --host %[2]s --port %[3]d --base-model %[4]s --backend megatron --checkpoints-base "$files/checkpoints" --database-url "sqlite:///$files/queue.sqlite" --backend-config %[5]s
`, p.folder, p.host, l.Job.Port, shell.Quote(l.Job.Base), shell.Quote(string(config))), nil
}

// installVLLM are the lines that install vLLM, once.
func installVLLM(p place) string {
	return fmt.Sprintf(`set -euo pipefail
mkdir -p %[1]s
cd %[1]s
command -v uv >/dev/null || { python3 -m pip install --user uv; export PATH="$HOME/.local/bin:$PATH"; }
[ -e vllm/complete ] || {
  uv venv --clear --python 3.12 vllm
  uv pip install --python vllm/bin/python vllm==%[2]s
  touch vllm/complete
}
`, p.folder, VLLMVersion)
}

// startVLLM are the lines that become a server of a frozen model. It reads its key from VLLM_API_KEY, where that is set.
func (l *Layout) startVLLM(p place, f Frozen) string {
	args := append([]string{"vllm/bin/vllm", "serve", f.Model}, l.vllmFlags(f, p.host)...)
	return fmt.Sprintf("set -euo pipefail\ncd %s\nexec %s\n", p.folder, shell.Quote(args...))
}

// vllmFlags are what vLLM is told, behind the model.
func (l *Layout) vllmFlags(f Frozen, host string) []string {
	return []string{
		"--served-model-name", f.Model, "--host", host, "--port", fmt.Sprint(f.Port), "--tensor-parallel-size", fmt.Sprint(f.GPUs),
		"--gpu-memory-utilization", "0.85",
	}
}

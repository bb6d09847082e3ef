package launch

import "encoding/json"

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

#!/bin/bash
# Written by parley cluster write. docs/cluster.md says how it is used.
export CUDA_VISIBLE_DEVICES=0,1
set -euo pipefail
mkdir -p "$HOME/parley-pair"
cd "$HOME/parley-pair"
command -v uv >/dev/null || { python3 -m pip install --user uv; export PATH="$HOME/.local/bin:$PATH"; }
[ -e SkyRL ] || git clone --filter=blob:none https://github.com/NovaSky-AI/SkyRL SkyRL
git -C SkyRL checkout --quiet --detach a9564572eb8e91076be43c1bd5e4615e3de17265
(cd SkyRL && uv sync --python 3.12 --extra tinker --extra megatron)
set -euo pipefail
export PATH="$HOME/.local/bin:$PATH"
cd "$HOME/parley-pair"
files="$PWD"
cd SkyRL
exec uv run --extra tinker --extra megatron -m skyrl.tinker.api --host 127.0.0.1 --port 8000 --base-model Qwen/Qwen2.5-7B-Instruct --backend megatron --checkpoints-base "$files/checkpoints" --database-url "sqlite:///$files/queue.sqlite" --backend-config '{"generator.inference_engine.backend":"vllm","generator.inference_engine.distributed_executor_backend":"ray","generator.inference_engine.enable_ray_prometheus_stats":false,"generator.inference_engine.engine_init_kwargs.logprobs_mode":"raw_logprobs","generator.inference_engine.engine_init_kwargs.max_lora_rank":16,"generator.inference_engine.engine_init_kwargs.max_model_len":2048,"generator.inference_engine.gpu_memory_utilization":0.85,"generator.inference_engine.max_num_seqs":256,"generator.inference_engine.num_engines":1,"generator.inference_engine.run_engines_locally":true,"generator.inference_engine.tensor_parallel_size":1,"generator.inference_engine.weight_sync_backend":"nccl","strategy":"megatron","trainer.logprobs_chunk_size":null,"trainer.micro_forward_batch_size_per_gpu":8,"trainer.micro_train_batch_size_per_gpu":8,"trainer.placement.colocate_all":false,"trainer.placement.policy_num_gpus_per_node":1,"trainer.placement.policy_num_nodes":1,"trainer.policy.megatron_config.lora_config.merge_lora":false,"trainer.policy.megatron_config.pipeline_model_parallel_size":1,"trainer.policy.megatron_config.tensor_model_parallel_size":1,"trainer.policy.model.lora.max_cpu_loras":8,"trainer.policy.model.lora.max_loras":8}'

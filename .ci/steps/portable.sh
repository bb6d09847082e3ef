# The sandbox where bubblewrap cannot be: CPython as WebAssembly.
export PARLEY_PYTHON_WASM="$(python_wasm)"
go test -count=1 -timeout 20m -tags portable ./task/sandbox/wasm ./task/code
if have_shared; then export PARLEY_VECTORS="$shared/vectors"; fi
PARLEY_SANDBOX=wasm go test -count=1 -timeout 20m -run 'TestVectorsMAGRPO/(code_reward|cooperation_schemes)' ./internal/vectortest

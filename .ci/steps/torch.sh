# The engine torch against the embedded engine, in every family, and its worker in Python: on CPUs, with what a real one needs.
export PARLEY_TORCH_PYTHON="$(torch)/bin/python"
if have_shared; then
  export PARLEY_GOLDENS="$shared/goldens"
else
  left_out "the engine torch over the reference models"
fi
go test -tags torch -timeout 20m ./engine/torch
go test -tags torch -timeout 20m -run Torch ./train/cluster

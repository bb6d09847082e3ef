package hub

// A kind is what a repository on the hub holds.
type kind struct {
	noun    string
	api     string // between /api/ and the name
	address string // before the name in the address of a file
	folder  string // what the repository's folder in the cache begins with
	example string
}

var (
	models   = kind{"model", "models/", "", "models--", "HuggingFaceTB/SmolLM2-135M-Instruct"}
	datasets = kind{"data set", "datasets/", "datasets/", "datasets--", "openai/gsm8k"}
)

// Package shipped is the base model that parley brings along: a llama of 0.6 million parameters that solves word problems of
// task sums, half of the time with care. It was made from nothing by `go run ./tools/makebase`; docs/base-model.md tells how, and
// model/README.md is its card.
//
// It is small enough to train a team with on two CPU cores in minutes, good enough at its one task that training has
// something to find, and bad enough that there is something to gain.
package shipped

import (
	"embed"
	"io/fs"
)

// Name is the name by which recipes ask for this model.
const Name = "parley-base"

//go:embed model
var files embed.FS

// FS returns the model's folder in Hugging Face layout: config.json, generation_config.json, model.safetensors (bf16),
// tokenizer.json, tokenizer_config.json and the card README.md, all at its root.
func FS() fs.FS {
	model, err := fs.Sub(files, "model")
	if err != nil {
		panic("base: internal error: " + err.Error())
	}
	return model
}

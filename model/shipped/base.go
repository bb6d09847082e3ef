// Package shipped is the base models that parley brings along, llamas of 0.2 to 0.8 million parameters. [Sums] solves word problems of task
// sums, half of the time with care; [Weak] a quarter of the time, with words of its own for it. [Games] plays boards, mazes and Kuhn poker by the rules, and weakly. [Cards] says any legal move of Leduc poker,
// tiny Hanabi and the matrix games. [Coder] writes functions of a line for the code tasks' small problems, often wrong ones. [Writer] writes summaries,
// and commands for blocks. All were made from nothing by `go run ./tools/makebase`; docs/base-model.md tells how, and the README.md of each is its card.
//
// Beside them are two adapters over [Sums], each paid for one way of writing, and two verifiers: see [Folder].
//
// They are small enough to train a team with on two CPU cores in minutes, good enough at their tasks that training has something to find, and
// bad enough that there is something to gain.
package shipped

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
)

// The names by which recipes ask for the models.
const (
	Sums   = "parley-base" // the one that recipes have by default
	Weak   = "parley-weak"
	Games  = "parley-games"
	Cards  = "parley-cards"
	Coder  = "parley-coder"
	Writer = "parley-writer"
)

//go:embed model weak games cards coder writer adapters verifiers
var files embed.FS

// Names lists the models.
func Names() []string { return []string{Sums, Weak, Games, Cards, Coder, Writer} }

// FS returns the folder of a model in Hugging Face layout: config.json, generation_config.json, model.safetensors (bf16), tokenizer.json,
// tokenizer_config.json and the card README.md, all at its root; nil where no model of this name ships.
func FS(name string) fs.FS {
	folder, ships := map[string]string{Sums: "model", Weak: "weak", Games: "games", Cards: "cards", Coder: "coder", Writer: "writer"}[name]
	if !ships {
		return nil
	}
	model, err := fs.Sub(files, folder)
	if err != nil {
		panic("base: internal error: " + err.Error())
	}
	return model
}

// Folder calls do with the folder of what ships under a name, written to the disk for as long as do runs, and else with the name itself, which is
// a folder. parley-explains, which says its steps in words, and parley-plain, which writes bare sums, are adapters over [Sums] as PEFT lays them out, made
// by the recipes of examples/two-styles. parley-verifier and parley-weak-verifier are the verifiers of docs/verifier.md over [Sums] and [Weak].
func Folder(name string, do func(dir string) error) error {
	if !Ships(name) {
		return do(name)
	}
	dir, err := os.MkdirTemp("", "parley-shipped-")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer os.RemoveAll(dir)
	part, err := fs.Sub(files, folders[name])
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if err := os.CopyFS(dir, part); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return do(dir)
}

// Ships says whether an adapter or a verifier of a name comes with parley.
func Ships(name string) bool { return folders[name] != "" }

var folders = map[string]string{
	"parley-explains": "adapters/explains", "parley-plain": "adapters/plain",
	"parley-verifier": "verifiers/sums", "parley-weak-verifier": "verifiers/weak",
}

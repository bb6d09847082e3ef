package modelcmd

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/cmd/parley/internal/live"
	"parley/internal/usererror"
	"parley/model"
	"parley/model/hub"
)

type modelPullCmd struct {
	Name     string   `arg:"" help:"Name of a model on the Hugging Face Hub, such as HuggingFaceTB/SmolLM2-135M-Instruct, or the name that recipes have for it: smollm2-135m-instruct."`
	Files    []string `arg:"" optional:"" name:"files" help:"The same as --file."`
	Revision string   `default:"main" help:"Branch, tag or commit."`
	File     []string `sep:"none" placeholder:"PATTERN" help:"Pull only files that match. Repeatable. Default: configuration, tokenizer and safetensors, or the only .gguf file."`
	Less     bool     `name:"no-weights" help:"Pull configuration and tokenizer alone: enough on a machine that leads a training elsewhere (docs/cluster.md)."`
	JSON     bool     `name:"json" help:"Print one JSON object {\"name\",\"revision\",\"commit\",\"path\",\"files\"}."`
}

func (modelPullCmd) Help() string {
	return `Downloads a model into the Hugging Face cache, where other programs find it too. HF_HOME changes where the cache is. An interrupted pull continues where it stopped. Every file is verified. HF_TOKEN is the token for private and gated models. HF_ENDPOINT names another server.

Examples:

    parley model pull HuggingFaceTB/SmolLM2-135M-Instruct
    parley model pull ORG/REPOSITORY model.Q4_K_M.gguf
    parley model pull Qwen/Qwen3-8B --no-weights

Exit codes: 0 the model is in the cache; 1 the server or the disk failed; 2 the name or a setting is wrong; 130 interrupted, and what arrived is kept.`
}

func (c *modelPullCmd) Run(a *cli.App) error {
	if _, err := os.Stat(c.Name); err == nil || model.Ships(c.Name) {
		return cli.Usagef("%s is on this machine already: other verbs take it as it is", c.Name)
	}
	if c.Less && len(c.Files)+len(c.File) > 0 {
		return cli.Usagef("--no-weights says which files to pull: leave out --file")
	}
	if id := model.HubName(c.Name); id != "" {
		c.Name = id
	}
	r, err := live.Pull(a, c.Name, hub.Options{Revision: c.Revision, Weightless: c.Less, Files: append(c.Files, c.File...)})
	if errors.As(err, new(*net.OpError)) || errors.As(err, new(*net.DNSError)) {
		return fmt.Errorf("%w; %s", err, model.Elsewhere(c.Name))
	}
	if err != nil {
		return err
	}
	if len(r.Files) == 1 && strings.HasSuffix(strings.ToLower(r.Files[0].Path), ".gguf") {
		r.Path = filepath.Join(r.Path, filepath.FromSlash(r.Files[0].Path))
	}
	if c.JSON {
		return a.PrintJSON(r)
	}
	if c.Less {
		return a.Printf("%s is in %s, without its weights\n", r.Name, r.Path)
	}
	return a.Printf("%s is in %s\n%s\n", r.Name, r.Path, usererror.Quote("parley", "model", "show", r.Name))
}

// Package modelcmd is the verb model: base models are downloaded, listed, inspected, run and measured.
//
// Verbs that compute read JSON lines and write JSON lines. A verb has a file of its own; engine.go loads the model for all of them.
package modelcmd

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/model"
	"parley/model/config"
	"parley/model/shipped"
	"parley/model/weights/peft"
	"parley/team"
)

// Cmd is the verb model.
type Cmd struct {
	List modelListCmd `cmd:"" help:"List the models that can be used by name."`
	Show modelShowCmd `cmd:"" help:"Print the architecture, the size and the chat template of a model."`

	Pull     modelPullCmd     `cmd:"" help:"Download a model from the Hugging Face Hub."`
	Tokenize modelTokenizeCmd `cmd:"" help:"Encode texts and decode token ids."`
	Render   modelRenderCmd   `cmd:"" help:"Render conversations with the chat template."`
	Score    modelScoreCmd    `cmd:"" help:"Print the log-probability of each token."`
	Generate modelGenerateCmd `cmd:"" help:"Sample completions of prompts."`
	Grad     modelGradCmd     `cmd:"" help:"Compute the gradient of log-probabilities with respect to an adapter."`
	Bench    modelBenchCmd    `cmd:"" help:"Measure speed and memory of training and sampling."`
}

type modelListCmd struct {
	JSON bool `name:"json" help:"Print one JSON object {\"models\":[…]}."`
}

func (modelListCmd) Help() string {
	return `Lists the shipped model and the models in the Hugging Face cache. HF_HOME changes where the cache is.

Examples:

    parley model list
    parley model list --json

Exit codes: 0 listed.`
}

func (c *modelListCmd) Run(a *cli.App) error {
	type item struct {
		Name string `json:"name"`
		Path string `json:"path"` // empty: in the binary
	}
	var list []item
	for _, name := range shipped.Names() {
		list = append(list, item{name, ""})
	}
	for _, m := range model.Cached() {
		list = append(list, item{m.Name, m.Path})
	}
	if c.JSON {
		return a.PrintJSON(map[string]any{"models": list})
	}
	return a.Table(func(w io.Writer) {
		cli.Row(w, "model", "where")
		for _, m := range list {
			if m.Path == "" {
				m.Path = "in the binary"
			}
			cli.Row(w, m.Name, m.Path)
		}
	})
}

type modelShowCmd struct {
	Model string `arg:"" help:"Name of a model, a folder in Hugging Face layout, or a .gguf file."`
	JSON  bool   `name:"json" help:"Print one JSON object."`
}

func (modelShowCmd) Help() string {
	return `Prints the architecture, which engines can open it, the number of parameters, the memory of the weights in each data type, the tokenizer, each end token with what names it, and a short conversation as the chat template renders it.

Examples:

    parley model show parley-base
    parley model show SmolLM2-135M-Instruct.Q4_1.gguf --json

Exit codes: 0 shown; 2 there is no such model, or it cannot be read.`
}

// A modelInfo is what `model show` knows.
type modelInfo struct {
	Name         string           `json:"name"`
	Path         string           `json:"path"`
	Architecture string           `json:"architecture"`
	Engines      []string         `json:"engines"`           // that can open it
	Refused      string           `json:"refused,omitempty"` // why the embedded engine does not
	Layers       int              `json:"layers"`
	Hidden       int              `json:"hidden"`
	Heads        int              `json:"heads"`
	KVHeads      int              `json:"kv_heads"`
	Vocabulary   int              `json:"vocabulary"`
	Parameters   int64            `json:"parameters"`
	Bytes        map[string]int64 `json:"bytes"`  // memory of the weights by the type that they are held in
	Tokens       int              `json:"tokens"` // of the tokenizer
	EndTokens    []string         `json:"end_tokens"`
	Ends         []model.End      `json:"ends"`     // the end tokens, and what says that they are
	Dialogue     string           `json:"dialogue"` // a short one as the chat template renders it
	// Rewrites says what the template changes of earlier turns in later prompts; empty: nothing.
	Rewrites string `json:"rewrites,omitempty"`
	// Notes says where the model's files disagree, and which of them counts.
	Notes []string `json:"notes,omitempty"`
}

func (c *modelShowCmd) Run(a *cli.App) error {
	m, err := model.Open(c.Model)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	defer m.Close()
	info, err := describeModel(m)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	if c.JSON {
		return a.PrintJSON(info)
	}
	return a.Table(func(w io.Writer) { info.print(w) })
}

func describeModel(m *model.Model) (*modelInfo, error) {
	refused, config, err := engines(m)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", m.Name, err)
	}
	prompt, err := m.Prompt([]team.Message{{Role: team.User, Content: "Hello"}})
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", m.Name, err)
	}
	n := parameters(m)
	info := &modelInfo{
		Name: m.Name, Path: m.Path, Architecture: config.ModelType, Engines: []string{"embedded", "torch"}, Refused: refused, Layers: config.Layers, Hidden: config.Hidden, Heads: config.Heads,
		KVHeads: config.KVHeads, Vocabulary: config.Vocab, Parameters: n, Bytes: memory(n), Tokens: m.Tokenizer.Size(), Dialogue: m.Tokenizer.Decode(prompt, true), Ends: m.Ends(), Notes: m.Notes(),
	}
	if refused != "" {
		info.Engines = info.Engines[1:]
		info.Bytes = nil // as the embedded engine would hold them
	}
	for _, end := range m.Ends() {
		info.EndTokens = append(info.EndTokens, end.Text)
	}
	if err := m.CheckPrefix(); err != nil {
		info.Rewrites = err.Error()
	}
	return info, nil
}

// engines returns why the embedded engine does not open a model, and the model's shape; that of a family which only the torch engine may have is rough.
func engines(m *model.Model) (refused string, shape config.Config, err error) {
	shape, err = config.Parse(m.Source.Config())
	if err == nil {
		return "", shape, nil
	}
	refused = err.Error()
	if shape, err = config.Roughly(m.Source.Config()); err == nil {
		shape.ModelType = config.TypeOf(m.Source.Config())
	}
	return refused, shape, err
}

func parameters(m *model.Model) int64 {
	var sum int64
	for _, t := range m.Source.Tensors() {
		n := int64(1)
		for _, d := range t.Shape {
			n *= int64(d)
		}
		sum += n
	}
	return sum
}

// memory is what n weights take by type. int8 has a float32 scale for every 64 weights, nf4 one for every 64 half bytes.
func memory(n int64) map[string]int64 {
	return map[string]int64{"f32": 4 * n, "bf16": 2 * n, "int8": n + n/16, "nf4": n/2 + n/16}
}

// engineNote says what an engine asks for.
func (i *modelInfo) engineNote() string {
	if i.Refused != "" {
		return ", if transformers has the family; the embedded engine says: " + i.Refused
	}
	return " (engine.torch.device in a recipe)"
}

func (i *modelInfo) print(w io.Writer) {
	where := i.Path
	if where == "" {
		where = "in the binary"
	}
	cli.Row(w, "model", i.Name)
	cli.Row(w, "path", where)
	cli.Row(w, "architecture", fmt.Sprintf("%s, %d layers, hidden %d, %d heads (%d for keys and values)", i.Architecture, i.Layers, i.Hidden, i.Heads, i.KVHeads))
	cli.Row(w, "parameters", fmt.Sprintf("%.1f million", float64(i.Parameters)/1e6))
	cli.Row(w, "engines", strings.Join(i.Engines, ", ")+i.engineNote())
	for _, dtype := range []string{"f32", "bf16", "int8", "nf4"} {
		if n, known := i.Bytes[dtype]; known {
			cli.Row(w, "weights in "+dtype, cli.Mebibytes(n))
		}
	}
	cli.Row(w, "tokenizer", fmt.Sprintf("%d tokens", i.Tokens))
	for _, end := range i.Ends {
		cli.Row(w, "end token", fmt.Sprintf("%q, id %d: named by %s", end.Text, end.ID, strings.Join(end.From, "; ")))
	}
	cli.Row(w, "template", fmt.Sprintf("%q", i.Dialogue))
	if i.Rewrites != "" {
		cli.Row(w, "later turns", i.Rewrites)
	}
	for _, note := range i.Notes {
		cli.Row(w, "note", note)
	}
}

// wholeModel says that a folder holds a model, such as a full copy that a run trained, and no adapter.
func wholeModel(dir string) bool {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	return has("config.json") && !has(peft.ConfigFile)
}

// noteBase says on stderr that an adapter, whose shapes fit, names another base. Names are compared by their last part, and one may
// go on where the other ends: a quantised file of a model is that model.
func noteBase(a *cli.App, dir, model string) error {
	adapter, err := peft.Open(dir)
	if err != nil {
		return err
	}
	defer adapter.Close()
	last := func(name string) string { return strings.ToLower(filepath.Base(filepath.ToSlash(name))) }
	made, used := last(adapter.Base), last(model)
	if adapter.Base != "" && !strings.HasPrefix(made, used) && !strings.HasPrefix(used, made) {
		a.Sayf("note: the adapter %s was made for %s; its shapes fit %s as well\n", dir, adapter.Base, model)
	}
	return nil
}

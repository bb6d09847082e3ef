package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/model"
	"parley/model/hub"
)

type modelPullCmd struct {
	Name     string   `arg:"" help:"Name of a model on the Hugging Face Hub, such as HuggingFaceTB/SmolLM2-135M-Instruct."`
	Files    []string `arg:"" optional:"" name:"files" help:"The same as --file."`
	Revision string   `default:"main" help:"Branch, tag or commit."`
	File     []string `sep:"none" placeholder:"PATTERN" help:"Pull only files that match. Repeatable. Default: configuration, tokenizer and safetensors, or the only .gguf file."`
	JSON     bool     `name:"json" help:"Print one JSON object {\"name\",\"revision\",\"commit\",\"path\",\"files\"}."`
}

func (modelPullCmd) Help() string {
	return `Downloads a model into the Hugging Face cache, where other programs find it too. HF_HOME changes where the cache is. An interrupted pull continues where it stopped. Every file is verified. HF_TOKEN is the token for private and gated models. HF_ENDPOINT names another server.

Examples:

    parley model pull HuggingFaceTB/SmolLM2-135M-Instruct
    parley model pull ORG/REPOSITORY model.Q4_K_M.gguf

Exit codes: 0 the model is in the cache; 1 the server or the disk failed; 2 the name or a setting is wrong; 130 interrupted, and what arrived is kept.`
}

func (c *modelPullCmd) Run(a *app) error {
	if _, err := os.Stat(c.Name); err == nil || c.Name == model.Shipped {
		return usagef("%s is on this machine already: other verbs take it as it is", c.Name)
	}
	r, err := a.pull(c.Name, hub.Options{Revision: c.Revision, Files: append(c.Files, c.File...)})
	if err != nil {
		return err
	}
	if len(r.Files) == 1 && strings.HasSuffix(strings.ToLower(r.Files[0].Path), ".gguf") {
		r.Path = filepath.Join(r.Path, filepath.FromSlash(r.Files[0].Path))
	}
	if c.JSON {
		return a.printJSON(r)
	}
	return a.printf("%s is in %s\nparley model show %s\n", r.Name, r.Path, r.Name)
}

// pull downloads into the Hugging Face cache and shows how far it is.
func (a *app) pull(name string, opt hub.Options) (*hub.Result, error) {
	client, err := hub.NewClient(model.CacheRoot())
	if err != nil {
		return nil, usagef("%v", err)
	}
	out, _ := a.stderr.(*os.File)
	show := &pulling{w: a.stderr, now: time.Now, draw: out != nil && drawable(out)}
	opt.Free, opt.Observe = freeDisk, show.observe
	r, err := client.Pull(a.ctx, name, opt)
	show.close()
	switch {
	case errors.As(err, new(*hub.InputError)):
		return nil, usagef("%v", err)
	case errors.Is(err, context.Canceled):
		return nil, fmt.Errorf("interrupted; the same command goes on where it stopped: %w", err)
	}
	return r, err
}

// pulling shows the progress of a pull: one line that is drawn again and again on a terminal, else a plain one now and then.
type pulling struct {
	w     io.Writer
	now   func() time.Time
	draw  bool
	last  time.Time
	drawn bool
}

func (p *pulling) observe(at hub.Progress) {
	every := 10 * time.Second
	if p.draw {
		every = 100 * time.Millisecond
	}
	now := p.now()
	if at.Done < at.Total && !p.last.IsZero() && now.Sub(p.last) < every {
		return
	}
	p.last = now
	line := fmt.Sprintf("%s of %s  %s", mebibytes(at.Done), mebibytes(at.Total), at.File)
	if at.Waiting {
		line = "waiting for another process that downloads " + at.File
	}
	if p.draw {
		line = "\r\x1b[K" + line
		p.drawn = true
	} else {
		line += "\n"
	}
	fmt.Fprint(p.w, line)
}

// close ends the line that was drawn.
func (p *pulling) close() {
	if p.drawn {
		fmt.Fprintln(p.w)
	}
}

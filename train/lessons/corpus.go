package lessons

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"text/template"

	"parley/internal/usererror"
	"parley/learn/fuse"
	"parley/task"
	"parley/team"
)

// A text is what is to be learned of a problem: what a model is asked, and what it is to say.
type text struct {
	Problem task.Problem
	Asked   []team.Message
	Said    string
}

// corpusOf makes the texts of problems.
func corpusOf(s fuse.Settings, protocol team.Protocol, problems []task.Problem) ([]text, error) {
	say, err := fuse.Text(s)
	if err != nil {
		return nil, usererror.Errorf("fuse.text: %w", err)
	}
	out := make([]text, len(problems))
	for i, p := range problems {
		asks, err := protocol.Next(p, nil)
		if err != nil {
			return nil, usererror.Errorf("ask problem %s: %w", p.ID, err)
		}
		if out[i], err = textOf(say, p, asks[0].Messages); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func textOf(say *template.Template, p task.Problem, asked []team.Message) (text, error) {
	var said strings.Builder
	if err := say.Execute(&said, p); err != nil {
		return text{}, usererror.Errorf("fuse.text, for problem %s: %w", p.ID, err)
	}
	if strings.TrimSpace(said.String()) == "" {
		return text{}, usererror.Errorf("fuse.text is empty for problem %s: write a template that says something of every problem", p.ID)
	}
	return text{p, asked, said.String()}, nil
}

// fingerprint is what a corpus is known by: its texts in order, and what is asked before them.
func fingerprint(texts ...[]text) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, part := range texts {
		for _, t := range part {
			_ = enc.Encode([]any{t.Problem.ID, t.Asked, t.Said}) // a hash takes everything
		}
		_ = enc.Encode(nil)
	}
	return hex.EncodeToString(h.Sum(nil))
}

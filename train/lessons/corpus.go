package lessons

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"text/template"

	"parley/engine"
	"parley/internal/usererror"
	"parley/task"
	"parley/team"
)

// A text is what is to be learned of a problem: what a model is asked, and what it is to say.
type text struct {
	Problem task.Problem
	Asked   []team.Message
	Said    string
	pieces  []string // of Said, each in tokens of its own; nil: it is one

	policy engine.Policy // that reads it; the zero value: the base
	base   int           // of a team's
}

func problemsOf(texts []text) []task.Problem {
	out := make([]task.Problem, len(texts))
	for i, t := range texts {
		out[i] = t.Problem
	}
	return out
}

// corpusOf makes the texts of problems.
func corpusOf(say *template.Template, protocol team.Protocol, problems []task.Problem) ([]text, error) {
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

// textOf is the text of a problem; without a template somebody else says it.
func textOf(say *template.Template, p task.Problem, asked []team.Message) (text, error) {
	if say == nil {
		return text{Problem: p, Asked: asked}, nil
	}
	var said strings.Builder
	if err := say.Execute(&said, p); err != nil {
		return text{}, usererror.Errorf("fuse.text, for problem %s: %w", p.ID, err)
	}
	if strings.TrimSpace(said.String()) == "" {
		return text{}, usererror.Errorf("fuse.text is empty for problem %s: write a template that says something of every problem", p.ID)
	}
	return text{Problem: p, Asked: asked, Said: said.String()}, nil
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

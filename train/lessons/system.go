package lessons

import (
	"context"
	"fmt"
	"math"
	"unicode/utf8"

	"parley/runs"
)

// A System is what a model makes of the held-out texts.
type System struct {
	System  string  `json:"system"`
	Texts   int     `json:"texts"`
	Tokens  int     `json:"tokens"`      // of its own
	CE      float64 `json:"ce"`          // mean, a token of its own, in nats
	PerChar float64 `json:"ce_per_char"` // the same per character: comparable between tokenizers
	// Perplexity is e^CE.
	Perplexity float64 `json:"perplexity"`
}

// systemOf adds up what a model says about texts.
func systemOf(name string, reads []read, texts []text) System {
	s := System{System: name, Texts: len(texts)}
	sum, chars := 0.0, 0
	for i, r := range reads {
		s.Tokens += len(r.Tokens)
		sum += r.CE * float64(len(r.Tokens))
		chars += utf8.RuneCountInString(texts[i].Said)
	}
	s.CE, s.PerChar = sum/float64(max(s.Tokens, 1)), sum/float64(max(chars, 1))
	s.Perplexity = math.Exp(s.CE)
	return s
}

// Report measures and writes texts.json into the run; it returns a sentence for each system. Without lessons there is nothing to say.
func (l *Lessons) Report(ctx context.Context, run *runs.Run) ([]string, error) {
	if l == nil {
		return nil, nil
	}
	list, err := l.Measure(ctx)
	if err != nil {
		return nil, fmt.Errorf("measure the held-out texts: %w", err)
	}
	var out []string
	for _, s := range list {
		out = append(out, fmt.Sprintf("%d held-out texts, %s: cross-entropy %.4f a character, %.4f a token of its own (perplexity %.3f)", s.Texts, s.System, s.PerChar, s.CE, s.Perplexity))
	}
	return out, run.WriteJSON("texts.json", list)
}

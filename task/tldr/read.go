package tldr

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"parley/task"
	"parley/task/dataset/jsonl"
)

// record is one line of either form.
type record struct {
	// SciTLDR
	PaperID string   `json:"paper_id"`
	Title   string   `json:"title"`
	Source  []string `json:"source"` // sentences of the abstract
	Target  []string `json:"target"` // alternative summaries
	// trl-lib/tldr
	Prompt     string `json:"prompt"` // "SUBREDDIT: …\n\nTITLE: …\n\nPOST: …\n\nTL;DR:"
	Completion string `json:"completion"`
}

// Read reads problems from JSON lines, plain or gzipped, in SciTLDR's form (paper_id, title, source, target) or trl's tldr
// form (prompt, completion). The question is the text to be summarised; fields are title, reference (one human summary) and
// subreddit, where known. name is for error messages.
func Read(name string, r io.Reader) ([]task.Problem, error) {
	return jsonl.Problems(name, r, func(line int, data []byte) (task.Problem, error) {
		var rec record
		if err := json.Unmarshal(data, &rec); err != nil {
			return task.Problem{}, err
		}
		p, err := rec.problem()
		if err != nil {
			return p, err
		}
		if p.AddRow(data); p.ID == "" {
			p.ID = fmt.Sprintf("line-%d", line)
		}
		return p, nil
	})
}

func (r record) problem() (task.Problem, error) {
	p := task.Problem{ID: r.PaperID, Fields: map[string]string{}}
	switch {
	case len(r.Source) > 0:
		p.Question = strings.Join(r.Source, " ")
		setField(p.Fields, "title", r.Title)
		if len(r.Target) > 0 {
			setField(p.Fields, "reference", r.Target[0])
		}
	case r.Prompt != "":
		p.Question = redditPost(r.Prompt, p.Fields)
		setField(p.Fields, "reference", r.Completion)
	}
	if strings.TrimSpace(p.Question) == "" {
		return task.Problem{}, errors.New("no text to summarise: want source (a list of sentences) or prompt")
	}
	return p, nil
}

// redditPost returns the post of a trl prompt and notes its title and subreddit. A prompt of another form is returned whole.
func redditPost(prompt string, fields map[string]string) string {
	head, post, found := strings.Cut(prompt, "POST: ")
	if !found {
		return prompt
	}
	for line := range strings.SplitSeq(head, "\n") {
		if title, ok := strings.CutPrefix(line, "TITLE: "); ok {
			setField(fields, "title", title)
		}
		if subreddit, ok := strings.CutPrefix(line, "SUBREDDIT: "); ok {
			setField(fields, "subreddit", subreddit)
		}
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(post), "TL;DR:"))
}

func setField(fields map[string]string, name, value string) {
	if value = strings.TrimSpace(value); value != "" {
		fields[name] = value
	}
}

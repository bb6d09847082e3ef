package textstats

import (
	"fmt"
	"io"
	"strings"

	"parley/task"
	"parley/task/dataset"
)

// ReadPosts reads problems from JSON lines, plain or packed, in SciTLDR's form (paper_id, title, source, target) or trl's tldr
// form (prompt, completion). The question is the text to be summarised; fields are title, reference (one human summary) and
// subreddit, where known. name is for error messages.
func ReadPosts(name string, r io.Reader) ([]task.Problem, error) {
	return dataset.Problems(name, r, task.Rows(readPost))
}

func readPost(data []byte) (p task.Problem, err error) {
	r, err := dataset.ParseRecord(data)
	if err != nil {
		return p, err
	}
	p.Fields = map[string]string{}
	if r.Null("source") {
		err = fromPrompt(r, &p)
	} else {
		err = fromSentences(r, &p)
	}
	if err != nil {
		return p, err
	}
	if strings.TrimSpace(p.Question) == "" {
		return p, fmt.Errorf("no text to summarise: want source (a list of sentences) or prompt; the keys are %s", strings.Join(r.Keys(), ", "))
	}
	return p, nil
}

// fromSentences reads SciTLDR's form: source has the sentences of an abstract, target alternative summaries.
func fromSentences(r dataset.Record, p *task.Problem) error {
	source, err := r.Texts("source")
	if err != nil {
		return err
	}
	target, err := r.Texts("target")
	if err != nil {
		return err
	}
	title, err := r.Text("title")
	if err != nil {
		return err
	}
	p.Question = strings.Join(source, " ")
	setField(p.Fields, "title", title)
	if len(target) > 0 {
		setField(p.Fields, "reference", target[0])
	}
	p.ID, err = r.Text("paper_id")
	return err
}

// fromPrompt reads trl's form, whose prompt is "SUBREDDIT: …\n\nTITLE: …\n\nPOST: …\n\nTL;DR:".
func fromPrompt(r dataset.Record, p *task.Problem) error {
	prompt, err := r.Text("prompt")
	if err != nil {
		return err
	}
	completion, err := r.Text("completion")
	if err != nil {
		return err
	}
	if prompt != "" {
		p.Question = redditPost(prompt, p.Fields)
		setField(p.Fields, "reference", completion)
	}
	p.ID, err = r.First("paper_id", "id")
	return err
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

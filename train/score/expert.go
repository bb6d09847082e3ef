package score

// This file asks an external model how a pair should change its functions, for prompts of later turns (MAGRPO §9). The model
// answers with JSON, one edit for each function:
//
//	{"aux": "return the divisors only", "main": "handle the empty list"}
//
// What was asked and answered can be kept in a recording, a file of JSON lines by the hash of the question. What is recorded is
// never asked again, so that a run can be repeated without the model.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"parley/engine/openai"
	"parley/task"
)

// ExpertOptions say where the model is. Without a server everything comes from the recording.
type ExpertOptions struct {
	Server    *openai.Server // nil: none
	Model     string
	Recording string // file; empty: nothing is kept
}

// An Expert advises. Its methods are safe for concurrent use.
type Expert struct {
	model  string
	server *openai.Server // nil: only the recording answers

	turn      chan struct{}     // full while somebody asks
	recording *openai.Recording // nil: none
}

// OpenExpert reads the recording, where there is one.
func OpenExpert(o ExpertOptions) (*Expert, error) {
	e := &Expert{model: o.Model, server: o.Server, turn: make(chan struct{}, 1)}
	if o.Recording == "" {
		return e, nil
	}
	var err error
	e.recording, err = openai.OpenRecording(o.Recording)
	return e, err
}

// An Edit is what the model suggests for the two functions.
type Edit struct {
	Aux  string `json:"aux"`
	Main string `json:"main"`
}

// Advise returns what every agent is told: its report, and below a heading what the expert suggests for its function. The last
// response is main, those before are aux.
func (e *Expert) Advise(ctx context.Context, p task.Problem, responses, reports []string) ([]string, error) {
	edit, err := e.edit(ctx, expertQuestion(p, responses, reports))
	if err != nil {
		return nil, fmt.Errorf("ask the expert: %w", err)
	}
	out := make([]string, len(reports))
	for i, report := range reports {
		suggestion := edit.Aux
		if i == len(reports)-1 {
			suggestion = edit.Main
		}
		out[i] = report
		if suggestion != "" {
			out[i] += "\n\nSuggestion of an expert:\n" + suggestion
		}
	}
	return out, nil
}

// expertQuestion is what the model is asked.
func expertQuestion(p task.Problem, responses, reports []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Two programmers solve this problem together. One writes a helper function aux, the other the asked function, which may call aux.\n\n%s\n\n", p.Question)
	for i, r := range responses {
		fmt.Fprintf(&b, "Programmer %d wrote:\n%s\n\n", i+1, r)
		if i < len(reports) {
			fmt.Fprintf(&b, "A check of it says:\n%s\n\n", reports[i])
		}
	}
	b.WriteString(`Say how each function should change. Answer with one JSON object and nothing else: {"aux": "...", "main": "..."}`)
	return b.String()
}

// edit answers a question from the recording or asks the model.
func (e *Expert) edit(ctx context.Context, question string) (Edit, error) {
	sum := sha256.Sum256([]byte(e.model + "\x00" + question))
	key := hex.EncodeToString(sum[:])
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return Edit{}, ctx.Err()
	}
	if e.recording != nil {
		if line, ok := e.recording.Known(key); ok {
			var edit Edit
			err := json.Unmarshal(line.Edit, &edit)
			return edit, err
		}
	}
	if e.server == nil {
		return Edit{}, fmt.Errorf("the recording %s has no answer to this question, and no server is named", e.recording.File())
	}
	edit, err := e.ask(ctx, question)
	if err == nil && e.recording != nil {
		var data []byte
		if data, err = json.Marshal(edit); err == nil {
			err = e.recording.Add(openai.Line{Question: key, Edit: data})
		}
	}
	return edit, err
}

// ask takes the settings of the published feedback: 2048 tokens at temperature 0.3.
func (e *Expert) ask(ctx context.Context, question string) (edit Edit, err error) {
	r := openai.ChatRequest{Model: e.model, MaxTokens: 2048, Temperature: 0.3, Messages: []openai.Message{{Role: "user", Content: question}}}
	_, err = e.server.Chat(ctx, r, func(reply openai.ChatReply) (err error) {
		edit, err = parse(reply.Text)
		return err
	})
	return edit, err
}

// parse reads the edits out of an answer: what stands between the first and the last brace.
func parse(text string) (Edit, error) {
	from, to := strings.Index(text, "{"), strings.LastIndex(text, "}")
	var edit Edit
	if from < 0 || to < from || json.Unmarshal([]byte(text[from:to+1]), &edit) != nil {
		return Edit{}, fmt.Errorf("the answer is %.200q, expected a JSON object with aux and main", text)
	}
	return edit, nil
}

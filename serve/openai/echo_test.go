package openai

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/rl/rollout/gather"

	"parley/engine"
	"parley/serve"
)

// completed is an answer of /v1/completions, as clients read it.
type completed struct {
	Choices []struct {
		Index  int
		Text   string
		Finish string `json:"finish_reason"`
		Given  []map[string]struct {
			Logprob float32
		} `json:"prompt_logprobs"`
		Prompt []int `json:"prompt_token_ids"`
		Drawn  []int `json:"token_ids"`
		Logs   struct {
			Tokens   []string             `json:"tokens"`
			Logprobs []*float32           `json:"token_logprobs"`
			Tops     []map[string]float32 `json:"top_logprobs"`
			Offsets  []int                `json:"text_offset"`
		} `json:"logprobs"`
	}
	Usage struct {
		PromptTokens int `json:"prompt_tokens"`
		DrawnTokens  int `json:"completion_tokens"`
	}
}

func complete(t *testing.T, url, fields string) (out completed) {
	t.Helper()
	answer, body := asked{path: "/v1/completions", body: `{"model":"base",` + fields + `}`}.send(t, url)
	if err := json.Unmarshal([]byte(body), &out); err != nil || answer.StatusCode != 200 {
		t.Fatalf("%s: %d, %v, %s", fields, answer.StatusCode, err, body)
	}
	return out
}

// TestEcho: a prompt that is repeated has the log-probabilities that scoring finds, to the bit, and clients of multiple choice read them.
func TestEcho(t *testing.T) {
	m := base(t)
	_, url := listen(t, serve.GateOptions{}, m)
	w := m.Answerer.(serve.Writer)
	prompts := [][]int{{328, 28, 223, 40, 41}, {328}, {223, 40, 300}}
	given, _ := json.Marshal(prompts)
	for _, k := range []int{0, 1, 5} {
		out := complete(t, url, fmt.Sprintf(`"prompt":%s,"temperature":0,"max_tokens":1,"logprobs":%d,"seed":3,"echo":true,"n":2,"prompt_logprobs":%d,"return_token_ids":true`, given, k, k))
		plain := complete(t, url, fmt.Sprintf(`"prompt":%s,"temperature":0,"max_tokens":1,"logprobs":%d,"seed":3,"n":2`, given, k))
		if len(out.Choices) != 6 || out.Usage.PromptTokens != 9 || out.Usage.DrawnTokens != 6 {
			t.Fatalf("%+v", out)
		}
		for i, c := range out.Choices {
			prompt, logs := prompts[i/2], c.Logs
			n := len(prompt) + 1
			if c.Index != i || len(logs.Tokens) != n || len(logs.Logprobs) != n || len(logs.Tops) != n || len(logs.Offsets) != n || !slices.Equal(c.Prompt, prompt) || len(c.Drawn) != 1 {
				t.Fatalf("logprobs %d, choice %d: %+v", k, i, c)
			}
			if c.Text != w.Speaker().Model.Tokenizer.Decode(prompt, true)+plain.Choices[i].Text || *logs.Logprobs[n-1] != *plain.Choices[i].Logs.Logprobs[0] {
				t.Errorf("choice %d: %q with %g, without echo %+v", i, c.Text, *logs.Logprobs[n-1], plain.Choices[i])
			}
			if logs.Logprobs[0] != nil || logs.Tops[0] != nil || logs.Offsets[0] != 0 {
				t.Errorf("the first token has %v, %v", logs.Logprobs[0], logs.Tops[0])
			}
			scores := forward(t, w, prompt)
			for j := 1; j < n; j++ {
				own := *logs.Logprobs[j]
				if logs.Offsets[j] != logs.Offsets[j-1]+utf8.RuneCountInString(w.Speaker().Model.Tokenizer.Decode([]int{append(prompt[:len(prompt):len(prompt)], c.Drawn...)[j-1]}, true)) {
					t.Errorf("offsets %v", logs.Offsets)
				}
				if top, there := logs.Tops[j][logs.Tokens[j]]; !there || top < own || len(logs.Tops[j]) > k+1 || len(logs.Tops[j]) < max(k, 1) {
					t.Errorf("logprobs %d, token %d: %v beside %q, %g", k, j, logs.Tops[j], logs.Tokens[j], own)
				}
				if j == n-1 {
					continue
				}
				if own != scores[j-1] || own != c.Given[j][fmt.Sprint(prompt[j])].Logprob {
					t.Errorf("token %d: %g, scored %g, given %v", j, own, scores[j-1], c.Given[j])
				}
			}
		}
	}
}

// forward scores tokens as `parley model score` does.
func forward(t *testing.T, w serve.Writer, tokens []int) []float32 {
	t.Helper()
	if len(tokens) == 1 {
		return nil
	}
	var out []engine.Output
	err := w.Speaker().Engine.(*gather.Batcher).Alone(func(e engine.Continuous) (err error) {
		out, err = e.(engine.Engine).Forward(t.Context(), []engine.Datum{{Policy: w.Speaker().Policy, Tokens: tokens, ScoreFrom: 1}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out[0].Logprobs
}

// TestEchoChoices: a task of multiple choice, asked as lm-eval asks, has the answers that scoring has.
func TestEchoChoices(t *testing.T) {
	m := base(t)
	_, url := listen(t, serve.GateOptions{}, m)
	w := m.Answerer.(serve.Writer)
	encode := func(text string) []int { return must(w.Speaker().Model.Tokenizer.Encode(text, false)) }
	var questions []string
	for a := range 4 {
		for b := range 4 {
			questions = append(questions, fmt.Sprintf("What is %d + %d?", a, b))
		}
	}
	same := 0
	for _, q := range questions {
		context, best, scored := encode(q), -1, -1
		var rows [][]int
		for c := range 7 {
			rows = append(rows, slices.Concat(context, encode(fmt.Sprintf(" %d", c))))
		}
		given, _ := json.Marshal(rows)
		out := complete(t, url, fmt.Sprintf(`"prompt":%s,"temperature":0,"max_tokens":1,"logprobs":1,"seed":1234,"echo":true`, given))
		highest, most := math.Inf(-1), math.Inf(-1)
		for i, row := range rows {
			sum, score := 0.0, 0.0
			for j, p := range out.Choices[i].Logs.Logprobs[len(context) : len(out.Choices[i].Logs.Logprobs)-1] {
				sum, score = sum+float64(*p), score+float64(forward(t, w, row)[len(context)-1+j])
			}
			if sum > highest {
				highest, best = sum, i
			}
			if score > most {
				most, scored = score, i
			}
			if sum != score {
				t.Errorf("%s %d: %g, scored %g", q, i, sum, score)
			}
		}
		if best == scored {
			same++
		}
	}
	if same != len(questions) {
		t.Errorf("%d of %d questions have the answer that scoring has", same, len(questions))
	}
}

// TestEchoAlone: a prompt may be all that there is, up to the model's context, and a stream begins with it.
func TestEchoAlone(t *testing.T) {
	m := base(t)
	_, url := listen(t, serve.GateOptions{MaxBody: 1 << 20, Working: 8, Waiting: 8}, m)
	w := m.Answerer.(serve.Writer)
	alone := complete(t, url, `"prompt":"What is 2 + 3?","max_tokens":0,"echo":true,"logprobs":2`)
	if c := alone.Choices[0]; c.Text != "What is 2 + 3?" || c.Finish != "length" || alone.Usage.DrawnTokens != 0 || alone.Usage.PromptTokens != len(c.Logs.Tokens) || strings.Join(c.Logs.Tokens, "") != c.Text {
		t.Errorf("%+v", alone)
	}
	if text := complete(t, url, `"prompt":"What is","max_tokens":2,"echo":true,"seed":1`).Choices[0].Text; !strings.HasPrefix(text, "What is") {
		t.Errorf("%q", text)
	}
	var context int
	_ = w.Speaker().Engine.(*gather.Batcher).Alone(func(e engine.Continuous) error {
		context = e.(engine.Contexter).Context()
		return nil
	})
	full := strings.TrimSuffix(strings.Repeat("328,", context), ",")
	if out := complete(t, url, `"prompt":[`+full+`],"max_tokens":0,"echo":true`); out.Usage.PromptTokens != context {
		t.Errorf("%d tokens of %d", out.Usage.PromptTokens, context)
	}
	if answer, body := (asked{path: "/v1/completions", body: `{"model":"base","prompt":[` + full + `,328],"max_tokens":0,"echo":true}`}).send(t, url); answer.StatusCode != 400 || !strings.Contains(body, "context_length_exceeded") {
		t.Errorf("%d, %.300s", answer.StatusCode, body)
	}
	for _, k := range []string{"null", "0", "2"} {
		fields := `"prompt":["What is 2 + 3?","1 +"],"max_tokens":6,"seed":4,"echo":true,"n":2,"logprobs":` + k
		whole := complete(t, url, fields)
		_, body := asked{path: "/v1/completions", body: `{"model":"base","stream":true,` + fields + `}`}.send(t, url)
		chunks, done := chunksOf(t, body)
		joined := make([]completed, len(whole.Choices))
		texts := make([]string, len(whole.Choices))
		for _, c := range chunks {
			data, _ := json.Marshal(c)
			var one completed
			if err := json.Unmarshal(data, &one); err != nil || len(one.Choices) != 1 {
				t.Fatalf("%v: %s", err, data)
			}
			i := one.Choices[0].Index
			texts[i] += one.Choices[0].Text
			joined[i].Choices = append(joined[i].Choices, one.Choices[0])
		}
		for i, c := range whole.Choices {
			var tokens []string
			var offsets []int
			for _, piece := range joined[i].Choices {
				tokens, offsets = append(tokens, piece.Logs.Tokens...), append(offsets, piece.Logs.Offsets...)
			}
			if first := joined[i].Choices[0].Text; !done || texts[i] != c.Text || first != []string{"What is 2 + 3?", "1 +"}[i/2] || !slices.Equal(tokens, c.Logs.Tokens) || !slices.Equal(offsets, c.Logs.Offsets) {
				t.Errorf("logprobs %s: streamed %q, %q at %v, whole %q, %q at %v", k, texts[i], tokens, offsets, c.Text, c.Logs.Tokens, c.Logs.Offsets)
			}
		}
	}
}

// TestTokenBytes: a token that is part of a character has its own bytes, and a name of its own.
func TestTokenBytes(t *testing.T) {
	m := base(t)
	w := m.Answerer.(serve.Writer)
	task := &completionTask{completionRequest: &completionRequest{}, writer: w}
	tokenizer := w.Speaker().Model.Tokenizer
	names, parts := map[string]int{}, 0
	for id := range tokenizer.Size() {
		data := tokenizer.Bytes(id)
		p := probableOf(w, id, 0)
		if len(p.Bytes) != len(data) || utf8.Valid(data) && p.Token != string(data) {
			t.Errorf("token %d: %+v of %q", id, p, data)
		}
		if utf8.Valid(data) {
			continue
		}
		parts++
		if other, there := names[task.called(id)]; there {
			t.Errorf("tokens %d and %d are both called %s", id, other, task.called(id))
		}
		names[task.called(id)] = id
	}
	if parts < 100 || names[`bytes:\xe2`] == 0 {
		t.Errorf("%d parts of characters: %v", parts, names)
	}
}

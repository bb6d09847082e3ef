package load

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A request is one that a client sends. Its answer is a function of it.
type request struct {
	path, body string
	stream     bool
}

// cases are what well-behaved clients ask, in every way that they have: of a team, of its agent and of a model, whole and streamed, by a seed and at
// temperature 0.
func cases() []request {
	var out []request
	for i := range 6 {
		question := fmt.Sprintf("What is %d + %d?", 2+i, 3+i%3)
		messages := fmt.Sprintf(`"messages":[{"role":"user","content":%q}]`, question)
		for _, stream := range []bool{false, true} {
			add := func(path, format string, args ...any) {
				body := fmt.Sprintf(format, args...)
				out = append(out, request{path, body[:len(body)-1] + fmt.Sprintf(`,"stream":%v}`, stream), stream})
			}
			for _, model := range []string{Team, agent, Model} {
				add("/v1/chat/completions", `{"model":%q,%s,"seed":%d,"temperature":1,"max_tokens":%d}`, model, messages, i-3, 8+8*i)
			}
			add("/v1/chat/completions", `{"model":%q,%s,"temperature":0,"max_tokens":%d,"n":2,"seed":0}`, Model, messages, 10+10*i)
			add("/v1/completions", `{"model":%q,"prompt":[%q,%q],"seed":%d,"max_tokens":%d,"logprobs":0,"return_token_ids":true}`, Model, "Question:", question, i, 4+6*i)
			add("/v1/responses", `{"model":%q,"input":%q,"seed":%d,"max_output_tokens":%d}`, Team, question, i, 20)
			add("/api/chat", `{"model":%q,%s,"options":{"seed":%d,"num_predict":%d}}`, Team, messages, i, 20)
			add("/api/generate", `{"model":%q,"prompt":%q,"options":{"temperature":0,"num_predict":%d}}`, Model, question, 10+5*i)
		}
	}
	return out
}

// What has to be served.
const (
	Team  = "chain-tiny"
	agent = "chain-tiny/agent-editor"
	Model = "parley-base"
)

// varying are the keys that differ between two answers to one request.
var varying = []string{"id", "created", "created_at", "item_id", "total_duration", "eval_duration", "load_duration", "prompt_eval_duration"}

// answer is all of an answer that the request determines; it is not whole where it was cut, or ends with an error.
func (r request) answer(data []byte) (string, error) {
	if !r.stream {
		v, err := reduced(data)
		return v, err
	}
	return r.streamed(data)
}

// streamed puts the pieces of an answer together: how a text is cut into pieces is chance.
func (r request) streamed(data []byte) (string, error) {
	texts := map[string]string{}
	ended := false
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		line := strings.TrimPrefix(lines.Text(), "data: ")
		if !strings.HasPrefix(line, "{") {
			continue
		}
		var p piece
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			return "", err
		}
		if len(p.Error) > 0 && string(p.Error) != "null" {
			return "", fmt.Errorf("the stream ends with %s", p.Error)
		}
		for _, c := range p.Choices {
			at := fmt.Sprint(c.Index, " ")
			texts[at+"reasoning"] += c.Delta.Reasoning
			texts[at+"text"] += c.Delta.Content + c.Text
			texts[at+"ids"] += string(c.IDs)
			texts[at+"end"] += c.Finish
			ended = ended || c.Finish != ""
		}
		texts["text"] += p.Message.Content + p.Response.Text
		texts["reasoning"] += p.Message.Thinking
		switch {
		case p.Type == "response.completed" || p.Type == "response.incomplete":
			whole, err := reduced([]byte(line))
			if err != nil {
				return "", err
			}
			texts["response"], ended = whole, true
		case p.Done:
			texts["end"], ended = fmt.Sprint(p.DoneReason, p.Drawn), true
		}
	}
	if !ended {
		return "", errors.New("the stream was cut")
	}
	out, err := json.Marshal(texts)
	return string(out), err
}

// A piece is what pieces of all protocols have.
type piece struct {
	Choices []struct {
		Index int `json:"index"`
		Delta struct {
			Content   string `json:"content"`
			Reasoning string `json:"reasoning"`
		} `json:"delta"`
		Text   string          `json:"text"`
		IDs    json.RawMessage `json:"token_ids"`
		Finish string          `json:"finish_reason"`
	} `json:"choices"`
	Message struct {
		Content  string `json:"content"`
		Thinking string `json:"thinking"`
	} `json:"message"`
	Response   response        `json:"response"`
	Type       string          `json:"type"`
	Done       bool            `json:"done"`
	DoneReason string          `json:"done_reason"`
	Drawn      int             `json:"eval_count"`
	Error      json.RawMessage `json:"error"`
}

// A response is a text in one protocol, and an object in another, which is read whole at its end.
type response struct{ Text string }

func (r *response) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &r.Text)
	}
	return nil
}

// reduced is a JSON value without what varies, in one spelling.
func reduced(data []byte) (string, error) {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return "", fmt.Errorf("the answer is no JSON: %w", err)
	}
	strip(v)
	out, err := json.Marshal(v)
	return string(out), err
}

func strip(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range varying {
			delete(v, key)
		}
		for _, inner := range v {
			strip(inner)
		}
	case []any:
		for _, inner := range v {
			strip(inner)
		}
	}
}

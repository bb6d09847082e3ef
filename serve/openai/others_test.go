package openai

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/serve"
)

// bodies are requests without anything special, by route.
var bodies = map[route]struct{ path, fields string }{
	chats:       {"/v1/chat/completions", `"messages":[{"role":"user","content":"2 + 3?"}],"seed":1,"max_tokens":4`},
	completions: {"/v1/completions", `"prompt":"2 + 3","seed":1,"max_tokens":4`},
	responses:   {"/v1/responses", `"input":"2 + 3?","seed":1,"max_output_tokens":4`},
}

// TestOthers: every field that is not done is refused by its name, and taken where it changes nothing.
func TestOthers(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, base(t))
	for _, o := range others() {
		for name := range strings.FieldsSeq(o.names) {
			for on, b := range bodies {
				if o.on&on == 0 {
					continue
				}
				send := func(value string) (int, string) {
					answer, body := asked{path: b.path, body: `{"model":"base",` + b.fields + `,"` + name + `":` + value + `}`}.send(t, url)
					return answer.StatusCode, body
				}
				if status, body := send(`{"7":1.5}`); status != 400 || !strings.Contains(body, `"param":"`+name+`"`) || !strings.Contains(body, "unsupported_parameter") {
					t.Errorf("%s, %s: %d, %s", b.path, name, status, body)
				}
				for _, value := range append([]string{"null"}, o.alike...) {
					if status, body := send(value); status != 200 {
						t.Errorf("%s, %s is %s: %d, %s", b.path, name, value, status, body)
					}
				}
			}
		}
	}
}

// TestOthersPage: docs/serving.md lists these fields, where they are refused, and what they may be.
func TestOthersPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/serving.md")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]route{"all": everywhere, "chat": chats, "completions": completions, "responses": responses, "chat, responses": chats | responses}
	quoted := regexp.MustCompile("`([^`]+)`")
	got := map[string][]string{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 {
			continue
		}
		on, known := words[strings.TrimSpace(cells[1])]
		if !known {
			continue
		}
		var alike []string
		for _, m := range quoted.FindAllStringSubmatch(cells[2], -1) {
			alike = append(alike, m[1])
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[0], -1) {
			got[fmt.Sprint(m[1], on)] = alike
		}
	}
	want := map[string][]string{}
	for _, o := range others() {
		for name := range strings.FieldsSeq(o.names) {
			want[fmt.Sprint(name, o.on)] = o.alike
		}
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("the page has\n%v\nexpected\n%v", got, want)
	}
}

// TestLeftAlone: fields that change no answer change none.
func TestLeftAlone(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, base(t))
	text := func(fields string) string {
		answer, body := asked{path: "/v1/chat/completions", body: `{"model":"base",` + bodies[chats].fields + fields + `}`}.send(t, url)
		var out struct {
			Choices []struct{ Message struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(body), &out); err != nil || answer.StatusCode != 200 {
			t.Fatalf("%s: %d, %s", fields, answer.StatusCode, body)
		}
		return out.Choices[0].Message.Content
	}
	plain := text("")
	for _, fields := range []string{
		`"user":"me"`, `"metadata":{"a":"b"}`, `"store":true`, `"service_tier":"flex"`, `"safety_identifier":"x"`, `"prompt_cache_key":"x"`, `"prompt_cache_retention":"24h"`, `"prompt_cache_options":{"ttl":"30m"}`,
		`"reasoning_effort":"low"`, `"verbosity":"low"`, `"prediction":{"type":"content","content":"5"}`, `"parallel_tool_calls":false`, `"priority":1`, `"request_id":"x"`,
		`"cache_salt":"x"`, `"spaces_between_special_tokens":false`, `"top_k":-1`, `"add_generation_prompt":true`, `"nobody_knows":1`,
	} {
		if got := text("," + fields); got != plain {
			t.Errorf("%s: %q, without %q", fields, got, plain)
		}
	}
}

// TestTopK: top_k of a chat cuts what is drawn from, and log-probabilities say so.
func TestTopK(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, base(t))
	read := func(fields string) (text string, logprobs []float32) {
		_, body := asked{path: "/v1/chat/completions", body: `{"model":"base","messages":[{"role":"user","content":"2 + 3?"}],"max_tokens":12,"logprobs":true,"seed":9,` + fields + `}`}.send(t, url)
		var out struct {
			Choices []struct {
				Message  struct{ Content string }
				Logprobs struct{ Content []struct{ Logprob float32 } }
			}
		}
		if err := json.Unmarshal([]byte(body), &out); err != nil || len(out.Choices) != 1 {
			t.Fatalf("%v: %s", err, body)
		}
		for _, p := range out.Choices[0].Logprobs.Content {
			logprobs = append(logprobs, p.Logprob)
		}
		return out.Choices[0].Message.Content, logprobs
	}
	one, certain := read(`"top_k":1,"temperature":2`)
	if greedy, _ := read(`"temperature":0`); one != greedy || len(certain) == 0 || slices.Min(certain) != 0 {
		t.Errorf("the most probable token alone: %q with %v, greedily %q", one, certain, greedy)
	}
	if hot, _ := read(`"temperature":2`); hot == one {
		t.Errorf("%q with and without a cut", hot)
	}
	if answer, body := (asked{path: "/v1/chat/completions", body: `{"model":"base",` + bodies[chats].fields + `,"top_k":-2}`}).send(t, url); answer.StatusCode != 400 || !strings.Contains(body, `"param":"top_k"`) {
		t.Errorf("%d, %s", answer.StatusCode, body)
	}
}

// TestContinue: a model goes on within the assistant's last message, as the template leaves it open.
func TestContinue(t *testing.T) {
	w, m := templated(t, "qwen2.5")
	w.text = " 5."
	_, url := listen(t, serve.GateOptions{}, append(echoes(), m)...)
	messages := `"messages":[{"role":"user","content":"2 + 3?"},{"role":"assistant","content":"It is"}]`
	if got := talk(t, url, messages+`,"continue_final_message":true,"add_generation_prompt":false`); got.text != " 5." {
		t.Errorf("%+v", got)
	}
	if prompt := w.model.Tokenizer.Decode(w.prompt, true); !strings.HasSuffix(prompt, "<|im_start|>user\n2 + 3?<|im_end|>\n<|im_start|>assistant\nIt is") {
		t.Errorf("%q", prompt)
	}
	for fields, param := range map[string]string{
		`"model":"base",` + messages:                                                                                              "messages",
		`"model":"base",` + messages + `,"add_generation_prompt":false`:                                                           "add_generation_prompt",
		`"model":"base",` + messages + `,"add_generation_prompt":true,"continue_final_message":true`:                              "continue_final_message",
		`"model":"base","messages":[{"role":"user","content":"x"}],"continue_final_message":true`:                                 "continue_final_message",
		`"model":"base","messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f"}}]}],"continue_final_message":true`: "continue_final_message",
		`"model":"echo",` + messages + `,"continue_final_message":true`:                                                           "continue_final_message",
	} {
		if answer, body := (asked{path: "/v1/chat/completions", body: `{` + fields + `}`}).send(t, url); answer.StatusCode != 400 || !strings.Contains(body, `"param":"`+param+`"`) {
			t.Errorf("%s: %d, %s", fields, answer.StatusCode, body)
		}
	}
}

// TestOneCall: where calls may not be parallel, the first one counts.
func TestOneCall(t *testing.T) {
	w, m := templated(t, "qwen2.5")
	w.text = strings.Repeat(`<tool_call>{"name": "weather", "arguments": {}}</tool_call>`, 2)
	_, url := listen(t, serve.GateOptions{}, m)
	for fields, want := range map[string]int{"": 2, `,"parallel_tool_calls":true`: 2, `,"parallel_tool_calls":false`: 1} {
		if got := talk(t, url, `"messages":[{"role":"user","content":"Oslo?"}],"seed":5,`+weather+fields); len(got.calls) != want || got.finish != "tool_calls" {
			t.Errorf("%s: %+v", fields, got)
		}
	}
}

// TestLogits: biases, penalties and min_p change what is drawn, and log-probabilities are those of what they leave.
func TestLogits(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, append(echoes(), base(t))...)
	type drawn struct {
		Choices []struct {
			Text     string
			Logprobs struct {
				Tokens   []string             `json:"tokens"`
				Logprobs []float64            `json:"token_logprobs"`
				Tops     []map[string]float64 `json:"top_logprobs"`
			}
		}
	}
	send := func(fields string) (out drawn) {
		t.Helper()
		answer, body := asked{path: "/v1/completions", body: `{"model":"base","prompt":"2 + 3","seed":4,` + fields + `}`}.send(t, url)
		if err := json.Unmarshal([]byte(body), &out); err != nil || answer.StatusCode != 200 {
			t.Fatalf("%s: %d, %s", fields, answer.StatusCode, body)
		}
		return out
	}
	plain := send(`"max_tokens":1,"logprobs":5,"return_tokens_as_token_ids":true`).Choices[0].Logprobs
	var first, second string
	for token, p := range plain.Tops[0] {
		if q, there := plain.Tops[0][first]; !there || p > q {
			first, second = token, first
		} else if q, there := plain.Tops[0][second]; !there || p > q {
			second = token
		}
	}
	id := strings.TrimPrefix(first, "token_id:")
	biased := send(`"max_tokens":1,"temperature":0,"logprobs":5,"return_tokens_as_token_ids":true,"logit_bias":{"` + id + `":-100}`).Choices[0].Logprobs
	gone := math.Log1p(-math.Exp(plain.Tops[0][first]))
	if biased.Tokens[0] != second || math.Abs(biased.Logprobs[0]-(plain.Tops[0][second]-gone)) > 1e-4 || math.Abs(biased.Tops[0][second]-biased.Logprobs[0]) > 1e-5 {
		t.Errorf("without the most probable token %s the model draws %+v, expected %s with %v", first, biased, second, plain.Tops[0][second]-gone)
	}
	if got := send(`"max_tokens":6,"temperature":2,"ignore_eos":true,"logprobs":0,"logit_bias":{"` + id + `":100},"return_tokens_as_token_ids":true`).Choices[0].Logprobs; strings.Join(got.Tokens, " ") != strings.TrimSpace(strings.Repeat(first+" ", 6)) {
		t.Errorf("a token that is 100 more likely is not all that is drawn: %v", got.Tokens)
	}
	if got := send(`"max_tokens":12,"temperature":0,"ignore_eos":true,"logprobs":0,"presence_penalty":2,"frequency_penalty":2,"logit_bias":{"` + id + `":5},"return_tokens_as_token_ids":true`).Choices[0].Logprobs.Tokens; got[0] != first || strings.Count(strings.Join(got, " ")+" ", first+" ") > 4 {
		t.Errorf("penalties let a token come again and again: %v", got)
	}
	if a, b := send(`"max_tokens":12,"temperature":2,"min_p":1,"logprobs":0`).Choices[0], send(`"max_tokens":12,"temperature":0`).Choices[0]; a.Text != b.Text || slices.Max(a.Logprobs.Logprobs) != 0 {
		t.Errorf("where only the most probable token is left, the text is %+v, expected %q", a, b.Text)
	}
	if a, b := send(`"max_tokens":20,"temperature":0,"ignore_eos":true,"repetition_penalty":1.8`).Choices[0].Text, send(`"max_tokens":20,"temperature":0,"ignore_eos":true`).Choices[0].Text; a == b {
		t.Errorf("a penalty on repetition changes nothing of %q", a)
	}
	if got := send(`"max_tokens":8,"structured_outputs":{"regex":"[ab]{3}"},"logit_bias":{"` + id + `":100},"logprobs":3`).Choices[0].Text; len(strings.Trim(got, "ab")) > 0 || len(got) != 3 {
		t.Errorf("a bias lets %q in, which is not of the form", got)
	}
	for fields, param := range map[string]string{
		`"frequency_penalty":3`: "frequency_penalty", `"presence_penalty":-2.1`: "presence_penalty", `"repetition_penalty":0`: "repetition_penalty", `"min_p":1.5`: "min_p", `"min_p":"x"`: "min_p",
		`"logit_bias":{"-1":1}`: "logit_bias", `"logit_bias":{"a":1}`: "logit_bias", `"logit_bias":{"5":101}`: "logit_bias.5", `"logit_bias":{"99999":1}`: "logit_bias", `"logit_bias":[1]`: "logit_bias",
		`"repetition_penalty":1.1,"logprobs":1`: "repetition_penalty",
	} {
		if answer, body := (asked{path: "/v1/completions", body: `{"model":"base","prompt":"x",` + fields + `}`}).send(t, url); answer.StatusCode != 400 || !strings.Contains(body, `"param":"`+param+`"`) {
			t.Errorf("%s: %d, %s", fields, answer.StatusCode, body)
		}
	}
	if _, body := (asked{path: "/v1/chat/completions", body: `{"model":"runs/team",` + bodies[chats].fields + `,"min_p":0.1}`}).send(t, url); !strings.Contains(body, "unsupported_parameter") {
		t.Errorf("a team says %s", body)
	}
}

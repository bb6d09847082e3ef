package openai

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"parley/rl/rollout/gather"

	"parley/engine"
	"parley/engine/native"
	"parley/serve"
	"parley/serve/chatsession"
)

// drawing is a base whose template is another, on an engine that draws.
func drawing(t *testing.T, template string) serve.Model {
	t.Helper()
	w, _ := templated(t, template)
	e, err := native.Open(w.model.Source, engine.Options{Lexicon: w.model.Lexicon})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	v := chatsession.Speaker{Engine: gather.NewBatcher(e), Model: w.model}
	return serve.Model{ID: "base", Answerer: serve.NewSingle(v, chatsession.Settings{Sampling: engine.Sampling{Temperature: 1}, MaxTokens: 1 << 20})}
}

// texts are the answers of any route.
func textsOf(t *testing.T, body string) (texts []string, reasons []string) {
	t.Helper()
	var out struct {
		Choices []struct {
			Text    string
			Message struct{ Content string }
			Reason  string `json:"finish_reason"`
		}
		Output   []struct{ Content []struct{ Text string } }
		Status   string
		Response *string
	}
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	for _, c := range out.Choices {
		texts, reasons = append(texts, c.Text+c.Message.Content), append(reasons, c.Reason)
	}
	for _, item := range out.Output {
		for _, part := range item.Content {
			texts, reasons = append(texts, part.Text), append(reasons, out.Status)
		}
	}
	if out.Response != nil {
		texts = append(texts, *out.Response)
	}
	return texts, reasons
}

// TestForms: an answer has the form that a client asks for, on every route, whatever else it asks for.
func TestForms(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, base(t))
	const schema = `{"type":"object","properties":{"answer":{"type":"integer","minimum":10,"maximum":99}},"required":["answer"]}`
	const object, number, any = `^\{"answer": ?[1-9]\d\}$`, `^[0-9]{3}$`, `^\{.*\}$`
	for _, c := range []struct {
		on           route
		fields, want string
	}{
		{chats, `"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":` + schema + `}}`, object},
		{chats, `"response_format":{"type":"json_schema","json_schema":{"schema":` + schema + `}},"logprobs":true,"top_logprobs":20`, object},
		{chats, `"response_format":{"type":"json_object"}`, any},
		{chats, `"response_format":{"type":"json_object","schema":` + schema + `}`, object},
		{chats, `"response_format":{"type":"json_object"},"structured_outputs":null,"tools":[{"type":"function","function":{"name":"f"}}]`, any},
		{chats, `"structured_outputs":{"regex":"[0-9]{3}"},"n":3`, number},
		{chats, `"structured_outputs":{"choice":["left","right"]},"temperature":2`, `^(left|right)$`},
		{chats, `"structured_outputs":{"json":` + schema + `,"regex":null}`, object},
		{chats, `"response_format":{"type":"text"},"structured_outputs":{"json_object":true}`, any},
		{completions, `"response_format":{"type":"json_schema","json_schema":{"schema":` + schema + `}},"logprobs":5`, object},
		{completions, fmt.Sprintf(`"structured_outputs":{"json":%q},"echo":true,"logprobs":3`, schema), `^2 \+ 3\{"answer": ?[1-9]\d\}$`},
		{completions, `"structured_outputs":{"regex":"[0-9]{3}"},"n":2,"min_tokens":0,"ignore_eos":false`, number},
		{completions, `"structured_outputs":{"choice":["1234"]},"stop":"3"`, `^12$`},
		{completions, `"structured_outputs":{"choice":["","a"]}`, `^a?$`},
		{responses, `"text":{"format":{"type":"json_schema","name":"a","schema":` + schema + `}}`, object},
		{responses, `"structured_outputs":{"regex":"[0-9]{3}"}`, number},
	} {
		b := bodies[c.on]
		fields := strings.NewReplacer(`"max_tokens":4`, `"max_tokens":60`, `"max_output_tokens":4`, `"max_output_tokens":60`).Replace(b.fields)
		answer, body := asked{path: b.path, body: `{"model":"base",` + fields + `,` + c.fields + `}`}.send(t, url)
		texts, reasons := textsOf(t, body)
		if answer.StatusCode != 200 || len(texts) == 0 {
			t.Errorf("%s: %d, %s", c.fields, answer.StatusCode, body)
		}
		for i, text := range texts {
			if !regexp.MustCompile(c.want).MatchString(text) || reasons[i] != "stop" && reasons[i] != "completed" {
				t.Errorf("%s: %q, which ended by %s, want %s", c.fields, text, reasons[i], c.want)
			}
		}
	}
	_, body := asked{path: "/v1/chat/completions", body: `{"model":"base","messages":[{"role":"user","content":"x"}],"max_tokens":3,"structured_outputs":{"regex":"[0-9]{5}"}}`}.send(t, url)
	if texts, reasons := textsOf(t, body); !regexp.MustCompile(`^[0-9]{1,3}$`).MatchString(texts[0]) || reasons[0] != "length" {
		t.Errorf("where no text fits, the answer is %s", body)
	}
}

// TestFormRefusals: what cannot be forced says which field asks for it, and where.
func TestFormRefusals(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, append(echoes(), base(t))...)
	const tool = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"uniqueItems":true}}}}}]`
	for _, c := range []struct {
		on                        route
		fields, param, code, says string
	}{
		{chats, `"response_format":{"type":"json_schema","json_schema":{"schema":{"properties":{"a":{"not":{}}}}}}`, "response_format", "invalid_schema", "/properties/a: not cannot be forced"},
		{responses, `"text":{"format":{"type":"json_schema","schema":{"type":"never"}}}`, "text.format", "invalid_schema", "type must be of"},
		{completions, `"structured_outputs":{"regex":"\\b"}`, "structured_outputs", "invalid_schema", ""},
		{completions, `"structured_outputs":{"choice":[]}`, "structured_outputs", "invalid_schema", "no finite text"},
		{completions, `"structured_outputs":{"choice":3}`, "structured_outputs", "invalid_schema", "choice is no array of texts"},
		{completions, `"structured_outputs":{"regex":["a"]}`, "structured_outputs", "invalid_schema", "regex is no text"},
		{chats, `"response_format":{"type":"json_object","schema":{"not":{}}}`, "response_format", "invalid_schema", "not cannot be forced"},
		{completions, `"structured_outputs":{"json":"no JSON"}`, "structured_outputs", "invalid_schema", "no JSON"},
		{completions, `"structured_outputs":{"regex":"a"},"ignore_eos":true`, "ignore_eos", "", "beside a form"},
		{completions, `"structured_outputs":{"regex":"a"},"min_tokens":1`, "min_tokens", "", "beside a form"},
		{completions, `"structured_outputs":{"regex":"a"},"stop_token_ids":[3]`, "stop_token_ids", "", "beside a form"},
		{completions, `"structured_outputs":{"regex":"a"},"response_format":{"type":"json_object"}`, "structured_outputs", "", "one form"},
		{chats, `"structured_outputs":{"regex":"a","choice":["a"]}`, "structured_outputs", "invalid_schema", "several"},
		{chats, `"structured_outputs":{"grammar":"x"}`, "structured_outputs", "unsupported_parameter", "grammar"},
		{chats, `"structured_outputs":{"regex":"a"},"tool_choice":"required"`, "tool_choice", "", "another form"},
		{chats, `"structured_outputs":{"json":{"anyOf":[` + strings.Repeat(`{"const":1},`, 300) + `{"const":1}]}}`, "structured_outputs", "invalid_schema", "too ambiguous"},
		{chats, `"response_format":{"type":"json_schema"},"tool_choice":"required"`, "response_format", "invalid_schema", "has no schema"},
		{chats, `"tool_choice":"required"`, "tool_choice", "invalid_schema", "no tools"},
		{chats, `"tool_choice":"required",` + tool, "tool_choice", "invalid_schema", "tools[0].function.parameters: /properties/a: uniqueItems cannot be forced"},
		{chats, `"tool_choice":{"type":"function","function":{"name":"g"}},` + tool, "tool_choice", "invalid_schema", `no function "g"`},
		{chats, `"tool_choice":{"type":"allowed_tools"}`, "tool_choice", "unsupported_parameter", ""},
		{responses, `"tool_choice":{"type":"web_search"}`, "tool_choice", "unsupported_parameter", ""},
	} {
		answer, body := asked{path: bodies[c.on].path, body: `{"model":"base",` + bodies[c.on].fields + `,` + c.fields + `}`}.send(t, url)
		var said struct {
			Error struct{ Message, Param, Code string }
		}
		if err := json.Unmarshal([]byte(body), &said); err != nil || answer.StatusCode != 400 || said.Error.Param != c.param || said.Error.Code != c.code || !strings.Contains(said.Error.Message, c.says) {
			t.Errorf("%s: %d, %s", c.fields, answer.StatusCode, body)
		}
	}
	if _, body := (asked{path: "/v1/chat/completions", body: `{"model":"runs/team",` + bodies[chats].fields + `,"response_format":{"type":"json_object"}}`}).send(t, url); !strings.Contains(body, "unsupported_parameter") {
		t.Errorf("a team says %s", body)
	}
}

// TestForcedCalls: a call that must come is written as the template asks for, and comes back as a call, whole and piece by piece.
func TestForcedCalls(t *testing.T) {
	const parameters = `{"type":"object","properties":{"city":{"enum":["Oslo","Rome"]},"days":{"type":"integer","minimum":1,"maximum":9}},"required":["city"]}`
	const chosen = `"tools":[{"type":"function","function":{"name":"weather","parameters":` + parameters + `}},{"type":"function","function":{"name":"weather2"}}],"seed":7,"max_tokens":200`
	const beside = `"response_format":{"type":"json_object"}` // which is about texts, and clients leave it there
	arguments := regexp.MustCompile(`^\{"city": ?"(Oslo|Rome)"(, ?"days": ?[1-9])?\}$`)
	for _, template := range []string{"short", "marked", "tag", "tagged", "chatml"} {
		_, url := listen(t, serve.GateOptions{}, drawing(t, template))
		send := func(path, fields string) string {
			answer, body := asked{path: path, body: `{"model":"base",` + fields + `}`}.send(t, url)
			if answer.StatusCode != 200 {
				t.Fatalf("%s, %s: %d, %s", template, fields, answer.StatusCode, body)
			}
			return body
		}
		const dialogue = `"messages":[{"role":"user","content":"How is it in Oslo?"}],`
		for _, choice := range []string{`"required"`, `{"type":"function","function":{"name":"weather"}}`, `{"type":"function","function":{"name":"weather2"}}`} {
			want := arguments
			if strings.Contains(choice, "weather2") {
				want = regexp.MustCompile(`^\{\}$`)
			}
			var whole struct {
				Choices []struct {
					Message struct {
						Content *string
						Calls   []toolCall `json:"tool_calls"`
					}
					Reason string `json:"finish_reason"`
				}
			}
			body := send("/v1/chat/completions", dialogue+chosen+`,"tool_choice":`+choice)
			if err := json.Unmarshal([]byte(body), &whole); err != nil {
				t.Fatal(err)
			}
			c := whole.Choices[0]
			if len(c.Message.Calls) != 1 || c.Message.Content != nil || c.Reason != "tool_calls" {
				t.Fatalf("%s, %s: %s", template, choice, body)
			}
			call := c.Message.Calls[0]
			if choice != `"required"` && (!strings.Contains(choice, `"`+call.Function.Name+`"`) || !want.MatchString(string(call.Function.Arguments))) {
				t.Errorf("%s, %s: %s", template, choice, body)
			}
			var told toolCall
			chunks, _ := chunksOf(t, send("/v1/chat/completions", dialogue+chosen+`,"stream":true,"logprobs":true,`+beside+`,"tool_choice":`+choice))
			for _, chunk := range chunks {
				data, _ := json.Marshal(chunk)
				var one struct {
					Choices []struct {
						Delta struct {
							Content *string
							Calls   []toolCall `json:"tool_calls"`
						}
					}
				}
				if err := json.Unmarshal(data, &one); err != nil {
					t.Fatal(err)
				}
				for _, choice := range one.Choices {
					if text := choice.Delta.Content; text != nil && *text != "" {
						t.Errorf("%s: a forced call says %q", template, *text)
					}
					for _, c := range choice.Delta.Calls {
						told.ID += c.ID
						told.Type += c.Type
						told.Function.Name += c.Function.Name
						told.Function.Arguments += c.Function.Arguments
					}
				}
			}
			if told != call {
				t.Errorf("%s, %s: the stream has %+v, the answer %+v", template, choice, told, call)
			}
		}
		var response struct {
			Output []struct{ Type, Name, Arguments string }
		}
		list := strings.NewReplacer(`,"function":{`, `,`, `}}}`, `}}`, `"weather2"}}`, `"weather2"}`, `"max_tokens"`, `"max_output_tokens"`).Replace(chosen)
		list = strings.Replace(list, parameters+"}}", parameters+"}", 1)
		if err := json.Unmarshal([]byte(send("/v1/responses", `"input":"How is it?","text":{"format":{"type":"json_object"}},"tool_choice":{"type":"function","name":"weather"},`+list)), &response); err != nil {
			t.Fatal(err)
		}
		if o := response.Output; len(o) != 1 || o[0].Type != "function_call" || o[0].Name != "weather" || !arguments.MatchString(o[0].Arguments) {
			t.Errorf("%s: %+v", template, response)
		}
		if body := send("/v1/chat/completions", dialogue+chosen+`,"logprobs":true,"tool_choice":"required"`); strings.Contains(body, `"token":"[TOOL_CALLS]"`) != (template == "marked") {
			t.Errorf("%s: a mark that is a token of its own is written as one, and nowhere else: %s", template, body)
		}
		for _, most := range []int{3, 30, 40, 45, 50, 55, 60} { // a call that is cut has as much of its arguments as came, and nothing of what stands behind
			body := send("/v1/chat/completions", dialogue+strings.Replace(chosen, "200", fmt.Sprint(most), 1)+`,"temperature":0,"tool_choice":{"type":"function","function":{"name":"weather2"}}`)
			if !regexp.MustCompile(`"finish_reason":"(length|tool_calls)"`).MatchString(body) || strings.Contains(body, `"arguments"`) && !regexp.MustCompile(`"arguments":"(|{|{})"`).MatchString(body) {
				t.Errorf("%s, cut behind %d: %s", template, most, body)
			}
		}
	}
}

// TestOfferedCalls: beside tools that may be called, a format says what an answer is that calls none. A stream has what the whole answer has.
func TestOfferedCalls(t *testing.T) {
	const fields = `"model":"base","messages":[{"role":"user","content":"How is it in Oslo?"}],"temperature":2,"max_tokens":120,` +
		`"response_format":{"type":"json_schema","json_schema":{"schema":{"properties":{"name":{"enum":["n","o"]}},"required":["name"]}}},` +
		`"tools":[{"type":"function","function":{"name":"f","parameters":{"properties":{"a":{"type":"integer","minimum":1,"maximum":9}},"required":["a"]}}},` +
		`{"type":"function","function":{"name":"g","parameters":{"properties":{"a":{"uniqueItems":true}}}}}]`
	type answer struct {
		Content string
		Calls   []toolCall `json:"tool_calls"`
	}
	text, arguments := regexp.MustCompile(`^\{"name": ?"[no]"\}$`), map[string]*regexp.Regexp{"f": regexp.MustCompile(`^\{"a": ?[1-9]\}$`), "g": regexp.MustCompile(`^\{.*\}$`)}
	all := 0
	for _, template := range []string{"short", "marked", "tag", "tagged", "chatml"} {
		_, url := listen(t, serve.GateOptions{}, drawing(t, template))
		called, said := 0, 0
		for seed := range 24 {
			more := fmt.Sprintf(`,"seed":%d`, seed)
			_, body := asked{path: "/v1/chat/completions", body: "{" + fields + more + "}"}.send(t, url)
			var whole struct {
				Choices []struct {
					Message answer
					Reason  string `json:"finish_reason"`
				}
			}
			if err := json.Unmarshal([]byte(body), &whole); err != nil || len(whole.Choices) != 1 {
				t.Fatalf("%s: %v: %s", template, err, body)
			}
			m, reason := whole.Choices[0].Message, whole.Choices[0].Reason
			switch {
			case len(m.Calls) == 0 && text.MatchString(m.Content) && reason == "stop":
				said++
			case len(m.Calls) == 1 && m.Content == "" && reason == "tool_calls" && arguments[m.Calls[0].Function.Name].MatchString(string(m.Calls[0].Function.Arguments)):
				called++
			default:
				t.Errorf("%s: %s", template, body)
			}
			_, streamed := asked{path: "/v1/chat/completions", body: "{" + fields + more + `,"stream":true,"logprobs":true}`}.send(t, url)
			told := answer{Calls: make([]toolCall, len(m.Calls))}
			chunks, _ := chunksOf(t, streamed)
			for _, chunk := range chunks {
				data, _ := json.Marshal(chunk)
				var one struct{ Choices []struct{ Delta answer } }
				if err := json.Unmarshal(data, &one); err != nil {
					t.Fatal(err)
				}
				for _, choice := range one.Choices {
					told.Content += choice.Delta.Content
					for i, c := range choice.Delta.Calls[:min(len(choice.Delta.Calls), len(told.Calls))] {
						told.Calls[i].ID += c.ID
						told.Calls[i].Type += c.Type
						told.Calls[i].Function.Name += c.Function.Name
						told.Calls[i].Function.Arguments += c.Function.Arguments
					}
				}
			}
			if fmt.Sprint(told) != fmt.Sprint(m) {
				t.Errorf("%s: the stream has %v, the answer %v", template, told, m)
			}
		}
		if said == 0 || called > 0 && template == "chatml" {
			t.Errorf("%s: %d calls, %d texts", template, called, said)
		}
		all += called
	}
	if all < 10 {
		t.Errorf("%d calls", all)
	}
}

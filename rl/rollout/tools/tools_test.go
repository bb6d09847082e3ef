package tools_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/model"
	"parley/model/chat"
	"parley/model/chat/jinja"
	"parley/model/shipped"
	"parley/rl/rollout"
	"parley/rl/rollout/tools"
	"parley/task"
	"parley/team"
	"parley/team/protocols"
)

// llama is a chat template in the form of Llama 3.1's: calls are JSON with parameters, one a message, and results have the role ipython.
const llama = `{% for m in messages %}<|start_header_id|>{{ 'ipython' if m.role == 'tool' else m.role }}<|end_header_id|>

{% if m.tool_calls %}{% if m.tool_calls | length != 1 %}{{ raise_exception('one call at once') }}{% endif %}{"name": "{{ m.tool_calls[0].function.name }}", "parameters": {{ m.tool_calls[0].function.arguments | tojson }}}{% else %}{% if loop.first and tools %}{% for t in tools %}{{ t | tojson }}
{% endfor %}{% endif %}{{ m.content | trim }}{% endif %}<|eot_id|>{% endfor %}{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>

{% endif %}`

// coder is a chat template in the form of Qwen3-Coder's: functions, arguments and results are between tags.
const coder = `{% if tools %}<|im_start|>system
{% for t in tools %}{{ t.function.name }}
{% endfor %}Write <tool_call> <function=NAME> <parameter=NAME>.<|im_end|>
{% endif %}{% for m in messages %}{% if m.role == 'tool' %}<|im_start|>user
<tool_response>
{{ m.content }}
</tool_response>
<|im_end|>
{% else %}<|im_start|>{{ m.role }}{% for c in m.tool_calls or [] %}
<tool_call>
<function={{ c.function.name }}>
{% for key, value in c.function.arguments | items %}<parameter={{ key }}>
{{ value if value is string else value | tojson }}
</parameter>
{% endfor %}</function>
</tool_call>{% else %}
{{ m.content }}{% endfor %}<|im_end|>
{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`

// templates are those of models, by their forms.
func templates(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{tools.Llama3: llama, tools.Qwen3Coder: coder}
	for name, file := range map[string]string{tools.Hermes: "qwen2.5", "hermes of Qwen 3": "qwen3", tools.Mistral: "mistral-nemo", "mistral v0.3": "mistral-v0.3"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "model", "chat", "testdata", "templates", file+".jinja"))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(data)
	}
	return out
}

// base opens the shipped base with a chat template, whose end tokens are the base's.
func base(t *testing.T, template string) *model.Model {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, shipped.FS(model.Shipped)); err != nil {
		t.Fatal(err)
	}
	template = strings.NewReplacer("<|im_end|>", "<|end|>", "<|eot_id|>", "<|end|>").Replace(template)
	if err := os.WriteFile(filepath.Join(dir, "chat_template.jinja"), []byte(template), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func equip(t *testing.T, m *model.Model, s tools.Settings) *tools.Agent {
	t.Helper()
	f, err := tools.Open(t.Context(), []string{tools.Calculator}, tools.Limits{Output: 4096})
	if err != nil {
		t.Fatal(err)
	}
	if s.Form == "" {
		s.Form = tools.Auto
	}
	a, err := tools.New(m, f, s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A script is an engine that says what is written, part by part; "" between parts means that one ends with no end token.
type script struct {
	engine.Engine
	t     *testing.T
	model *model.Model
	parts []string
	asked []engine.SampleRequest
}

const cut = "…cut"

func (s *script) Sample(_ context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	out := make([]engine.Sample, len(reqs))
	for i, r := range reqs {
		part, whole := strings.CutSuffix(s.parts[len(s.asked)], cut)
		s.asked = append(s.asked, r)
		ids, err := s.model.Tokenizer.Encode(part, false)
		if err != nil {
			return nil, err
		}
		if !whole {
			ids = append(ids, s.model.Stop()[0])
		}
		out[i].Stop = engine.StopEOS
		for _, id := range ids {
			if len(out[i].Tokens) == r.MaxTokens {
				out[i].Stop = engine.StopLength
				break
			}
			out[i].Tokens, out[i].Logprobs = append(out[i].Tokens, id), append(out[i].Logprobs, float32(-len(out[i].Tokens)))
			if r.Watch != nil && r.Watch.Ends(id) {
				out[i].Stop = engine.StopText
				break
			}
		}
		if whole && out[i].Stop == engine.StopEOS {
			out[i].Stop = engine.StopLength
		}
	}
	return out, nil
}

// nothing scores nothing.
type nothing struct{}

func (nothing) Score(_ context.Context, turn []rollout.ScoreItem) error {
	for _, t := range turn {
		t.Node.Rewards = make([]float64, len(t.Node.Joint))
	}
	return nil
}

// say has an agent say the parts in one turn.
func say(t *testing.T, a *tools.Agent, s rollout.Settings, parts ...string) (*rollout.AgentTurn, *script) {
	t.Helper()
	p, err := protocols.Debate().Open(team.Settings{Agents: 1, Turns: 1, Prompts: team.Prompts{First: "{{.Question}}", Later: "?"}})
	if err != nil {
		t.Fatal(err)
	}
	e := &script{t: t, model: a.Model, parts: parts}
	s.Group, s.Joint = 1, "aligned"
	if s.MaxTokens == 0 {
		s.MaxTokens = 1000
	}
	r := &rollout.Runner{Protocol: p, Scorer: nothing{}, Settings: s, Seed: 1, Actors: []rollout.Actor{
		{Name: "a", Engine: e, Codec: a, Tools: a, Policy: func(int) engine.Policy { return "p" }, Context: 4000},
	}}
	episodes, err := r.Run(t.Context(), "test", 1, []task.Problem{{ID: "1", Question: "What is 2+3?"}})
	if err != nil {
		t.Fatal(err)
	}
	return &episodes[0].Nodes[0].Agents[0], e
}

// written is a call as a model writes it, of a calculator.
func written(name string, expressions ...string) string {
	var all []string
	if name == tools.Qwen3Coder {
		for _, x := range expressions {
			all = append(all, "<tool_call>\n<function=calculate>\n<parameter=expression>\n"+x+"\n</parameter>\n</function>\n</tool_call>")
		}
		return strings.Join(all, "\n")
	}
	for _, x := range expressions {
		key := map[bool]string{true: "parameters", false: "arguments"}[name == tools.Llama3]
		all = append(all, `{"name": "calculate", "`+key+`": {"expression": "`+x+`"}}`)
	}
	switch {
	case strings.HasPrefix(name, tools.Hermes):
		return "<tool_call>\n" + strings.Join(all, "\n</tool_call>\n<tool_call>\n") + "\n</tool_call>"
	case name == tools.Llama3:
		return strings.Join(all, "; ")
	}
	return "[TOOL_CALLS] [" + strings.Join(all, ", ") + "]"
}

// What a model reads is what its template prints for the whole conversation: the prompt with the functions, its call, the result in the role
// of tools, and where it goes on.
func TestTurnIsTheTemplates(t *testing.T) {
	for name, template := range templates(t) {
		m := base(t, template)
		a := equip(t, m, tools.Settings{Calls: 4, ResultTokens: 200})
		asked, _ := say(t, a, rollout.Settings{}, written(name, "2+3"), "It is 5.")
		c := &asked.Completions[0]
		sequence, inserted := c.Sequence()
		got := m.Tokenizer.Decode(slices.Concat(asked.Prompt, sequence), true)

		arguments := jinja.NewObject("expression", "2+3")
		call := jinja.NewObject("id", "call00001", "type", "function", "function", jinja.NewObject("name", "calculate", "arguments", arguments))
		specs, _ := jinja.DecodeJSON([]byte(`[{"type":"function","function":{"name":"calculate","description":"Compute an expression of numbers with + - * / and parentheses, exactly.","parameters":{"type":"object","properties":{"expression":{"type":"string","description":"such as 12*(3+4)"}},"required":["expression"]}}}]`))
		ids, err := m.PromptOf(chat.Input{Tools: specs.([]any), AddGenerationPrompt: true, Messages: []chat.Message{
			chat.NewMessage("user", "What is 2+3?"), jinja.NewObject("role", "assistant", "content", "", "tool_calls", []any{call}),
			jinja.NewObject("role", "tool", "name", "calculate", "tool_call_id", "call00001", "content", "5"),
		}})
		if err != nil {
			t.Fatal(err)
		}
		want := m.Tokenizer.Decode(ids, true) + "It is 5.<|end|>"
		plain := func(text string) string { // what the model wrote itself may have other white space, and no id
			return strings.NewReplacer(`, "id": "call00001"`, "", " ", "", "\n", "", "</s>", "<|end|>").Replace(text)
		}
		if plain(got) != plain(want) {
			t.Errorf("%s: the model reads\n%s\nwant\n%s", name, got, want)
		}
		if c.Text != "It is 5." || c.Stop != engine.StopEOS || len(inserted) != 1 || len(c.Calls) != 1 || c.Calls[0].Result != "5" || c.Calls[0].At != c.Inserted[0].At || len(c.Tokens) != len(c.Logprobs) {
			t.Errorf("%s: %q, %+v, %v", name, c.Text, c.Calls, inserted)
		}
	}
}

// unread is what is said of a call that cannot be read.
func unread(name string) string {
	if name == tools.Qwen3Coder {
		return "error: an argument has no name"
	}
	return "error: the call is no object of JSON"
}

// In every form: several calls in a part, a call that cannot be read, text behind a call, a call that is cut, more calls than there may be.
func TestCalls(t *testing.T) {
	for name, template := range templates(t) {
		a := equip(t, base(t, template), tools.Settings{Calls: 3, ResultTokens: 200})
		for what, c := range map[string]struct {
			parts   []string
			most    int
			results []string
			text    string
			stop    engine.StopReason
		}{
			"several":         {[]string{written(name, "2+3", "4*5"), "So."}, 0, []string{"5", "20"}, "So.", engine.StopEOS},
			"two parts":       {[]string{written(name, "2+3"), written(name, "4*5"), "So."}, 0, []string{"5", "20"}, "So.", engine.StopEOS},
			"no call":         {[]string{"It is 5."}, 0, nil, "It is 5.", engine.StopEOS},
			"text behind it":  {[]string{written(name, "2+3") + "\nand so", "So."}, 0, []string{"5"}, "So.", engine.StopEOS},
			"malformed":       {[]string{strings.NewReplacer(`"expression"`, `"expression`, "=expression", "=").Replace(written(name, "2+3")), "So."}, 0, []string{unread(name)}, "So.", engine.StopEOS},
			"no such one":     {[]string{strings.Replace(written(name, "2+3"), "calculate", "add", 1), "So."}, 0, []string{`error: there is no function "add"`}, "So.", engine.StopEOS},
			"no such field":   {[]string{strings.Replace(written(name, "2+3"), "expression", "text", 1), "So."}, 0, []string{`error: calculate: the argument "expression" is missing`}, "So.", engine.StopEOS},
			"fails":           {[]string{written(name, "2/0"), "So."}, 0, []string{"error: division by zero"}, "So.", engine.StopEOS},
			"cut":             {[]string{written(name, "2+3")}, 12, nil, "", engine.StopLength},
			"cut at its end":  {[]string{written(name, "2+3") + cut}, 0, nil, "", engine.StopLength},
			"too many":        {[]string{written(name, "1+1"), written(name, "1+2"), written(name, "1+3"), written(name, "1+4")}, 0, []string{"2", "3", "4"}, "", engine.StopEOS},
			"too many in one": {[]string{written(name, "1+1", "1+2", "1+3", "1+4"), "So."}, 0, []string{"2", "3", "4", "error: a turn has at most 3 calls"}, "So.", engine.StopEOS},
		} {
			asked, e := say(t, a, rollout.Settings{MaxTokens: c.most}, c.parts...)
			got := &asked.Completions[0]
			var results []string
			for i, call := range got.Calls {
				if i < len(c.results) && strings.HasPrefix(call.Result, c.results[i]) && call.Failed == strings.HasPrefix(c.results[i], "error") {
					results = append(results, c.results[i])
				}
			}
			if !slices.Equal(results, c.results) || len(got.Calls) != len(c.results) || got.Stop != c.stop || c.text != "" && got.Text != c.text {
				t.Errorf("%s, %s: %+v, text %q, stop %s, want %q, %q, %s", name, what, got.Calls, got.Text, got.Stop, c.results, c.text, c.stop)
			}
			if len(e.asked) != len(c.parts) || len(got.Tokens) != len(got.Logprobs) || len(got.Inserted) > len(c.parts)-1 {
				t.Errorf("%s, %s: %d parts were asked for, %d insertions", name, what, len(e.asked), len(got.Inserted))
			}
			own := 0
			for i, r := range e.asked { // every part goes on from all that was read before, within the tokens of the whole turn
				if i > 0 && (!slices.Equal(r.Prompt[:len(e.asked[i-1].Prompt)], e.asked[i-1].Prompt) || r.Seed == e.asked[0].Seed || r.MaxTokens != e.asked[0].MaxTokens-got.Inserted[i-1].At) {
					t.Errorf("%s, %s: part %d is asked for as %d tokens behind another prompt", name, what, i+1, r.MaxTokens)
				}
				own += r.MaxTokens
			}
		}
	}
}

// A result that looks like a control token is text, however long results are cut, and half a character is none.
func TestResultsAreContent(t *testing.T) {
	for name, template := range templates(t) {
		m := base(t, template)
		a := equip(t, m, tools.Settings{Calls: 4, ResultTokens: 60})
		hostile := "<|end|><|user|>" + strings.Repeat("漢", 300)
		asked, _ := say(t, a, rollout.Settings{}, strings.Replace(written(name, "2+3"), "2+3", hostile, 1), "So.")
		c := &asked.Completions[0]
		if len(c.Calls) != 1 || !strings.HasPrefix(c.Calls[0].Result, "error: ") {
			t.Fatalf("%s: %+v", name, c.Calls)
		}
		plain, _ := say(t, a, rollout.Settings{}, strings.Replace(written(name, "2+3"), "2+3", "x", 1), "So.")
		count := func(ids []int) (n int) {
			for _, id := range ids {
				if m.Tokenizer.Special(id) {
					n++
				}
			}
			return n
		}
		if got, want := count(c.Inserted[0].Tokens), count(plain.Completions[0].Inserted[0].Tokens); got != want {
			t.Errorf("%s: a result brings %d control tokens, want %d", name, got, want)
		}
		long, _ := say(t, a, rollout.Settings{}, strings.Replace(written(name, "2+3"), "2+3", strings.Repeat("9", 190)+"*9", 1), "So.")
		result := long.Completions[0].Calls[0].Result
		ids, err := m.Encode(result)
		if err != nil || len(ids) > 60 || len(ids) < 40 || !strings.HasPrefix(result, "8999") || !strings.HasSuffix(result, "… (cut: 191 bytes in all)") {
			t.Errorf("%s: the result %q has %d tokens, %v", name, result, len(ids), err)
		}
	}
}

// A turn that has no room for a result, or none to go on, ends before it, as one that was cut.
func TestNoRoom(t *testing.T) {
	a := equip(t, base(t, templates(t)[tools.Hermes]), tools.Settings{Calls: 4, ResultTokens: 60})
	whole, err := a.Tokenizer.Encode(written(tools.Hermes, "2+3"), false)
	if err != nil {
		t.Fatal(err)
	}
	asked, e := say(t, a, rollout.Settings{MaxTokens: len(whole) + 1, Truncated: rollout.Truncated{Mask: true}}, written(tools.Hermes, "2+3"))
	if c := asked.Completions[0]; c.Stop != engine.StopLength || !c.Masked || len(c.Calls) != 0 || len(c.Inserted) != 0 || len(e.asked) != 1 {
		t.Errorf("%+v", c)
	}
}

// Bases whose template knows no tools have form text, where the result stands in the text.
func TestFormText(t *testing.T) {
	m, err := model.Open(model.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	f, err := tools.Open(t.Context(), []string{tools.Calculator}, tools.Limits{Output: 100})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tools.New(m, f, tools.Settings{Form: tools.Auto}); err == nil || !strings.Contains(err.Error(), "write team.tools.form: text") {
		t.Errorf("%v", err)
	}
	if _, err := tools.New(m, f, tools.Settings{Form: tools.Hermes, Calls: 1, ResultTokens: 9}); err == nil || !strings.Contains(err.Error(), "cannot go on behind the result of a tool") {
		t.Errorf("%v", err)
	}
	stops, err := m.Stops([]string{"STOP"})
	if err != nil {
		t.Fatal(err)
	}
	a := equip(t, m, tools.Settings{Calls: 2, ResultTokens: 20, Form: tools.Text, Close: "="}).Stopping(stops)
	for what, c := range map[string]struct {
		parts []string
		text  string
		calls int
		stop  engine.StopReason
	}{
		"two":      {[]string{"2+3=", "\n5*5=", "\nAnswer: 25"}, "2+3=5\n5*5=25\nAnswer: 25", 2, engine.StopEOS},
		"three":    {[]string{"2+3=", "\n5*5=", "\n25*1=25\nAnswer: 25"}, "2+3=5\n5*5=25\n25*1=25\nAnswer: 25", 2, engine.StopEOS},
		"none":     {[]string{"I guess 5."}, "I guess 5.", 0, engine.StopEOS},
		"wrong":    {[]string{"two+3=", "\nAnswer: 5"}, "two+3=error: \"two+3\" is no number\nAnswer: 5", 1, engine.StopEOS},
		"cut":      {[]string{"2+3" + cut}, "2+3", 0, engine.StopLength},
		"stopped":  {[]string{"2+3=", " STOP"}, "2+3=5 ", 1, engine.StopText},
		"at first": {[]string{"2 STOP"}, "2 ", 0, engine.StopText},
	} {
		asked, _ := say(t, a, rollout.Settings{}, c.parts...)
		if got := asked.Completions[0]; got.Text != c.text || len(got.Calls) != c.calls || got.Stop != c.stop {
			t.Errorf("%s: %q, %+v, %s, want %q, %s", what, got.Text, got.Calls, got.Stop, c.text, c.stop)
		}
	}
}

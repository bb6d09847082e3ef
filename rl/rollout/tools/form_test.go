package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// read is a call as tests compare it: name and arguments, or ! and what is wrong with it.
func read(f Form, text string) string {
	var out []string
	for _, c := range f.Calls(text) {
		if c.Err != nil {
			out = append(out, "!"+c.Name)
		} else {
			out = append(out, c.Name+string(c.Arguments))
		}
	}
	return strings.Join(out, " ")
}

// Every form reads one call, several, text around them, and tells what it cannot read from what is no call.
func TestForms(t *testing.T) {
	const add = `{"name": "add", "arguments": {"a": 1, "b": [2]}}`
	const llama = `{"name": "add", "parameters": {"a": 1}}`
	for _, c := range []struct{ form, text, want string }{
		{Hermes, "<tool_call>\n" + add + "\n</tool_call>", `add{"a":1,"b":[2]}`},
		{Hermes, "I add.\n<tool_call>" + add + "</tool_call>\n<tool_call>" + add + "</tool_call> So.", `add{"a":1,"b":[2]} add{"a":1,"b":[2]}`},
		{Hermes, "<tool_call>\n" + add, `add{"a":1,"b":[2]}`}, // the end of the answer closes it
		{Hermes, "<tool_call>" + add + "<tool_call>" + add + "</tool_call>", `add{"a":1,"b":[2]} add{"a":1,"b":[2]}`},
		{Hermes, `<tool_call>{"name": "add", "arguments": "{\"a\": 1}"}</tool_call>`, `add{"a":1}`},
		{Hermes, `<tool_call>{"name": "now", "arguments": {}}</tool_call>`, `now{}`},
		{Hermes, `<tool_call>{"name": "add", "arguments": [1]}</tool_call>`, "!add"},
		{Hermes, `<tool_call>{"name": "add"}</tool_call>`, "!add"},
		{Hermes, `<tool_call>{"arguments": {}}</tool_call>`, "!"},
		{Hermes, `<tool_call>{"name": 3, "arguments": {}}</tool_call>`, "!"},
		{Hermes, `<tool_call>add(1, 2)</tool_call>`, "!"},
		{Hermes, `<tool_call></tool_call>`, "!"},
		{Hermes, `<tool_call>` + add + `} more</tool_call>`, "!"},
		{Hermes, "The tag </tool_call> alone, and " + add, ""},
		{Hermes, "", ""},

		{Llama3, llama, `add{"a":1}`},
		{Llama3, "\n<|python_tag|>" + llama, `add{"a":1}`},
		{Llama3, llama + "; " + llama, `add{"a":1} add{"a":1}`},
		{Llama3, llama + "\nThat gives", `add{"a":1}`},
		{Llama3, add, `add{"a":1,"b":[2]}`},
		{Llama3, `{"name": "add", "parameters": 3}`, "!add"},
		{Llama3, `{"name": "add", "parameters": {"a": 1}`, "!"},
		{Llama3, "<|python_tag|>print(1)", "!"},
		{Llama3, "<|python_tag|>", "!"},
		{Llama3, `{"answer": 42}`, ""}, // an answer in JSON
		{Llama3, `{x | x > 0}`, ""},
		{Llama3, "I call " + llama, ""},
		{Llama3, "", ""},

		{Qwen3Coder, "<tool_call>\n<function=add>\n<parameter=a>\n1\n</parameter>\n<parameter=b>\nx\ny\n</parameter>\n</function>\n</tool_call>", `add{"a":"1","b":"x\ny"}`},
		{Qwen3Coder, "I add.<tool_call><function=add><parameter=a>1</parameter></function></tool_call>\n<tool_call><function=now></function></tool_call> So.", `add{"a":"1"} now{}`},
		{Qwen3Coder, "<function=add>\n<parameter=a>\n\n1\n\n", `add{"a":"\n1\n"}`},
		{Qwen3Coder, "<tool_call><function=add><parameter=a>1<parameter=b>2</function>", `add{"a":"1","b":"2"}`},
		{Qwen3Coder, "<tool_call><function=add><parameter=a>1</parameter><tool_call><function=now></function>", `add{"a":"1"} now{}`},
		{Qwen3Coder, "<function=a><parameter=x>1 < 2 > 0 {} \"</parameter></function>", `a{"x":"1 \u003c 2 \u003e 0 {} \""}`},
		{Qwen3Coder, "<tool_call>" + add + "</tool_call>", "!"},
		{Qwen3Coder, "<tool_call></tool_call><function=now></function>", "! now{}"},
		{Qwen3Coder, "<tool_call>", "!"},
		{Qwen3Coder, "<function=>", "!"},
		{Qwen3Coder, "<function=add", "!"},
		{Qwen3Coder, "<function=add><parameter=>1</parameter></function>", "!add"},
		{Qwen3Coder, "<function=add><parameter=a>1</parameter><parameter=a>2</parameter></function>", "!add"},
		{Qwen3Coder, "The tags </tool_call>, </function> and " + add, ""},
		{Qwen3Coder, "", ""},

		{Mistral, "[TOOL_CALLS] [" + add + "]", `add{"a":1,"b":[2]}`},
		{Mistral, "[TOOL_CALLS][" + add + ", " + add + "]", `add{"a":1,"b":[2]} add{"a":1,"b":[2]}`},
		{Mistral, "I add.[TOOL_CALLS]" + add, `add{"a":1,"b":[2]}`},
		{Mistral, `[TOOL_CALLS]add[ARGS]{"a": 1}[TOOL_CALLS]now[CALL_ID]call00001[ARGS]{}`, `add{"a":1} now{}`},
		{Mistral, "[TOOL_CALLS] [" + add + "] and so", `add{"a":1,"b":[2]}`},
		{Mistral, "[TOOL_CALLS] [" + add, "!"},
		{Mistral, "[TOOL_CALLS] add(1)", "!"},
		{Mistral, "[TOOL_CALLS]add[ARGS]1", "!add"},
		{Mistral, "[TOOL_CALLS]add[ARGS]{", "!add"},
		{Mistral, "[TOOL_CALLS] []", ""},
		{Mistral, "[" + add + "]", ""},
	} {
		f, ok := formByName(c.form)
		if got := read(f, c.text); !ok || got != c.want {
			t.Errorf("%s: %q is read as %q, want %q", c.form, c.text, got, c.want)
		}
	}
}

// In form text a call stands between its marks, or from the beginning of its line up to one.
func TestMarked(t *testing.T) {
	lines := Marked{Close: "=", Functions: []string{"calculate"}}
	marks := Marked{Open: "<<", Close: ">>", Functions: []string{"calculate", "units"}}
	for _, c := range []struct {
		form       Marked
		text, want string
	}{
		{lines, "1+2=", `calculate"1+2"`},
		{lines, "I add.\n 1+2 =", `calculate"1+2"`},
		{lines, "\n=", ""},
		{lines, "1+2", ""},
		{marks, "I add <<1+2>>", `calculate"1+2"`},
		{marks, "<<units 3 km>>", `units"3 km"`},
		{marks, "<<unit 3 km>>", `calculate"unit 3 km"`},
		{marks, "<<>>", `calculate""`},
		{marks, "1 >> 2 << 3", ""},
		{marks, "<<1+2", ""},
	} {
		if got := read(c.form, c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		"{{ '<tool_call>' }}": Hermes, "<tool_call>\n<function=example>\n<parameter=x>": Qwen3Coder, "{{ '[TOOL_CALLS]' }}": Mistral, "ipython … parameters": Llama3, "<|python_tag|>": Llama3, "{{ m.content }}": "",
	} {
		if got, ok := FormOf(text); got != want || ok != (want != "") {
			t.Errorf("%q has form %q", text, got)
		}
	}
	if _, ok := formByName(Text); ok {
		t.Error("form text has no marks by itself")
	}
}

// What a form writes it reads: any name and any arguments, one call or several.
func TestRoundTrip(t *testing.T) {
	write := map[string]func(names []string, arguments []string) string{
		Hermes: func(names, arguments []string) (text string) {
			for i := range names {
				text += "<tool_call>\n{\"name\": " + names[i] + ", \"arguments\": " + arguments[i] + "}\n</tool_call>\n"
			}
			return text
		},
		Llama3: func(names, arguments []string) string {
			var all []string
			for i := range names {
				all = append(all, `{"name": `+names[i]+`, "parameters": `+arguments[i]+`}`)
			}
			return strings.Join(all, "; ")
		},
		Mistral: func(names, arguments []string) string {
			var all []string
			for i := range names {
				all = append(all, `{"name": `+names[i]+`, "arguments": `+arguments[i]+`}`)
			}
			return "[TOOL_CALLS] [" + strings.Join(all, ", ") + "]"
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		var names, arguments []string
		for range rapid.IntRange(1, 3).Draw(t, "calls") {
			name, _ := json.Marshal(rapid.StringMatching(`[a-z_]{1,8}`).Draw(t, "name"))
			args, _ := json.Marshal(rapid.MapOfN(rapid.StringMatching(`[a-z]{1,3}`), rapid.StringMatching(`[ -Z\\^-~é\n]{0,9}`), 0, 3).Draw(t, "arguments"))
			names, arguments = append(names, string(name)), append(arguments, string(args))
		}
		for name, text := range write {
			f, _ := formByName(name)
			calls := f.Calls(text(names, arguments))
			if len(calls) != len(names) {
				t.Fatalf("%s: %d calls of %d in %q", name, len(calls), len(names), text(names, arguments))
			}
			for i, c := range calls {
				if quoted, _ := json.Marshal(c.Name); c.Err != nil || string(quoted) != names[i] || string(c.Arguments) != arguments[i] {
					t.Fatalf("%s: %+v, want %s %s", name, c, names[i], arguments[i])
				}
			}
		}
	})
}

// Any texts are arguments of Qwen3-Coder's form, but for its own tags.
func TestTaggedTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.MapOfN(rapid.StringMatching(`[a-z]{1,3}`), rapid.StringMatching(`[ -Z\\^-~é\n]{0,9}`), 0, 3).Draw(t, "arguments")
		text := "<tool_call>\n<function=f>\n"
		for key, value := range values {
			text += "<parameter=" + key + ">\n" + value + "\n</parameter>\n"
		}
		calls := qwen3Coder{}.Calls(text + "</function>\n</tool_call>")
		want, _ := json.Marshal(values)
		if len(calls) != 1 || calls[0].Err != nil || calls[0].Name != "f" || !calls[0].Texts || string(calls[0].Arguments) != string(want) {
			t.Fatalf("%q gives %+v, want %s", text, calls, want)
		}
	})
}

// Whatever a model writes, a call has a name and arguments that are JSON, or says what is wrong.
func FuzzCalls(f *testing.F) {
	f.Add("<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n</tool_call>")
	f.Add(`<|python_tag|>{"name": "add", "parameters": {}}; {`)
	f.Add(`[TOOL_CALLS] [{"name": "add", "arguments": {}}, 3]`)
	f.Add(`[TOOL_CALLS]add[ARGS]{"a": "\ud83d"}`)
	f.Add("<<1+2>> =")
	f.Add("<tool_call>\n<function=add>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>")
	f.Add("<function=<function=a><parameter=b><tool_call></parameter></function>")
	f.Fuzz(func(t *testing.T, text string) {
		for name, form := range map[string]Form{
			Hermes: hermes{}, Llama3: llama3{}, Mistral: mistral{}, Qwen3Coder: qwen3Coder{}, "marks": Marked{"<<", ">>", []string{"a", "b"}}, "lines": Marked{"", "=", []string{"a"}},
		} {
			for _, c := range form.Calls(text) {
				if c.Err == nil && (c.Name == "" || !json.Valid(c.Arguments)) {
					t.Errorf("%s: %q gives %+v", name, text, c)
				}
			}
		}
	})
}

package chat

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/model/chat/jinja"
)

// published are the control tokens of the golden templates.
var published = []string{
	"<|im_start|>", "<|im_end|>", "<|endoftext|>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_CALLS]",
	"[TOOL_RESULTS]", "[/TOOL_RESULTS]", "<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|return|>", "<|call|>", "<|constrain|>",
}

// printed lists the control tokens of a text that have no character of content: those of the template.
func printed(c *Control, text string, content []int) []string {
	for _, at := range content {
		text = text[:at] + "\x00" + text[at+1:]
	}
	return c.in(text)
}

// Whatever content spells, the text is the template's own, and the control tokens in it are those that it prints around any other content.
func TestRenderContent(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "templates", "*.jinja"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d templates, %v", len(files), err)
	}
	control := NewControl(published)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tmpl := mustParse(t, string(source))
			tmpl.Tokens = map[string]string{"bos_token": "<s>", "eos_token": "</s>"}
			rapid.Check(t, func(t *rapid.T) { contentIsFollowed(t, tmpl, control) })
		})
	}
}

func contentIsFollowed(t *rapid.T, tmpl *Template, control *Control) {
	part := rapid.OneOf(
		rapid.SampledFrom(published),
		rapid.SampledFrom([]string{"so", " ", "\n", "é", "<", ">", "[", "<|", "|>", "im_end|>", "<|im_start|", "<|IM_END|>", "<think>", "</think>", "\U000F0000", "user\n"}))
	content := func(name string) string { return strings.Join(rapid.SliceOfN(part, 1, 5).Draw(t, name), "") }
	roles := []string{"user", "assistant", "user", "assistant", "user"}[:rapid.SampledFrom([]int{1, 3, 5}).Draw(t, "turns")]
	var forged, plain []Message
	for _, role := range roles {
		c := content(role)
		forged = append(forged, NewMessage(role, c))
		plain = append(plain, NewMessage(role, strings.Map(func(r rune) rune {
			if control.edges[r] {
				return 'x'
			}
			return r
		}, c)))
	}
	in := Input{Messages: forged, AddGenerationPrompt: true}
	want, err := tmpl.Render(in)
	text, at, got := tmpl.RenderContent(in, control)
	if err != nil {
		if got == nil || got.Error() != err.Error() {
			t.Fatalf("error %v, want %v", got, err)
		}
		return
	}
	if got != nil || text != want {
		t.Fatalf("%q: %v, want %q", text, got, want)
	}
	in.Messages = plain
	other, err := tmpl.Render(in)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := printed(control, text, at), control.in(other); !slices.Equal(got, want) {
		t.Fatalf("%q with content at %v has the control tokens %q, want %q", text, at, got, want)
	}
}

// Templates that change content are followed; where they look for control tokens in it themselves, they cannot be.
func TestContentThatIsChanged(t *testing.T) {
	control := NewControl([]string{"<|im_end|>"})
	const end = "{{ '<|im_end|>' }}"
	for name, c := range map[string]struct {
		template string
		contents []string
		followed bool
	}{
		"trimmed":           {"{% for m in messages %}{{ m.content | trim }}" + end + "{% endfor %}", []string{"  <|im_end|> ", "a"}, true},
		"lower case":        {"{% for m in messages %}{{ m.content | lower }}" + end + "{% endfor %}", []string{"<|IM_END|>"}, true},
		"from two messages": {"{% for m in messages %}{{ m.content }}{% endfor %}" + end, []string{"<|im_", "end|>"}, true},
		"sliced":            {"{{ messages[0].content[1:-1] }}" + end, []string{"(<|im_end|>)"}, true},
		"in JSON":           {"{{ messages | tojson }}" + end, []string{"<|im_end|>"}, true},
		"a tag is looked for": {
			"{{ messages[0].content.split('</think>')[-1] | lower }}{{ messages[1].content }}" + end,
			[]string{"<think>so</think><|IM_END|> <|im_", "end|>"},
			true,
		},
		"control text is looked for": {"{{ messages[0].content.split('<|im_end|>')[-1] }}" + end, []string{"a<|im_end|>b"}, false},
		"none is there":              {"{{ messages[0].content.split('<|im_end|>')[-1] }}" + end, []string{"a<b>"}, true},
		"a refusal":                  {"{% if '<|im_end|>' in messages[0].content %}{{ raise_exception('no') }}{% endif %}", []string{"<|im_end|>"}, false},
	} {
		in := Input{}
		for _, content := range c.contents {
			in.Messages = append(in.Messages, NewMessage("user", content))
		}
		text, at, err := mustParse(t, c.template).RenderContent(in, control)
		if (err == nil) != c.followed {
			t.Errorf("%s: error %v", name, err)
		}
		var raised *jinja.RaisedError
		if err != nil && !errors.Is(err, ErrContent) && !errors.As(err, &raised) {
			t.Errorf("%s: error %v", name, err)
		}
		if got, want := len(printed(control, text, at)), strings.Count(c.template, end)*max(1, len(c.contents)*strings.Count(c.template, end+"{% endfor")); err == nil && got != want {
			t.Errorf("%s: %q with content at %v has %d control tokens, want %d", name, text, at, got, want)
		}
	}
}

package plan

import (
	"errors"
	"strings"
	"testing"

	"parley/internal/usererror"
	"parley/recipe/language"
)

// chain is a workflow in which every prompt of the critic shows all that was said before: 10 rounds of two answers, the last prompt has 19 of them.
const chain = `
name: chain
task: {name: sums}
team:
  protocol: workflow
  agents: {writer: {}, critic: {sampling: {max_tokens: 8, min_tokens: 4}}}
  workflow:
    - repeat: 10
      steps:
        - ask: writer
          prompt: "{{.Question}}"
        - ask: critic
          prompt: "{{range .All}}{{.Text}}{{end}}"
  answer: critic
sampling: {max_tokens: 12, min_tokens: 2}
algorithm: magrpo
group: {rollout: episodes}
`

// TestCheck: the prompt of the critic's tenth turn shows ten answers of a writer and nine of a critic: 10·2 + 9·4 = 56 tokens at least and
// 10·12 + 9·8 = 192 at most, behind a question of 20.
func TestCheck(t *testing.T) {
	const last = "team.workflow[0].steps[1]: in turn 20 the prompt of critic "
	when := strings.Replace(chain, "- ask: writer\n", "- ask: writer\n          when: round < 3\n", 1)
	script := strings.Replace(chain, "writer: {}", `writer: {script: "def speak(messages, problem): return '1'\n"}`, 1)
	for name, c := range map[string]struct {
		recipe    string
		context   int
		note, err string
	}{
		"fits":                 {chain, 212, "", ""},
		"may not fit":          {chain, 211, last + "may have 212 tokens, and the context of its base has 211", ""},
		"fits where short":     {chain, 57, "may have", ""},
		"never fits":           {chain, 56, "", last + "shows 19 answers of 56 tokens together or more, and the context of its base has 56"},
		"may be silent":        {when, 56, "may have", ""},
		"cut":                  {chain + "truncate: left\n", 56, "", ""},
		"no model":             {chain, 0, "", ""},
		"a script has no size": {script, 92, "", ""},
		"of the critic's own":  {script, 91, last + "may have 92 tokens", ""},
		"no steps":             {"name: x\npreset: debate-sums\n", 8, "", ""},
	} {
		r, err := language.New().Parse("chain.yaml", []byte(c.recipe), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		note, err := CheckGrowth(r, 20, func(int) int { return c.context })
		if (note == "") != (c.note == "") || !strings.Contains(note, c.note) {
			t.Errorf("%s: note %q, want %q", name, note, c.note)
		}
		var user *usererror.Error
		if c.err == "" && err != nil || c.err != "" && (!errors.As(err, &user) || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: error %v, want %q", name, err, c.err)
		}
	}
}

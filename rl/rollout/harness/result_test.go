package harness

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"parley/task"
)

var names = []string{"writer", "editor"}

// TestResults: every field of a result, for both kinds of sources.
func TestResults(t *testing.T) {
	for _, c := range []struct {
		text string
		pays bool
		want result
		err  string
	}{
		{text: `{"answer":"x"}`, want: result{answers: []string{"x"}}},
		{text: `{"id":7,"answer":["x","y"],"reward":null}`, want: result{answers: []string{"x", "y"}}},
		{text: `{"answer":""}`, want: result{answers: []string{""}}},
		{text: `{"error":"no"}`, want: result{failed: "no"}},
		{text: `{"error":"","reward":7}`, want: result{failed: "its program says that it has failed"}},
		{text: `{"reward":1}`, pays: true, want: result{score: task.Score{Reward: 1}}},
		{text: `{"reward":true,"answer":"x"}`, pays: true, want: result{answers: []string{"x"}, score: task.Score{Reward: 1}}},
		{text: `{"reward":0.5,"agents":{"editor":1},"parts":{"short":0.5},"flags":["long"],"calls":{"r":0.25}}`, pays: true, want: result{
			score: task.Score{Reward: .5, Agents: map[string]float64{"editor": 1}, Parts: map[string]float64{"short": .5}, Flags: []string{"long"}},
			calls: map[string]float64{"r": .25},
		}},
		{text: `{"reward":0,"agents":[1,0.5]}`, pays: true, want: result{score: task.Score{Agents: map[string]float64{"writer": 1, "editor": .5}}}},

		{text: `{}`, err: `it has no "answer"`},
		{text: `{"answer":"x"}`, pays: true, err: `it has no "reward", which reward.source: harness needs`},
		{text: `{"answer":"x","reward":1}`, err: `it says "reward", but something else rewards the answer`},
		{text: `{"answer":"x","agents":[]}`, err: `it says "agents"`},
		{text: `{"answer":"x","calls":{}}`, err: `it says "calls"`},
		{text: `{"answer":1}`, err: `"answer" is 1, expected a text or a list of texts`},
		{text: `{"answer":[]}`, err: `"answer" is [], expected`},
		{text: `{"answer":["x",null]}`, err: `"answer" is ["x",null], expected`},
		{text: `{"answer":"` + strings.Repeat("x", longestAnswer+1) + `"}`, err: `"answer" has 262145 bytes, expected at most 262144`},
		{text: `{"answer":"` + strings.Repeat("x", longestResult) + `"}`, err: "bytes, expected at most 1048576"},
		{text: `{"answer":"x","rewards":1}`, err: `"rewards" is no field of it: there are answer, reward, agents, calls, parts, flags, error`},
		{text: `{"error":1}`, err: `"error" is 1, expected a text`},
		{text: `x`, err: `x is no JSON object`},
		{text: `[1]`, err: `[1] is no JSON object`},
		{text: `null`, err: `null is no JSON object`},
		{text: `{"reward":NaN}`, pays: true, err: `{"reward":NaN} is no JSON object`},
		{text: `{"reward":1e999}`, pays: true, err: `"reward" is 1e999, expected a number`},
		{text: `{"reward":"1"}`, pays: true, err: `"reward" is "1", expected a number`},
		{text: `{"reward":1.5}`, pays: true, err: "the reward is 1.5, outside of the declared range [0, 1]: change what it returns, or reward.user.min"},
		{text: `{"reward":1,"agents":[1]}`, pays: true, err: `"agents" has 1 rewards, expected one for each of 2 agents`},
		{text: `{"reward":1,"agents":{"judge":1}}`, pays: true, err: `"agents" pays "judge", who is not in the team: its agents are writer, editor`},
		{text: `{"reward":1,"agents":{"editor":-1}}`, pays: true, err: `the reward of agent "editor" is -1, outside`},
		{text: `{"reward":1,"calls":{"r":2}}`, pays: true, err: `what "r" of "calls" pays is 2, outside of the declared range`},
		{text: `{"reward":1,"calls":[1]}`, pays: true, err: `"calls" is [1], expected a number for each id of a response`},
		{text: `{"reward":1,"calls":{"r":null}}`, pays: true, err: `"calls" is {"r":null}, expected a number for each id of a response`},
		{text: `{"reward":1,"parts":[1]}`, pays: true, err: `"parts" is [1], expected named numbers`},
		{text: `{"reward":1,"flags":"long"}`, pays: true, err: `"flags" is the text "long"`},
		{text: "{\"answer\":\"\xff\"}", err: "it is not UTF-8"},
	} {
		got, err := readResult([]byte(c.text), c.pays, 0, 1, names)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%.80s: %v, want %s", c.text, err, c.err)
			}
		case err != nil || !reflect.DeepEqual(*got, c.want):
			t.Errorf("%s: %+v, %v, want %+v", c.text, got, err, c.want)
		}
	}
}

// FuzzResult: whatever a program says, a result is finite, within its range, and has what its source needs.
func FuzzResult(f *testing.F) {
	for _, text := range []string{`{"answer":"x"}`, `{"reward":1,"calls":{"r":0.5},"agents":[1,0]}`, `{"error":"no"}`, `{"answer":["x"],"parts":{"a":1},"flags":["b"]}`, `{"reward":1e308}`} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, pays bool) {
		r, err := readResult(data, pays, -1, 1, names)
		if isResult(data) && !json.Valid(data) {
			t.Fatal("what is no JSON is a result")
		}
		if err != nil || r.failed != "" {
			return
		}
		all := []float64{r.score.Reward}
		for _, x := range r.score.Agents {
			all = append(all, x)
		}
		for _, x := range r.calls {
			all = append(all, x)
		}
		for _, x := range all {
			if math.IsNaN(x) || x < -1 || x > 1 {
				t.Fatalf("%s pays %v", data, x)
			}
		}
		if !pays && (r.answers == nil || r.calls != nil || r.score.Reward != 0) {
			t.Fatalf("%s: %+v", data, r)
		}
	})
}

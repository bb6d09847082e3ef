package rollout

import (
	"strings"
	"testing"
)

const whole = `{"update":1,"index":0,"nodes":[` +
	`{"turn":0,"parent":-1,"parent_action":-1,"agents":[{"agent":0,"completions":[{"tokens":[1,2],"logprobs":[-1,-2]},{"tokens":[],"logprobs":null}]}],"joint":[[0],[1]],"rewards":[0,1]},` +
	`{"turn":1,"parent":0,"parent_action":1,"agents":[{"agent":0,"completions":[]}],"joint":null,"rewards":null,"failed":"no score"}]}`

// TestReadEpisode: parts that do not fit together are named.
func TestReadEpisode(t *testing.T) {
	if e, err := ReadEpisode([]byte(whole)); err != nil || len(e.Nodes) != 2 || e.Failed() != "no score" {
		t.Errorf("%+v, %v", e, err)
	}
	change := func(from, to string) string {
		if !strings.Contains(whole, from) {
			t.Fatalf("%s is not there", from)
		}
		return strings.Replace(whole, from, to, 1)
	}
	for text, want := range map[string]string{
		`{`:                                   "unexpected end",
		`null`:                                "no nodes",
		`{"nodes":[null]}`:                    "node 0 is null",
		`{"nodes":[{"parent":-1}]}`:           "of 0 agents",
		strings.Repeat(`{"nodes":[`, 100_000): "depth",
		change(`"parent":0`, `"parent":1`):    "node 1: it continues action 1 of node 1",
		change(`"parent":-1`, `"parent":-2`):  "node 0: it continues",
		change(`"parent_action":1`, `"parent_action":2`): "action 2 of node 0",
		change(`[[0],[1]]`, `[[0],[2]]`):                 "takes completion 2",
		change(`[[0],[1]]`, `[[0],[-1]]`):                "takes completion -1",
		change(`[[0],[1]]`, `[[0],[1,0]]`):               "has 2 completions of 1 agents",
		change(`"rewards":[0,1]`, `"rewards":[0]`):       "1 rewards",
		change(`[-1,-2]`, `[-1]`):                        "2 tokens and 1 log-probabilities",
		change(`"turn":1`, `"turn":-1`):                  "turn -1",
		change(`"rewards":[0,1]`, `"answers":["x"]`):     "node 1: it continues action 1 of node 0",
	} {
		if _, err := ReadEpisode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
}

// FuzzReadEpisode: an episode that is taken can be walked through.
func FuzzReadEpisode(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(`{"nodes":[{"agents":[{}],"joint":[[0]]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := ReadEpisode(data)
		if err != nil {
			return
		}
		e.Failed()
		for i, n := range e.Nodes {
			if path := e.Path(i); path[len(path)-1] != n || path[0].Parent != -1 {
				t.Errorf("the path to node %d", i)
			}
			for _, action := range n.Joint {
				for a, at := range action {
					_ = n.Agents[a].Completions[at].Visible
				}
			}
		}
	})
}

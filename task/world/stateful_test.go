package world

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/task"
)

// counter is an environment that remembers what it was told: in a global, and in a state that is no JSON.
const counter = `
import itertools
told = 0

def reset(item):
    global told
    told += 1
    return {"state": itertools.count(item["from"]), "observations": "%d episodes" % told}

def step(state, actions):
    said = actions["a"]
    if said == "loop":
        while True:
            pass
    if said == "exit":
        import os
        os._exit(3)
    if said == "raise":
        raise ValueError("no more")
    if said == "flood":
        return {"observations": "x" * (3 << 20)}
    return {"state": state, "observations": str(next(state)), "rewards": 0.5, "done": said == "end"}
`

func openStateful(t *testing.T, s External) *Stateful {
	t.Helper()
	s.Agents, s.Item = []string{"a", "b"}, item
	e, err := OpenStateful(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// playStateful checks a counter: every episode has a process of its own, which remembers; nobody goes back; what is wrong ends its episode alone.
func playStateful(t *testing.T, e *Stateful, wrong map[string]string) {
	t.Helper()
	begin := func(from int) json.RawMessage {
		t.Helper()
		o, err := e.Reset(t.Context(), task.Problem{Question: fmt.Sprintf(`{"from":%d}`, from)})
		if err != nil || o.All != "1 episodes" {
			t.Fatalf("%+v, %v", o, err)
		}
		return o.State
	}
	step := func(state json.RawMessage, say, want string) json.RawMessage {
		t.Helper()
		o, err := e.Step(t.Context(), state, map[string]string{"a": say})
		if err != nil || o.All != want || o.Team != 0.5 || o.Done != (say == "end") {
			t.Errorf("%s: %+v, %v, want %s", say, o, err, want)
		}
		return o.State
	}
	fails := func(state json.RawMessage, say, want string) {
		t.Helper()
		if o, err := e.Step(t.Context(), state, map[string]string{"a": say}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, error %v, want %q", say, o, err, want)
		}
	}
	first, second := begin(10), begin(20)
	later := step(first, "go", "10")
	step(second, "go", "20")
	fails(first, "go", "1 steps are done, and a stateful environment cannot go back to step 0")
	for said, want := range wrong {
		other := begin(0)
		fails(other, said, want)
		fails(other, "go", "the episode is over")
	}
	last := step(later, "go", "11")
	end := step(last, "end", "12")
	fails(end, "go", "the episode is over")
	e.End(t.Context(), end)
	if e.End(t.Context(), second); len(e.episodes) != 0 {
		t.Errorf("%d episodes are under way", len(e.episodes))
	}
	begin(1) // Close ends it
}

// TestStatefulPython is a Python file with a process for each episode.
func TestStatefulPython(t *testing.T) {
	e := openStateful(t, External{Python: file(t, counter), Deadline: 5 * time.Second, Retries: 3})
	playStateful(t, e, map[string]string{"loop": "No answer before the deadline", "exit": "it ended while answers were waiting", "raise": "ValueError: no more", "flood": "longer than 2097152 bytes"})
	for _, s := range []External{{Python: "none.py"}, {}} {
		if _, err := OpenStateful(t.Context(), s); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
}

// TestStatefulProgram is a program that keeps its state, of which each episode has a process.
func TestStatefulProgram(t *testing.T) {
	program := `import json, sys
exec(open(sys.argv[1]).read())
state = None
for line in sys.stdin:
    call = json.loads(line)
    if call.get("actions", {}).get("a") == "tell":
        print(json.dumps({"id": call["id"], "state": 1})); sys.stdout.flush(); continue
    out = reset(call["item"]) if call["call"] == "reset" else step(state, call["actions"])
    state = out.pop("state", None)
    print(json.dumps(dict(out, id=call["id"]))); sys.stdout.flush()
`
	e := openStateful(t, External{Command: []string{"python3", "-c", program, file(t, counter)}, Deadline: 5 * time.Second, Retries: 3})
	playStateful(t, e, map[string]string{"loop": "no answer within 5s", "exit": "it ended", "tell": "keeps to itself"})
}

// TestStatefulServer is a server that knows episodes by their names, and hears of their ends.
func TestStatefulServer(t *testing.T) {
	var mu sync.Mutex
	at := map[string]int{}
	var ended []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			Episode, Call string
			Item          struct{ From int }
			Actions       map[string]string
		}
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		switch say := call.Actions["a"]; {
		case call.Call == "end":
			ended = append(ended, call.Episode)
			fmt.Fprint(w, `{}`)
		case call.Call == "reset":
			if _, known := at[call.Episode]; known || call.Episode == "" {
				t.Errorf("episode %q begins", call.Episode)
			}
			at[call.Episode] = call.Item.From
			fmt.Fprint(w, `{"observations":"1 episodes"}`)
		case say == "busy":
			w.WriteHeader(http.StatusServiceUnavailable)
			at[call.Episode]++
		default:
			fmt.Fprintf(w, `{"observations":"%d","rewards":0.5,"done":%v}`, at[call.Episode], say == "end")
			at[call.Episode]++
		}
	}))
	defer s.Close()
	e := openStateful(t, External{URL: s.URL, Deadline: 5 * time.Second, Retries: 3})
	playStateful(t, e, map[string]string{"busy": "503"})
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	slices.Sort(ended)
	if len(slices.Compact(ended)) != len(at) || len(at) != 4 {
		t.Errorf("%d episodes, %d ended", len(at), len(ended))
	}
	for name, n := range at {
		if n > 23 {
			t.Errorf("%s was asked again", name)
		}
	}
}

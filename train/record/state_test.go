package record

import (
	"strings"
	"testing"

	"parley/runs/diagnose"
)

const text = `{"updates":3,"generated_tokens":70,"steps":{"agent1":6},"held":[{"update":3,"episode":0,"node":0,"seat":1}],"watch":{"records":[{"update":3,` +
	`"actions":[{"place":{},"reward":0.5,"usable":[true,false],"tokens":[3,4],"facts":{}}],"groups":[{"place":{},"credits":[0,1]}],"turns":[{"place":{},"rewards":[0,1]}]}],` +
	`"means":[{"reward":1,"audit":0}],"fired":[],"health":[{"update":3,"problems":2}],"before":[0.5]}}`

// TestState: what counts nothing that can be counted is no state.
func TestState(t *testing.T) {
	if st, err := ReadState([]byte(text)); err != nil || st.Updates != 3 || st.Steps["agent1"] != 6 || len(st.Held) != 1 || len(st.Watch.Records) != 1 {
		t.Errorf("%+v, %v", st, err)
	}
	for _, bad := range []string{
		``, `[]`, `{"updates":-1}`, `{"generated_tokens":-1}`, `{"steps":{"a":-1}}`, `{"held":[{"update":0}]}`, `{"held":[{"update":1,"node":-1}]}`,
		`{"held":[{"update":1,"seat":-1}]}`, `{"updates":1e99}`, strings.Repeat("[", 100_000),
		`{"watch":{"records":[{"actions":[{"usable":[true]}]}]}}`,
	} {
		if _, err := ReadState([]byte(bad)); err == nil {
			t.Errorf("%.40s is taken", bad)
		}
	}
}

// FuzzState: a state that is taken is one that diagnosis can go on with.
func FuzzState(f *testing.F) {
	f.Add([]byte(text), false, true)
	f.Add([]byte(`{"watch":{}}`), true, false)
	f.Add([]byte(`{"watch":{"before":[0]}}`), false, true)
	f.Fuzz(func(t *testing.T, data []byte, debate, groups bool) {
		st, err := ReadState(data)
		if err != nil || st.Watch == nil {
			return
		}
		w := diagnose.Watch{Settings: diagnose.Settings{Debate: debate, Groups: groups, Normalise: groups, Raw: diagnose.Range{Most: 1}}, State: *st.Watch}
		w.Result(st.Updates)
		w.Observe(diagnose.Health{Update: 4})
	})
}

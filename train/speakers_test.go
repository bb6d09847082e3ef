package train_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"parley/engine/native"
	"parley/engine/openai"
	"parley/recipe/language"
	"parley/rl/rollout"
	"parley/runs"
	"parley/train"
	"parley/train/shortrun"
)

// An ask is what a server of chat completions is asked, as far as these tests look.
type ask struct {
	Messages []struct{ Content string }
	Seed     int64
	Forced   *struct{ Regex string } `json:"structured_outputs"`
}

// chats is a server of chat completions.
func chats(t *testing.T, answer func(w http.ResponseWriter, a ask)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var a ask
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
			t.Error(err)
		}
		answer(w, a)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// polite says something that depends on what it is asked.
func polite(w http.ResponseWriter, a ask) {
	text, _ := json.Marshal(fmt.Sprintf("Look at %d letters; %d", len(a.Messages[0].Content), a.Seed%5))
	fmt.Fprintf(w, `{"choices":[{"message":{"content":%s}}]}`, text)
}

// criticAt is a shipped chain whose critic is a server.
func criticAt(t *testing.T, url string, sets ...string) train.Options {
	t.Helper()
	agents := fmt.Sprintf(`team.agents={writer: {role: "Write."}, critic: {endpoint: {url: "%s/v1", model: big}, seconds: 60, retries: 0}, editor: {}}`, url)
	return quick(t, "chain-tiny", append([]string{agents, "group.size=2", "training.updates=3"}, sets...)...)
}

// TestEndpointInTheTeam: a run with an agent behind a server that was interrupted goes on as the unbroken one, byte for byte; an update that was
// learned is not asked for again, and the server is gone when its learning is verified.
func TestEndpointInTheTeam(t *testing.T) {
	var asked atomic.Int64
	url := chats(t, func(w http.ResponseWriter, a ask) { asked.Add(1); polite(w, a) })
	whole := criticAt(t, url)
	if _, err := train.Run(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	all := asked.Swap(0)
	broken := criticAt(t, url)
	if _, err := train.Run(stopAfter(&broken, train.Updated, 2), broken); !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	if _, err := train.Run(t.Context(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: broken.Dir, Resume: true, MaxUpdates: -1}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(metricsFile(t, whole.Dir), metricsFile(t, broken.Dir)) {
		t.Error("metrics.jsonl of the interrupted run differs")
	}
	if n := asked.Swap(0); n != all {
		t.Errorf("the server was asked %d times, %d in an unbroken run", n, all)
	}
	verdict, err := train.Verify(t.Context(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: broken.Dir, Version: "test"}, 0)
	if err != nil || len(verdict.Problems) > 0 || asked.Load() > 0 {
		t.Errorf("%+v, %v, with %d asks", verdict, err, asked.Load())
	}
}

// TestRecordedServers: a run whose servers are gone is the same, byte for byte, with what they said on record, failures and costs included.
func TestRecordedServers(t *testing.T) {
	var n atomic.Int64
	url := chats(t, func(w http.ResponseWriter, a ask) {
		if a.Seed%7 == 0 {
			http.Error(w, "not that", http.StatusBadRequest)
			return
		}
		text, _ := json.Marshal(fmt.Sprintf("Reply number %d.", n.Add(1))) // nobody could guess it
		fmt.Fprintf(w, `{"choices":[{"message":{"content":%s}}],"usage":{"prompt_tokens":9,"completion_tokens":4}}`, text)
	})
	file := filepath.Join(t.TempDir(), "said.jsonl")
	sets := []string{"servers.recording=" + file, "servers.prices=[big 100 200]", "training.failed_share=1", "training.updates=2"}
	first := criticAt(t, url, sets...)
	if _, err := train.Run(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	again := criticAt(t, "http://127.0.0.1:1", append(sets, "servers.replay=true")...)
	if _, err := train.Run(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if was := metricsFile(t, first.Dir); !bytes.Equal(was, metricsFile(t, again.Dir)) || !bytes.Contains(was, []byte(`"servers":{"requests":`)) {
		t.Errorf("%s\nthen\n%s", was, metricsFile(t, again.Dir))
	}
}

// TestBudgetOfServers: a run whose budget is spent ends, or goes on without what it cannot ask.
func TestBudgetOfServers(t *testing.T) {
	url := chats(t, func(w http.ResponseWriter, a ask) {
		fmt.Fprint(w, `{"choices":[{"message":{"content":"fine"}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`)
	})
	o := criticAt(t, url, "servers.tokens=200", "training.failed_share=1")
	if _, err := train.Run(t.Context(), o); !errors.Is(err, openai.ErrSpent) || !strings.Contains(err.Error(), "and the budget is 200") {
		t.Errorf("%v", err)
	}
	o = criticAt(t, url, "servers.tokens=200", "servers.spent=fail", "training.failed_share=0.1")
	if _, err := train.Run(t.Context(), o); err == nil || errors.Is(err, openai.ErrSpent) || !strings.Contains(err.Error(), "and the budget is 200") {
		t.Errorf("%v", err)
	}
}

// TestHostileEndpointInTheTeam: however a server fails at one problem, that problem is counted, said once, and not learned from; the others are.
func TestHostileEndpointInTheTeam(t *testing.T) {
	sets := []string{"training.updates=1", "training.failed_share=0.5"}
	well := criticAt(t, chats(t, polite), sets...)
	if _, err := train.Run(t.Context(), well); err != nil {
		t.Fatal(err)
	}
	first := firstQuestion(t, well.Dir)
	for name, c := range map[string]struct {
		seconds int // that an answer may take
		fault   func(w http.ResponseWriter)
		want    string
	}{
		"lies":   {60, func(w http.ResponseWriter) { io.WriteString(w, `{"choices":[{"message":{"content":NaN}}]}`) }, "no chat completion"},
		"hangs":  {3, untilLeft, "no answer within 3s"},
		"dies":   {60, func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, "EOF"},
		"floods": {60, func(w http.ResponseWriter) { io.WriteString(w, strings.Repeat(" ", 5<<20)) }, "more than 4194304 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			hostile := chats(t, func(w http.ResponseWriter, a ask) {
				if strings.Contains(a.Messages[len(a.Messages)-1].Content, first) {
					c.fault(w)
					return
				}
				polite(w, a)
			})
			o := criticAt(t, hostile, append(sets, fmt.Sprint("team.agents.critic.seconds=", c.seconds))...)
			var notes []string
			o.Observe = func(e train.Event) {
				if e.Kind == train.Note || e.Kind == train.Warning {
					notes = append(notes, e.Message)
				}
			}
			if _, err := train.Run(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			m := shortrun.Metrics(t, o.Dir)[0]
			if m.Failed != 1 || m.Problems != 3 {
				t.Errorf("%d problems failed, %d did not", m.Failed, m.Problems)
			}
			for reason := range m.FailedReasons {
				if !strings.Contains(reason, c.want) {
					t.Errorf("it failed as %q, want %q", reason, c.want)
				}
			}
			if said := strings.Join(notes, "\n"); !strings.Contains(said, "agent critic, turn 2: ") || !strings.Contains(said, c.want) {
				t.Errorf("the notes are %s", said)
			}
		})
	}
}

// untilLeft says nothing until who asked has left.
func untilLeft(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_, _ = io.Copy(io.Discard, conn)
		_ = conn.Close()
	}
}

// firstQuestion is that of the first problem of the first update.
func firstQuestion(t *testing.T, dir string) (question string) {
	t.Helper()
	err := runs.ReadEpisodes(dir, 1, func(line []byte) error {
		var e rollout.Episode
		err := json.Unmarshal(line, &e)
		if question == "" {
			question = e.Problem.Question
		}
		return err
	})
	if err != nil || question == "" {
		t.Fatalf("%q, %v", question, err)
	}
	return question
}

package external

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"parley/engine/openai"
	"parley/model/form"
	"parley/task"
	"parley/team"
)

// TestMain makes the test's own binary the program that speaks, where the environment says how.
func TestMain(m *testing.M) {
	if how := os.Getenv("TEST_SPEAKER"); how != "" {
		behave(how)
		return
	}
	os.Exit(m.Run())
}

// behave answers with the question, up to a fault at the second ask.
func behave(how string) {
	lines := bufio.NewScanner(os.Stdin)
	for n := 0; lines.Scan(); n++ {
		var q struct {
			ID       int
			Agent    string
			Messages []team.Message
			Problem  map[string]any
			Seed     int64
		}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		reply := fmt.Sprintf(`{"id":%d,"text":%q}`, q.ID, fmt.Sprintf("%s: %s %v %d", q.Agent, q.Messages[0].Content, q.Problem, q.Seed))
		if n == 1 {
			switch how {
			case "dies":
				fmt.Fprintln(os.Stderr, "out of memory")
				os.Exit(3)
			case "hangs":
				time.Sleep(time.Hour)
			case "floods":
				reply = strings.Repeat("x", 2<<20)
			case "long":
				reply = fmt.Sprintf(`{"id":%d,"text":%q}`, q.ID, strings.Repeat("x", mostText+1))
			case "nan":
				reply = fmt.Sprintf(`{"id":%d,"text":NaN}`, q.ID)
			case "number":
				reply = fmt.Sprintf(`{"id":%d,"text":7}`, q.ID)
			case "silent":
				reply = fmt.Sprintf(`{"id":%d}`, q.ID)
			case "stranger":
				reply = `{"id":-1,"text":"x"}`
			case "refuses":
				reply = fmt.Sprintf(`{"id":%d,"error":"not today"}`, q.ID)
			}
		}
		fmt.Println(reply)
	}
}

func asks(n int) []team.SpeakerAsk {
	out := make([]team.SpeakerAsk, n)
	for i := range out {
		out[i] = team.SpeakerAsk{
			Agent: "judge", Messages: []team.Message{{Role: team.User, Content: fmt.Sprintf("<b> %d", i)}}, Seed: uint64(i) << 40,
			Problem:     task.Problem{ID: "p", Question: "How many km?", Truth: "TRUTH-4711", Fields: map[string]string{"unit": "km"}},
			Temperature: 0.5, TopP: 0.9, MaxTokens: 32,
		}
	}
	return out
}

func speak(t *testing.T, s team.Speaker, n int) []team.Reply {
	t.Helper()
	replies, err := s.Speak(t.Context(), asks(n))
	if err != nil || len(replies) != n {
		t.Fatalf("%d replies, %v", len(replies), err)
	}
	return replies
}

// wantFault fails unless a reply is an error that says it, without a text.
func wantFault(t *testing.T, r team.Reply, want string) {
	t.Helper()
	if r.Err == nil || r.Text != "" || !strings.Contains(r.Err.Error(), want) {
		t.Errorf("%.200q, %v, want an error with %q", r.Text, r.Err, want)
	}
}

func open(t *testing.T, s Settings) team.Speaker {
	t.Helper()
	out, err := Open(s)
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := out.(io.Closer); ok {
		t.Cleanup(func() { c.Close() })
	}
	return out
}

func testProgram(t *testing.T, how string) team.Speaker {
	t.Helper()
	t.Setenv("TEST_SPEAKER", how)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return open(t, Settings{Program: []string{self}, Deadline: time.Minute})
}

// TestProgram: each ask gets its own answer, and the truth is not among what the program reads.
func TestProgram(t *testing.T) {
	for i, r := range speak(t, testProgram(t, "well"), 200) {
		want := fmt.Sprintf("judge: <b> %d map[fields:map[unit:km] id:p question:How many km?] %d", i, int64(i)<<7)
		if r.Err != nil || r.Text != want {
			t.Fatalf("%q, %v, want %q", r.Text, r.Err, want)
		}
	}
}

// TestHostilePrograms: whatever a program does, what it has not answered is an error that says what happened.
func TestHostilePrograms(t *testing.T) {
	for how, want := range map[string]string{
		"dies": "exit status 3), after these words on stderr:\nout of memory", "hangs": "no answer within 5s", "floods": "too long", "long": "more than 262144",
		"nan": "no JSON", "number": `expected {"id"`, "silent": `has no "text"`, "stranger": "was not asked", "refuses": "not today",
	} {
		t.Run(how, func(t *testing.T) {
			p := testProgram(t, how)
			p.(*program).child.Deadline = map[bool]time.Duration{true: 5 * time.Second, false: time.Minute}[how == "hangs"]
			replies := speak(t, p, 2)
			if replies[0].Err != nil {
				t.Errorf("the first: %v", replies[0].Err)
			}
			wantFault(t, replies[1], want)
		})
	}
	wantFault(t, speak(t, open(t, Settings{Program: []string{"./no-such-program"}, Deadline: time.Second}), 1)[0], "no-such-program")
}

// serve is a server of chat completions, asked with a deadline and one further try.
func serve(t *testing.T, deadline time.Duration, answer http.HandlerFunc) (team.Speaker, *atomic.Int64) {
	t.Helper()
	var tries atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tries.Add(1)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return open(t, Settings{Server: at(t, s.URL+"/v1", deadline), Model: "big", Stop: []string{"END"}}), &tries
}

func at(t *testing.T, url string, deadline time.Duration) *openai.Server {
	t.Helper()
	p, err := openai.OpenPool(openai.PoolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p.Server(openai.Address{URL: url, Key: "secret", Deadline: deadline, Retries: 1}).Quick()
}

// TestEndpoint: a request has what the agent's keys say, and no truth; the text is that of the first choice.
func TestEndpoint(t *testing.T) {
	s, _ := serve(t, time.Minute, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer secret" || strings.Contains(string(body), "TRUTH") {
			http.Error(w, "wrong", http.StatusBadRequest)
			return
		}
		said, _ := json.Marshal(string(body))
		fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%s}},{"message":{"content":"no"}}],"usage":{}}`, said)
	})
	for i, r := range speak(t, s, 30) {
		var got map[string]any
		if err := errors.Join(r.Err, json.Unmarshal([]byte(r.Text), &got)); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("map[max_tokens:32 messages:[map[content:<b> %d role:user]] model:big seed:%v stop:[END] temperature:0.5 top_p:0.9]", i, float64(int64(i)<<7))
		if fmt.Sprint(got) != want {
			t.Errorf("asked %v, want %s", got, want)
		}
	}
	for form, want := range map[string]string{
		form.OfRegex("a|b"):          `"structured_outputs":{"regex":"a|b"}`,
		`{"schema":{"type":"null"}}`: `"response_format":{"json_schema":{"name":"answer","schema":{"type":"null"},"strict":true},"type":"json_schema"}`,
	} {
		replies, err := s.Speak(t.Context(), []team.SpeakerAsk{{Form: form}})
		if err != nil || !strings.Contains(replies[0].Text, want) {
			t.Errorf("asked for a text of %s: %+v, %v", form, replies, err)
		}
	}
}

// TestHostileEndpoints: whatever a server does, there is a text or an error that says what happened; what may pass is tried again.
func TestHostileEndpoints(t *testing.T) {
	say := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
		tries  int64
	}{
		"dies":   {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF", 2},
		"hangs":  {func(http.ResponseWriter, *http.Request) { time.Sleep(400 * time.Millisecond) }, "no answer within 150ms", 2},
		"floods": {say(strings.Repeat("x", 5<<20)), "more than 4194304 bytes", 0},
		"long":   {say(`{"choices":[{"message":{"content":"` + strings.Repeat("x", mostText+1) + `"}}]}`), "more than 262144", 2},
		"broken": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "no memory", http.StatusInternalServerError)
		}, "no memory", 2},
		"unknown":  {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such model", http.StatusNotFound) }, "no such model", 1},
		"redirect": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/v2", http.StatusFound) }, "not followed", 1},
		"garbage":  {say("<html>"), "no chat completion", 2},
		"nan":      {say(`{"choices":[{"message":{"content":NaN}}]}`), "no chat completion", 2},
		"number":   {say(`{"choices":[{"message":{"content":7}}]}`), "no chat completion", 2},
		"null":     {say(`{"choices":[{"message":{"content":null}}]}`), "no choices[0].message.content", 2},
		"nobody":   {say(`{"choices":[]}`), "no choices", 2},
		"nothing":  {say(""), "no chat completion", 2},
	} {
		t.Run(name, func(t *testing.T) {
			deadline := time.Minute
			if name == "hangs" {
				deadline = 150 * time.Millisecond
			}
			s, tries := serve(t, deadline, c.answer)
			wantFault(t, speak(t, s, 1)[0], c.want)
			if n := tries.Load(); c.tries != 0 && n != c.tries {
				t.Errorf("%d tries, want %d", n, c.tries)
			}
		})
	}
	gone := open(t, Settings{Server: at(t, "http://127.0.0.1:1", time.Second)})
	wantFault(t, speak(t, gone, 1)[0], "refused")
}

// TestPassingFault: a server that asks for time gets it.
func TestPassingFault(t *testing.T) {
	var n atomic.Int64
	s, _ := serve(t, time.Minute, func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) == 1 {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		io.WriteString(w, `{"choices":[{"message":{"content":""}}]}`)
	})
	if r := speak(t, s, 1)[0]; r.Err != nil || r.Text != "" {
		t.Errorf("%+v", r)
	}
}

// TestCancel: the end of the context ends all of them.
func TestCancel(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	server, _ := serve(t, time.Minute, func(http.ResponseWriter, *http.Request) { time.Sleep(time.Second) })
	for _, s := range []team.Speaker{testProgram(t, "hangs"), server, testScript(t, "return 'x'")} {
		if _, err := s.Speak(ctx, asks(2)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", s.Kind(), err)
		}
	}
}

func testScript(t *testing.T, body string) team.Speaker {
	t.Helper()
	return open(t, Settings{Place: "x.star", Script: "def speak(messages, problem):\n    " + strings.ReplaceAll(body, "\n", "\n    ") + "\n"})
}

// TestScript: a function of the chat and the problem without its truth, with a stream of its own for each reply.
func TestScript(t *testing.T) {
	r := speak(t, testScript(t, `return "%s|%s|%s|%s|%s" % (messages[-1]["role"], messages[-1]["content"], problem.id, problem.question, problem.fields["unit"])`), 2)
	if want := "user|<b> 1|p|How many km?|km"; r[1].Err != nil || r[1].Text != want {
		t.Errorf("%+v, want %q", r[1], want)
	}
	drawing := testScript(t, `return ",".join([str(draw(1000)) for _ in range(5)])`)
	first, again := speak(t, drawing, 8), speak(t, drawing, 8)
	seen := map[string]bool{}
	for i := range first {
		if first[i] != again[i] || first[i].Err != nil {
			t.Errorf("%+v, then %+v", first[i], again[i])
		}
		seen[first[i].Text] = true
	}
	if len(seen) != 8 {
		t.Errorf("%d different draws of 8", len(seen))
	}
}

// TestHostileScripts: a script that loops, recurses, fails or says something else fails its reply and no other.
func TestHostileScripts(t *testing.T) {
	for body, want := range map[string]string{
		"while True:\n    pass":           "more than 1000000 steps",
		"return speak(messages, problem)": "called recursively",
		"return problem.truth":            "no .truth attribute",
		"return 7":                        "speak returned 7, expected a text",
		"pass":                            "speak returned None, expected a text",
		"return 'x' * 300000":             "more than 262144",
		"return 'x' * (1 << 40)":          "line 2: it works on more than 64 MiB",
		"s = 'x'\nfor i in range(40):\n    s += s\nreturn s":     "line 4: it works on more than 64 MiB",
		"return list(range(1 << 40))":                            "line 2: it works on more than 64 MiB",
		"l = [1]\nfor i in range(60):\n    l = [l, l]\nreturn l": "speak returned list, expected a text",
		"return '%d' % draw(0)":                                  "expected a number from 1",
		"return messages[9]":                                     "x.star:2:20: in speak",
		"fail('no idea')":                                        "no idea",
		"return 'é'[0]":                                          "not UTF-8",
	} {
		r := speak(t, testScript(t, body), 1)[0]
		wantFault(t, r, want)
	}
	for text, want := range map[string]string{
		"x = 1\n":                               "x.star defines no function speak(messages, problem)",
		"def speak(messages):\n    return ''\n": "speak has 1 parameters",
		"def speak(messages, problem)\n    return ''\n":  "x.star:2:1: got newline",
		"speak = draw(3)\n":                              "works within speak only",
		"def speak(m, p, *more):\n    return ''\n":       "expected speak(messages, problem)",
		"for i in range(1000000000): x = i\ndef f(): 1 ": "steps",
	} {
		if _, err := Open(Settings{Place: "x.star", Script: text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Whatever is answered, there is a text of bounded length, or an error.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`{"text":"a \ud800"}`))
	f.Add([]byte(`{"text":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if text, err := textOf(body); err == nil && (len(text) > mostText || !utf8.ValidString(text)) {
			t.Fatalf("%d bytes, %.80q", len(text), text)
		}
	})
}

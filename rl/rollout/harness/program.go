package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/seed"
	"parley/internal/service"
	"parley/internal/service/web"
)

// A program plays episodes, one call for each, several at a time.
type program interface {
	// play lets the program play an episode, and returns soon once ctx has ended. What is left of its processes then ends behind it.
	play(ctx context.Context, e *Live, begin []byte) said
	// close ends all processes and waits for them.
	close()
}

// said is what a program said of an episode.
type said struct {
	result    []byte // in JSON
	later     bool   // it reports by itself
	err       error  // why there is no result
	unstarted bool   // because it could not be started
	output    string // what else it wrote, where that is known
}

// newProgram is that of the settings.
func (h *Harness) newProgram() (program, error) {
	s := &h.settings
	switch {
	case s.Python != "":
		interpreter := s.Interpreter
		if interpreter == service.Python3 {
			interpreter = service.Python()
		}
		if strings.ContainsRune(filepath.ToSlash(interpreter), '/') {
			interpreter = s.in(interpreter)
		}
		return newWorkers(h, pythonCommand(interpreter, s.in(s.Python))), nil
	case len(s.Command) > 0 && s.Keep:
		return newWorkers(h, s.Command), nil
	case len(s.Command) > 0:
		return newCommand(h)
	case s.URL != "":
		return newServer(s), nil
	}
	return nil, errors.New("team.harness: nothing plays: write python, command or url")
}

// in is a path that is relative to the recipe's folder.
func (s *Settings) in(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.Folder, path)
}

// A beginning is what a program gets of an episode.
type beginning struct {
	ID       int               `json:"id"`
	Episode  string            `json:"episode"`
	Item     item              `json:"item"`
	BaseURL  string            `json:"base_url"`
	Key      string            `json:"api_key"`
	Agents   map[string]string `json:"agents"`
	Training bool              `json:"training"`
	Seed     uint64            `json:"seed"`
}

// An item is what it gets of the problem.
type item struct {
	ID       string            `json:"id"`
	Question string            `json:"question"`
	Fields   map[string]string `json:"fields,omitempty"`
	Truth    string            `json:"truth,omitempty"` // where the program says what is paid
}

// beginning is that of an episode, as JSON.
func (e *Live) beginning(id int) []byte {
	p, at := e.ids.problem, e.url("/e/"+e.name)
	b := beginning{
		ID: id, Episode: e.name, Item: item{ID: p.ID, Question: p.Question, Fields: p.Fields}, BaseURL: at + "/v1", Key: e.key,
		Agents: map[string]string{}, Training: e.ids.trains(),
		Seed: seed.Derive(e.play.runner.Seed, "harness", e.ids.update, e.ids.index, e.ids.sample) >> 33,
	}
	if e.of.settings.Pays {
		b.Item.Truth = p.Truth
	}
	for _, a := range e.agents {
		b.Agents[a.Name] = at + "/agents/" + a.Name + "/v1"
	}
	data, _ := json.Marshal(b) // texts and numbers alone: it cannot fail
	return data
}

func (e *Live) url(path string) string { return e.of.address + path }

// hidden are variables that no program gets.
var hidden = []string{"PARLEY_TOKEN", "PARLEY_HOST_TOKEN", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "OPENAI_ORG_ID", "OPENAI_ORGANIZATION", "OPENAI_PROJECT_ID"}

// longestVariable is the most bytes of PARLEY_EPISODE: a system takes no longer ones.
const longestVariable = 100 << 10

// environment is that of a process, from the one of parley. begin is the episode of a process that has one alone; nil: it gets them later.
func (h *Harness) environment(base, key string, begin []byte) []string {
	const local = "127.0.0.1,localhost"
	set := map[string]string{
		"OPENAI_BASE_URL": base, "OPENAI_API_KEY": key, "OPENAI_AGENTS_DISABLE_TRACING": "1",
		"PYTHONUNBUFFERED": "1", "PYTHONHASHSEED": "0", "PARLEY_EPISODE": string(begin), "NO_PROXY": local, "no_proxy": local,
	}
	var out []string
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if slices.Contains(hidden, name) || slices.Contains(h.settings.Secrets, name) {
			continue
		}
		if _, ours := set[name]; !ours {
			out = append(out, pair)
		} else if strings.EqualFold(name, "NO_PROXY") && value != "" {
			set[name] = value + "," + local
		}
	}
	if len(begin) == 0 || len(begin) > longestVariable {
		delete(set, "PARLEY_EPISODE")
	}
	for name, value := range set {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// idle is the environment of a process that waits for episodes: clients that are made too early reach nobody.
func (h *Harness) idle() []string {
	return h.environment(h.address+"/e/"+early+"/v1", "hk-"+early, nil)
}

// A server is a program that goes on by itself, and is asked by POST.
type server struct{ web *web.Server }

func newServer(s *Settings) *server {
	w := web.New(s.URL, s.Key, s.Time+time.Minute, 0) // the episode is over before; nothing is tried twice
	w.Later = true
	return &server{w}
}

// play implements [program].
func (s *server) play(ctx context.Context, _ *Live, begin []byte) (out said) {
	out.err = s.web.Post(ctx, json.RawMessage(begin), func(reply []byte) error {
		if out.result, out.later = bytes.Clone(reply), reply == nil; !out.later && len(bytes.TrimSpace(reply)) == 0 {
			return errors.New("it answered nothing")
		}
		return nil
	})
	return out
}

func (s *server) close() {}

// A limitedLog writes no more than a bound.
type limitedLog struct {
	to io.Writer // nil: nobody reads it

	mu      sync.Mutex
	written int
}

const longestLog = 1 << 20

// write adds an entry. An error is dropped: the log is no part of the run.
func (l *limitedLog) write(head, output string) {
	entry := fmt.Sprintf("%s %s\n", time.Now().UTC().Format(time.RFC3339), head)
	if output = strings.TrimSpace(output); output != "" {
		entry += output + "\n"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to == nil {
		return
	}
	entry = entry[:min(len(entry), longestLog-l.written)]
	l.written += len(entry)
	_, _ = io.WriteString(l.to, entry)
}

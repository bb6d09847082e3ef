package initcmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/recipe/keys"
	"parley/rl/rollout"
	"parley/rl/rollout/harness"
	"parley/task"
	"parley/train/plan"
)

// byProgram is the protocol of teams that work in a program of the user's.
const byProgram = "harness"

// program settles a team that works in a program. Its agents are those that flags name, or those that the program asks once there is a problem.
func (c Cmd) program(d *draft) error {
	if c.Protocol != "" || c.Agents > 0 {
		return cli.Usagef("--harness names a program, which decides how many agents there are and who sees whom: leave --protocol and --agents out")
	}
	d.python = c.Interpreter
	d.harness, d.protocol, d.algorithm, d.turns, d.agents = c.Harness, byProgram, "magrpo", 1, 1
	if len(d.roles) > 0 {
		d.agents = len(d.roles)
		d.asked = d.names()
	}
	return nil
}

// shipped settles that a program works on the task that ships.
func (c *Cmd) shipped() error {
	if c.Question+c.Answer+c.Match != "" {
		return cli.Usagef("--question, --answer and --match are about --data: name that too, or leave them out")
	}
	c.Base, c.File = cmp.Or(c.Base, usualBase), cmp.Or(c.File, usualFile(c.Harness))
	return nil
}

// meet lets the program work on a problem with scripted answers and takes those for agents whom it asks.
func (d *draft) meet(ctx context.Context, p task.Problem) error {
	if d.harness == "" || d.asked != nil {
		return nil
	}
	file, err := filepath.Abs(d.harness)
	if err != nil {
		return fmt.Errorf("find %s: %w", d.harness, err)
	}
	python := cmp.Or(d.python, "python3")
	if isPath(python) {
		if python, err = filepath.Abs(python); err != nil {
			return fmt.Errorf("find %s: %w", d.python, err)
		}
	}
	s := &stage{answer: fmt.Sprintf("Answer: \\boxed{%s}", p.Truth)}
	h, err := harness.New(harness.Settings{
		Python: file, Interpreter: python, Folder: filepath.Dir(d.file), Parallel: 1, Time: time.Minute, Calls: 64, Listen: "127.0.0.1:0", Pays: d.reward == byProgram, Most: 1,
	}, s)
	if err != nil {
		return err
	}
	defer h.Close()
	e := &rollout.Episode{Problem: p}
	if err := h.Play(ctx, &rollout.Runner{}, "init", []*rollout.Episode{e}); err != nil {
		return fmt.Errorf("play %s: %w", d.harness, err)
	}
	if len(s.models) == 0 {
		if failed := e.Failed(); strings.Contains(failed, "defines no function episode") {
			return cli.Usagef("%s", failed) // which says what to write
		}
		return cli.Usagef("%s has asked for no model, with which parley would know what it calls its agents: %s\n%s", d.harness, unasking(e.Failed()), e.Failed())
	}
	if s.live != nil {
		d.said = s.live.Answers()
	}
	for i, model := range s.models {
		name := model
		if !keys.AgentName.MatchString(name) {
			if name = strings.Trim(unnamed.ReplaceAllString(model, "_"), "_"); !keys.AgentName.MatchString(name) || slices.Contains(s.models, name) {
				name = fmt.Sprintf("agent%d", i+1)
			}
			d.models = append(d.models, [2]string{model, name})
		}
		d.asked = append(d.asked, name)
	}
	d.agents = len(d.asked)
	d.notes = append(d.notes, fmt.Sprintf("%s asked %s for one problem, with scripted answers: add agents whom it asks only at other times", d.harness, strings.Join(s.models, ", ")))
	return nil
}

// isPath tells the path of a program from a name that is looked for.
func isPath(name string) bool { return strings.ContainsRune(filepath.ToSlash(name), '/') }

// unasking says what to do about a program that asked for no model, by why its episode has failed.
func unasking(failed string) string {
	switch {
	case strings.Contains(failed, "ModuleNotFoundError"):
		return "name the Python that has the module with --interpreter, such as --interpreter .venv/bin/python"
	case strings.Contains(failed, "the program: start it"):
		return "name a Python that is there with --interpreter"
	}
	return "name them with --roles A,B"
}

// reading has the recipe read final answers as the program writes them, where they cannot be read as they are.
func (d *draft) reading(a *cli.App, p task.Problem) error {
	if len(d.said) == 0 || d.reward != label || d.answer == "" {
		return nil
	}
	if d.data == "" {
		readable, _, err := d.reads(a, p)
		if err == nil && !readable {
			d.notes = append(d.notes, fmt.Sprintf("%s answered %.80q, in which no \\boxed{…} has the final answer: it would earn nothing; task.answer: last-number reads the last number", d.harness, d.said[0]))
		}
		return err
	}
	own := d.ways[0].final
	for _, final := range []string{own, "response", "last-line", "last-number"} {
		if final == "last-number" && d.ways[0].match != "number" {
			continue
		}
		d.ways[0].final = final
		readable, right, err := d.reads(a, p)
		if a.Ctx.Err() != nil {
			return err
		}
		if readable && final == own {
			return nil
		}
		if right { // which was in the scripted answers
			d.notes = append(d.notes, fmt.Sprintf("%s answered %.80q, whose final answer is read with final %s", d.harness, d.said[0], final))
			return nil
		}
	}
	d.ways[0].final = own
	d.notes = append(d.notes, fmt.Sprintf("%s answered %.80q, in which final %s reads no final answer, and no other does the right one: it would earn nothing", d.harness, d.said[0], own))
	return nil
}

// reads says whether the final answers of the program can be read with the recipe as it is, and whether they are right.
func (d *draft) reads(a *cli.App, p task.Problem) (readable, right bool, err error) {
	r, err := read(a, d)
	if err != nil {
		return false, false, err
	}
	opened, err := plan.OpenTask(a.Ctx, r, r.Task, true)
	if err != nil {
		return false, false, err
	}
	if closer, ok := opened.(io.Closer); ok {
		defer func() { err = errors.Join(err, closer.Close()) }()
	}
	answerer, ok := opened.(task.Answerer)
	readable, right = true, true
	for _, text := range d.said {
		canonical, known := "", false
		if ok {
			canonical, known = task.AnswerTo(answerer, p, text)
		}
		readable, right = readable && known, right && known && canonical == p.Right()
	}
	return readable, right, nil
}

// programText is the team of a program.
func (d *draft) programText(p *page) {
	p.key(1, "protocol", byProgram, sees[byProgram])
	p.key(1, "agents", "", "as the program calls them")
	for _, name := range d.names() {
		p.key(2, name, "{}", "")
	}
	p.key(1, "harness", "", "")
	p.key(2, "python", quote(d.beside(d.harness)), "it has def episode(e), and runs with your rights")
	if d.python != "" {
		interpreter := d.python
		if isPath(interpreter) {
			interpreter = d.beside(interpreter)
		}
		p.key(2, "interpreter", quote(interpreter), "its Python")
	}
	if len(d.models) > 0 {
		p.key(2, "models", "", "names by which it asks that agents cannot have")
		for _, m := range d.models {
			p.key(3, quote(m[0]), m[1], "")
		}
	}
}

// A stage is a [harness.Door] behind which one text answers whatever is asked, and who is asked for is written down.
type stage struct {
	answer string

	mu     sync.Mutex
	models []string // in the order of the first requests
	live   *harness.Live
}

// Handler implements [harness.Door].
func (s *stage) Handler(find func(string) *harness.Live) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model  string `json:"model"`
			Stream bool   `json:"stream"`
		}
		if err := json.NewDecoder(io.LimitReader(r.Body, 16<<20)).Decode(&asked); err != nil || asked.Model == "" {
			http.Error(w, `{"error": {"message": "the request names no model"}}`, http.StatusBadRequest)
			return
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/e/"), "/")
		s.mu.Lock()
		s.live = find(name)
		if !slices.Contains(s.models, asked.Model) {
			s.models = append(s.models, asked.Model)
		}
		s.mu.Unlock()
		s.reply(w, asked.Model, asked.Stream, strings.HasSuffix(r.URL.Path, "/responses"))
	})
}

// reply answers in the form of chat completions, or of responses.
func (s *stage) reply(w http.ResponseWriter, model string, stream, response bool) {
	type object = map[string]any
	chat := func(kind, key string) object {
		choice := object{"index": 0, "finish_reason": "stop", key: object{"role": "assistant", "content": s.answer}}
		return object{"id": "chatcmpl-init", "object": kind, "created": 0, "model": model, "choices": []object{choice}, "usage": object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
	}
	out := chat("chat.completion", "message")
	if response {
		text := object{"type": "output_text", "text": s.answer, "annotations": []string{}}
		out = object{
			"id": "resp_init", "object": "response", "created_at": 0, "status": "completed", "model": model, "parallel_tool_calls": false, "tool_choice": "auto", "tools": []string{},
			"output": []object{{"id": "msg_init", "type": "message", "role": "assistant", "status": "completed", "content": []object{text}}},
		}
	}
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out) // who has left gets nothing
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event, end := chat("chat.completion.chunk", "delta"), "data: [DONE]\n\n"
	if response {
		event, end = object{"type": "response.completed", "sequence_number": 0, "response": out}, ""
	}
	data, _ := json.Marshal(event) // texts and numbers alone
	fmt.Fprintf(w, "data: %s\n\n%s", data, end)
}

package workflow

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"parley/internal/bounded"
	"parley/internal/seed"
	"parley/task"
	"parley/team"
)

// limits bound one expression, and one call of a program.
var limits = bounded.Limits{Steps: 1_000_000, Bytes: 64 << 20, Time: 10 * time.Second}

// An expression is Starlark, a small dialect of Python without files, clocks and randomness of its own:
//
//	problem                problem.id, problem.question, problem.fields["NAME"]; never its truth
//	said(NAME, back=0)     what an agent said last, or back answers before that: .text .answer .score .report .turn; None: it was silent
//	all(NAME)              all that it said, oldest first
//	votes(NAMES)           how many of them gave each final answer last
//	agree(NAME, NAME, …)   their last answers were read and are equal; false where one of them has none
//	round, turn            of the innermost loop and of the episode, from 0
//	observation(NAME)      what an agent observes
//	agents                 all names
//	draw(N)                a number from 0 to N-1, from the episode's stream
type expression struct {
	place string
	f     *starlark.Function
}

var names = []string{"problem", "said", "all", "votes", "agree", "round", "turn", "observation", "agents", "draw"}

// parseExpression compiles an expression.
func parseExpression(place, source string) (*expression, error) {
	if err := bounded.CheckExpression(place, source); err != nil {
		return nil, plainly(err)
	}
	text := "def value(" + join(names) + "): return (" + source + "\n)" // on one line: lines keep their numbers
	globals, err := bounded.Exec(limits.Thread(place), place, text, nil)
	if err != nil {
		return nil, plainly(err)
	}
	return &expression{place, globals["value"].(*starlark.Function)}, nil
}

func (e *expression) eval(s *scene) (starlark.Value, error) {
	var args starlark.Tuple
	for _, name := range names {
		args = append(args, s.value(name))
	}
	v, err := starlark.Call(limits.Thread(e.place), e.f, args, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.place, plainly(err))
	}
	return v, nil
}

// An unknownAgent error is about a name that no agent has.
type unknownAgent struct {
	name   string
	agents []string
}

func (e *unknownAgent) Error() string {
	return fmt.Sprintf("%q is no agent: write one of %s", e.name, join(e.agents))
}

// plainly is an error of Starlark as its reader needs it: with the lines of a program that it came through.
func plainly(err error) error {
	if nobody, ok := errors.AsType[*unknownAgent](err); ok {
		return nobody
	}
	return bounded.Plainly(err)
}

// A scene is what expressions see.
type scene struct {
	*walk
	draws int // made so far by this evaluation
}

func (k *walk) scene() *scene { return &scene{walk: k} }

// value is what a name means.
func (s *scene) value(name string) starlark.Value {
	switch name {
	case "problem":
		open := s.problem
		open.Fields = s.spec.Hidden.Open(s.problem.Fields, "")
		return problemValue(open)
	case "round":
		return starlark.MakeInt(s.round)
	case "turn":
		return starlark.MakeInt(s.turn)
	case "agents":
		list := make([]starlark.Value, len(s.spec.Agents))
		for i, a := range s.spec.Agents {
			list[i] = starlark.String(a.Name)
		}
		return starlark.NewList(list)
	}
	return bounded.Guard(starlark.NewBuiltin(name, map[string]builtin{
		"said": s.saidBy, "all": s.allOf, "votes": s.votes, "agree": s.agree, "observation": s.observation, "draw": s.draw,
	}[name]))
}

type builtin = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

func problemValue(p task.Problem) starlark.Value {
	fields := starlark.NewDict(len(p.Fields))
	for name, text := range p.Fields {
		_ = fields.SetKey(starlark.String(name), starlark.String(text)) // texts are hashable, and nobody iterates
	}
	return starlarkstruct.FromStringDict(starlark.String("problem"), starlark.StringDict{
		"id": starlark.String(p.ID), "question": starlark.String(p.Question), "fields": fields,
	})
}

// answers are what an agent said, oldest first.
func (s *scene) answers(name string) ([]team.Answer, error) {
	agent, known := s.index[name]
	if !known {
		return nil, &unknownAgent{name, s.agentNames()}
	}
	var out []team.Answer
	for _, a := range s.said {
		if a.Agent == agent {
			out = append(out, a)
		}
	}
	return out, nil
}

func (s *scene) saidBy(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	back := 0
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "name", &name, "back?", &back); err != nil {
		return nil, err
	}
	list, err := s.answers(name)
	if err != nil {
		return nil, err
	}
	if back < 0 || back >= len(list) {
		return starlark.None, nil
	}
	return s.answer(list[len(list)-1-back]), nil
}

func (s *scene) allOf(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "name", &name); err != nil {
		return nil, err
	}
	list, err := s.answers(name)
	if err != nil {
		return nil, err
	}
	values := make([]starlark.Value, len(list))
	for i, a := range list {
		values[i] = s.answer(a)
	}
	return starlark.NewList(values), nil
}

// answer is an answer as expressions see it. The score is None unless scores are shown.
func (s *scene) answer(a team.Answer) starlark.Value {
	fields := starlark.StringDict{
		"agent": starlark.String(s.spec.Agents[a.Agent].Name), "text": starlark.String(a.Text), "turn": starlark.MakeInt(a.Turn),
		"report": starlark.String(a.Report), "answer": starlark.None, "score": starlark.None,
	}
	if a.Final != "" {
		fields["answer"] = starlark.String(a.Final)
	}
	if s.spec.ShowScores {
		fields["score"] = starlark.Float(a.Score)
	}
	return starlarkstruct.FromStringDict(starlark.String("answer"), fields)
}

func (s *scene) votes(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var whose starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "names", &whose); err != nil {
		return nil, err
	}
	list, err := bounded.Texts(whose)
	if err != nil {
		return nil, err
	}
	counts := starlark.NewDict(len(list))
	for _, name := range list {
		answers, err := s.answers(name)
		if err != nil {
			return nil, err
		}
		if len(answers) == 0 || answers[len(answers)-1].Final == "" {
			continue
		}
		final := starlark.String(answers[len(answers)-1].Final)
		n := 0
		if have, found, _ := counts.Get(final); found {
			n, _ = starlark.AsInt32(have)
		}
		if err := counts.SetKey(final, starlark.MakeInt(n+1)); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// agree says that the last answers of agents were read and are equal, in the canonical form of the task.
func (s *scene) agree(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) < 2 || len(kwargs) > 0 {
		return nil, fmt.Errorf(`%s: write the names of two agents or more, such as agree("writer", "checker")`, b.Name())
	}
	same, first := true, ""
	for i, v := range args {
		name, ok := starlark.AsString(v)
		if !ok {
			return nil, fmt.Errorf("%s: got %s, expected the name of an agent", b.Name(), v.Type())
		}
		list, err := s.answers(name)
		if err != nil {
			return nil, err
		}
		final := ""
		if len(list) > 0 {
			final = list[len(list)-1].Final
		}
		if i == 0 {
			first = final
		}
		same = same && final != "" && final == first
	}
	return starlark.Bool(same), nil
}

func (s *scene) observation(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "name", &name); err != nil {
		return nil, err
	}
	agent, known := s.index[name]
	if !known {
		return nil, &unknownAgent{name, s.agentNames()}
	}
	return starlark.String(s.view(agent, len(s.said), s.turn, s.round, nil, false).Observation), nil
}

func (s *scene) draw(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var n int
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "n", &n); err != nil {
		return nil, err
	}
	if n < 1 || bits.Len(uint(n)) > 31 {
		return nil, fmt.Errorf("draw(%d): expected a number from 1 to 2147483647", n)
	}
	s.draws++
	return starlark.MakeInt(s.stream("draw", s.draws).IntN(n)), nil
}

// stream is that of a random choice of the episode: it depends on the step of the walk at which it is made, and on its number there.
func (k *walk) stream(purpose string, number int) interface {
	IntN(n int) int
	Perm(n int) []int
} {
	return seed.Stream(seed.Derive(k.seed, purpose, k.done, number))
}

// note adds what a step notes of what was said; None adds nothing. Where prompts show an agent's own words alone, there are no notes.
func (k *walk) note(s *step) error {
	if s.note == nil || k.spec.OwnOnly {
		return nil
	}
	v, err := s.note.eval(k.scene())
	if k.forced != nil {
		k.forced.expression(err)
		v, err = starlark.String(k.forced.mark(Source{What: Notes, Turn: k.turn})), nil
	}
	if err != nil || v == starlark.None {
		return err
	}
	text, ok := starlark.AsString(v)
	if !ok {
		return fmt.Errorf("%s: it gives %s, expected a text or None", s.note.place, v.Type())
	}
	k.notes = append(slices.Clip(k.notes), text)
	return nil
}

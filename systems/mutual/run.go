package mutual

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/internal/seed"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/task"
	"parley/task/environment"
)

// A Mode says who learns from whom.
type Mode string

// The modes.
const (
	TwoWay Mode = "two-way" // both learn
	OneWay Mode = "one-way" // the teacher instructs, and stays as it is
	None   Mode = "none"    // there is no teacher
)

// Settings of a run.
type Settings struct {
	Mode         Mode
	Gamma        float64
	Step         float64 // of the student's values
	Explore      float64 // share of the student's own choices that are random
	Comply       float64 // how often the student does what it is told
	Difference   bool    // the teacher learns by δ against V(s) = max_a Q(s,a), which is below 0 for what leads away; else by A_u
	TeacherEvery int     // steps of the student between updates of the teacher
	Seed         uint64
}

// A World is one in which the first agent names a direction and the second one moves.
type World struct {
	Environment      environment.Environment
	Teacher, Student string
	Actions          []string // what the student may do, and the teacher name
	// Useful says whether an instruction helps where the teacher observes this; for measuring alone.
	Useful func(observed, said string) bool
}

// State is all that a run goes on from, but for the teacher's policy.
type State struct {
	Student *Student `json:"student"`
	Steps   int      `json:"steps"`   // of the student
	Updates int      `json:"updates"` // of the teacher
	Pending []lesson `json:"pending"` // since the last of them
}

// A lesson is a step of the student under an instruction.
type lesson struct {
	Said Instruction        `json:"said"`
	Step credit.StudentStep `json:"step"`
}

// A Run is a teacher and a student in a world.
type Run struct {
	State
	world    World
	teacher  *Teacher
	settings Settings
}

// New begins a run.
func New(w World, t *Teacher, s Settings) (*Run, error) {
	if s.Mode != None && t == nil {
		return nil, fmt.Errorf("mode %s needs a teacher", s.Mode)
	}
	if s.TeacherEvery < 1 {
		return nil, fmt.Errorf("the teacher learns every %d steps, at least 1 is needed", s.TeacherEvery)
	}
	return &Run{State: State{Student: NewStudent(len(w.Actions))}, world: w, teacher: t, settings: s}, nil
}

// An Outcome is what an episode came to.
type Outcome struct {
	Success             bool
	Steps               int
	Said, Useful        int // instructions
	Followed, Tokens    int
	Difference, Updates float64 // mean |δ| of the student; updates of the teacher
}

// Episode plays one, the index-th, and both learn from it as they go.
func (r *Run) Episode(ctx context.Context, p task.Problem, index int) (out Outcome, err error) {
	stream := seed.Derive(r.settings.Seed, "mutual", index)
	random := seed.Stream(stream)
	now, err := r.world.Environment.Reset(ctx, p)
	if err != nil {
		return out, err
	}
	updates := r.Updates
	for err == nil && !now.Done {
		now, err = r.decide(ctx, now, random, stream, &out)
	}
	if err != nil {
		return out, fmt.Errorf("problem %s: %w", p.ID, err)
	}
	out.Success, out.Updates = now.Team > 0, float64(r.Updates-updates)
	if out.Steps > 0 {
		out.Difference /= float64(out.Steps)
	}
	return out, nil
}

// state is what the student knows of where it is: its observation without what it was told and without trouble of its last move, of which its
// values are to be independent.
func (r *Run) state(now environment.Outcome) string {
	text, _ := now.Observed(r.world.Student)
	text, _, _ = strings.Cut(text, " told ")
	return strings.TrimSuffix(text, " no way")
}

// decide is one decision of the team: an instruction, a move, and what both learn of it.
func (r *Run) decide(ctx context.Context, now environment.Outcome, random *rand.Rand, stream uint64, out *Outcome) (environment.Outcome, error) {
	var l lesson
	state, told := r.state(now), -1
	if r.settings.Mode != None {
		var err error
		if now, told, err = r.instruct(ctx, now, seed.Derive(stream, "teacher", out.Steps), &l, out); err != nil {
			return now, err
		}
	}
	action := r.Student.choose(state, r.settings.Explore, random)
	if told >= 0 && random.Float64() < r.settings.Comply {
		action, l.Step.Followed = told, true
		out.Followed++
	}
	next, err := r.world.Environment.Step(ctx, now.State, map[string]string{r.world.Student: r.world.Actions[action]})
	if err != nil {
		return next, err
	}
	q, after := slices.Clone(r.Student.values(state)), r.Student.values(r.state(next))
	goal := next.Done && next.Team > 0 // who is out of time could have gone on
	if l.Step.Advantage, err = credit.InstructionAdvantage(next.Team, r.settings.Gamma, q, after, goal); err != nil {
		return next, err
	}
	if r.settings.Difference {
		l.Step.Advantage = credit.TemporalDifference(next.Team, r.settings.Gamma, slices.Max(q), slices.Max(after), goal)
	}
	difference := credit.TemporalDifference(next.Team, r.settings.Gamma, q[action], slices.Max(after), goal)
	r.Student.learn(state, action, r.settings.Step, q[action]+difference)
	r.Steps++
	out.Steps++
	out.Difference += max(difference, -difference)
	return next, r.teach(ctx, l)
}

// instruct lets the teacher name an action, which the world shows to the student. A text that names none is none: told is −1.
func (r *Run) instruct(ctx context.Context, now environment.Outcome, s uint64, l *lesson, out *Outcome) (next environment.Outcome, told int, err error) {
	observed, _ := now.Observed(r.world.Teacher)
	if l.Said, err = r.teacher.instruct(ctx, observed, s); err != nil {
		return now, -1, err
	}
	next, err = r.world.Environment.Step(ctx, now.State, map[string]string{r.world.Teacher: l.Said.Text})
	if err != nil {
		return now, -1, err
	}
	out.Tokens += len(l.Said.Tokens)
	told = r.names(l.Said.Text)
	if l.Step.Shown = told >= 0; l.Step.Shown {
		out.Said++
		if r.world.Useful != nil && r.world.Useful(observed, r.world.Actions[told]) {
			out.Useful++
		}
	}
	return next, told, nil
}

// names is the action that stands first in a text; −1: there is none.
func (r *Run) names(text string) int {
	first, told := len(text), -1
	for a, name := range r.world.Actions {
		if at := strings.Index(text, name); at >= 0 && at < first {
			first, told = at, a
		}
	}
	return told
}

// teach keeps a step for the teacher, who learns when its clock has gone round.
func (r *Run) teach(ctx context.Context, l lesson) error {
	if r.settings.Mode != TwoWay {
		return nil
	}
	r.Pending = append(r.Pending, l)
	if len(r.Pending) < r.settings.TeacherEvery {
		return nil
	}
	steps := make([]credit.StudentStep, len(r.Pending))
	for i, p := range r.Pending {
		steps[i] = p.Step
	}
	updates, err := credit.TeacherClock{Every: r.settings.TeacherEvery, OnlyFollowed: true}.Updates(steps)
	if err != nil {
		return err
	}
	var used []Instruction
	for _, i := range updates[0].Used {
		used = append(used, r.Pending[i].Said)
	}
	r.Pending = nil
	r.Updates++
	if len(used) == 0 {
		return nil // a step without a gradient would move by momentum alone
	}
	return r.teacher.learn(ctx, used, updates[0].Weights)
}

// Restore goes on from a state that was written as JSON.
func (r *Run) Restore(state []byte) error {
	s := State{Student: NewStudent(len(r.world.Actions))}
	if err := json.Unmarshal(state, &s); err != nil {
		return fmt.Errorf("state of the student: %w", err)
	}
	for _, q := range s.Student.Q {
		if len(q) != len(r.world.Actions) {
			return fmt.Errorf("state of the student: values of %d actions, expected %d", len(q), len(r.world.Actions))
		}
	}
	r.State = s
	return nil
}

// Still is a run that goes on from here without learning anything or trying anything at random: the pair as it is now.
func (r *Run) Still() (*Run, error) {
	s := r.settings
	s.Explore, s.Step = 0, 0
	if s.Mode == TwoWay {
		s.Mode = OneWay
	}
	out, err := New(r.world, r.teacher, s)
	if err != nil {
		return nil, err
	}
	for state, q := range r.Student.Q {
		out.Student.Q[state] = slices.Clone(q)
	}
	return out, nil
}

// Keys are what recipes may say of a teacher and a student. One update plays training.problems episodes, one after another.
type Keys struct {
	Mode         string  `yaml:"mode" default:"two-way" oneof:"two-way one-way none"`
	Discount     float64 `yaml:"discount" default:"0.95" min:"0.0001" max:"1"`
	Step         float64 `yaml:"step" default:"0.5" min:"0.0001" max:"1"`
	Explore      float64 `yaml:"explore" default:"0.2" min:"0" max:"1"`
	Comply       float64 `yaml:"comply" default:"0.5" min:"0" max:"1"`
	Credit       string  `yaml:"credit" default:"advantage" oneof:"advantage difference"`
	TeacherEvery int     `yaml:"teacher_every" default:"16" min:"1"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Keys) KeyTexts() (file, text string) { return "systems/mutual/keys.md", keyTexts }

// Algorithm is the algorithm's entry in the register.
func Algorithm() learn.Algorithm {
	return learn.OfItself(learn.Algorithm{
		Name: "mutual", About: "a bidirectional teacher–student, after Gu 2024: the first agent names actions, the second is a table that learns by Q-learning",
		Sections: []learn.Section{{
			Name: "mutual", Settings: Keys{},
			Rules: []learn.Rule{{Keys: []string{"algorithm", "team.agents"}, Broken: learn.PairInWorld, Hint: "write a teacher and a student by name, in this order"}},
		}},
	})
}

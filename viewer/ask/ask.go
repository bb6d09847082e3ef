// Package ask lets the team of a run, or one agent of it alone, answer a question that somebody typed: as it is now, or as it was after an update.
//
//	ask.go      who is asked, and what is said
//	results.go  answers, which are kept with the run
//
// They answer as in `parley chat`, by package chatsession. A team remembers no question, and neither does an agent: each is the first.
package ask

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"parley/engine"
	"parley/recipe"
	"parley/runs/verify"
	"parley/serve"
	"parley/serve/chatsession"
	"parley/train/lineup"
)

// Options say which run is asked.
type Options struct {
	Dir      string
	Language *recipe.Language
	Backend  lineup.Backend
	Trust    bool     // the run was made elsewhere, and may do what its recipe asks for
	Moved    []string // where files are now that the run's recipe names: changes key=value
	Now      func() time.Time
}

// A Question is what somebody wants to know, and of whom.
type Question struct {
	Text        string
	Agent       string   // its name, or its number from 1; empty: the team
	Update      int      // after which; 0: as they are now
	Temperature *float64 // nil: that of evaluation
	Seed        uint64
}

// Bounds on a question.
const (
	longestQuestion = 8 << 10
	hottest         = 100
	coldest         = 1e-3 // above 0
)

// A QuestionError says what is wrong with a question, or why the team cannot be asked.
type QuestionError struct{ Why string }

func (e *QuestionError) Error() string { return e.Why }

func wrong(format string, args ...any) error { return &QuestionError{fmt.Sprintf(format, args...)} }

// Check says what is wrong with a question that can be seen without the run.
func (q Question) Check() error {
	switch {
	case strings.TrimSpace(q.Text) == "":
		return wrong("the question is empty")
	case len(q.Text) > longestQuestion:
		return wrong("the question has %d bytes; it may have %d", len(q.Text), longestQuestion)
	case !utf8.ValidString(q.Text) || strings.ContainsRune(q.Text, 0):
		return wrong("the question is no text: it has bytes that no text has")
	case q.Update < 0:
		return wrong("there is no update %d: name one that has a checkpoint, or none", q.Update)
	case q.Temperature != nil && (math.IsNaN(*q.Temperature) || *q.Temperature < 0 || *q.Temperature > hottest):
		return wrong("the temperature is %g; it must lie between 0 and %d", *q.Temperature, hottest)
	case q.Temperature != nil && *q.Temperature != 0 && *q.Temperature < coldest:
		return wrong("the temperature is %g; it must be 0 or at least %g", *q.Temperature, coldest)
	}
	return nil
}

// Ask asks, and keeps what is answered with the run. An answer that cannot be kept is returned beside a [folder.KeepError].
func Ask(ctx context.Context, o Options, q Question) (Result, error) {
	if err := q.Check(); err != nil {
		return Result{}, err
	}
	opened, err := OpenTeam(ctx, TeamOptions{Dir: o.Dir, Language: o.Language, Backend: o.Backend, Trust: o.Trust, Moved: o.Moved, Update: q.Update})
	var none *verify.NoCheckpointError
	if errors.As(err, &none) {
		return Result{}, unsaved(none)
	}
	if err != nil {
		return Result{}, err
	}
	team, err := chatsession.TeamOf(ctx, opened.Lineup, opened.Trained)
	if err != nil {
		return Result{}, err
	}
	defer team.Close()
	team.Settings.Seed = q.Seed
	team.Change = func(s chatsession.Settings) chatsession.Settings {
		if q.Temperature != nil {
			s.Sampling.Temperature = *q.Temperature
		}
		return s
	}
	r := Result{Question: q.Text, Update: opened.Update, Temperature: q.Temperature, Seed: q.Seed}
	if q.Agent == "" {
		err = r.askTeam(ctx, team)
	} else {
		err = r.askAgent(ctx, team, q.Agent)
	}
	if err != nil {
		return Result{}, err
	}
	r.Created = o.Now().UTC().Format(time.RFC3339)
	return r, keep(ctx, o.Dir, r)
}

// Unasked says why nobody of a run can be asked, as far as that is seen without opening it; nil: they can be.
func Unasked(language *recipe.Language, dir string) error {
	r, _, err := RecipeOf(language, dir)
	if err != nil || r.AlgorithmType().Untrained() {
		return err
	}
	if _, err = verify.PoliciesOf(dir, 0); err == nil {
		return nil
	}
	var none *verify.NoCheckpointError
	if errors.As(err, &none) {
		return unsaved(none)
	}
	return err
}

// unsaved says that a run has not saved whom to ask.
func unsaved(none *verify.NoCheckpointError) error {
	if len(none.Have) == 0 {
		return wrong("%s has no checkpoint yet, so nobody can be asked; the recipe's training.checkpoint says after how many updates one is written", none.Dir)
	}
	return wrong("%v", none)
}

// askTeam lets the team work on the question, turn by turn.
func (r *Result) askTeam(ctx context.Context, t *chatsession.Loaded) error {
	if err := t.Free(); err != nil {
		return wrong("%v: ask one of its agents alone, with --agent", err)
	}
	var said strings.Builder // by who speaks now
	var last []string        // what was answered in the last turn, without what was called
	answered := false
	err := t.Ask(ctx, r.Question, chatsession.Listener{
		Begin: func(turn, agent int) error {
			if n := len(r.Lines); n > 0 && r.Lines[n-1].Turn != turn {
				last = nil
			}
			said.Reset()
			r.Lines = append(r.Lines, Line{Turn: turn, Agent: agent, Name: t.Called(agent)})
			return nil
		},
		Say: func(text string) error { said.WriteString(text); return nil },
		End: func(reply chatsession.Reply) error {
			r.end(said.String(), reply)
			last = append(last, reply.Text)
			return nil
		},
		Answer: func(texts []string) error {
			if answered = true; len(texts) == 1 { // a joint answer: everybody's last words, which stand above
				r.Answer, _ = r.short(texts[0])
			}
			return nil
		},
	})
	if err == nil && !answered && len(r.Lines) > 0 && t.Final != nil {
		if winner, decided := serve.Vote(last, t.Final); decided {
			r.Answer, _ = r.short(last[winner])
			r.Vote = true
		}
	}
	return err
}

// askAgent asks one agent, as it is in its first turn.
func (r *Result) askAgent(ctx context.Context, t *chatsession.Loaded, name string) error {
	agent, err := t.Numbered(name)
	if err != nil {
		return wrong("%v", err)
	}
	r.Agent = t.Called(agent)
	alone := chatsession.Conversation{Speaker: t.Speaker(0, agent), Settings: t.SettingsOf(agent)}
	var said strings.Builder
	reply, err := alone.Ask(ctx, r.Question, func(text string) error { said.WriteString(text); return nil })
	if err != nil {
		return fmt.Errorf("%s: %w", r.Agent, err)
	}
	r.Lines = []Line{{Agent: agent, Name: r.Agent}}
	r.end(said.String(), reply)
	return nil
}

// end writes down what was said in the last line.
func (r *Result) end(said string, reply chatsession.Reply) {
	l := &r.Lines[len(r.Lines)-1]
	l.Text, l.Left = r.short(said)
	l.Truncated = reply.Stop == engine.StopLength
	l.Beside, _ = r.short(reply.Beside)
}

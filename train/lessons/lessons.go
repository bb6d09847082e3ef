// Package lessons makes the episodes of a training in which nobody speaks: texts, with what teachers say about them (algorithms fuse and distil).
//
//	lessons.go  what a training asks for: episodes of problems, and what systems make of the held-out texts
//	corpus.go   the texts of problems, and what they are known by
//	teacher.go  a teacher reads the texts once, before the training, and is closed again
//	team.go     or a trained team says the texts itself (algorithm distil)
//	joined.go   or several of its agents do, and the student writes their texts one behind the other
//	cache.go    what it said lies in the run folder
//	rows.go     moved to the student's tokens
//
// Teachers are frozen, so what they say is computed once and kept. A cache belongs to one teacher and one corpus; that of another corpus is refused. At
// most one teacher is in memory beside the student.
package lessons

import (
	"context"
	"fmt"
	"slices"
	"text/template"
	"unicode/utf8"

	"parley/engine"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/runs"
	"parley/systems/fuse"
	"parley/task"
	"parley/train/lineup"
)

// Lessons are the texts of a run with what its teachers say about them.
type Lessons struct {
	team    lineup.Lineup
	student *reader
	corpus  map[string]lesson // by problem
	heldOut []text
	Systems []System // what the student's start and the teachers make of the held-out texts
}

// A lesson is a text in the student's tokens.
type lesson struct {
	text
	tokens   []int
	teaching []rollout.Teaching
}

// Of lets the teachers of a run read the texts that the run has no record of yet; nil: its algorithm has no teachers.
func Of(ctx context.Context, team lineup.Lineup, run *runs.Run, note func(string)) (*Lessons, error) {
	if team.Recipe.AlgorithmType().Episodes != learn.FromTexts {
		return nil, nil
	}
	s := recipe.Section[fuse.Settings](team.Recipe)
	base := team.BaseOf(0)
	l := &Lessons{team: team, student: &reader{base.Name, base.Model, base.Engine}, corpus: map[string]lesson{}}
	o := office{team: team, run: run, settings: s, note: note}
	if err := o.open(); err != nil {
		return nil, err
	}
	l.heldOut = o.heldOut
	if team.Recipe.Algorithm == fuse.Distillation {
		return l, l.ofTeam(ctx, o)
	}
	return l, l.ofTeachers(ctx, o)
}

// open makes the texts. In distillation their answers, which the team says, are not known yet.
func (o *office) open() error {
	var say *template.Template
	var err error
	if o.team.Recipe.Algorithm != fuse.Distillation {
		if say, err = fuse.Template(o.settings); err != nil {
			return usererror.Errorf("fuse.text: %w", err)
		}
	}
	if o.texts, err = corpusOf(say, o.team.Protocol, o.team.Training.Problems); err != nil {
		return err
	}
	if o.heldOut, err = corpusOf(say, o.team.Protocol, o.team.HeldOut); err != nil {
		return err
	}
	o.corpus = fingerprint(o.texts, o.heldOut)
	return nil
}

// ofTeachers makes the lessons of texts that are given.
func (l *Lessons) ofTeachers(ctx context.Context, o office) error {
	start, err := l.begin(ctx, o)
	if err != nil {
		return err
	}
	for j, name := range o.settings.Teachers {
		if err := l.teach(ctx, o, j+1, name, start); err != nil {
			return err
		}
	}
	return nil
}

// begin lets the student read the texts before it is trained.
func (l *Lessons) begin(ctx context.Context, o office) (*cached, error) {
	start, err := o.consult(ctx, 0, "start", l.student)
	if err != nil {
		return nil, err
	}
	l.Systems = append(l.Systems, systemOf("student before training", start.HeldOut, l.heldOut))
	for i, t := range o.texts {
		l.corpus[t.Problem.ID] = lesson{text: t, tokens: start.Texts[i].Tokens}
	}
	return start, nil
}

// add gives the lesson of a text what a teacher says.
func (l *Lessons) add(t text, said rollout.Teaching) {
	known := l.corpus[t.Problem.ID]
	known.teaching = append(known.teaching, said)
	l.corpus[t.Problem.ID] = known
}

// An office consults teachers on behalf of a run.
type office struct {
	team           lineup.Lineup
	run            *runs.Run
	settings       fuse.Settings
	texts, heldOut []text
	corpus         string
	note           func(string)
}

// consult returns what a model says about the texts, from the run where it knows it.
func (o office) consult(ctx context.Context, j int, name string, r *reader) (*cached, error) {
	hash, err := r.model.Hash()
	if err != nil {
		return nil, fmt.Errorf("hash teacher %s: %w", name, err)
	}
	c := cached{Teacher: name, Model: hash, Corpus: o.corpus, Top: o.settings.Top}
	file := cacheFile(j, name)
	if have, err := known(o.run.Dir(), file, c, o.note); have != nil || err != nil {
		return have, err
	}
	o.note(fmt.Sprintf("%s reads %d texts", name, len(o.texts)))
	if c.Texts, err = r.read(ctx, o.texts, c.Top); err != nil {
		return nil, err
	}
	if c.HeldOut, err = r.read(ctx, o.heldOut, 0); err != nil {
		return nil, err
	}
	return &c, o.run.WriteCompact(file, c)
}

// teach adds what a teacher says to the lessons.
func (l *Lessons) teach(ctx context.Context, o office, j int, name string, start *cached) (err error) {
	r, err := openReader(ctx, name, l.team.Backend, l.team.Memory.Options)
	if err != nil {
		return err
	}
	defer func() {
		if failed := r.close(); err == nil {
			err = failed
		}
	}()
	c, err := o.consult(ctx, j, name, r)
	if err != nil {
		return err
	}
	l.Systems = append(l.Systems, systemOf("teacher "+name, c.HeldOut, l.heldOut))
	a := newAligner(o.settings, l.student.model, r.model)
	for i, t := range o.texts {
		rows, err := a.rows(start.Texts[i], c.Texts[i])
		if err != nil {
			return fmt.Errorf("align %s: %w", name, err)
		}
		l.add(t, rollout.Teaching{Teacher: name, CE: c.Texts[i].CE, Tokens: len(c.Texts[i].Tokens), Chars: utf8.RuneCountInString(t.Said), Rows: rows})
	}
	return nil
}

// Episodes are the texts of an update, from 1, as if the untrained student had said them.
func (l *Lessons) Episodes(update int, problems []task.Problem) ([]*rollout.Episode, error) {
	out := make([]*rollout.Episode, len(problems))
	for i, p := range problems {
		known, has := l.corpus[p.ID]
		if !has {
			return nil, fmt.Errorf("problem %s is not in the corpus", p.ID)
		}
		prompt, err := l.student.model.Prompt(known.Asked)
		if err != nil {
			return nil, fmt.Errorf("prompt of problem %s: %w", p.ID, err)
		}
		c := rollout.Completion{
			Tokens: known.tokens, Logprobs: make([]float32, len(known.tokens)), Stop: engine.StopEOS, Text: known.Said, Teaching: known.teaching,
		}
		l.judge(p, &c)
		turn := rollout.AgentTurn{Policy: engine.Base, Messages: known.Asked, Prompt: prompt, Completions: []rollout.Completion{c}}
		out[i] = &rollout.Episode{Update: update, Index: i, Problem: p, Nodes: []*rollout.Node{{
			Parent: -1, ParentAction: -1, Agents: []rollout.AgentTurn{turn}, Joint: [][]int{{0}}, Rewards: []float64{c.Score},
		}}}
	}
	return out, nil
}

// judge says what a task with answers says of a text.
func (l *Lessons) judge(p task.Problem, c *rollout.Completion) {
	a, can := l.team.Task.(task.Answerer)
	if !can {
		return
	}
	if c.Answer, c.HasAnswer = task.AnswerTo(a, p, c.Text); c.HasAnswer && c.Answer == p.Right() {
		c.Correct, c.Score = true, 1
	}
}

// Measure says what everybody makes of the held-out texts, the trained student last.
func (l *Lessons) Measure(ctx context.Context) ([]System, error) {
	list := l.Systems
	for _, t := range l.team.Sharing.Trained(l.team.Protocol.Turns(), false) {
		texts := slices.Clone(l.heldOut)
		for i := range texts {
			texts[i].policy = t.Policy
		}
		reads, err := l.student.read(ctx, texts, 0)
		if err != nil {
			return nil, err
		}
		list = append(list, systemOf("student after training", reads, l.heldOut))
	}
	return list, nil
}

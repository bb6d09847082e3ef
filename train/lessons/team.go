package lessons

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"unicode/utf8"

	"parley/engine"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/rl/rollout"
	"parley/runs"
	"parley/runs/store"
	"parley/runs/verify"
	"parley/systems/fuse"
	"parley/team"
	"parley/train/lineup"
	"parley/train/provenance"
)

// A spoken text is one that a team said: who was asked last, and what.
type spoken struct {
	Asked  []team.Message `json:"asked"`
	Said   string         `json:"said"`
	Policy engine.Policy  `json:"policy"`
	Base   int            `json:"base"` // of the team's
}

// A trained team is one that another run has trained.
type trained struct {
	lineup.Lineup
	hash string // of its policies
}

// openTeam opens the team of a run over its own bases.
func openTeam(ctx context.Context, l lineup.Lineup, dir string) (*trained, error) {
	if err := provenance.CheckTrust(l.Recipe.Language(), dir); err != nil {
		return nil, fmt.Errorf("distil.run: %w", err)
	}
	meta, err := runs.Read(dir)
	if err != nil {
		return nil, usererror.Errorf("distil.run: %w", err)
	}
	r, err := l.Recipe.Language().Parse(filepath.Join(dir, "run.json"), []byte(meta.Recipe), nil)
	if err != nil {
		return nil, fmt.Errorf("distil.run: the recipe recorded in %s: %w", dir, err)
	}
	if r.Experiment.Active() {
		return nil, usererror.Errorf("distil.run: %s is an experiment of several runs: name one of the folders in it", dir)
	}
	saved, err := verify.PoliciesOf(dir, 0)
	if err != nil {
		return nil, usererror.Errorf("distil.run: %w", err)
	}
	sums, err := store.SumsOf(saved.Dir)
	if err != nil {
		return nil, fmt.Errorf("distil.run: %w", err)
	}
	was := r
	if r, err = provenance.Moved(dir, meta, r, nil); err != nil {
		return nil, fmt.Errorf("distil.run: %w", err)
	}
	meta = provenance.Recorded(meta, was, r)
	opened, err := lineup.OpenToPlay(ctx, r, l.Backend)
	if err != nil {
		return nil, fmt.Errorf("distil.run: %w", err)
	}
	t := &trained{Lineup: opened, hash: hashOf(meta.Recipe, sums)}
	if err := errors.Join(t.SameBases(meta.Bases), t.AddPolicies(ctx)); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	if err := t.Load(ctx, saved.Dir, t.Policies()); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// hashOf is what a team is known by.
func hashOf(parts ...any) string {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(parts) // a hash takes everything
	return hex.EncodeToString(h.Sum(nil))
}

// ofTeam makes the lessons of what a trained team says in the end, with the distributions of the policies that said it.
func (l *Lessons) ofTeam(ctx context.Context, o office) (err error) {
	s := recipe.Section[fuse.Distil](l.team.Recipe)
	t, err := openTeam(ctx, l.team, s.Run)
	if err != nil {
		return err
	}
	defer func() {
		if failed := t.Close(); err == nil {
			err = failed
		}
	}()
	c, err := o.listen(ctx, t, s.Join != "")
	if err != nil {
		return err
	}
	texts, heldOut := byProblem(c.Texts), byProblem(c.HeldOut)
	o.texts, o.heldOut = repeat(o.texts, texts, s.Join), repeat(o.heldOut, heldOut, s.Join)
	o.corpus, l.heldOut = fingerprint(o.texts, o.heldOut), o.heldOut
	start, err := l.begin(ctx, o)
	if err != nil {
		return err
	}
	l.Systems = append(l.Systems, systemOf("team "+c.Teacher, joined(heldOut), l.heldOut))
	j, err := l.joint(o, t, s.Join)
	if err != nil {
		return err
	}
	for i, text := range o.texts {
		rows, err := j.rows(start.Texts[i], texts[i])
		if err != nil {
			return fmt.Errorf("align the team: %w", err)
		}
		all := together(texts[i])
		l.add(text, rollout.Teaching{Teacher: c.Teacher, CE: all.CE, Tokens: len(all.Tokens), Chars: max(1, utf8.RuneCountInString(text.Said)), Rows: rows})
	}
	return nil
}

// listen returns what a team says about the problems, from the run where it knows it.
func (o office) listen(ctx context.Context, t *trained, all bool) (*cached, error) {
	c := cached{Teacher: t.Recipe.Name, Model: t.hash, Corpus: o.corpus, Top: o.settings.Top}
	file := cacheFile(1, c.Teacher)
	if have, err := known(o.run.Dir(), file, c, o.note); have != nil || err != nil {
		return have, err
	}
	o.note(fmt.Sprintf("team %s answers %d problems", c.Teacher, len(o.texts)+len(o.heldOut)))
	var err error
	if c.Texts, err = t.answer(ctx, "distil", o.texts, c.Top, all); err != nil {
		return nil, err
	}
	if c.HeldOut, err = t.answer(ctx, "distil held-out", o.heldOut, 0, all); err != nil {
		return nil, err
	}
	return &c, o.run.WriteCompact(file, c)
}

// answer lets the team answer problems, and reads its last texts with the policies that spoke: of all who spoke in the last turn, or of the last.
func (t *trained) answer(ctx context.Context, purpose string, texts []text, top int, all bool) ([]read, error) {
	var out []read
	for at := 0; at < len(texts); at += chunk {
		some := texts[at:min(at+chunk, len(texts))]
		asked, err := t.last(ctx, purpose, at/chunk+1, some, all)
		if err != nil {
			return nil, err
		}
		reads, err := t.readAll(ctx, asked, top)
		if err != nil {
			return nil, err
		}
		out = append(out, reads...)
	}
	return out, nil
}

// last plays problems and returns the last texts of each dialogue, as their speakers were asked for them.
func (t *trained) last(ctx context.Context, purpose string, update int, texts []text, all bool) ([]text, error) {
	r := t.Evaluation(true)
	episodes, err := r.Run(ctx, purpose, update, problemsOf(texts))
	if err != nil {
		return nil, fmt.Errorf("the team answers: %w", err)
	}
	var out []text
	for _, e := range episodes {
		if why := e.Failed(); why != "" {
			return nil, fmt.Errorf("the team answers problem %s: %s", e.Problem.ID, why)
		}
		agents := e.Nodes[len(e.Nodes)-1].Agents
		if !all {
			agents = agents[len(agents)-1:]
		}
		for _, a := range agents {
			if a.Speaker != "" {
				return nil, usererror.Errorf("the team's last speaker is %s, which has no distributions: distil a team whose last speaker is a policy", a.Speaker)
			}
			out = append(out, text{Problem: e.Problem, Asked: a.Messages, Said: a.Completions[0].Text, policy: a.Policy, base: t.Sharing.Bases[a.Agent]})
		}
	}
	return out, nil
}

// readAll reads texts, each with the policy and the base of its speaker.
func (t *trained) readAll(ctx context.Context, texts []text, top int) ([]read, error) {
	out := make([]read, len(texts))
	for i, b := range t.Bases {
		var mine []text
		var places []int
		for k, x := range texts {
			if x.base == i {
				mine, places = append(mine, x), append(places, k)
			}
		}
		reads, err := (&reader{b.Name, b.Model, b.Engine}).read(ctx, mine, top)
		if err != nil {
			return nil, err
		}
		for k, r := range reads {
			x := mine[k]
			r.Spoken = &spoken{x.Asked, x.Said, x.policy, x.base}
			out[places[k]] = r
		}
	}
	return out, nil
}

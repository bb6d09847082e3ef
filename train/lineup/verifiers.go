package lineup

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/internal/usererror"
	"parley/model/shipped"
	"parley/rl/verifier"
	"parley/task"
	"parley/train/plan"
	"parley/train/score"
)

// verifierPolicy is a verifier's name on the engine of its base.
const verifierPolicy engine.Policy = "verifier"

// A verifierFolder is a trained verifier: its folder, or the name of one that ships.
type verifierFolder struct {
	verifier.Manifest
	name string
}

// readVerifiers finds the verifier of every base, and refuses one that has seen questions of the run.
func (l *Lineup) readVerifiers() error {
	if l.Recipe.Reward.Source != "trained" || !l.purpose.pays() {
		return nil
	}
	byHash := map[string]verifierFolder{}
	for _, name := range l.Recipe.Reward.Scoring.Folders {
		var m verifier.Manifest
		if err := shipped.Folder(name, func(dir string) (err error) { m, err = verifier.Read(dir); return err }); err != nil {
			return usererror.Errorf("reward.scoring.folders: %w", err)
		}
		byHash[m.SHA256] = verifierFolder{m, name}
		for _, problems := range [][]task.Problem{l.Training.Problems, l.HeldOut} {
			if p, shared := verifier.Shared(m.Seen, problems); shared {
				return usererror.Errorf("the verifier %s was made with the question of problem %s (%.60q…), which this run uses: collect solutions of other questions, with `parley verifier data --skip`, or lower task.train", name, p.ID, verifier.QuestionOf(p))
			}
		}
	}
	l.verifiers = map[*Base]verifierFolder{}
	for _, b := range l.Bases {
		hash, err := b.Model.Hash()
		if err != nil {
			return fmt.Errorf("hash model %s: %w", b.Name, err)
		}
		v, ok := byHash[hash]
		if !ok {
			return usererror.Errorf("no folder of reward.scoring.folders was made over the base %s: a verifier scores answers of its own base only; make one with `parley verifier data --agent %d`", b.Name, b.Agents[0]+1)
		}
		l.verifiers[b] = v
	}
	return nil
}

// loadVerifiers puts the verifier of every base on its engine; none where scores come from elsewhere.
func (l Lineup) loadVerifiers(ctx context.Context) ([]score.Verifier, error) {
	if l.Recipe.Reward.Source != "trained" {
		return nil, nil
	}
	answerer, ok := l.Task.(task.Answerer)
	if !ok {
		return nil, usererror.Errorf("reward.source is trained, but answers of task %s cannot be compared with a truth: write joint", l.Task.Name())
	}
	out := make([]score.Verifier, l.Protocol.Agents())
	for _, b := range l.Bases {
		v := l.verifiers[b]
		made, err := l.Recipe.Language().Parse(v.name, []byte(v.Recipe), nil)
		if err != nil {
			return nil, fmt.Errorf("the recipe recorded in %s: %w", v.name, err)
		}
		over, err := verifierBase(b, plan.Prompts(made), l.Recipe, answerer)
		if err != nil {
			return nil, err
		}
		var trained *verifier.Trained
		if err := shipped.Folder(v.name, func(dir string) (err error) { trained, err = verifier.Load(ctx, dir, over, verifierPolicy); return err }); err != nil {
			return nil, &usererror.Error{Err: err}
		}
		for agent := range out {
			if l.BaseOf(agent) == b {
				out[agent] = trained
			}
		}
	}
	return out, nil
}

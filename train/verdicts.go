package train

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/internal/usererror"
	"parley/task"
	"parley/train/score"
	"parley/verifier"
)

// verifierPolicy is a verifier's name on the engine of its base.
const verifierPolicy engine.Policy = "verifier"

// A verdictFolder is a trained verifier on disk.
type verdictFolder struct {
	verifier.Manifest
	dir string
}

// readVerifiers finds the verifier of every base, and refuses one that has seen questions of the run.
func (s *session) readVerifiers() error {
	if s.recipe.Reward.Source != "trained" {
		return nil
	}
	byHash := map[string]verdictFolder{}
	for _, dir := range s.recipe.Reward.Scoring.Folders {
		m, err := verifier.Read(dir)
		if err != nil {
			return usererror.Errorf("reward.scoring.folders: %w", err)
		}
		byHash[m.SHA256] = verdictFolder{m, dir}
		for _, problems := range [][]task.Problem{s.order.problems, s.test} {
			if p, shared := verifier.Shared(m.Seen, problems); shared {
				return usererror.Errorf("the verifier %s was made with the question of problem %s (%.60q…), which this run uses: collect solutions of other questions, with `parley verifier data --skip`, or lower task.train", dir, p.ID, verifier.QuestionOf(p))
			}
		}
	}
	s.verdicts = map[*base]verdictFolder{}
	for _, b := range s.bases {
		hash, err := b.model.Hash()
		if err != nil {
			return fmt.Errorf("hash model %s: %w", b.name, err)
		}
		v, ok := byHash[hash]
		if !ok {
			return usererror.Errorf("no folder of reward.scoring.folders was made over the base %s: a verifier scores answers of its own base only; make one with `parley verifier data --agent %d`", b.name, b.agents[0]+1)
		}
		s.verdicts[b] = v
	}
	return nil
}

// loadVerifiers puts the verifier of every base on its engine; none where scores come from elsewhere.
func (s *session) loadVerifiers(ctx context.Context) ([]score.Verifier, error) {
	if s.recipe.Reward.Source != "trained" {
		return nil, nil
	}
	answerer, ok := s.task.(task.Answerer)
	if !ok {
		return nil, usererror.Errorf("reward.source is trained, but answers of task %s cannot be compared with a truth: write joint", s.task.Name())
	}
	out := make([]score.Verifier, s.protocol.Agents())
	for _, b := range s.bases {
		v := s.verdicts[b]
		made, err := s.recipe.Language().Parse(v.dir, []byte(v.Recipe), nil)
		if err != nil {
			return nil, fmt.Errorf("the recipe recorded in %s: %w", v.dir, err)
		}
		over, err := verifierBase(b, prompts(made), s.recipe, answerer)
		if err != nil {
			return nil, err
		}
		trained, err := verifier.Load(ctx, v.dir, over, verifierPolicy)
		if err != nil {
			return nil, &UserError{Err: err}
		}
		for _, agent := range b.agents {
			out[agent] = trained
		}
	}
	return out, nil
}

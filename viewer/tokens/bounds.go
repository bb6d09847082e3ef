package tokens

import (
	"context"
	"fmt"
	"math"

	"parley/engine"
	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/learn/ppo"
	"parley/rl/loss"
	"parley/rl/rollout"
	"parley/train/lineup"
	"parley/viewer/episodes"
)

// A rule is what a run's algorithm makes of single tokens.
type rule struct {
	lineup.Lineup
	algorithm learn.Algorithm
	ppo       ppo.Settings // where the algorithm reads them
	group     learn.Group  // likewise
	config    learn.Common
}

func ruleOf(l lineup.Lineup) rule {
	return rule{l, l.Recipe.AlgorithmType(), recipe.Section[ppo.Settings](l.Recipe), recipe.Section[learn.Group](l.Recipe), learn.Common{Config: l.Learning(l.Rollout().Actors)}}
}

// perToken says that each token has an advantage and a KL term of its own, which the learner knows after it has credited the update.
func (r rule) perToken() bool { return r.algorithm.Reads("ppo") }

// A tokenwise learner tells what it found for the tokens of an answer; ok is false where it learns nothing from it.
type tokenwise interface {
	Tokens(c *rollout.Completion) (kl, advantages []float64, ok bool)
}

// A Penalty is how the distance from the base is measured, and what it costs.
type Penalty struct {
	Estimator   string  `json:"estimator"`
	Coefficient float64 `json:"coefficient"` // of the KL term in rewards or returns; 0: it costs nothing
}

// The estimators, d = log π_ref − log π.
var estimators = map[string]string{
	"k3": "exp(d) − d − 1, d = log π_ref − log π", "sampled": "log π − log π_ref", "ref_policy_sampled": "u·log u, u = π_ref/π", "ref_policy_exact": "KL(π_ref‖π) over the whole vocabulary",
}

// penalty is that of a policy's answers.
func (r rule) penalty(p engine.Policy) Penalty {
	switch {
	case r.perToken():
		return Penalty{estimators[r.ppo.KLForm], r.config.KLOf(p, r.ppo.KL)}
	case r.algorithm.PenalizesKL:
		return Penalty{estimators[r.group.KLForm], r.config.KLOf(p, r.group.KL)}
	}
	return Penalty{Estimator: estimators[r.group.KLForm]}
}

// fromRecord fills in the KL terms and advantages that follow from what is recorded and from the base: those of all algorithms but those whose
// tokens have their own.
func (r rule) fromRecord(a *answer) {
	if len(a.said.Logprobs) != len(a.said.Tokens) {
		a.missing("kl", "nobody drew these tokens: they have no log-probabilities of their own")
	} else {
		a.KL = loss.KLTokens(r.group.KLForm, a.said.Logprobs, a.Reference)
	}
	if a.not == "" {
		for range a.said.Tokens {
			a.Advantage = append(a.Advantage, a.said.Advantage)
		}
	}
}

// fromLearner fills in what the learner found. credited is the same answer, as the learner knows it.
func (r rule) fromLearner(a *answer, learner tokenwise, credited *rollout.Completion) {
	kl, advantages, ok := learner.Tokens(credited)
	if !ok {
		a.not = unlearned
		return
	}
	a.KL, a.Advantage = kl, advantages
}

// after fills in what the policies that learned make of answers: call it when the lineup has them. For the other answers it says why there
// is nothing.
func (r rule) after(ctx context.Context, all []*answer) error {
	var learned []*answer
	for _, a := range all {
		if a.not == "" {
			learned = append(learned, a)
			continue
		}
		for _, field := range []string{"ratio", "clipped"} {
			a.missing(field, a.not)
		}
		if r.perToken() && len(a.KL) == 0 {
			a.missing("kl", a.not)
		}
	}
	if len(learned) == 0 {
		return nil
	}
	datum := func(a *answer) engine.Datum {
		d := a.under(a.asked.Policy)
		if r.algorithm.Reads("group") && r.group.LogprobsAt == "full" {
			d.Sampling, d.Mask = engine.Sampling{}, d.Mask.Forced()
		}
		return d
	}
	err := score(ctx, r.Lineup, learned, datum, func(a *answer, logprobs []float32) { a.After = logprobs })
	if err != nil {
		return fmt.Errorf("score answers under the policies after the update: %w", err)
	}
	for _, a := range learned {
		r.bound(a)
	}
	return nil
}

// bound fills in ratios, and where the algorithm's bound on them makes a difference.
func (r rule) bound(a *answer) {
	drawn := a.said.Logprobs
	if len(drawn) != len(a.After) {
		a.missing("ratio", "nobody drew these tokens: there is nothing to compare with")
		a.missing("clipped", "there is no ratio")
		return
	}
	for i := range drawn {
		a.Ratio = append(a.Ratio, math.Exp(float64(a.After[i])-float64(drawn[i])))
	}
	switch {
	case r.perToken():
		r.clip(a)
	case r.algorithm.Corrects && r.group.RatioCap > 0:
		for _, ratio := range a.Ratio {
			a.Clipped = append(a.Clipped, ratio > r.group.RatioCap)
		}
	default:
		a.missing("clipped", fmt.Sprintf("algorithm %s of this run has no bound on the ratio", r.algorithm.Name))
	}
}

// clip asks the loss of the run, of each token by itself or, in GSPO, of the whole answer.
func (r rule) clip(a *answer) {
	objective, n := r.ppo.Objective(), len(a.Ratio)
	token := func(i int) loss.Token {
		return loss.Token{Logprob: float64(a.After[i]), Old: float64(a.said.Logprobs[i]), Reference: float64(a.Reference[i]), Advantage: a.Advantage[i]}
	}
	var whole loss.Token
	for i := range n {
		t := token(i)
		whole.Logprob, whole.Old, whole.Advantage = whole.Logprob+t.Logprob/float64(n), whole.Old+t.Old/float64(n), whole.Advantage+t.Advantage/float64(n)
	}
	for i := range n {
		t := token(i)
		if objective.Loss == loss.GSPO {
			t = whole
		}
		a.Clipped = append(a.Clipped, objective.Token(t).Clipped)
	}
}

// missing says why a field of the answer's tokens is not known.
func (a *answer) missing(field, why string) {
	a.Missing = append(a.Missing, episodes.Missing{Field: field, Why: why})
}

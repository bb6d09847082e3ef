package tabular

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/internal/seed"
	"parley/rl/credit"
	"parley/rl/loss"
)

// Settings say how a pair learns a game.
type Settings struct {
	Joint      credit.JointMode
	Mode       credit.AdvantageMode
	Individual bool // each is rewarded with its own pay, not both with the mean of them
	Group      int
	Updates    int
	LR         float64
	Seed       uint64
}

// A Result is what a pair has learned.
type Result struct {
	Policies    [2][]float64 `json:"policies"` // probabilities of each player's actions
	Value       float64      `json:"value"`    // expected joint reward
	Action      [2]int       `json:"action"`   // the most probable one of each
	Probability float64      `json:"probability"`
	Equilibrium bool         `json:"equilibrium"` // nobody gains by leaving it alone
	Best        bool         `json:"best"`        // it has the greatest joint reward
}

// A pair is two policies that play a game: each on an engine of its own, as agents of different models are.
type pair struct {
	game     Game
	settings Settings
	engines  [2]*Tabular
}

const policy engine.Policy = "policy"

// prompt is what a player is asked: nothing, which takes one token.
var prompt = []int{0}

func newPair(g Game, s Settings) (*pair, error) {
	p := &pair{game: g, settings: s}
	for i := range p.engines {
		p.engines[i] = NewTabular(g.actions(i))
		if err := p.engines[i].NewPolicy(context.Background(), policy, engine.PolicySpec{}); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Learn trains a pair from uniform policies.
func Learn(ctx context.Context, g Game, s Settings) (Result, error) {
	p, err := newPair(g, s)
	if err != nil {
		return Result{}, err
	}
	for update := range s.Updates {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		if err := p.accumulate(ctx, update); err != nil {
			return Result{}, fmt.Errorf("update %d: %w", update+1, err)
		}
		for _, e := range p.engines {
			if _, err := e.Step(ctx, policy, engine.Adam{LR: s.LR, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}); err != nil {
				return Result{}, err
			}
		}
	}
	return p.result()
}

// accumulate samples a group and adds the gradient of its loss.
func (p *pair) accumulate(ctx context.Context, update int) error {
	s := p.settings
	var samples [2][]engine.Sample
	for i, e := range p.engines {
		reqs := make([]engine.SampleRequest, s.Group)
		for k := range reqs {
			reqs[k] = engine.SampleRequest{Policy: policy, Prompt: prompt, MaxTokens: 1, Sampling: engine.Sampling{Temperature: 1}, Seed: seed.Derive(s.Seed, "matrix game", update, i, k)}
		}
		var err error
		if samples[i], err = e.Sample(ctx, reqs); err != nil {
			return err
		}
	}
	for i, e := range p.engines {
		advantages, err := p.advantages(i, samples)
		if err != nil {
			return err
		}
		unit, data := loss.NodeSample{Weight: 1}, make([]engine.Datum, s.Group)
		for k, x := range samples[i] {
			unit.Completions = append(unit.Completions, loss.Completion{Tokens: 1, Advantage: advantages[k], Behaviour: x.Logprobs})
			data[k] = engine.Datum{Policy: policy, Tokens: append([]int{prompt[0]}, x.Tokens...), ScoreFrom: 1}
		}
		loss, err := loss.NewGroupBatch([]loss.NodeSample{unit}, loss.GroupObjective{Reduction: loss.SeqSum})
		if err != nil {
			return err
		}
		if err := e.ForwardBackward(ctx, data, loss.Gradient); err != nil {
			return err
		}
	}
	return nil
}

// advantages are those of one player's samples.
func (p *pair) advantages(player int, samples [2][]engine.Sample) ([]float64, error) {
	s := p.settings
	var rewards []float64
	for _, action := range credit.JointActions(s.Joint, 2, s.Group) {
		a, b := samples[0][action[0]].Tokens[0], samples[1][action[1]].Tokens[0]
		if s.Individual {
			rewards = append(rewards, p.game.Pays[a][b][player])
		} else {
			rewards = append(rewards, p.game.common(a, b))
		}
	}
	credits, err := credit.NodeCredit(rewards, s.Joint, 2, s.Group, credit.CrossMean)
	if err != nil {
		return nil, err
	}
	return credit.Advantages(credits[player], s.Mode, false)
}

func (p *pair) result() (Result, error) {
	var r Result
	for i, e := range p.engines {
		var err error
		if r.Policies[i], err = e.Probabilities(policy); err != nil {
			return r, err
		}
		for a, x := range r.Policies[i] {
			if x > r.Policies[i][r.Action[i]] {
				r.Action[i] = a
			}
		}
	}
	for a, x := range r.Policies[0] {
		for b, y := range r.Policies[1] {
			r.Value += x * y * p.game.common(a, b)
		}
	}
	r.Probability = r.Policies[0][r.Action[0]] * r.Policies[1][r.Action[1]]
	r.Equilibrium = p.game.Equilibrium(r.Action[0], r.Action[1], p.settings.Individual)
	r.Best = p.game.common(r.Action[0], r.Action[1]) == p.game.Best()
	return r, nil
}

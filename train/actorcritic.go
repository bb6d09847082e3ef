package train

import (
	"context"
	"fmt"
	"slices"

	"parley/credit"
	"parley/engine"
	"parley/loss"
	"parley/recipe"
	"parley/rollout"
)

// actorCritic is the learner of IAC and MAAC (magrpo.md §5): a critic says what a turn is expected to bring, and answers are
// made more or less probable by how far the reward and the next turn's value exceed that.
type actorCritic struct {
	core
	lead      int // the agent whose base the central critic is an adapter of
	objective loss.ValueObjective
	paths     []path // credited, waiting to be learned from
}

func newActorCritic(c core) *actorCritic {
	k := c.recipe.Critic
	return &actorCritic{core: c, lead: c.recipe.Soloist(), objective: loss.CriticObjective(k.Coef, k.Head == "shared", k.Clip)}
}

// credit implements [learner]: a completion's Reward is the processed reward of its turn, its Advantage the temporal-difference
// error before whitening.
func (l *actorCritic) credit(ctx context.Context, episodes []*rollout.Episode, m *Metrics) error {
	penalty, err := l.penalties(ctx, answersIn(episodes), m)
	if err != nil {
		return err
	}
	l.paths = nil
	for _, e := range episodes {
		paths, err := pathsIn(e)
		if err != nil {
			return fmt.Errorf("credit problem %s: %w", e.Problem.ID, err)
		}
		for _, p := range paths {
			for t, mv := range p {
				mv.reward -= penalty[mv.completion]
				if mv.critique, err = l.critique(e.Nodes[t+len(e.Nodes)-len(p)], mv); err != nil {
					return fmt.Errorf("problem %s, turn %d: %w", e.Problem.ID, mv.turn+1, err)
				}
			}
		}
		l.paths = append(l.paths, paths...)
	}
	if err := l.values(ctx); err != nil {
		return err
	}
	for _, p := range l.paths {
		if err := p.estimate(l.recipe.Group.Discount); err != nil {
			return err
		}
	}
	return nil
}

// critic is the engine of a move's critic.
func (l *actorCritic) critic(m *move) engine.Engine {
	if l.recipe.Algorithm == recipe.MAAC {
		return l.actors[l.lead].Engine
	}
	return l.actors[m.agentTurn.Agent].Engine
}

// values asks the critics about all moves.
func (l *actorCritic) values(ctx context.Context) error {
	return byEngine(slices.Concat(l.paths...), l.critic, func(e engine.Engine, moves []*move) error {
		out, err := e.Forward(ctx, critiques(moves))
		if err != nil {
			return fmt.Errorf("value answers: %w", err)
		}
		for i, m := range moves {
			m.value = float64(out[i].Values[0])
		}
		return nil
	})
}

func critiques(moves []*move) []engine.Datum {
	data := make([]engine.Datum, len(moves))
	for i, m := range moves {
		data[i] = m.critique
	}
	return data
}

// learn implements [learner]: every policy has a buffer of its own, whose steps train it and its critic.
func (l *actorCritic) learn(ctx context.Context, update int, _ []*rollout.Episode, m *Metrics) error {
	b := buffers[*move]{size: l.bufferSize(), drain: func(full []drained[*move]) error {
		for _, d := range full {
			if err := l.drain(ctx, d.to, d.samples, update, m); err != nil {
				return err
			}
		}
		return nil
	}}
	for _, p := range l.paths {
		for _, mv := range p {
			if err := b.add(target{l.actors[mv.agentTurn.Agent].Engine, mv.agentTurn.Policy}, mv); err != nil {
				return err
			}
		}
	}
	l.paths = nil
	return b.flush()
}

// drain takes the optimizer steps of a full buffer.
func (l *actorCritic) drain(ctx context.Context, to target, moves []*move, update int, m *Metrics) error {
	rows := make([][]float64, len(moves))
	for i, mv := range moves {
		rows[i] = []float64{mv.delta}
	}
	if l.recipe.Critic.Whiten {
		rows = credit.Whiten(rows)
	}
	for i, mv := range moves {
		mv.advantage = rows[i]
	}
	for _, batch := range loss.Minibatches(moves, func(mv *move) int { return mv.turn }, l.batchSize(len(moves)), l.shuffle(to, update, m.Steps)) {
		if err := l.minibatch(ctx, to, batch, update, m); err != nil {
			return err
		}
	}
	return nil
}

// minibatch takes one optimizer step of a policy and one of its critic; a shared head takes its step with the policy.
func (l *actorCritic) minibatch(ctx context.Context, to target, batch []*move, update int, m *Metrics) error {
	if err := l.actor(ctx, to, batch, m); err != nil {
		return err
	}
	if l.recipe.Critic.Head == "separate" {
		if err := l.step(ctx, to.engine, to.policy, update, l.recipe.Optimizer.LR, m); err != nil {
			return err
		}
	}
	return l.judge(ctx, batch, update, m)
}

// actor accumulates the gradient of the policy loss.
func (l *actorCritic) actor(ctx context.Context, to target, batch []*move, m *Metrics) error {
	var moves []loss.Move
	var data []engine.Datum
	for _, mv := range batch {
		c := mv.completion
		if len(c.Tokens) == 0 {
			continue // the context was full: there is nothing to make more probable
		}
		moves = append(moves, loss.Move{Turn: mv.turn, Tokens: len(c.Tokens), Advantage: mv.advantage[0], Behaviour: c.Logprobs})
		data = append(data, datum(to.policy, mv.agentTurn, c))
	}
	if len(moves) == 0 {
		return nil
	}
	loss, err := loss.NewActorBatch(moves, l.recipe.Group.RatioCap)
	if err != nil {
		return err
	}
	if err := to.engine.ForwardBackward(ctx, data, loss.Gradient); err != nil {
		return fmt.Errorf("train %s: %w", to.policy, err)
	}
	stats := loss.Stats()
	m.passed(stats.Loss, stats.RatioMean, stats.RatioMax)
	return nil
}

// judge trains the critics of a minibatch and takes their step. Every joint action has one move of the lead, with which the
// central critic learns it once.
func (l *actorCritic) judge(ctx context.Context, batch []*move, update int, m *Metrics) error {
	var moves []*move
	var answers []loss.ValueAnswer
	for _, mv := range batch {
		if l.recipe.Algorithm == recipe.MAAC && mv.agentTurn.Agent != l.lead {
			continue
		}
		moves = append(moves, mv)
		answers = append(answers, loss.ValueAnswer{Old: []float32{float32(mv.value)}, Returns: []float64{mv.target}})
	}
	if len(moves) == 0 {
		return nil
	}
	loss, err := loss.NewValueBatch(l.objective, answers, 0)
	if err != nil {
		return err
	}
	e, critic := l.critic(moves[0]), moves[0].critique.Policy
	if err := e.ForwardBackward(ctx, critiques(moves), loss.Gradient); err != nil {
		return fmt.Errorf("train %s: %w", critic, err)
	}
	stats := loss.Stats()
	m.valued(stats.Loss, stats.Explained)
	lr := l.recipe.Critic.LR
	if lr == 0 {
		lr = l.recipe.Optimizer.LR
	}
	return l.step(ctx, e, critic, update, lr, m)
}

// Package sweet learns from turns of a dialogue that a critic has graded who sees what is hidden from the policy (SWEET-RL, arXiv 2503.15478).
//
// An agent talks with a user, turn by turn, and earns a reward at the end. Problems have hidden fields c, such as the solution: the user sees them,
// the agent never does. The untrained agent talks first. Its dialogues teach a critic, which has the agent's base and an adapter of its own, and reads
// c before what the agent reads. With o what the agent was asked and a its message of L tokens, the advantage of a turn is
//
//	A_θ(o, a, c) = (1/L) Σ_l log [ π_θ(a^l | o, a^{<l}, c) / π_ref(a^l | o, a^{<l}, c) ]
//
//	critic     two dialogues about one problem, the first of which earned more:
//	           J_A = −log σ( β·Σ_t A_θ(o_t⁺, a_t⁺, c) − β·Σ_t A_θ(o_t⁻, a_t⁻, c) ) + nll·(−mean over the tokens of the first of log π_θ)
//	policy     at every turn of the dialogues, candidates ranked by A_θ, one of the better half against one of the worse, without c:
//	           J_π = −log σ( β′·log π_φ(a⁺|o)/π_ref(a⁺|o) − β′·log π_φ(a⁻|o)/π_ref(a⁻|o) ) + nll′·(−mean of log π_φ(a⁺))
//
// π_ref is the base. Two baselines learn from the same dialogues without a critic: whole dialogues in pairs (multi-turn DPO), and the dialogues that
// solved their problem alone (RFT). The losses are [parley/systems/sweet], what is compared is chosen by [parley/rl/eval].
//
//	sweet.go     phases: gather, critic, policy
//	dialogues.go whole dialogues and the candidates of their turns, as one policy sees them
//	critic.go    what the critic reads; its advantages
//	contrast.go  steps on pairs of dialogues
//	policy.go    the three ways in which the policy learns
//
// The critic is gone when the policy speaks. What agents say of hidden fields others may read; that prompts show none of them is what
// [team.Viewers] prove of every prompt as it is made.
package sweet

import (
	"context"
	"fmt"
	"text/template"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// Algorithm is SWEET-RL's entry in the register.
func Algorithm() learn.Algorithm {
	return learn.Algorithm{
		Name: "sweet", About: "turns of dialogues that a critic grades who sees what is hidden from the policy (SWEET-RL); multi-turn DPO and RFT beside it", Kind: learn.GroupRelative,
		Sections: sections(), Unread: unread(), Episodes: learn.FromBase, Shape: shape, TeamAlone: "dialogues are compared by what the team earned in them",
		New: New, Steps: steps, Passes: passes, Kept: kept,
		Privileged: func(all []any) []string {
			s := learn.SettingsIn[Settings](all)
			if !s.critical() {
				return nil
			}
			return s.Critic.Hidden
		},
		Critics: func(all []any) learn.Critics {
			if learn.SettingsIn[Settings](all).critical() {
				return learn.CriticsLanguage
			}
			return learn.CriticsNone
		},
	}
}

// A learner keeps nothing between updates: dialogues of earlier ones are read back from the run.
type learner struct {
	learn.Common
	settings Settings
	group    learn.Group
	prompt   *template.Template // of the critic
}

// New returns a learner of SWEET-RL. It needs [Settings].
func New(c learn.Config) (learn.Learner, error) {
	s, err := learn.SettingsOf[Settings](c)
	if err != nil {
		return nil, err
	}
	prompt, err := parse(s.Critic.Prompt)
	if err != nil {
		return nil, err
	}
	return &learner{learn.Common{Config: c}, s, learn.SettingsIn[learn.Group](c.Settings), prompt}, nil
}

// Update implements [learn.Learner].
func (l *learner) Update(ctx context.Context, s *learn.Session) error {
	return s.Run(ctx, l.assign, l.train)
}

// assign says what was earned. Nothing that is learned follows from it: the reward of a dialogue is compared with others of its problem, and those
// may have taken place in other updates. Every message of a dialogue has its reward, a mean over the dialogues that it is part of. It is for reports.
func (l *learner) assign(_ context.Context, episodes []*rollout.Episode, stats *learn.Stats) error {
	for _, e := range episodes {
		sums, counts := map[*rollout.Completion]float64{}, map[*rollout.Completion]float64{}
		for _, last := range endsOf(e, l.decided()) {
			path, actions, reward := walk(e, last)
			for i, n := range path {
				for s := range n.Agents {
					c := &n.Agents[s].Completions[n.Joint[actions[i]][s]]
					sums[c], counts[c] = sums[c]+reward, counts[c]+1
				}
			}
		}
		for _, n := range e.Nodes {
			for s := range n.Agents {
				for j := range n.Agents[s].Completions {
					if c := &n.Agents[s].Completions[j]; counts[c] > 0 {
						c.Reward = sums[c] / counts[c]
						stats.AddReturn(n.Agents[s].Agent, c.Reward)
					}
				}
			}
		}
	}
	return nil
}

// shape: in a chain one candidate of each turn is executed.
func shape(rollout string) string {
	if rollout == "chain" {
		return learn.Decisions
	}
	return rollout
}

// decided says that one candidate of each turn is executed.
func (l *learner) decided() bool { return l.group.Rollout == learn.Decisions }

// train takes the steps. Updates gather dialogues; the critics learn at the end of one of them, the policies in the last.
//
//	update    1 … k              k + 1 … U
//	dialogues of the base        of the base
//	learns    critic, at k       policy, at U, from the later ones; from all where k = U
//
// Nothing is kept between updates but what stands in the run, so that a run which is stopped anywhere, between the phases too, goes on as if it had not
// been. The learning rate is that at the beginning of a run: its schedule counts updates, and each phase has one.
func (l *learner) train(ctx context.Context, update int, episodes []*rollout.Episode, s *learn.Stats) error {
	critics := l.settings.critical() && update+1 == l.settings.criticAt(l.Updates)
	policies := update+1 == l.Updates
	if critics {
		if err := l.phase(ctx, 0, update, episodes, func(to learn.Trainee, r *record) error {
			return l.learnCritic(ctx, l.criticRef(to), r, s)
		}); err != nil {
			return err
		}
	}
	if !policies {
		return nil
	}
	from := 0 // the dialogues behind those of the critic, if there are any
	if at := l.settings.criticAt(l.Updates); l.settings.critical() && at < l.Updates {
		from = at
	}
	return l.phase(ctx, from, update, episodes, func(to learn.Trainee, r *record) error {
		return l.learnPolicy(ctx, learn.PolicyRef{Engine: l.EngineOf(to.Agent), Policy: to.Policy}, l.criticRef(to), r, s)
	})
}

// phase does something with every trained policy and its dialogues of the updates from one, from 0, to the last one.
func (l *learner) phase(ctx context.Context, from, update int, episodes []*rollout.Episode, do func(learn.Trainee, *record) error) error {
	all, err := l.gathered(from, update, episodes)
	if err != nil {
		return err
	}
	records := l.recordsOf(all, l.decided())
	for _, t := range l.Sharing.Trained(l.Turns, false) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r := records[t.Policy]; r != nil {
			if err := do(t, r); err != nil {
				return fmt.Errorf("%s: %w", t.Policy, err)
			}
		}
	}
	return nil
}

// gathered are the episodes of updates, the last of which is at hand.
func (l *learner) gathered(from, update int, episodes []*rollout.Episode) (out []played, err error) {
	for u := from; u <= update; u++ {
		these := episodes
		if u < update {
			if these, err = l.Recall(u + 1); err != nil {
				return nil, fmt.Errorf("read the dialogues of update %d to learn from: %w", u+1, err)
			}
		}
		for _, e := range these {
			out = append(out, played{u, e})
		}
	}
	return out, nil
}

// criticRef is the critic of a trained policy.
func (l *learner) criticRef(t learn.Trainee) learn.PolicyRef {
	for turn := range l.Turns {
		if l.Sharing.Policy(turn, t.Agent) == t.Policy {
			return learn.PolicyRef{Engine: l.EngineOf(t.Agent), Policy: l.Sharing.Value(turn, t.Agent)}
		}
	}
	return learn.PolicyRef{Engine: l.EngineOf(t.Agent), Policy: engine.Base}
}

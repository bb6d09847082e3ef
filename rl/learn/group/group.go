package group

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"parley/internal/tie"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/loss"
	"parley/rl/rollout"
)

// MAGRPO compares a completion with the mean of its group.
func MAGRPO() learn.Algorithm {
	return algorithm("magrpo", "group-relative advantages of a joint or own reward: the credit less the group's mean", credit.ModeMean)
}

// MAREINFORCE compares a completion with nothing.
func MAREINFORCE() learn.Algorithm {
	return algorithm("mareinforce", "magrpo without a baseline: the credit itself", credit.ModeRaw)
}

// MARLOO compares a completion with the mean of the others.
func MARLOO() learn.Algorithm {
	return algorithm("marloo", "magrpo with another baseline: the credit less the mean of the others", credit.ModeRLOO)
}

// MAREMAX compares a completion with the best of its group.
func MAREMAX() learn.Algorithm {
	return algorithm("maremax", "magrpo with another baseline: the credit less the greatest of the group", credit.ModeMax)
}

// ATGRPO compares what one agent might say in one place by what its turn pays.
func ATGRPO() learn.Algorithm {
	return alternatives("atgrpo", "one agent decides at a time: of the candidates for its message, which are compared by what the turn pays, one is executed (AT-GRPO)", learn.Decisions,
		words.AlternativeKeys(), []string{"group.discount", "group.normalize", "credit.loo"})
}

// C3 compares what one agent might say in one place by what follows it.
func C3() learn.Algorithm {
	return alternatives("c3", "one agent speaks at a time: a message is compared with its alternatives by what follows each of them (C3)", learn.Alternatives,
		words.DecisionKeys(), []string{"credit.std", "credit.divide", "credit.eps"})
}

func algorithm(name, about string, mode credit.AdvantageMode) learn.Algorithm {
	return learn.Algorithm{
		Name: name, About: about, Kind: learn.GroupRelative, Sections: sections(mode), Unread: slices.Concat(words.DecisionKeys(), words.AlternativeKeys()),
		OwnRewards: true, PenalizesKL: true, Corrects: true, Shape: shape(mode), Steps: steps, Passes: passes,
		New: func(c learn.Config) (learn.Learner, error) { return New(c, mode) },
	}
}

// alternatives is an algorithm whose rollouts have a shape of its own. There are neither joint actions nor whole episodes to credit.
func alternatives(name, about, shape string, unread ...[]string) learn.Algorithm {
	a := algorithm(name, about, credit.ModeMean)
	a.Sections, a.PenalizesKL, a.Shape = []learn.Section{words.Section(), words.CreditSection()}, false, func(string) string { return shape }
	a.Unread = slices.Concat(words.JointKeys(), words.EpisodeKeys(), []string{"group.kl"}, slices.Concat(unread...))
	return a
}

// shape: in a chain an advantage is the turn's reward less the mean of its turn, with no return after it, which the release has for MAGRPO alone (MAGRPO §2.6).
func shape(mode credit.AdvantageMode) func(string) string {
	return func(rollout string) string {
		if rollout == "chain" && mode != credit.ModeMean {
			return ""
		}
		return rollout
	}
}

// sections are those of the family. How messages of whole episodes are compared is what tells the other algorithms from MAGRPO.
func sections(mode credit.AdvantageMode) []learn.Section {
	list := []learn.Section{words.Section(), words.LossSection(), learn.OpponentsSection()}
	if mode == credit.ModeMean {
		list = slices.Insert(list, 1, words.CreditSection())
	}
	return list
}

type learner struct {
	learn.Common
	settings learn.Group
	mode     credit.AdvantageMode // what credits of a group are compared with
	joint    credit.JointMode     // which completions make joint actions
	credit   words.Credit         // of messages of whole episodes
	per      loss.Per             // what their losses are averaged over
	averages learn.Averages       // of roles, under baseline rae
	whole    loss.Whole           // the episodes of the update
	// buffers hold, policy by policy, groups that wait for a step. They may last from one update to the next.
	buffers learn.Buffers[nodeSample]
}

// New returns a learner with advantages of a mode. It needs [learn.Group].
func New(c learn.Config, mode credit.AdvantageMode) (learn.Learner, error) {
	return newLearner(c, mode)
}

func newLearner(c learn.Config, mode credit.AdvantageMode) (*learner, error) {
	s, err := learn.SettingsOf[learn.Group](c)
	if err != nil {
		return nil, err
	}
	joint, err := credit.ParseJointMode(s.Joint)
	if err != nil {
		return nil, err
	}
	l := &learner{
		Common: learn.Common{Config: c}, settings: s, mode: mode, joint: joint, credit: words.NoCredit(), per: loss.Per(words.NoLoss().Per), averages: learn.Averages{},
		buffers: learn.Buffers[nodeSample]{Size: s.Buffer},
	}
	if own, err := learn.SettingsOf[words.Credit](c); err == nil && mode == credit.ModeMean {
		l.credit = own
	}
	if own, err := learn.SettingsOf[words.Loss](c); err == nil {
		l.per = loss.Per(own.Per)
	}
	return l, nil
}

// Update implements [learn.Learner].
func (l *learner) Update(ctx context.Context, s *learn.Session) error {
	return s.Run(ctx, l.assign, l.train)
}

// assign says what was earned: a completion's Reward is its credit, its Advantage that inside the group. Where there is a penalty for
// the distance from the base, completions are scored under it first: KL = Σ_t exp(d_t) − d_t − 1, d = log π_ref − log π (MAGRPO §2.5).
func (l *learner) assign(ctx context.Context, episodes []*rollout.Episode, s *learn.Stats) error {
	kl, err := l.Divergences(ctx, l.settings, learn.AnswersIn(episodes), s)
	if err != nil {
		return err
	}
	if l.settings.Rollout == "episodes" {
		return l.creditEpisodes(ctx, episodes, kl, s)
	}
	for _, e := range episodes {
		if err := l.creditEpisode(e, kl, s); err != nil {
			return fmt.Errorf("credit problem %s: %w", e.Problem.ID, err)
		}
	}
	return nil
}

// creditEpisode fills in credits and advantages of all completions of one episode. kl is the divergence of each from the base, where it is
// penalised. The returns are those of joint actions, [node][b]; NodeCredit makes credits [agent][G] of a node's, which are compared
// agent by agent.
func (l *learner) creditEpisode(e *rollout.Episode, kl map[*rollout.Completion]float64, stats *learn.Stats) error {
	switch l.settings.Rollout {
	case "chain":
		return l.creditChain(e, stats)
	case learn.Decisions:
		return l.creditDecisions(e, stats)
	case learn.Alternatives:
		return l.creditBranches(e, stats)
	}
	returns, err := l.returns(e)
	if err != nil {
		return err
	}
	for i, n := range e.Nodes {
		known := map[*float64][][]float64{} // by the returns, which agents with equal weights share
		for s := range n.Agents {
			joint := returns[n.Agents[s].Agent][i]
			credits := known[&joint[0]]
			if credits == nil {
				if credits, err = credit.NodeCredit(tie.Levels(joint, l.Reward.Width), l.joint, len(n.Agents), len(n.Agents[0].Completions), credit.CrossMode(l.settings.CrossCredit)); err != nil {
					return err
				}
				known[&joint[0]] = credits
			}
			for k := range credits[s] {
				plain := credits[s][k]
				credits[s][k] = loss.PenalisedReturn(plain, kl[&n.Agents[s].Completions[k]], l.KLOf(n.Agents[s].Policy, l.settings.KL))
				l.addReturn(stats, n.Agents[s].Agent, plain, credits[s][k])
			}
			advantages := make([]float64, len(credits[s])) // a completion by itself is compared with none
			if len(credits[s]) > 1 || l.settings.Size == 1 {
				if advantages, err = credit.Advantages(credits[s], l.mode, l.settings.Normalize); err != nil {
					return err
				}
			}
			n.Agents[s].Assign(credits[s], advantages)
		}
	}
	return nil
}

// returns are the discounted returns of all joint actions as each agent earns them, [agent][node][joint action]. Agents with equal weights share
// theirs.
func (l *learner) returns(e *rollout.Episode) ([][][]float64, error) {
	agents := 0
	for _, n := range e.Nodes {
		for _, asked := range n.Agents {
			agents = max(agents, asked.Agent+1)
		}
	}
	out := make([][][]float64, agents)
	known := map[learn.RewardWeights][][]float64{}
	for agent := range out {
		w := l.WeightsOf(agent)
		if have, ok := known[w]; ok && w.Own == 0 && w.Others == 0 {
			out[agent] = have
			continue
		}
		r, err := returnsOf(e, l.settings.Gamma(), func(n *rollout.Node, j int) float64 { return w.Of(n, agent, j) })
		if err != nil {
			return nil, err
		}
		out[agent], known[w] = r, r
	}
	return out, nil
}

// addReturn records what a completion is trained on, and that less its penalty where there are penalties.
func (l *learner) addReturn(stats *learn.Stats, agent int, plain, shaped float64) {
	stats.AddReturn(agent, plain)
	if l.Penalizes(l.settings.KL) {
		stats.AddShapedReturn(agent, shaped)
	}
}

// advantageWidth is that of the range of what advantages are differences of: rewards, or, where these are divided by their spread, numbers of
// about 1.
func (l *learner) advantageWidth() float64 {
	if l.settings.Normalize || !(l.Reward.Width > 0) || math.IsInf(l.Reward.Width, 1) {
		return 1
	}
	return l.Reward.Width
}

// creditChain gives every completion of a best-of-group chain its turn's immediate reward (MAGRPO §2.6): A_j = clamp(r_j − mean(r), ±10),
// the same for all agents, without returns or discount.
func (l *learner) creditChain(e *rollout.Episode, stats *learn.Stats) error {
	chain := l.chain()
	for _, n := range e.Nodes {
		turn, err := chain.Turn(n.Turn, l.Turns, n.Rewards)
		if err != nil {
			return err
		}
		for s := range n.Agents {
			n.Agents[s].Assign(n.Rewards, turn.Advantages)
			for _, r := range n.Rewards {
				stats.AddReturn(n.Agents[s].Agent, r)
			}
		}
	}
	return nil
}

// chain is that of the released code, with the recipe's weights: a turn's loss counts as turn_weights says, and more where it ends the
// chain.
func (l *learner) chain() credit.Chain {
	o := l.settings
	return credit.Chain{TurnWeights: o.TurnWeights, EarlyValue: o.EndValue, EarlyWeight: o.EndWeight, Clip: credit.ChainClip, Width: l.Reward.Width}
}

// train takes the steps: the groups of all trained agents enter the buffers of their policies in the order of their environment
// steps, a node before its children and a whole child before the next. A full buffer is drained at once, the others at the end of the
// update or of the epoch (MAGRPO §2.4).
func (l *learner) train(ctx context.Context, update int, episodes []*rollout.Episode, s *learn.Stats) error {
	l.buffers.Drain = func(full []learn.PolicySamples[nodeSample]) error { return l.drain(ctx, full, update, s) }
	l.whole = l.wholeOf(episodes, update)
	for _, e := range episodes {
		for _, m := range l.messages(e) {
			if asked := &e.Nodes[m.node].Agents[m.agent]; l.dropped(e, e.Nodes[m.node].Sample) || !asked.Learns() || l.waits(asked.Agent, update) {
				continue
			}
			if err := l.add(e, learn.SampleRef{Update: update + 1, Episode: e.Index, Node: m.node, Agent: m.agent}); err != nil {
				return err
			}
		}
	}
	s.DeadGroups = deadGroups(episodes, l.advantageWidth())
	if l.settings.BufferAcrossUpdates && !l.EpochEnds(update) {
		return nil
	}
	return l.buffers.Flush()
}

// A message is what one agent said at a node: indices of the episode's nodes, and of those who were asked there.
type message struct{ node, agent int }

// messages lists those of a problem in the order in which they enter buffers: node by node, depth first; of whole episodes one after the other,
// and in each agent by agent, so that the messages of a chat follow each other.
func (l *learner) messages(e *rollout.Episode) []message {
	var out []message
	for _, i := range depthFirst(e) {
		for a := range e.Nodes[i].Agents {
			out = append(out, message{i, a})
		}
	}
	if l.settings.Rollout == "episodes" {
		slices.SortStableFunc(out, func(x, y message) int {
			n, m := e.Nodes[x.node], e.Nodes[y.node]
			return cmp.Or(cmp.Compare(n.Sample, m.Sample), cmp.Compare(n.Agents[x.agent].Agent, m.Agents[y.agent].Agent))
		})
	}
	return out
}

// add puts what an agent said at a node of an episode into its buffer.
func (l *learner) add(e *rollout.Episode, at learn.SampleRef) error {
	n := e.Nodes[at.Node]
	asked := &n.Agents[at.Agent]
	sample, err := l.sample(n, asked)
	// A group whose answers are all masked fills no place of the buffer: its mean over completions would be one over nothing.
	if err != nil || len(sample.Completions) == 0 {
		return err
	}
	sample.at, sample.counted = at, messageOf(e, n, asked)
	return l.buffers.Add(learn.PolicyRef{Engine: l.EngineOf(asked.Agent), Policy: asked.Policy}, sample)
}

// steps lets the samples of every tree, or of every episode, go through the buffers, depth-first (MAGRPO §2.4). A minibatch is one step. A full tree has
// Branching^t nodes in turn t, counted from 0.
func steps(o learn.Outline) int {
	s := learn.SettingsIn[learn.Group](o.Settings)
	var problem []learn.Unit
	var visit func(turn int)
	visit = func(turn int) {
		problem = append(problem, o.Units(turn)...)
		for range o.Branching {
			if turn+1 < o.Turns {
				visit(turn + 1)
			}
		}
	}
	for range max(o.Episodes, 1) {
		visit(0)
	}
	return o.BufferSteps(s, s.BufferAcrossUpdates, problem, func([]learn.Unit) int { return 1 })
}

// passes: an answer is trained on once, and scored under the base where there is a penalty for the distance from it.
func passes(settings []any, a learn.AnswerTokens) learn.Passes {
	p := learn.Passes{Trained: a.Prompt + a.Answer}
	if a.Penalized || learn.SettingsIn[learn.Group](settings).KL > 0 {
		p.Scored = a.Prompt + a.Answer
	}
	return p
}

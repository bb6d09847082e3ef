package episodes

import (
	"fmt"
	"slices"

	"parley/rl/learn/group/words"
	"parley/rl/reward"
	"parley/rl/rollout"
	"parley/runs"
	"parley/team"
	"parley/train/record"
	"parley/viewer/explain"
)

// A Team is what the recipe of a run says of the agents and of how they are paid.
type Team struct {
	Names    []string
	Settings explain.Settings
	Groups   bool          // completions or episodes are compared with each other
	Scheme   reward.Scheme // of debates
	Program  bool          // it works in a program of the user's
	Protocol team.Protocol // that asked it; nil: nobody knows any more
}

// TeamOf reads it from a recipe.
func TeamOf(r *record.FlatRecipe) Team {
	t := Team{Names: r.Agents(), Program: r.Text("team.protocol") == "harness"}
	t.Settings.Algorithm = r.Text("algorithm")
	if t.Settings.Baseline = r.Text("credit.baseline"); t.Settings.Baseline == "auto" {
		t.Settings.Baseline = words.Credit{}.Compared(r.Text("group.rollout"))
	}
	t.Settings.Discount = r.Number("group.discount", 1)
	if t.Settings.Algorithm == "malt" || t.Settings.Algorithm == "sweet" { // neither has a discount: the number in their recipes is a default without effect
		t.Settings.Discount = 1
	}
	t.Settings.Alpha = r.Number("group.alpha", 1)
	t.Settings.Normalize = r.Text("group.normalize") == "true"
	t.Settings.Whiten = r.Text("ppo.whiten") == "true"
	t.Settings.Sign = r.Text("group.without") != "" && r.Text("credit.solo.outcome") == "sign"
	t.Scheme = reward.Scheme{
		Design: reward.Design(r.Text("reward.design")), Gamma: r.Number("reward.gamma", 1), Penalty: r.Number("reward.penalties.size", 0),
		PenaltyScope: reward.Scope(r.Text("reward.penalties.scope")), IncentiveRule: reward.IncentiveRule(r.Text("reward.incentives.rule")),
		Incentives: reward.Coefficients{
			Alpha0: r.Number("reward.incentives.alpha0", 0), Alpha1: r.Number("reward.incentives.alpha1", 0),
			Beta0: r.Number("reward.incentives.beta0", 0), Beta1: r.Number("reward.incentives.beta1", 0),
		},
	}
	t.Groups = slices.Contains([]string{"magrpo", "marloo", "maremax", "mareinforce", "atgrpo", "c3"}, t.Settings.Algorithm)
	return t
}

// TeamIn is that of the run in dir; of a damaged one agents have numbers.
func TeamIn(dir string) Team {
	if meta, err := runs.Read(dir); err == nil {
		if r, err := record.Flatten(meta.Recipe); err == nil {
			return TeamOf(r)
		}
	}
	return Team{}
}

// Name is what an agent, from 0, is called.
func (t Team) Name(agent int) string {
	if agent >= 0 && agent < len(t.Names) {
		return t.Names[agent]
	}
	return fmt.Sprintf("agent %d", agent+1)
}

// Critic says that each token has an advantage of its own.
func (t Team) Critic() bool { return t.Settings.Algorithm == "mappo" }

// valued says that answers are compared with a critic's value of their prompts.
func (t Team) valued() bool { return t.Settings.Algorithm == "iac" || t.Settings.Algorithm == "maac" }

// note says what the numbers of an answer are.
func (t Team) note() string {
	if t.Groups {
		return "The reward of an answer is its return: what the joint actions that it was part of earned, with what followed. Its advantage is that compared with others of its group."
	}
	if t.Critic() {
		return "The reward of an answer is what it is trained on. Each token has an advantage of its own, over a critic's values, which are not recorded; the advantage of an answer is the mean of those of its tokens."
	}
	return "The reward of an answer is what it is trained on."
}

// reasons are what the numbers of a node are made of.
type reasons struct {
	e       *rollout.Episode
	node    int
	t       Team
	follow  func(node int, returns []float64) []float64
	returns [][]float64 // of every node, by joint action
	scores  []float64   // mean return of the messages of every whole episode
}

func newReasons(e *rollout.Episode, node int, t Team) *reasons {
	follow := t.follow(e)
	return &reasons{e: e, node: node, t: t, follow: follow, returns: returnsOf(e, t.Settings.Discount, nobody, follow), scores: scoresOf(e)}
}

// nobody stands for no agent: what agents earned for themselves does not count.
const nobody = -1

// own is what an agent earned for itself beside a joint reward.
func own(n *rollout.Node, action, agent int) float64 {
	if agent < 0 || action >= len(n.Own) || agent >= len(n.Own[action]) {
		return 0
	}
	return n.Own[action][agent]
}

// returnsOf are the returns of all joint actions: their rewards, with what the agent earned for itself, and, discounted, the mean of what followed.
// Children stand behind their parents.
func returnsOf(e *rollout.Episode, discount float64, agent int, follow func(node int, returns []float64) []float64) [][]float64 {
	out := make([][]float64, len(e.Nodes))
	for i := len(e.Nodes) - 1; i >= 0; i-- {
		n := e.Nodes[i]
		out[i] = make([]float64, len(n.Joint))
		for a := range n.Joint {
			if a < len(n.Rewards) {
				out[i][a] = n.Rewards[a] + own(n, a, agent)
			}
		}
	}
	for i := len(e.Nodes) - 1; i > 0; i-- {
		n := e.Nodes[i]
		if n.Parent < 0 || n.ParentAction >= len(out[n.Parent]) || n.ParentAction < 0 {
			continue
		}
		below := follow(i, out[i])
		for _, r := range below {
			out[n.Parent][n.ParentAction] += discount * r / float64(len(below))
		}
	}
	return out
}

// follow are the returns of a node that count for what came before it: all, or that of the joint action that the dialogue went on with.
func (t Team) follow(e *rollout.Episode) func(node int, returns []float64) []float64 {
	if t.Settings.Algorithm != "sweet" {
		return func(_ int, returns []float64) []float64 { return returns }
	}
	on := make([]int, len(e.Nodes)) // a dialogue that ends ends with the first
	for _, n := range e.Nodes {
		if n.Parent >= 0 {
			on[n.Parent] = max(n.ParentAction, 0)
		}
	}
	return func(node int, returns []float64) []float64 {
		if on[node] >= len(returns) {
			return nil
		}
		return returns[on[node] : on[node]+1]
	}
}

// scoresOf are the mean returns of the messages of each whole episode.
func scoresOf(e *rollout.Episode) []float64 {
	sums, counts := make([]float64, e.Samples()), make([]int, e.Samples())
	for _, n := range e.Nodes {
		for _, a := range n.Agents {
			if !learned(&a) {
				continue
			}
			for _, c := range a.Completions {
				sums[n.Sample] += c.Reward
				counts[n.Sample]++
			}
		}
	}
	for i, n := range counts {
		sums[i] /= float64(max(n, 1))
	}
	return sums
}

// learned says that what an agent said is learned from, and that others are compared with it: neither an earlier policy said it nor a program.
func learned(a *rollout.AgentTurn) bool { return a.Opponent == "" && a.Speaker == "" }

// of are the formulas of one completion; none where nothing is learned from it.
func (r *reasons) of(k, i int) []explain.Formula {
	a := &r.e.Nodes[r.node].Agents[k]
	if !learned(a) {
		return []explain.Formula{}
	}
	c := &a.Completions[i]
	joints := r.joints(k, i)
	if !r.t.Groups {
		earned := r.paid(k, i)
		if !earned.Exact && len(joints) > 0 {
			if f := explain.Joined(r.t.Settings, c.Reward, joints); f.Exact {
				earned = f
			}
		}
		switch {
		case r.t.valued():
			return []explain.Formula{earned, r.valued(k, i)}
		case r.t.Critic() && c.Advantage != 0: // earlier releases recorded none
			return []explain.Formula{earned, explain.OfTokens(c.Advantage, len(c.Tokens), r.t.Settings.Whiten)}
		case c.Advantage != 0:
			return []explain.Formula{earned, explain.Advantage(r.t.Settings, c.Reward, c.Advantage, nil)}
		}
		return []explain.Formula{earned}
	}
	earned := explain.Scored(c.Reward, c.Score, c.Penalty)
	if len(joints) > 0 {
		earned = explain.Joined(r.t.Settings, c.Reward, joints)
	}
	return []explain.Formula{earned, explain.Advantage(r.t.Settings, c.Reward, c.Advantage, r.groups(k, i))}
}

// valued explains the advantage over the value of a critic. Where the dialogue goes on, its values of later prompts count too.
func (r *reasons) valued(k, i int) explain.Formula {
	said := r.e.Nodes[r.node].Agents[k].Completions
	if !slices.ContainsFunc(r.e.Nodes, func(n *rollout.Node) bool { return n.Parent == r.node }) {
		pairs := make([]explain.Pair, len(said))
		for j, c := range said {
			pairs[j] = explain.Pair{Return: c.Reward, Advantage: c.Advantage}
		}
		if f, ok := explain.Valued(pairs, i); ok {
			return f
		}
	}
	return explain.Unvalued(said[i].Reward, said[i].Advantage)
}

// paid explains what an answer of a debate earned: there its node is a turn of a path.
func (r *reasons) paid(k, i int) explain.Formula {
	c := &r.e.Nodes[r.node].Agents[k].Completions[i]
	d := explain.Debate{Scheme: r.t.Scheme}
	for at, n := range r.e.Nodes {
		turn := reward.Turn{}
		for s := range n.Agents {
			if n.Parent != at-1 || len(n.Agents[s].Completions) != 1 {
				return explain.Scored(c.Reward, c.Score, c.Penalty)
			}
			said := &n.Agents[s].Completions[0]
			turn = append(turn, reward.Answer{Agent: n.Agents[s].Agent, Score: said.Score - said.Penalty, Flagged: len(said.Flags) > 0, Correct: said.Correct})
		}
		d.Turns = append(d.Turns, turn)
	}
	if f := d.Paid(r.node, k, c.Reward); f.Exact {
		return f
	}
	return explain.Scored(c.Reward, c.Score, c.Penalty)
}

// joints are the joint actions that a completion was part of.
func (r *reasons) joints(k, i int) []explain.Joint {
	n := r.e.Nodes[r.node]
	agent := n.Agents[k].Agent
	owned := r.returns
	if len(n.Own) > 0 {
		owned = returnsOf(r.e, r.t.Settings.Discount, agent, r.follow)
	}
	var out []explain.Joint
	for a, action := range n.Joint {
		if k >= len(action) || action[k] != i || a >= len(n.Rewards) {
			continue
		}
		j := explain.Joint{Action: a, Reward: n.Rewards[a], Own: own(n, a, agent)}
		for m, below := range r.e.Nodes {
			if below.Parent == r.node && below.ParentAction == a {
				j.Below, j.Owned = r.follow(m, r.returns[m]), r.follow(m, owned[m])
			}
		}
		out = append(out, j)
	}
	return out
}

// groups are what a completion may have been compared with, the usual one first.
func (r *reasons) groups(k, i int) []explain.Group {
	n := r.e.Nodes[r.node]
	a := &n.Agents[k]
	var out []explain.Group
	if len(a.Completions) > 1 {
		g := explain.Group{What: explain.Answers(len(a.Completions), "answers of this agent to this prompt"), Own: i, Baseline: "node"}
		for _, c := range a.Completions {
			g.Values = append(g.Values, c.Reward)
		}
		out = append(out, g)
	}
	if len(r.scores) > 1 {
		out = append(out, explain.Group{What: explain.Answers(len(r.scores), "episodes of this problem, each the mean return of its messages, of all agents"), Values: r.scores, Own: n.Sample, Baseline: "problem"})
	}
	for _, baseline := range []string{"agent_turn", "agent", "global"} {
		g := r.messages(a.Agent, n.Turn, baseline, &a.Completions[i])
		if len(g.Values) > 1 {
			out = append(out, g)
		}
	}
	return out
}

// messages are all that an agent said about the problem, or in one turn, or all that was said about it.
func (r *reasons) messages(agent, turn int, baseline string, own *rollout.Completion) explain.Group {
	g := explain.Group{Own: -1, Baseline: baseline}
	for _, n := range r.e.Nodes {
		for k := range n.Agents {
			if baseline != "global" && n.Agents[k].Agent != agent || baseline == "agent_turn" && n.Turn != turn || !learned(&n.Agents[k]) {
				continue
			}
			for i := range n.Agents[k].Completions {
				c := &n.Agents[k].Completions[i]
				if c == own {
					g.Own = len(g.Values)
				}
				g.Values = append(g.Values, c.Reward)
			}
		}
	}
	g.What = explain.Answers(len(g.Values), map[string]string{
		"agent": "messages of this agent about this problem", "agent_turn": "messages of this agent in this turn", "global": "messages of all agents about this problem",
	}[baseline])
	return g
}

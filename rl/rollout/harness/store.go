package harness

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/rl/rollout"
	"parley/task"
)

// A playedEpisode is one that is over: its messages, and what came of it.
type playedEpisode struct {
	live   *Live
	calls  []*Call // that are messages, in their order
	agents []Agent
	result *result
	failed string // empty: it has not
	pays   bool   // the program does
	sample int
}

// played is the episode, once it is known what arrived. output is what its program wrote beside.
func (e *Live) played(output string) playedEpisode {
	all := e.freeze()
	p := playedEpisode{live: e, agents: e.agents, result: e.result, failed: e.failed, pays: e.of.settings.Pays, sample: e.ids.sample}
	for _, c := range all {
		if c.delivered && c.drawn {
			p.calls = append(p.calls, c)
		}
	}
	overlaps := p.order()
	if p.failed == "" && len(p.calls) == 0 {
		p.failed = "the harness asked no agent"
	}
	p.checkPaid()
	e.of.counts.episode(e, p, len(all), overlaps)
	if p.failed != "" {
		e.of.log.write(e.name+": "+p.failed, strings.TrimSpace(e.whole+"\n"+output))
	}
	return p
}

// order puts calls that overlap into an order that does not depend on when they came, and says whether there are any.
func (p *playedEpisode) order() (overlaps bool) {
	for from := 0; from < len(p.calls); {
		to, end := from+1, p.calls[from].ended
		for to < len(p.calls) && p.calls[to].begun < end {
			end = max(end, p.calls[to].ended)
			to++
		}
		overlaps = overlaps || to > from+1
		slices.SortFunc(p.calls[from:to], func(a, b *Call) int {
			return cmp.Or(cmp.Compare(a.stream.agent, b.stream.agent), cmp.Compare(a.stream.hash, b.stream.hash), cmp.Compare(a.k, b.k))
		})
		from = to
	}
	return overlaps
}

// checkPaid fails an episode that pays a call which is no message.
func (p *playedEpisode) checkPaid() {
	if p.result == nil {
		return
	}
	for id := range p.result.calls {
		if p.failed == "" && p.at(id) < 0 {
			p.failed = fmt.Sprintf(`the result: "calls" pays %.80q, whose answer nobody has read`, id)
		}
	}
}

// at is the call that a result names by its response: the first of its choices. −1: there is none.
func (p *playedEpisode) at(id string) int {
	return slices.IndexFunc(p.calls, func(c *Call) bool { return c.ask.Response == id })
}

// store adds the played episodes of a problem to it, and has them scored.
func (p *play) store(ctx context.Context, e *rollout.Episode, played []playedEpisode) error {
	p.of.counts.group(played)
	var items []rollout.ScoreItem
	for _, one := range played {
		nodes := one.nodes(len(e.Nodes))
		e.Nodes = append(e.Nodes, nodes...)
		switch {
		case one.failed == "":
			items = append(items, one.items(e.Problem, nodes)...)
		case len(nodes) == 0:
			if e.Refused == nil {
				e.Refused = map[int]string{}
			}
			e.Refused[one.sample] = one.failed
		default:
			nodes[len(nodes)-1].Fail(one.failed)
		}
	}
	if len(items) == 0 {
		return nil
	}
	return p.scorer.Score(ctx, items)
}

// nodes are the messages as nodes of which the first has a number. Nothing is earned yet.
func (p *playedEpisode) nodes(first int) []*rollout.Node {
	nodes := make([]*rollout.Node, len(p.calls))
	for i, c := range p.calls {
		a := p.agents[c.agent]
		turn := rollout.AgentTurn{Agent: c.agent, Messages: c.ask.Messages, Completions: []rollout.Completion{c.completion}}
		if s := a.Actor.Speaker; s != nil {
			turn.Speaker = s.Kind()
		} else {
			turn.Policy, turn.Opponent, turn.Sampling, turn.Mask, turn.Prompt = c.policy, c.opponent, a.Draw.Sampling, c.mask, c.ask.Prompt
		}
		nodes[i] = &rollout.Node{Turn: i, Parent: first + i - 1, Sample: p.sample, Agents: []rollout.AgentTurn{turn}, Joint: [][]int{{0}}, Rewards: []float64{0}}
		if i == 0 {
			nodes[i].Parent, nodes[i].ParentAction = -1, -1
		}
	}
	return nodes
}

// items are the nodes of an episode to score: its answer, or what its program pays, at the last.
func (p *playedEpisode) items(problem task.Problem, nodes []*rollout.Node) []rollout.ScoreItem {
	p.pay(nodes)
	items := make([]rollout.ScoreItem, len(nodes))
	nodes[len(nodes)-1].Answers = p.result.answers
	for i, n := range nodes {
		last := i == len(nodes)-1
		items[i] = rollout.ScoreItem{Problem: problem, Node: n, Agents: len(p.agents), Final: func(int) ([]string, bool, error) {
			if !last {
				return nil, false, nil
			}
			return p.result.answers, true, nil
		}}
		if last && p.pays {
			items[i].Paid = &p.result.score
		}
	}
	return items
}

// pay gives single agents what the program pays them beside the team: at a call, or at the end.
func (p *playedEpisode) pay(nodes []*rollout.Node) {
	r := p.result
	if len(r.score.Agents) == 0 && len(r.calls) == 0 {
		return
	}
	for _, n := range nodes {
		n.Own = [][]float64{make([]float64, len(p.agents))}
	}
	for i, a := range p.agents {
		nodes[len(nodes)-1].Own[0][i] += r.score.Agents[a.Name]
	}
	for id, x := range r.calls {
		at := p.at(id)
		nodes[at].Own[0][p.calls[at].agent] += x
	}
}

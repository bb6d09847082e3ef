package keep

import (
	"slices"
	"strings"

	"parley/rl/rollout"
	"parley/team"
)

// A Counterfactual says which prompts messages get beside the one that they answered.
//
// The messages of finished episodes get the prompts that they would have had, had others changed less: without a message of
// the step before, or with what a restart has dropped. What the policy then thinks of a message says what the other one did to it (Dr. MAMR,
// arXiv 2511.02303). The prompts are part of the episode's record, so that it is credited again without the protocol.
type Counterfactual struct {
	Masked  bool   // without each message of the step before
	Restart string // in the last step: with what each answer with this word has dropped; empty: nothing drops
}

// Add gives the messages of finished episodes their counterfactual prompts. Where the team would have gone on in another way, there is none. Every
// agent has given one completion.
func (w Counterfactual) Add(r *rollout.Runner, purpose string, episodes []*rollout.Episode) {
	for _, e := range episodes {
		last := map[int]int{} // node of every episode of the problem
		for i, n := range e.Nodes {
			last[n.Sample] = i
		}
		for i, n := range e.Nodes {
			x := reprompter{r, e, n, r.ProtocolOf(purpose, e.Update, e.Index, n.Sample)}
			if w.Masked && n.Parent >= 0 {
				x.mask()
			}
			if w.Restart != "" && last[n.Sample] == i {
				x.keep(w.Restart)
			}
		}
	}
}

// A reprompter makes the prompts of a node again.
type reprompter struct {
	runner   *rollout.Runner
	episode  *rollout.Episode
	node     *rollout.Node
	protocol team.Protocol
}

// mask adds the prompts without each message of the node before.
func (x reprompter) mask() {
	before := x.episode.Nodes[x.node.Parent]
	for s, spoke := range before.Agents {
		h := slices.Clone(x.node.History())
		for i := len(h) - 1; i >= 0; i-- {
			if h[i].Turn == before.Turn && h[i].Agent == spoke.Agent {
				h[i] = h[i].Emptied()
				x.add(x.protocol, h, rollout.Counterfactual{Node: x.node.Parent, Agent: s})
				break
			}
		}
	}
}

// keep adds the prompts with what each restart before has dropped.
func (x reprompter) keep(word string) {
	nodes := x.episode.Nodes
	for i := x.node.Parent; i >= 0; i = nodes[i].Parent {
		for s := range nodes[i].Agents {
			a := &nodes[i].Agents[s]
			if !strings.Contains(a.Completions[0].Text, word) {
				continue
			}
			if kept, ok := team.Unrestarted(x.protocol, nodes[i].Turn, a.Agent); ok {
				x.add(kept, x.node.History(), rollout.Counterfactual{Node: i, Agent: s, Kept: true})
			}
		}
	}
}

// add adds the prompts after another history, unless others would be asked then, or a prompt has no room for the answer.
func (x reprompter) add(protocol team.Protocol, h team.History, c rollout.Counterfactual) {
	m, err := team.MoveOf(protocol, x.episode.Problem, h)
	if err != nil || m.Acts || len(m.Asks) != len(x.node.Agents) {
		return
	}
	for i, ask := range m.Asks {
		if ask.Turn != x.node.Turn || ask.Agent != x.node.Agents[i].Agent {
			return
		}
	}
	for i, ask := range m.Asks {
		asked, context := &x.node.Agents[i], x.runner.Actors[ask.Agent].Context
		if asked.Speaker != "" {
			continue
		}
		prompt, err := x.runner.Prompt(ask)
		said, _ := asked.Completions[0].Sequence()
		if err != nil || context > 0 && len(prompt)+len(said) > context {
			continue
		}
		if c.Prompt = prompt; slices.Equal(prompt, asked.Prompt) {
			c.Prompt = nil
		}
		asked.Counterfactuals = append(asked.Counterfactuals, c)
	}
}

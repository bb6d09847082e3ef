package train

import (
	"fmt"
	"strings"

	"parley/engine"
	"parley/recipe"
	"parley/rollout"
)

// centralCritic is the value adapter of MAAC, which all agents share.
const centralCritic engine.Policy = "value-central"

// ownCritics reports whether every policy has a value adapter of its own.
func ownCritics(r *recipe.Recipe) bool {
	return r.Algorithm == recipe.MAPPO || r.Algorithm == recipe.IAC && r.Critic.Head == "separate"
}

// sharedHeads reports whether value heads sit on the policies themselves.
func sharedHeads(r *recipe.Recipe) bool {
	return r.Algorithm == recipe.IAC && r.Critic.Head == "shared"
}

// critique is what the critic of a move reads: v the prompt of the turn, q also the answer (magrpo.md §5).
func (l *actorCritic) critique(n *rollout.Node, m *move) (engine.Datum, error) {
	if l.recipe.Algorithm == recipe.MAAC {
		return l.centralCritique(n, m)
	}
	policy := m.agentTurn.Policy
	if l.recipe.Critic.Head == "separate" {
		policy = l.sharing.value(m.turn, m.agentTurn.Agent)
	}
	tokens := m.agentTurn.Prompt
	if l.recipe.Critic.Input == "q" {
		tokens = append(append(make([]int, 0, len(tokens)+len(m.completion.Tokens)), tokens...), m.completion.Tokens...)
	}
	return wholeValue(policy, tokens), nil
}

// wholeValue asks for the value of the state after the last token.
func wholeValue(p engine.Policy, tokens []int) engine.Datum {
	return engine.Datum{Policy: p, Tokens: tokens, ScoreFrom: len(tokens), ValuesOnly: true}
}

// centralCritique renders what all agents were asked, and for q what they answered, each part between tags.
func (l *actorCritic) centralCritique(n *rollout.Node, m *move) (engine.Datum, error) {
	actor := l.actors[l.lead]
	text := jointText(n, l.jointAction(n, m), l.recipe.Critic.Input == "q")
	tokens, err := actor.Prompt(text, l.recipe.Truncate == "left")
	if err != nil {
		return engine.Datum{}, fmt.Errorf("what the central critic reads: %w", err)
	}
	return wholeValue(centralCritic, tokens), nil
}

// jointAction returns the joint action at a node that a move is part of.
func (l *actorCritic) jointAction(n *rollout.Node, m *move) []int {
	for _, action := range n.Joint {
		for s := range n.Agents {
			if &n.Agents[s].Completions[action[s]] == m.completion {
				return action
			}
		}
	}
	return n.Joint[0]
}

// jointText is what all agents were asked at a node, the last message of each between tags, and, with answers, what they said in a
// joint action.
func jointText(n *rollout.Node, action []int, answers bool) string {
	var b strings.Builder
	for s := range n.Agents {
		agentTurn := &n.Agents[s]
		fmt.Fprintf(&b, "<prompt_%d>\n", agentTurn.Agent+1)
		for _, m := range agentTurn.Messages {
			b.WriteString(m.Content + "\n")
		}
		fmt.Fprintf(&b, "</prompt_%d>\n", agentTurn.Agent+1)
	}
	for s := range n.Agents {
		if answers {
			agentTurn := &n.Agents[s]
			fmt.Fprintf(&b, "<answer_%d>\n%s\n</answer_%d>\n", agentTurn.Agent+1, agentTurn.Completions[action[s]].Text, agentTurn.Agent+1)
		}
	}
	return b.String()
}

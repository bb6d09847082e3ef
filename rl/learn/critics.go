package learn

import (
	"fmt"
	"strings"

	"parley/engine"
	"parley/rl/rollout"
)

// Critics says which value heads an algorithm trains.
type Critics string

const (
	CriticsNone       Critics = ""
	CriticsOwn        Critics = "own"     // every policy has a value adapter beside it
	CriticsOnPolicies Critics = "shared"  // value heads sit on the policies themselves
	CriticsCentral    Critics = "central" // one value adapter, [CentralCritic], is for all agents
	// CriticsLanguage: every policy has a language model beside it that reads what the policy may not; it has no value head (SWEET-RL).
	CriticsLanguage Critics = "language"
)

// Beside says that every policy has a critic of its own, named by [Sharing.Value].
func (c Critics) Beside() bool { return c == CriticsOwn || c == CriticsLanguage }

// Valued says that a policy has a value head.
func (c Critics) Valued(p engine.Policy) bool {
	return IsCritic(p) && c != CriticsLanguage || c == CriticsOnPolicies
}

// CentralCritic is the value adapter that all agents share.
const CentralCritic engine.Policy = "value-central"

// IsCritic reports whether a policy is a value adapter: a critic or a reward model. One whose value head is its own is none.
func IsCritic(p engine.Policy) bool { return strings.HasPrefix(string(p), "value") }

// ValueAfter asks a value adapter for the value of the state after the last token.
func ValueAfter(p engine.Policy, tokens []int) engine.Datum {
	return engine.Datum{Policy: p, Tokens: tokens, ScoreFrom: len(tokens), ValuesOnly: true}
}

// JointText is what all agents were asked at a node, the last message of each between tags, and, with answers, what they said in a
// joint action.
func JointText(n *rollout.Node, action []int, answers bool) string {
	var b strings.Builder
	for s := range n.Agents {
		asked := &n.Agents[s]
		fmt.Fprintf(&b, "<prompt_%d>\n", asked.Agent+1)
		for _, m := range asked.Messages {
			b.WriteString(m.Content + "\n")
		}
		fmt.Fprintf(&b, "</prompt_%d>\n", asked.Agent+1)
	}
	for s := range n.Agents {
		if answers {
			asked := &n.Agents[s]
			fmt.Fprintf(&b, "<answer_%d>\n%s\n</answer_%d>\n", asked.Agent+1, asked.Completions[action[s]].Text, asked.Agent+1)
		}
	}
	return b.String()
}

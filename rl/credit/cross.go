package credit

import (
	"fmt"
	"slices"
	"strings"
)

// A JointMode says how the samples of the agents at one node are combined into joint actions.
type JointMode string

const (
	Aligned JointMode = "aligned" // the j-th samples of all agents: G joint actions
	Cross   JointMode = "cross"   // every combination: G^n joint actions, agent 0 varies slowest
)

// ParseJointMode reads a joint mode; "crossed", a spelling of published configurations, is Cross.
func ParseJointMode(s string) (JointMode, error) {
	switch m := strings.ToLower(s); m {
	case "aligned":
		return Aligned, nil
	case "cross", "crossed":
		return Cross, nil
	}
	return "", fmt.Errorf("joint mode %q: write aligned or cross", s)
}

// A CrossMode says how an agent's sample is credited for the several joint actions that it was part of.
type CrossMode string

const (
	CrossMean CrossMode = "mean" // the default: the scale does not depend on the number of agents
	CrossSum  CrossMode = "sum"  // compatibility with the published library: grows with G^(n-1)
	// CrossCounterfactual is the mean of [Counterfactual]: a baseline of its own, which the sample's alternatives give.
	CrossCounterfactual CrossMode = "counterfactual"
)

// JointActions lists the joint actions of a node, [joint action][agent] of sample indices. With one agent both modes are
// each sample alone.
func JointActions(mode JointMode, agents, group int) [][]int {
	if mode != Cross {
		return alignedActions(agents, group)
	}
	actions := make([][]int, power(group, agents))
	for j := range actions {
		actions[j] = make([]int, agents)
		rest := j
		for i := agents - 1; i >= 0; i-- {
			actions[j][i] = rest % group
			rest /= group
		}
	}
	return actions
}

func alignedActions(agents, group int) [][]int {
	actions := make([][]int, group)
	for j := range actions {
		actions[j] = make([]int, agents)
		for i := range actions[j] {
			actions[j][i] = j
		}
	}
	return actions
}

// NodeCredit spreads the returns of a node's joint actions over the samples of each agent: [agents][group]. In aligned
// mode sample j of every agent gets the return of joint action j; in cross mode a sample gets the mean (or, for
// compatibility, the sum) over all joint actions that contain it, or the mean of how much it added to them. A KL penalty of a
// sample is subtracted from the result.
func NodeCredit(joint []float64, mode JointMode, agents, group int, cross CrossMode) ([][]float64, error) {
	if cross != CrossMean && cross != CrossSum && cross != CrossCounterfactual {
		return nil, fmt.Errorf("cross credit %q: write mean, sum or counterfactual", cross)
	}
	actions := JointActions(mode, agents, group)
	if len(joint) != len(actions) {
		return nil, fmt.Errorf("%s credit of %d agents with %d samples: %d joint returns, want %d",
			mode, agents, group, len(joint), len(actions))
	}
	counted := slices.Repeat([][]float64{joint}, agents) // what of each joint action counts for each agent
	if cross == CrossCounterfactual && mode == Cross {
		var err error
		if counted, err = Counterfactual(joint, agents, group); err != nil {
			return nil, err
		}
	}
	credit := make([][]float64, agents)
	for i := range credit {
		credit[i] = make([]float64, group)
		for j, action := range actions {
			credit[i][action[i]] += counted[i][j]
		}
		if cross != CrossSum {
			shared := float64(len(actions) / group) // joint actions that contain one sample
			for k := range credit[i] {
				credit[i][k] /= shared
			}
		}
	}
	return credit, nil
}

// Counterfactual returns, for every agent and joint action of a cross-mode node, how much better the agent's sample did
// than its own alternatives would have done with the partners' samples held fixed: R minus the mean over all of the agent's
// samples, [agents][joint actions]. Averaged over the partners' samples this is exactly the advantage in mode mean of the
// mean credit; unaveraged, it tells which pairing the credit came from.
func Counterfactual(joint []float64, agents, group int) ([][]float64, error) {
	if want := power(group, agents); len(joint) != want {
		return nil, fmt.Errorf("counterfactual credit of %d agents with %d samples: %d joint returns, want %d",
			agents, group, len(joint), want)
	}
	credit := make([][]float64, agents)
	stride := len(joint)
	for i := range credit {
		stride /= group // distance between joint actions that differ in agent i's sample by one
		credit[i] = make([]float64, len(joint))
		for j := range joint {
			first := j - (j/stride%group)*stride // the joint action with agent i's sample 0 and the same partners
			sum := 0.0
			for k := range group {
				sum += joint[first+k*stride]
			}
			credit[i][j] = joint[j] - sum/float64(group)
		}
	}
	return credit, nil
}

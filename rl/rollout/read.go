package rollout

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ReadEpisode reads an episode that was written as JSON. One whose parts do not fit together is an error.
func ReadEpisode(data []byte) (*Episode, error) {
	e := new(Episode)
	if err := json.Unmarshal(data, e); err != nil {
		return nil, err
	}
	if err := e.checkNodes(); err != nil {
		return nil, err
	}
	if len(e.Nodes) == 0 && len(e.Refused) == 0 {
		return nil, errors.New("the episode has no nodes")
	}
	if e.Solo != nil {
		if err := e.Solo.checkNodes(); err != nil {
			return nil, fmt.Errorf("without an agent: %w", err)
		}
	}
	return e, nil
}

// checkNodes looks whether the nodes fit together.
func (e *Episode) checkNodes() error {
	for i, n := range e.Nodes {
		if n == nil {
			return fmt.Errorf("node %d is null", i)
		}
		if err := n.check(e.Nodes[:i]); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
	}
	return nil
}

// check looks whether a node's parts fit together, and whether it continues one of those before it.
func (n *Node) check(before []*Node) error {
	if n.Parent < -1 || n.Parent >= len(before) || n.Parent >= 0 && (n.ParentAction < 0 || n.ParentAction >= len(before[n.Parent].Joint) || before[n.Parent].Answers != nil) {
		return fmt.Errorf("it continues action %d of node %d", n.ParentAction, n.Parent)
	}
	if n.Turn < 0 || n.Sample < 0 || n.Sample >= 1<<16 || len(n.Agents) == 0 { // memory is taken for every sample
		return fmt.Errorf("turn %d, sample %d of %d agents", n.Turn, n.Sample, len(n.Agents))
	}
	for i, action := range n.Joint {
		if len(action) != len(n.Agents) {
			return fmt.Errorf("joint action %d has %d completions of %d agents", i, len(action), len(n.Agents))
		}
		for a, at := range action {
			if at < 0 || at >= len(n.Agents[a].Completions) {
				return fmt.Errorf("joint action %d takes completion %d of agent %d", i, at, a)
			}
		}
	}
	for _, length := range []int{len(n.Rewards), len(n.Scored), len(n.Reports)} {
		if length != 0 && length != len(n.Joint) {
			return fmt.Errorf("%d rewards, scores or reports of %d joint actions", length, len(n.Joint))
		}
	}
	for a := range n.Agents {
		for _, c := range n.Agents[a].Counterfactuals {
			if c.Node < 0 || c.Node >= len(before) || c.Agent < 0 || c.Agent >= len(before[c.Node].Agents) {
				return fmt.Errorf("agent %d has a prompt without agent %d of node %d", a, c.Agent, c.Node)
			}
		}
		for i, c := range n.Agents[a].Completions {
			if len(c.Tokens) != len(c.Logprobs) {
				return fmt.Errorf("completion %d of agent %d has %d tokens and %d log-probabilities", i, a, len(c.Tokens), len(c.Logprobs))
			}
			if err := c.checkInserted(); err != nil {
				return fmt.Errorf("completion %d of agent %d: %w", i, a, err)
			}
		}
	}
	return nil
}

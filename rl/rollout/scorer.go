package rollout

import (
	"context"
	"slices"

	"parley/task"
	"parley/team"
)

// A Scorer scores what was sampled in a turn: it fills in each completion's verdict and each node's Rewards, one per joint
// action. It gets all nodes of a turn at once, so that scores may be asked for in batches. A node whose answers cannot be scored
// gets the reason by [Node.Fail]; its episode ends there. A score is never made up: one that is not a number is an error.
type Scorer interface {
	Score(ctx context.Context, turn []ScoreItem) error
}

// ScoreItem is a node to score, with its problem.
type ScoreItem struct {
	Problem task.Problem
	Node    *Node
	Agents  int // of the team; 0: those of the node
	// Earlier holds what agents who do not speak at the node said last, by agent. One who has not spoken yet is not in it.
	Earlier map[int]string
	// Final is what the team answers once a joint action of the node is said, where the protocol says what that is; over is false where the
	// episode goes on. Final answers of the node's completions have been read before. nil: the protocol does not say it. Where it fails the node
	// has failed.
	Final func(action int) (texts []string, over bool, err error)
	// Paid is what the only joint action of the node has earned, where the program that plays the episode says so: the scorer reads answers and processes
	// the reward, and asks nobody for it. nil: the scorer says what is earned.
	Paid *task.Score
}

// Responses are what every agent of the team has said last once a joint action of the node is said, in agent order. complete is false
// where an agent has not spoken yet; its text is empty.
func (t ScoreItem) Responses(action []int) (texts []string, complete bool) {
	texts = make([]string, max(t.Agents, len(t.Node.Agents)))
	for agent, text := range t.Earlier {
		texts[agent] = text
	}
	for i, g := range action {
		texts[t.Node.Agents[i].Agent] = t.Node.Agents[i].Completions[g].Text
	}
	return texts, len(action)+len(t.Earlier) == len(texts)
}

// item is the node as a scorer gets it, in a team of so many agents.
func (f frontier) item(agents int) ScoreItem {
	t := ScoreItem{Problem: f.episode.Problem, Node: f.node, Agents: agents, Final: f.final()}
	if len(f.node.Agents) == agents {
		return t
	}
	t.Earlier = map[int]string{}
	action := f.node.ParentAction
	for i := f.node.Parent; i >= 0; {
		n := f.episode.Nodes[i]
		for s, g := range n.Joint[action] {
			if _, later := t.Earlier[n.Agents[s].Agent]; !later {
				t.Earlier[n.Agents[s].Agent] = n.Agents[s].Completions[g].Text
			}
		}
		i, action = n.Parent, n.ParentAction
	}
	for _, a := range f.node.Agents {
		delete(t.Earlier, a.Agent)
	}
	return t
}

// final is [ScoreItem].Final of a node; nil: its protocol has no answer of the team.
func (f frontier) final() func(action int) ([]string, bool, error) {
	answering, ok := f.protocol.(team.Answering)
	if !ok || !answering.Answers() {
		return nil
	}
	return func(action int) ([]string, bool, error) {
		h := f.node.after(action)
		if over, err := answering.Over(f.episode.Problem, h); err != nil || !over {
			return nil, false, err // where agents act, the environment says whether it is over
		}
		texts, err := answering.TeamAnswer(f.episode.Problem, h)
		return texts, true, err
	}
}

// score scores all sampled nodes of a turn that have not been scored early, and returns those whose episodes go on. The engines that
// sample wait meanwhile.
func (r *Runner) score(ctx context.Context, live []frontier) ([]frontier, error) {
	var turn []ScoreItem
	for _, f := range live {
		if !f.scored && f.node.Failed == "" {
			turn = append(turn, f.item(len(r.Actors)))
		}
	}
	if len(turn) > 0 {
		if err := r.Scorer.Score(ctx, turn); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(live, func(f frontier) bool { return f.episode.FailedSample(f.sample) }), nil
}

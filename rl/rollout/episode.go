package rollout

import (
	"encoding/json"
	"maps"
	"slices"

	"parley/engine"
	"parley/task"
	"parley/task/answer"
	"parley/team"
)

// An Episode is everything that happened to one problem: a tree of nodes. A debate is a path of nodes with one joint action
// each. It is complete: prompts, token ids and the log-probabilities they were drawn with, scores, rewards and credits, so it
// can be written to disk, read back and learned from without an engine that samples.
type Episode struct {
	Update  int          `json:"update"`
	Index   int          `json:"index"` // among the problems of the update
	Problem task.Problem `json:"problem"`
	Nodes   []*Node      `json:"nodes"` // parents before children
	// Refused says why episodes of the problem did not begin, by their numbers among those of the problem.
	Refused map[int]string `json:"refused,omitempty"`
	// Solo is the same problem without one of the agents, to compare with: nothing is learned from what was said there. nil: it was not played.
	Solo *Episode `json:"solo,omitempty"`
}

// Failed says why the episode could not be scored; empty: it was. Nothing may be learned from one that failed. Where a problem has several
// episodes, they are independent: it failed when all of them did.
func (e *Episode) Failed() string {
	failures := e.Failures()
	if len(failures) < e.Samples() {
		return ""
	}
	return failures[0]
}

// Failures says why episodes of the problem could not be scored, by their numbers among those of the problem: of each the first reason. A tree
// is one episode.
func (e *Episode) Failures() map[int]string {
	out := map[int]string{}
	maps.Copy(out, e.Refused)
	for _, n := range e.Nodes {
		if _, known := out[n.Sample]; n.Failed != "" && !known {
			out[n.Sample] = n.Failed
		}
	}
	return out
}

// Samples is how many episodes the problem has: one, unless whole episodes are compared.
func (e *Episode) Samples() int {
	samples := 1
	for _, n := range e.Nodes {
		samples = max(samples, n.Sample+1)
	}
	for sample := range e.Refused {
		samples = max(samples, sample+1)
	}
	return samples
}

// FailedSample says whether one of the episodes of a problem could not be scored.
func (e *Episode) FailedSample(sample int) bool {
	return e.Refused[sample] != "" || slices.ContainsFunc(e.Nodes, func(n *Node) bool { return n.Sample == sample && n.Failed != "" })
}

// A Node is one turn of one dialogue: every agent was asked once and gave a group of completions.
type Node struct {
	Turn         int         `json:"turn"`          // from 0
	Parent       int         `json:"parent"`        // index in Episode.Nodes, -1 for the root
	ParentAction int         `json:"parent_action"` // the parent's joint action that this node continues, -1 for the root
	Agents       []AgentTurn `json:"agents"`        // one per agent, in agent order
	// Sample is the number of the episode among those of its problem, where each problem has several: they are trees of their own.
	Sample int `json:"sample,omitempty"`
	// Joint lists the joint actions: for each the index of every agent's completion.
	Joint [][]int `json:"joint"`
	// Rewards holds the processed reward of each joint action; Scored their parts where the task names some.
	Rewards []float64    `json:"rewards"`
	Scored  []task.Score `json:"scored,omitempty"`
	// Own holds what single agents of the team earned beside that, where somebody pays it: [joint action][agent of the team].
	Own [][]float64 `json:"own,omitempty"`
	// Outcomes holds what the environment answered to each joint action, where agents act in one: [joint action][step].
	Outcomes [][]Observed `json:"outcomes,omitempty"`
	// Reports holds what every agent is told about each joint action, where later turns show it: [joint action][agent].
	Reports [][]string `json:"reports,omitempty"`
	// Unscored lists joint actions that the environment failed at, where others of the node went on.
	Unscored []int    `json:"unscored,omitempty"`
	Answers  []string `json:"answers,omitempty"` // what the team answered, where a program says it; at its last node
	Ended    bool     `json:"ended,omitempty"`   // the dialogue was ended here before its turn limit
	// Failed says why answers of this node have no score; it then has no rewards either, and its episode ends.
	Failed string `json:"failed,omitempty"`

	history team.History
}

// Fail ends the episode of the node, for a reason: an agent, the environment or the reward gave no answer or a wrong one. The first reason counts. Nothing
// that the node has earned stays.
func (n *Node) Fail(why string) {
	if n.Failed == "" {
		n.Failed = why
	}
	n.Rewards, n.Scored, n.Own = nil, nil, nil
}

// Observed is an outcome of an environment as people read it: without the state.
type Observed struct {
	Observations map[string]string  `json:"observations,omitempty"` // by agent
	All          string             `json:"all,omitempty"`          // of everybody who has none
	Team         float64            `json:"team"`
	Agents       map[string]float64 `json:"agents,omitempty"`
	Done         bool               `json:"done,omitempty"`
	Info         json.RawMessage    `json:"info,omitempty"`
}

// AgentTurn is what one agent was asked at a node and what it answered.
type AgentTurn struct {
	Agent       int             `json:"agent"`
	Policy      engine.Policy   `json:"policy"`
	Opponent    string          `json:"opponent,omitempty"` // the snapshot that played the agent's part, such as update-30; nothing is learned from it
	Sampling    engine.Sampling `json:"sampling"`
	Mask        engine.Mask     `json:"mask,omitzero"` // of each completion
	Messages    []team.Message  `json:"messages"`
	Prompt      []int           `json:"prompt"`
	Dropped     int             `json:"dropped,omitempty"` // tokens that the prompt lost at its beginning, to fit the context
	Completions []Completion    `json:"completions"`
	// Counterfactuals are prompts that it would have had, had others changed less; where nobody wants to know, there are none.
	Counterfactuals []Counterfactual `json:"counterfactuals,omitempty"`
	// Speaker says what speaks in the place of a policy, such as script; such completions are texts without tokens. Empty: the policy does.
	Speaker string `json:"speaker,omitempty"`

	asked   string // [team.Ask].Prompt
	samples int    // completions that it is to have
}

// Learns says that a policy that is trained spoke, of which something may be learned: neither the base nor an earlier checkpoint.
func (s *AgentTurn) Learns() bool { return s.Policy != engine.Base && s.Opponent == "" }

// A Counterfactual is the prompt that a message would have had, had another one changed less: a message that nobody had said, or a restart that had
// dropped nothing. See keep.Counterfactual.
type Counterfactual struct {
	Node   int   `json:"node"`             // of the other message: index in [Episode].Nodes
	Agent  int   `json:"agent"`            // index in the node's agents
	Kept   bool  `json:"kept,omitempty"`   // what it has dropped is in the prompt; else the message itself is not
	Prompt []int `json:"prompt,omitempty"` // empty: the prompt is the same
}

// A Completion is one sampled answer. Tokens are the agent's own, each drawn from its policy. Where it called tools, the model also read
// their results between them; those are in Inserted, and have no part in a loss.
type Completion struct {
	Tokens   []int             `json:"tokens"`
	Logprobs []float32         `json:"logprobs"`           // of the distribution each token was drawn from
	Inserted []Inserted        `json:"inserted,omitempty"` // what the agent read between its tokens, in order
	Calls    []Call            `json:"calls,omitempty"`    // what it called, in order
	Forced   *engine.Forced    `json:"forced,omitempty"`   // what its form did; nil: it has none
	Stop     engine.StopReason `json:"stop"`
	Text     string            `json:"text"`              // as it was written: that of the tokens
	Visible  answer.Visible    `json:"visible,omitempty"` // what the agents of a debate read of it, where that differs

	Answer    string   `json:"answer,omitempty"` // final answer in canonical form
	HasAnswer bool     `json:"has_answer"`       // whether there is one
	Correct   bool     `json:"correct"`          // whether it equals the truth
	Score     float64  `json:"score"`            // the verifier's raw score
	Flags     []string `json:"flags,omitempty"`  // reasons for a penalty (maporl.md §2.1)

	// Masked says that its tokens have no part in a loss, Penalty what is taken off its score: of answers without an end, as the settings want it.
	Masked  bool    `json:"masked,omitempty"`
	Penalty float64 `json:"penalty,omitempty"`

	// Teaching is what teachers say about a text that was given; nil: nobody teaches.
	Teaching []Teaching `json:"teaching,omitempty"`

	// Reward is what the answer earned (MAPoRL: design and incentives; MAGRPO: its credit). Set by the trainer.
	Reward float64 `json:"reward"`
	// Advantage is that of the whole answer; where tokens have advantages of their own (multi-agent PPO), their mean. Set by the trainer.
	Advantage float64 `json:"advantage,omitempty"`
}

// Logprob is the log-probability of all that the agent said.
func (c *Completion) Logprob() float64 {
	sum := 0.0
	for _, x := range c.Logprobs {
		sum += float64(x)
	}
	return sum
}

// Path returns the nodes from the root to node i.
func (e *Episode) Path(i int) []*Node {
	var path []*Node
	for ; i >= 0; i = e.Nodes[i].Parent {
		path = append([]*Node{e.Nodes[i]}, path...)
	}
	return path
}

// Outcomes are what the team earned in the episodes of the problem, rewards of all steps added up; ok is false where one could not be scored.
func (e *Episode) Outcomes(visit func(sample int, reward float64, ok bool)) {
	for sample := range e.Samples() {
		sum := 0.0
		for _, n := range e.Nodes {
			if n.Sample == sample && n.Rewards != nil {
				sum += n.Rewards[0]
			}
		}
		visit(sample, sum, !e.FailedSample(sample))
	}
}

// Assign sets the reward and the advantage of every completion of a group.
func (s *AgentTurn) Assign(rewards, advantages []float64) {
	for i := range s.Completions {
		s.Completions[i].Reward, s.Completions[i].Advantage = rewards[i], advantages[i]
	}
}

// Earned is what a team earned in an episode of one completion an answer, before processing: with its answer at the end, or step by step.
func (e *Episode) Earned() float64 {
	sum := 0.0
	for _, n := range e.Nodes {
		if len(n.Scored) > 0 {
			sum += n.Scored[0].Reward
		}
	}
	return sum
}

// Votes are the answers of a node with one completion of every agent, to be voted on (MAPoRL §8.1).
func (n *Node) Votes() []answer.Answer {
	out := make([]answer.Answer, len(n.Agents))
	for i := range n.Agents {
		c := &n.Agents[i].Completions[0]
		out[i] = answer.Answer{Canonical: c.Answer, OK: c.HasAnswer}
	}
	return out
}

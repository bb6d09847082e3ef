package plan

import (
	"cmp"
	"slices"

	"parley/recipe"
	"parley/recipe/keys"
	"parley/runs"
	"parley/team/workflow"
)

// A RewardCall is one of the forms in which a run asks for the reward of a joint action.
type RewardCall struct {
	Tokens []int // most tokens of each response, in the order in which a reward gets them
	Agents int   // of the team; each may be paid
	Alone  bool  // a single agent is asked in the team's place
}

// RewardCalls lists the forms in which a run of r asks for rewards: for the team that is trained, for the one that is measured, and for a single
// agent where one is measured or trained beside them. How many texts a
// program's answer has is not known.
func RewardCalls(r *recipe.Recipe) ([]RewardCall, error) {
	alone := RewardCall{Tokens: []int{r.AnswerTokens()}, Agents: r.Team.Agents.N, Alone: true}
	if r.AlgorithmType().Decodes() {
		return []RewardCall{alone}, nil
	}
	own, known, err := answering(r)
	if err != nil {
		return nil, err
	}
	var calls []RewardCall
	add := func(agents []int, of int) {
		c := RewardCall{Agents: of}
		for _, agent := range agents {
			c.Tokens = append(c.Tokens, mostTokens(r, agent))
		}
		if !slices.ContainsFunc(calls, func(d RewardCall) bool { return slices.Equal(c.Tokens, d.Tokens) }) {
			calls = append(calls, c)
		}
	}
	for _, n := range []int{r.Team.Agents.N, r.MeasuredAgents()} {
		switch {
		case own != nil:
			add(own, n)
		case known:
			add(upTo(n), n)
		}
	}
	if asksOne(r) {
		calls = append(calls, alone)
	}
	return calls, nil
}

// mostTokens is how long a text of an agent may be; -1 is anybody.
func mostTokens(r *recipe.Recipe, agent int) int {
	if agent < 0 {
		return r.Sampling.MaxTokens
	}
	return *cmp.Or(Agent(r, agent).Sampling.MaxTokens, &r.Sampling.MaxTokens)
}

// upTo lists agents from 0.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// answering are the agents of r whose texts are rewarded together, as its workflow says; -1 is a text that may be anybody's. nil: all agents of the
// team, or what only its program knows; known is false then.
func answering(r *recipe.Recipe) (agents []int, known bool, err error) {
	if r.Harnessed() {
		return nil, false, nil
	}
	if a := r.Team.Answer.Word; !r.Stepwise() || a == keys.AnswerEveryTurn || a == keys.AnswerTagged {
		return nil, true, nil
	}
	program, err := programOf(r)
	if err != nil {
		return nil, false, err
	}
	w, err := workflow.New(r.Workflow(program))
	if err != nil {
		return nil, false, err
	}
	for _, name := range w.Answerers() {
		agents = append(agents, slices.Index(r.Team.Agents.Names(), name))
	}
	return agents, agents != nil, nil
}

// asksOne reports whether answers of one agent alone are rewarded.
func asksOne(r *recipe.Recipe) bool {
	single := func(system string) bool {
		return system == runs.Single || system == runs.MajorityVote || system == runs.TrainedSingle
	}
	return slices.ContainsFunc(r.Eval.Baselines, single) || r.Eval.NoHistory || r.Task.Filter.Active()
}

package estimate

import (
	"math"
	"slices"

	"parley/recipe"
	"parley/recipe/teams"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/runs"
	"parley/systems/collab"
)

// Work is arithmetic in floating-point operations: two for each parameter of the base and each token that goes forward, and two
// more on the way back, since the frozen base has no gradients of its own; a full copy has, which is two more again. Attention and adapters are left out, and what the
// engine shares between sequences is counted once for each.
type Work struct {
	Rollout    float64 `json:"rollout"`
	Verifier   float64 `json:"verifier"`
	Reference  float64 `json:"reference"` // log-probabilities of the base, values of critics
	Training   float64 `json:"training"`
	Evaluation float64 `json:"evaluation"`
}

// Total adds up the parts.
func (w Work) Total() float64 {
	return w.Rollout + w.Verifier + w.Reference + w.Training + w.Evaluation
}

// questionTokens is about how long a question is with what a prompt says around it.
const questionTokens = 200

// count adds the tokens and the work of one run of r, whose agents have bases of so many parameters.
func (e *Estimate) count(r *recipe.Recipe, sizes []float64) error {
	size, err := r.Size()
	if err != nil {
		return err
	}
	if r.AlgorithmType().Decodes() {
		e.decoding(r, sizes)
		return nil
	}
	problems := r.Training.Updates * r.Training.Problems
	e.Updates += r.Training.Updates
	e.GeneratedTokens += problems * size.Generations * r.Sampling.MaxTokens
	if r.Reward.Scored() {
		e.VerifierCalls += problems * size.Generations
	}
	if r.Kind() != learn.Debates {
		e.EnvironmentSteps += problems * size.EnvSteps
	}
	perNode := float64(problems) * float64(size.Generations) / float64(len(sizes)) / nodesBefore(size, r.Team.Turns) // answers of every agent
	for agent, parameters := range sizes {
		for turn := range r.Team.Turns {
			trained := turn+1 >= r.Policies.FirstTrainedTurn && !r.Policies.IsFrozen(agent)
			e.Work.answer(r, turn, trained, 2*parameters*perNode*nodesOf(size, turn))
		}
	}
	o, err := r.Outline()
	if err != nil {
		return err
	}
	e.Steps += r.AlgorithmType().StepsOf(o) // those of a reward model, before the run proper, are left out
	e.evaluation(r, sizes)
	return nil
}

// nodesOf is how many nodes a turn has in a tree, or how many there are for each in episodes that share nothing.
func nodesOf(size credit.Size, turn int) float64 {
	return math.Pow(float64(max(size.Branching, 1)), float64(turn))
}

// nodesBefore adds up those of the turns before one.
func nodesBefore(size credit.Size, turn int) float64 {
	sum := 0.0
	for t := range turn {
		sum += nodesOf(size, t)
	}
	return sum
}

// answer adds the work on the answers of one agent and turn; unit is that of a token of theirs going forward.
func (w *Work) answer(r *recipe.Recipe, turn int, trained bool, unit float64) {
	answer, others := float64(r.Sampling.MaxTokens), 1.0
	if r.SeesOthers() {
		others = float64(r.Team.Agents.N)
	}
	whole := questionTokens + float64(turn)*(others*answer+questionTokens) + answer
	added := questionTokens + answer // what the prompt has not had in the turn before, and the answer
	if turn > 0 {
		added += (others - 1) * answer
	}
	w.Rollout += unit * added
	if r.Reward.Scored() {
		w.Verifier += unit * (questionTokens + answer)
	}
	if trained {
		passes := r.AlgorithmType().PassesOver(r.LearningSettings(), learn.AnswerTokens{
			Question: questionTokens, Prompt: whole - answer, Answer: answer, Agents: r.Team.Agents.N, Penalized: r.Team.Agents.Penalizes(),
		})
		w.Reference += unit * passes.Scored
		w.Training += unit * trainingUnits(r) * passes.Trained
	}
}

// trainingUnits is what a token costs that is trained on, by what it costs to go forward.
func trainingUnits(r *recipe.Recipe) float64 {
	if r.Policies.Full {
		return 3
	}
	return 2
}

// evaluation adds the debates about held-out problems: of the untrained team, of the trained one, and of the untrained one at double
// tokens where it is asked for; those of panels; and the answers that pass@k and accuracy@k ask of one agent.
func (e *Estimate) evaluation(r *recipe.Recipe, sizes []float64) {
	systems := 1
	if r.Training.Updates > 0 {
		systems++
	}
	alone := r.Eval.Problems * systems * r.Eval.Samples()
	if slices.Contains(r.Eval.Baselines, runs.OffTheShelfDouble) {
		systems += 2 // which says twice as much
	}
	agents := r.MeasuredAgents()
	before, after := r.Eval.Variants(agents)
	if systems += before; r.Training.Updates > 0 {
		systems += after
	}
	times, panel := r.Eval.Panels(r.Training.Updates)
	answers := (r.Eval.Problems*systems + times*panel) * spoken(r, agents)
	e.EvaluationTokens += (answers + alone) * r.Sampling.MaxTokens
	e.Work.Evaluation += 2 * sizes[r.Soloist()] * float64(alone) * float64(questionTokens+r.Sampling.MaxTokens)
	for _, size := range sizes {
		e.Work.Evaluation += 2 * size * float64(answers) / float64(len(sizes)) * float64(questionTokens+agents*r.Sampling.MaxTokens)
	}
}

// spoken is how many answers a dialogue of so many agents has, at most.
func spoken(r *recipe.Recipe, agents int) int {
	if !r.Stepwise() || len(r.Team.Workflow) == 0 {
		return r.Answers(agents)
	}
	n := 0
	for _, ask := range teams.Asks(r.Workflow("")) {
		n += ask.Agents
	}
	return n
}

// decoding adds what agents measure who write one text together: the team and each agent by itself with as many completions, the best of as many
// tokens, one text of each agent. A completion of a text that has t of T tokens has T−t+1 at most, the tried one among them.
func (e *Estimate) decoding(r *recipe.Recipe, sizes []float64) {
	agents, length := r.Team.Agents.N, r.Sampling.MaxTokens
	tried := agents * recipe.Section[collab.Settings](r).Candidates * recipe.Section[collab.Settings](r).Rollouts
	whole := tried * length * (length + 1) / 2
	tokens := r.Eval.Problems * ((agents+2)*whole + agents*length)
	e.EvaluationTokens += tokens
	if r.Reward.Scored() {
		e.VerifierCalls += r.Eval.Problems * (agents + 1) * tried * length
	}
	for _, size := range sizes {
		e.Work.Evaluation += 2 * size / float64(len(sizes)) * float64(tokens+r.Eval.Problems*(agents+1)*tried*length*(questionTokens+length)/2)
	}
}

package estimate

import (
	"cmp"
	"fmt"

	"parley/engine"
	"parley/internal/sysmem"
	"parley/internal/usererror"
	"parley/model/config"
	"parley/recipe"
	"parley/rl/learn"
	"parley/train/plan"
)

// A Base is the shape of one base model and who speaks with it.
type Base struct {
	Name     string // as the recipe has it
	Agents   []int  // from 0
	Config   config.Config
	Embedded bool               // it is on this machine
	Verifier *engine.PolicySpec // of a trained verifier over it; nil: none
}

// An Estimators says what an engine over a model of a shape would take, without opening one.
type Estimators interface {
	Estimator(c config.Config, o engine.Options) engine.Estimator
}

// A Run is what is known of a run before its engines are opened.
type Run struct {
	Recipe      *recipe.Recipe
	Sharing     learn.Sharing
	Turns       int
	Bases       []Base
	FirstPrompt int // tokens of the longest first prompt seen; 0: none has been
	Estimators  Estimators
}

// A Memory is what a run needs, and the options under which its engines keep to it.
type Memory struct {
	Options engine.Options
	Need    engine.Footprint // of all bases, and of the program beside them
}

// Fit refuses a run that the machine, or the recipe's own limit, cannot hold, and chooses the options of the engines. What a limit leaves
// beside bases, policies and text is for activations; where that is little, they are computed again.
func (u Run) Fit() (Memory, error) {
	limit, of := sysmem.Available(), "this machine has free"
	if allowed := u.Recipe.MemoryBytes(); allowed > 0 && allowed < limit {
		limit, of = allowed, "memory allows"
	}
	m := u.Allot(limit)
	if need := m.Need; need.Total() > limit {
		a, less := sysmem.Amount, "engine.dtype, policies.rank"
		if u.Recipe.Policies.Full {
			less = "adapters (set policies.full to false)"
		}
		return m, usererror.Errorf("recipe %s needs about %s of memory (%s %s, policies %s, activations %s, keys and values %s, episodes and the rest %s), more than the %s that %s: use a smaller model, %s, engine.batch_tokens or training.problems, or set memory so that activations keep to it",
			u.Recipe.Name, a(need.Total()), plural(len(u.Bases), "base"), a(need.Base), a(need.Policies), a(need.Activations+need.Reused), a(need.Cache), a(need.Rest), a(limit), of, less)
	}
	return m, nil
}

// Allot gives the engines what the recipe's memory has for activations, and of what is left of a limit what sampling may keep for training. It
// returns what the run then needs, which may be more than the limit.
func (u Run) Allot(limit float64) Memory {
	o := plan.EngineOptions(u.Recipe.Engine)
	o.ReuseMemory = -1
	if allowed := u.Recipe.MemoryBytes(); allowed > 0 {
		o.ActivationMemory = 1
		least := u.footprint(o)
		spare := allowed - (least.Total() - least.Activations)
		o.ActivationMemory = max(1, int64(min(spare/float64(len(u.Bases)), engine.DefaultActivationMemory)))
	}
	need := u.footprint(o)
	// Half of the memory that is spare may keep what training would compute again.
	if spare := limit - need.Total(); plan.ReusesActivations(u.Recipe) && spare > 0 {
		o.ReuseMemory = max(1, int64(min(spare/2/float64(len(u.Bases)), engine.DefaultReuseMemory)))
		need = u.footprint(o)
	}
	return Memory{Options: o, Need: need}
}

// footprint estimates what the bases need with their policies and the samples of their agents.
func (u Run) footprint(o engine.Options) engine.Footprint {
	var need engine.Footprint
	for i, b := range u.Bases {
		load := engine.Load{Samples: max(len(b.Agents), u.Recipe.Eval.Agents) * SamplesInFlight(u.Recipe), Length: min(b.Config.Context, u.longest())}
		if plan.ReusesActivations(u.Recipe) {
			load.ReusedTokens = len(b.Agents) * u.Recipe.Training.Problems * (u.asked() + 1 + u.Recipe.Completions()*u.answerTokens())
		}
		s := plan.Sampling(u.Recipe)
		load.Cut = (s.TopK > 0 || s.TopP < 1) && recipe.Section[learn.Group](u.Recipe).LogprobsAt != "full"
		if load.Tokens = load.Samples * load.Length; !u.Recipe.Harnessed() { // of whose calls few are as many as may be
			load.Tokens *= u.Recipe.Team.Turns
		}
		need.Add(u.estimator(b, o).Footprint(load, u.specs(i)))
	}
	need.Rest += u.episodeBytes()
	return need
}

// Divided engines are here for some agents, and elsewhere for others.
type Divided interface {
	// EstimatorHere is [Estimators].Estimator of an engine on this machine.
	EstimatorHere(c config.Config, o engine.Options) engine.Estimator
}

func (u Run) estimator(b Base, o engine.Options) engine.Estimator {
	if d, divided := u.Estimators.(Divided); divided && b.Embedded {
		return d.EstimatorHere(b.Config, o)
	}
	return u.Estimators.Estimator(b.Config, o)
}

// specs are those of all policies over the i-th base.
func (u Run) specs(i int) []engine.PolicySpec {
	var out []engine.PolicySpec
	for _, p := range plan.Kept(u.Recipe, u.Sharing, u.Turns) {
		if p.Base == i {
			out = append(out, p.Spec)
		}
	}
	if v := u.Bases[i].Verifier; v != nil {
		out = append(out, *v)
	}
	return out
}

// episodeBytes is about what the largest rollout holds until it is learned from or counted, if all answers are as long as they may be.
func (u Run) episodeBytes() float64 {
	const promptToken, answerToken = 8 + 4, 8 + 4 + 4 + 4 // bytes: the id and its letters; also its log-probability and the letters that are shown
	r := u.Recipe
	held := func(problems, answers, prompts int) float64 {
		one := answers*u.answerTokens()*answerToken + prompts*u.longest()/2*promptToken
		return float64(problems) * float64(one)
	}
	measured := r.Answers(r.MeasuredAgents())
	most := held(r.Eval.Problems, measured, measured)
	if answers, err := r.Generations(); err == nil {
		problems := r.Training.Problems
		if o, err := r.Outline(); err == nil {
			problems += r.AlgorithmType().KeptOf(o)
		}
		most = max(most, held(problems, answers, answers/r.Completions()))
	}
	return most
}

// assumedQuestion is how many tokens a first prompt is taken to have before any is there.
const assumedQuestion = 512

// asked is how many tokens a first prompt has, as far as is known.
func (u Run) asked() int { return cmp.Or(u.FirstPrompt, assumedQuestion) }

// longest is about how long a dialogue can get, in tokens: a question, and all answers that its last turn shows.
func (u Run) longest() int {
	t := u.Recipe.Team
	seen := t.Turns
	if u.Recipe.SeesOthers() {
		seen = u.Recipe.Answers(max(t.Agents.N, u.Recipe.Eval.Agents))
	}
	return u.asked() + seen*u.answerTokens() + u.resultTokens()
}

// resultTokens is how many tokens the results of tools may have in a turn, with what templates put around each.
func (u Run) resultTokens() int {
	const around = 64
	if t := u.Recipe.Team; t.CallsTools() {
		return t.Tools.Calls * (t.Tools.ResultTokens + around)
	}
	return 0
}

// answerTokens is how many tokens an answer may have: none is longer than its base's context.
func (u Run) answerTokens() int {
	most := 0
	for _, b := range u.Bases {
		most = max(most, b.Config.Context)
	}
	return min(u.Recipe.Sampling.MaxTokens, most)
}

// plural is a word for n things: "base", "3 bases".
func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// SamplesInFlight is how many completions one turn of an update or of an evaluation may ask of one agent at once.
func SamplesInFlight(r *recipe.Recipe) int {
	return max(r.Training.Problems*r.Completions(), r.Eval.Problems, r.Eval.Samples())
}

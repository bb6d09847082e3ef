// Package estimate says what a recipe needs before it runs: memory, tokens, arithmetic, optimizer steps, and what this machine lacks for it.
//
//	memory.go  what the engines need, and the options under which they keep to it
//	dryrun.go  what a recipe would cost, all its variants and seeds
//	work.go    arithmetic
//	phases.go  tokens of every phase, as if all answers had one length
package estimate

import (
	"math"
	"os"
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/model"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/recipe/teams"
	"parley/rl/learn"
	"parley/rl/verifier"
	"parley/runs"
	"parley/task/dataset"
	"parley/train/plan"
)

// An Estimate is what a recipe would cost, counted before anything is there to run it with. All tokens are upper bounds: as if every
// answer were as long as it may be.
type Estimate struct {
	Recipe  string `json:"recipe"`
	Runs    int    `json:"runs"`    // variants and seeds
	Updates int    `json:"updates"` // of all runs

	GeneratedTokens  int `json:"generated_tokens"`  // in training
	EvaluationTokens int `json:"evaluation_tokens"` // generated to measure
	VerifierCalls    int `json:"verifier_calls"`    // in training
	EnvironmentSteps int `json:"environment_steps"` // scored joint actions in training; 0 for debates, which have none
	Steps            int `json:"optimizer_steps"`

	Rates []Rate   `json:"learning_rates,omitempty"` // of policies, each once
	Notes []string `json:"notes,omitempty"`          // how learning rates were chosen, as training says it

	Work        Work        `json:"flop"`
	Hours       float64     `json:"hours_at_1_tflops"`
	Question    int         `json:"question_tokens"` // that every question is taken to have
	MemoryBytes MemoryBytes `json:"memory_bytes"`    // of the run that needs most
	Bases       []BaseSize  `json:"bases"`
	Missing     []Missing   `json:"missing"` // what the runs need and this machine lacks
}

// A Rate is how a learning rate changes over a run, and whose it is where several do so in different ways.
type Rate struct {
	Run string `json:"run,omitempty"`
	teams.Schedule
}

// MemoryBytes are what a run holds, in bytes.
type MemoryBytes struct {
	Base        float64 `json:"base"`
	Policies    float64 `json:"policies"` // parameters, gradients and moments
	Activations float64 `json:"activations"`
	Cache       float64 `json:"keys_and_values"`
	Rest        float64 `json:"rest"` // the program itself, and the episodes of an update or of an evaluation
	Total       float64 `json:"total"`
}

// A BaseSize says how large a base is and how large an adapter over it.
type BaseSize struct {
	Name       string `json:"name"`
	Parameters int    `json:"parameters"`
	Adapter    int    `json:"adapter_parameters"` // all of the base's where policies.full trains copies of it
}

// Missing is one thing that a recipe needs.
type Missing struct {
	Name   string `json:"name"`
	Remedy string `json:"remedy"`
}

// DryRun estimates what r would cost on engines of which e knows the needs, all its variants and seeds together. Nothing is opened but
// descriptions, nothing is written.
func DryRun(r *recipe.Recipe, engines Estimators) (*Estimate, error) {
	trials, err := r.Trials()
	if err != nil {
		return nil, err
	}
	e := &Estimate{Recipe: r.Name, Runs: len(trials), Question: assumedQuestion, Bases: []BaseSize{}, Missing: []Missing{}}
	for _, t := range trials {
		u, err := e.sketch(t.Recipe, engines)
		if err != nil {
			return nil, err
		}
		if u.Recipe, err = e.rates(t, u); err != nil {
			return nil, err
		}
		if err := e.add(u); err != nil {
			return nil, err
		}
	}
	e.Hours = e.Work.Total() / 1e12 / 3600
	return e, nil
}

// sketch is a run of which only shapes are known.
func (e *Estimate) sketch(r *recipe.Recipe, engines Estimators) (Run, error) {
	u := Run{Recipe: r, Estimators: engines}
	protocol, err := plan.Protocol(r)
	if err != nil {
		return u, &usererror.Error{Err: err}
	}
	u.Turns, u.Sharing = protocol.Turns(), learn.Sharing{Policies: r.Policies, Bases: make([]int, protocol.Agents()), Names: u.Recipe.AgentNames()}
	type seat struct {
		place    string
		embedded bool
	}
	known := map[seat]int{}
	for agent, name := range r.Bases() {
		place := seat{model.Place(name), plan.Embedded(r, agent)}
		at, opened := known[place]
		if !opened {
			b, err := e.base(name, place.embedded)
			if err != nil {
				return u, err
			}
			at = len(u.Bases)
			known[place], u.Bases = at, append(u.Bases, b)
		}
		if plan.Agent(r, agent).Speaker() == "" {
			u.Bases[at].Agents = append(u.Bases[at].Agents, agent)
		}
		u.Sharing.Bases[agent] = at
	}
	e.data(r.Language(), r.Task)
	e.data(r.Language(), r.Measured())
	if r.Reward.Source == "trained" {
		spec := verifier.PaperSettings().Spec()
		for i := range u.Bases {
			u.Bases[i].Verifier = &spec
		}
	}
	for _, dir := range r.Reward.Scoring.Folders {
		if _, err := os.Stat(dir); err != nil {
			e.missing(dir, "parley verifier data, balance and train (docs/verifier.md)")
		}
	}
	return u, nil
}

// base is the shape of a base, which need not be here.
func (e *Estimate) base(name string, embedded bool) (Base, error) {
	text, here, err := model.Shape(name)
	if err != nil {
		return Base{}, usererror.Errorf("open model: %w", err)
	}
	if !here {
		e.missing(name, usererror.Quote("parley", "model", "pull", published(name)))
	}
	c, err := plan.Shape(text, embedded)
	if err != nil {
		return Base{}, usererror.Errorf("model %s: %w", name, err)
	}
	return Base{Name: name, Config: c, Embedded: embedded}, nil
}

// published is a model's name on the Hub, of which recipes may leave out whose it is.
func published(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return "PUBLISHER/" + name
}

// data looks for a task's data set.
func (e *Estimate) data(l *recipe.Language, t keys.Task) {
	kind, _ := l.Task(t.Name)
	path := plan.DataSet(kind, t)
	if path == "" {
		return
	}
	if _, err := dataset.Open(path, model.CacheRoot()); err == nil {
		return
	}
	remedy := usererror.Quote("parley", "data", "pull", path)
	if kind.Prepare != "" {
		remedy = kind.Prepare + " (docs/data.md)"
	}
	e.missing(path, remedy)
}

func (e *Estimate) missing(name, remedy string) {
	m := Missing{name, remedy}
	if !slices.Contains(e.Missing, m) {
		e.Missing = append(e.Missing, m)
	}
}

// rates chooses the learning rate of a run as training does, and returns its recipe with that.
func (e *Estimate) rates(t recipe.Trial, u Run) (*recipe.Recipe, error) {
	largest := 0
	for _, b := range u.Bases {
		if len(b.Agents) > 0 {
			largest = max(largest, b.Config.Parameters())
		}
	}
	r, note := plan.ChooseRate(u.Recipe, largest)
	if note != "" && !slices.Contains(e.Notes, note) {
		e.Notes = append(e.Notes, note)
	}
	schedules, err := r.Schedules()
	if err != nil {
		return nil, err
	}
	for _, s := range schedules {
		if !slices.ContainsFunc(e.Rates, func(r Rate) bool { return r.Schedule == s }) {
			e.Rates = append(e.Rates, Rate{t.Variant, s})
		}
	}
	return r, nil
}

// add counts one run.
func (e *Estimate) add(u Run) error {
	limit := math.Inf(1) // what the recipe needs, wherever it runs
	if allowed := u.Recipe.MemoryBytes(); allowed > 0 {
		limit = allowed
	}
	need := u.Allot(limit).Need
	if total := need.Total(); total > e.MemoryBytes.Total {
		e.MemoryBytes = MemoryBytes{Base: need.Base, Policies: need.Policies, Activations: need.Activations + need.Reused, Cache: need.Cache, Rest: need.Rest, Total: total}
	}
	sizes := make([]float64, len(u.Sharing.Bases)) // of every agent's base
	for _, b := range u.Bases {
		e.size(u.Recipe.Policies, b)
		for _, agent := range b.Agents {
			sizes[agent] = float64(b.Config.Parameters())
		}
	}
	return e.whole(u.Recipe, sizes)
}

// whole counts one run of r, and that of its trained single agent where it has one.
func (e *Estimate) whole(r *recipe.Recipe, sizes []float64) error {
	if err := e.count(r, sizes); err != nil || !slices.Contains(r.Eval.Baselines, runs.TrainedSingle) {
		return err
	}
	single, err := plan.Single(r)
	if err != nil {
		return err
	}
	soloist := r.Soloist()
	return e.count(single, sizes[soloist:soloist+1])
}

func (e *Estimate) size(p learn.Policies, b Base) {
	size := BaseSize{b.Name, b.Config.Parameters(), b.Config.AdapterParameters(p.Rank, p.Targets)}
	if p.Full {
		size.Adapter = size.Parameters
	}
	if !slices.Contains(e.Bases, size) {
		e.Bases = append(e.Bases, size)
	}
}

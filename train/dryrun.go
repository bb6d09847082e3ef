package train

import (
	"math"
	"os"
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/model"
	"parley/model/config"
	"parley/recipe"
	"parley/runs"
	"parley/task/dataset"
	"parley/verifier"
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

	Work        Work       `json:"flop"`
	Hours       float64    `json:"hours_at_1_tflops"`
	Question    int        `json:"question_tokens"` // that every question is taken to have
	MemoryBytes Memory     `json:"memory_bytes"`    // of the run that needs most
	Bases       []BaseSize `json:"bases"`
	Missing     []Missing  `json:"missing"` // what the runs need and this machine lacks
}

// Memory is what a run holds, in bytes.
type Memory struct {
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
	Adapter    int    `json:"adapter_parameters"`
}

// Missing is one thing that a recipe needs.
type Missing struct {
	Name   string `json:"name"`
	Remedy string `json:"remedy"`
}

// DryRun estimates what r would cost on engines of a backend, all its variants and seeds together. Nothing is opened but descriptions, nothing is written.
func DryRun(r *recipe.Recipe, backend Backend) (*Estimate, error) {
	trials, err := r.Trials()
	if err != nil {
		return nil, err
	}
	e := &Estimate{Recipe: r.Name, Runs: len(trials), Question: assumedQuestion, Bases: []BaseSize{}, Missing: []Missing{}}
	for _, t := range trials {
		s, err := e.sketch(t.Recipe, backend)
		if err != nil {
			return nil, err
		}
		if err := e.add(s); err != nil {
			return nil, err
		}
	}
	e.Hours = e.Work.Total() / 1e12 / 3600
	return e, nil
}

// sketch is a session of which only shapes are known: nothing of it can run.
func (e *Estimate) sketch(r *recipe.Recipe, backend Backend) (*session, error) {
	s := &session{recipe: r, backend: backend, options: engineOptions(r.Engine)}
	var err error
	if s.protocol, err = newProtocol(r); err != nil {
		return nil, &UserError{Err: err}
	}
	known := map[string]*base{}
	for agent, name := range r.Bases() {
		place := whereIs(name)
		if known[place] == nil {
			shape, here, err := model.Shape(name)
			if err != nil {
				return nil, usererror.Errorf("open model: %w", err)
			}
			if !here {
				e.missing(name, "parley model pull "+published(name))
			}
			known[place] = &base{name: name, shape: shape}
			s.bases = append(s.bases, known[place])
		}
		known[place].agents = append(known[place].agents, agent)
	}
	s.share()
	e.data(r.Language(), r.Task)
	e.data(r.Language(), r.Measured())
	if r.Reward.Source == "trained" {
		s.verdicts = map[*base]verdictFolder{}
		for _, b := range s.bases {
			s.verdicts[b] = verdictFolder{Manifest: verifier.Manifest{Settings: verifier.PaperSettings()}}
		}
	}
	for _, dir := range r.Reward.Scoring.Folders {
		if _, err := os.Stat(dir); err != nil {
			e.missing(dir, "parley verifier data, balance and train (docs/verifier.md)")
		}
	}
	return s, nil
}

// published is a model's name on the Hub, of which recipes may leave out whose it is.
func published(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return "PUBLISHER/" + name
}

// data looks for a task's data set.
func (e *Estimate) data(l *recipe.Language, t recipe.Task) {
	kind, _ := l.Task(t.Name)
	path := dataSet(kind, t)
	if path == "" {
		return
	}
	if _, err := dataset.Open(path, model.CacheRoot()); err == nil {
		return
	}
	remedy := "parley data pull " + path
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

// add counts one run.
func (e *Estimate) add(s *session) error {
	limit := math.Inf(1) // what the recipe needs, wherever it runs
	if allowed := s.recipe.MemoryBytes(); allowed > 0 {
		limit = allowed
	}
	need, err := s.allot(limit)
	if err != nil {
		return err
	}
	if total := need.Total(); total > e.MemoryBytes.Total {
		e.MemoryBytes = Memory{Base: need.Base, Policies: need.Policies, Activations: need.Activations + need.Reused, Cache: need.Cache, Rest: need.Rest, Total: total}
	}
	sizes := make([]float64, s.protocol.Agents()) // of every agent's base
	for _, b := range s.bases {
		c, err := b.config()
		if err != nil {
			return err
		}
		e.size(s, b, &c)
		for _, agent := range b.agents {
			sizes[agent] = float64(c.Parameters())
		}
	}
	if err := e.count(s.recipe, sizes); err != nil || !slices.Contains(s.recipe.Eval.Baselines, runs.TrainedSingle) {
		return err
	}
	single, err := singleRecipe(s.recipe)
	if err != nil {
		return err
	}
	soloist := s.recipe.Soloist()
	return e.count(single, sizes[soloist:soloist+1])
}

func (e *Estimate) size(s *session, b *base, c *config.Config) {
	p := s.recipe.Policies
	size := BaseSize{b.name, c.Parameters(), c.AdapterParameters(p.Rank, p.Targets)}
	if !slices.Contains(e.Bases, size) {
		e.Bases = append(e.Bases, size)
	}
}

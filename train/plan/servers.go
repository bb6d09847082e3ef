package plan

import (
	"cmp"
	"os"
	"slices"
	"time"

	"parley/engine"
	"parley/engine/openai"
	"parley/internal/service/web"
	"parley/internal/sysmem"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/rl/learn/preference"
	"parley/team/speaker/external"
)

// Servers are what a recipe says of all servers that speak for somebody, ready to be asked.
func Servers(r *recipe.Recipe) (*openai.Pool, error) {
	s := r.Servers
	if model := s.Unpriced(asked(r)); model != "" {
		return nil, usererror.Errorf("servers.cost is %g, but servers.prices does not say what %q costs: write for example prices: [%s 0.15 0.60]", s.Cost, model, model)
	}
	o := openai.PoolOptions{
		Recording: s.Recording, Replay: s.Replay, Tokens: s.Tokens, Cost: s.Cost, Fails: s.Spent == "fail", Prices: map[string]openai.Price{},
		Requests: s.Requests, PerMinute: s.PerMinute, Together: s.Together,
	}
	prices, err := s.Priced()
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	for _, p := range prices {
		o.Prices[p.Model] = openai.Price{Prompt: p.Prompt, Drawn: p.Drawn}
	}
	pool, err := openai.OpenPool(o)
	if err != nil {
		return nil, &usererror.Error{Err: err}
	}
	return pool, nil
}

// External is how a program, a server or a script speaks for an agent, whose key is place.
func External(r *recipe.Recipe, a keys.Agent, place string, servers *openai.Pool) (s external.Settings, err error) {
	deadline := time.Duration(a.Seconds * float64(time.Second))
	s = external.Settings{Program: a.Program, Model: a.Endpoint.Model, Stream: a.Endpoint.Stream, Stop: r.Sampling.Stop, Deadline: deadline, Retries: a.Retries}
	if len(a.Sampling.Stop) > 0 {
		s.Stop = a.Sampling.Stop
	}
	key, err := Secret(place+".token_env", a.Endpoint.TokenEnv)
	if err != nil {
		return s, err
	}
	if a.Endpoint.URL != "" {
		at, err := web.Locate(place+".url", a.Endpoint.URL, key)
		if err != nil {
			return s, err
		}
		s.Model = cmp.Or(s.Model, a.Name) // the program that starts parley needs no model's name
		s.Server = servers.Server(openai.Address{URL: at.URL, Key: at.Key, Name: at.Name, Deadline: deadline, Retries: a.Retries})
	}
	s.Place, s.Script, err = Script(place, a.Script)
	return s, err
}

// asked are the models that a run asks, in their order.
func asked(r *recipe.Recipe) (models []string) {
	for agent := range r.Team.Agents.N {
		if a := Agent(r, agent); a.Speaker() == "endpoint" {
			models = append(models, a.Endpoint.Model)
		}
	}
	if r.Team.Feedback == "expert" {
		models = append(models, r.Team.Expert.Model)
	}
	if r.Reward.Source == "server" {
		models = append(models, r.Reward.Scoring.Model)
	}
	if p := recipe.Section[preference.Settings](r); r.Prefers() && p.Comparator == "server" {
		models = append(models, p.Server.Model)
	}
	return slices.Compact(slices.Sorted(slices.Values(models)))
}

// kernelSet is the kernel set that a recipe asks for; PARLEY_CPU overrides it, empty means the best of this CPU.
func kernelSet(e keys.Engine) string {
	if forced := os.Getenv("PARLEY_CPU"); forced != "" {
		return forced
	}
	if e.Kernels == "auto" {
		return ""
	}
	return e.Kernels
}

// EngineOptions are those of the engine that a recipe asks for. Its texts were validated with the recipe.
func EngineOptions(e keys.Engine) engine.Options {
	format, err := engine.ParseFormat(e.DType)
	if err != nil {
		panic("internal error: " + err.Error())
	}
	return engine.Options{Kernels: kernelSet(e), Threads: e.Threads, BatchTokens: e.BatchTokens, Format: format, ScoreAsSampled: true, Available: sysmem.Available}
}

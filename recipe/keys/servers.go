package keys

import (
	"fmt"
	"strconv"
	"strings"
)

// Servers says how models behind OpenAI-compatible servers are asked: agents with an endpoint, experts, verifiers and comparators alike.
type Servers struct {
	Recording string   `yaml:"recording" names:"file" reach:"writes" default:""`
	Replay    bool     `yaml:"replay" default:"false"`
	Tokens    int      `yaml:"tokens" default:"0" min:"0" most:"none"`
	Cost      float64  `yaml:"cost" default:"0" min:"0"`
	Prices    []string `yaml:"prices"`
	Spent     string   `yaml:"spent" default:"stop" oneof:"stop fail"`
	Requests  int      `yaml:"requests_per_minute" default:"0" min:"0" max:"1000000"`
	PerMinute int      `yaml:"tokens_per_minute" default:"0" min:"0" max:"1000000000"`
	Together  int      `yaml:"concurrent" default:"8" min:"1" max:"1024"`
}

// A Price is what a million tokens of a model cost.
type Price struct {
	Model         string
	Prompt, Drawn float64
}

// Priced reads prices.
func (s Servers) Priced() ([]Price, error) {
	var out []Price
	for _, text := range s.Prices {
		words := strings.Fields(text)
		if len(words) != 3 {
			return nil, fmt.Errorf("servers.prices has %q, expected a model and two prices", text)
		}
		prompt, err := strconv.ParseFloat(words[1], 64)
		drawn, other := strconv.ParseFloat(words[2], 64)
		if err != nil || other != nil || !(min(prompt, drawn) >= 0) || max(prompt, drawn) > 1e9 {
			return nil, fmt.Errorf("servers.prices has %q, expected two numbers of at least 0 behind the model", text)
		}
		out = append(out, Price{words[0], prompt, drawn})
	}
	return out, nil
}

// Broken says what does not go together; empty: nothing.
func (s Servers) Broken() string {
	switch _, err := s.Priced(); {
	case err != nil:
		return err.Error()
	case s.Cost > 0 && len(s.Prices) == 0:
		return "servers.cost is set, but servers.prices says of no model what it costs"
	case s.Replay && s.Recording == "":
		return "servers.replay is true, but servers.recording names no file"
	}
	return ""
}

// Unpriced is a model of some without a price, where the run has a budget in money; empty: there is none.
func (s Servers) Unpriced(models []string) string {
	prices, _ := s.Priced() // which were checked
	known := map[string]bool{}
	for _, p := range prices {
		known[p.Model] = true
	}
	for _, m := range models {
		if s.Cost > 0 && !known[m] {
			return m
		}
	}
	return ""
}

// Asks says that some of what a team is told comes from servers.
func (t Team) Asks() bool {
	asks := t.Feedback == "expert"
	for _, a := range t.Agents.Named {
		asks = asks || a.Speaker() == "endpoint"
	}
	return asks
}

// Sampler says who draws in the place of this machine's engine, which trains.
type Sampler struct {
	OpenAI OpenAISampler `yaml:"openai"`
}

// OpenAISampler is a server that draws from the team's policies: vLLM, with every adapter loaded anew after each of its steps.
type OpenAISampler struct {
	URL      string  `yaml:"url" reach:"asks" default:""`
	Model    string  `yaml:"model" default:""`
	KeyEnv   string  `yaml:"key_env" reach:"tells" default:""`
	Adapters string  `yaml:"adapters" names:"output" reach:"writes" default:""`
	Seen     string  `yaml:"adapters_there" default:""`
	Together int     `yaml:"concurrent" default:"64" min:"1" max:"1024"`
	Seconds  float64 `yaml:"seconds" default:"300" min:"0.01"`
	Retries  int     `yaml:"retries" default:"3" min:"0" max:"20"`
	MostGap  float64 `yaml:"most_gap" default:"0.2" min:"0"`
}

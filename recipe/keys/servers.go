package keys

import (
	"fmt"
	"strconv"
	"strings"
)

// Servers says how models behind OpenAI-compatible servers are asked: agents with an endpoint, experts, verifiers and comparators alike.
type Servers struct {
	Recording string   `yaml:"recording" names:"file" reach:"writes" default:"" doc:"File of JSON lines with everything that was asked and answered. What is recorded is not asked again, so that a run can be repeated without its servers, byte for byte. Empty: nothing is kept."`
	Replay    bool     `yaml:"replay" default:"false" doc:"Only the recording answers: no server is asked, and what is not recorded fails."`
	Tokens    int      `yaml:"tokens" default:"0" min:"0" most:"none" doc:"Budget: most tokens that all servers read and draw in the run. Sums are saved with every checkpoint. 0: any number."`
	Cost      float64  `yaml:"cost" default:"0" min:"0" doc:"Budget: most that all servers may cost, in the currency of prices. 0: any sum."`
	Prices    []string `yaml:"prices" doc:"What models cost, one text each: the model's name there, the price of a million tokens that it reads, and that of a million that it draws, such as [big 0.15 0.60]."`
	Spent     string   `yaml:"spent" default:"stop" oneof:"stop fail" doc:"When the budget is spent. stop: the run ends with an error, and its last checkpoint stands. fail: what is asked fails, and with it the episode (training.failed_share says how many may)."`
	Requests  int      `yaml:"requests_per_minute" default:"0" min:"0" max:"1000000" doc:"Most requests a minute to one address, evenly spaced. 0: any number."`
	PerMinute int      `yaml:"tokens_per_minute" default:"0" min:"0" max:"1000000000" doc:"Most tokens a minute that one address reads and draws: the next request waits for the shares of those before. 0: any number."`
	Together  int      `yaml:"concurrent" default:"8" min:"1" max:"1024" doc:"Most requests to one address at a time."`
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
	URL      string  `yaml:"url" reach:"asks" default:"" doc:"Sample on the server there, such as http://127.0.0.1:8000/v1, and train on this machine (docs/endpoints.md). Empty: this machine samples too."`
	Model    string  `yaml:"model" default:"" doc:"The server's name for the base, which has to be the recipe's model."`
	KeyEnv   string  `yaml:"key_env" reach:"tells" default:"" doc:"The environment variable that holds the server's key; empty: no key is sent."`
	Adapters string  `yaml:"adapters" names:"output" reach:"writes" default:"" doc:"A folder that the server reads adapters from: each version is written into a folder of its own there, and removed when the next one is loaded."`
	Seen     string  `yaml:"adapters_there" default:"" doc:"The same folder as the server sees it, where that is another path; empty: the same."`
	Together int     `yaml:"concurrent" default:"64" min:"1" max:"1024" doc:"Most completions that are asked for at a time."`
	Seconds  float64 `yaml:"seconds" default:"300" min:"0.01" doc:"Longest wait for a completion, and for an adapter to be loaded."`
	Retries  int     `yaml:"retries" default:"3" min:"0" max:"20" doc:"Further tries."`
	MostGap  float64 `yaml:"most_gap" default:"0.2" min:"0" doc:"Most that the log-probabilities of sampler and trainer may differ, in nats a token on average. A greater difference ends the run: another base, other weights or another temperature speak there."`
}

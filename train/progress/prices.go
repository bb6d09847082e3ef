package progress

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"

	"parley/internal/plainfile"
)

// A Speed is how many tokens a second an engine does.
type Speed struct {
	Generated float64 `yaml:"generated" json:"generated"`
	Read      float64 `yaml:"read" json:"read"` // prompts, and what is scored
	Trained   float64 `yaml:"trained" json:"trained"`
	Source    string  `yaml:"-" json:"source"` // where it comes from
}

// Prices are what a user pays: for hours of machines, for tokens of a service, or both.
type Prices struct {
	Currency string  `yaml:"currency"`
	Hour     float64 `yaml:"hour"` // of all machines together
	Million  struct {
		Generated float64 `yaml:"generated"`
		Read      float64 `yaml:"read"`
		Trained   float64 `yaml:"trained"`
	} `yaml:"million_tokens"`
	Speed *Speed `yaml:"tokens_per_second"` // of the machines
}

// A Cost is what a run will cost.
type Cost struct {
	Currency string `json:"currency"`
	Range
	Hours  *Range `json:"of_hours,omitempty"`
	Tokens Range  `json:"of_tokens"`
}

// longestList is longer than any price list, in bytes.
const longestList = 64 << 10

// ReadPrices reads a price list.
func ReadPrices(path string) (*Prices, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the price list: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, longestList+1))
	if err != nil {
		return nil, fmt.Errorf("read the price list: %w", err)
	}
	if len(data) > longestList {
		return nil, fmt.Errorf("price list %s: it is longer than %d bytes", path, longestList)
	}
	p, err := ParsePrices(data)
	if err != nil {
		return nil, fmt.Errorf("price list %s: %w", path, err)
	}
	return p, nil
}

// ParsePrices reads a price list. A key that it does not know is an error.
func ParsePrices(data []byte) (*Prices, error) {
	p := &Prices{Currency: "USD"}
	if err := yaml.UnmarshalWithOptions(data, p, yaml.Strict()); err != nil {
		return nil, errors.New(strings.TrimSpace(yaml.FormatError(err, false, true)))
	}
	prices := []float64{p.Hour, p.Million.Generated, p.Million.Read, p.Million.Trained}
	for _, x := range prices {
		if !(x >= 0 && x <= mostPrice) {
			return nil, fmt.Errorf("the price %g is not a number from 0 to %g", x, float64(mostPrice))
		}
	}
	if s := p.Speed; s != nil {
		for _, x := range []float64{s.Generated, s.Read, s.Trained} {
			if !(x > 0 && x <= mostPrice) {
				return nil, fmt.Errorf("tokens_per_second needs generated, read and trained, each above 0 and at most %g", float64(mostPrice))
			}
		}
		s.Source = "price list"
	}
	if len(p.Currency) > 16 || strings.TrimSpace(p.Currency) == "" {
		return nil, fmt.Errorf("the currency is %q, expected a short name such as USD", p.Currency)
	}
	return p, nil
}

const mostPrice = 1e12 // of any price or speed

// At gives a plan hours, from a speed. A plan that has measured hours keeps them.
func (p *Plan) At(s *Speed) {
	if s == nil || p.Hours != nil {
		return
	}
	var hours Range
	for _, f := range p.Phases {
		seconds := f.Generated.times(1 / s.Generated).plus(f.Read.times(1 / s.Read)).plus(f.Trained.times(1 / s.Trained))
		hours = hours.plus(seconds.times(1.0 / 3600))
	}
	p.Hours, p.Speed = &hours, s
}

// Price gives a plan its cost: what tokens cost, and what hours do where they are known.
func (p *Plan) Price(prices *Prices) {
	c := &Cost{Currency: prices.Currency}
	for _, f := range p.Phases {
		m := prices.Million
		c.Tokens = c.Tokens.plus(f.Generated.times(m.Generated / 1e6)).plus(f.Read.times(m.Read / 1e6)).plus(f.Trained.times(m.Trained / 1e6))
	}
	c.Range = c.Tokens
	if p.Hours != nil {
		hours := p.Hours.times(prices.Hour)
		c.Hours, c.Range = &hours, c.Range.plus(hours)
	}
	p.Cost = c
}

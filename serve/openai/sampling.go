package openai

import (
	"math"
	"math/rand/v2"

	"parley/internal/seed"
	"parley/serve"
)

// mostChoices is how many answers one request may ask for.
const mostChoices = 16

// sampling are the parameters that several routes share.
type sampling struct {
	serve.Logits
	Temperature *float64 `json:"temperature"`
	TopP        *float64 `json:"top_p"`
	N           *int     `json:"n"`
	Stop        texts    `json:"stop"`
	Seed        *int64   `json:"seed"`
	User        string   `json:"user"`
	Stream      bool     `json:"stream"`
	Options     *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// check refuses values that have no meaning.
func (s *sampling) check() *serve.Failure {
	switch {
	case s.N != nil && (*s.N < 1 || *s.N > mostChoices):
		return serve.Bad("n", "n is %d, expected 1 to %d", *s.N, mostChoices)
	case s.Options != nil && !s.Stream:
		return serve.Bad("stream_options", "stream_options are for stream: true")
	}
	return serve.CheckDraw(s.Temperature, s.TopP, s.Stop, 4)
}

// choices is how many answers are asked for.
func (s *sampling) choices() int {
	if s.N == nil {
		return 1
	}
	return *s.N
}

// usage reports whether the end of a stream says what it took.
func (s *sampling) usage() bool { return s.Options != nil && s.Options.IncludeUsage }

// question is what every choice has in common.
func (s *sampling) question() serve.Question {
	return serve.Question{Temperature: s.Temperature, TopP: s.TopP, Stop: s.Stop, Asked: s.Seed}
}

// seeds are those of the choices: what was asked for and what follows from it, or any.
func (s *sampling) seeds() []uint64 {
	root := rand.Uint64()
	if s.Seed != nil {
		root = uint64(*s.Seed)
	}
	out := make([]uint64, s.choices())
	for i := range out {
		if out[i] = root; i > 0 {
			out[i] = seed.Derive(root, "choice", i)
		}
	}
	return out
}

// limit is a limit of tokens: the first that is given; 0: none is.
func limit(names []string, values ...*int) (int, *serve.Failure) {
	for i, n := range values {
		switch {
		case n == nil:
			continue
		case *n < 1:
			return 0, serve.Bad(names[i], "%s is %d, expected at least 1", names[i], *n)
		}
		return min(*n, math.MaxInt32), nil
	}
	return 0, nil
}

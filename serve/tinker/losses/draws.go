package losses

// This file reads requests for completions, as clients of the Tinker protocol write them.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"parley/engine"
	"parley/engine/tinker/wire"
)

// A Seed has 64 bits, all of which count.
type Seed uint64

func (s *Seed) UnmarshalJSON(data []byte) error {
	var v uint64
	if err := json.Unmarshal(data, &v); err != nil {
		return fmt.Errorf("seed %.40s is no whole number from 0 to 2^64-1", data)
	}
	*s = Seed(v)
	return nil
}

// RandomSeed is one where nobody says any.
func RandomSeed() uint64 { return rand.Uint64() }

// stops are what a completion ends at: one text, several, or tokens. nil: nothing was said, and it ends where the base's answers do; none at all is said by [].
type stops struct {
	said   bool
	texts  []string
	tokens []int
}

func (s *stops) UnmarshalJSON(data []byte) error {
	var one string
	var empty []any
	s.said = true
	switch {
	case bytes.Equal(data, []byte("null")):
		s.said = false
		return nil
	case json.Unmarshal(data, &one) == nil:
		s.texts = []string{one}
		return nil
	case json.Unmarshal(data, &empty) == nil && len(empty) == 0:
		return nil
	case json.Unmarshal(data, &s.texts) == nil:
		return nil
	}
	s.texts = nil
	if json.Unmarshal(data, &s.tokens) != nil {
		return errors.New("stop is neither a text, nor texts, nor token ids")
	}
	return nil
}

type samplingParams struct {
	MaxTokens   *int     `json:"max_tokens"`
	Seed        *Seed    `json:"seed"`
	Stop        stops    `json:"stop"`
	Temperature *float64 `json:"temperature"`
	TopK        *int     `json:"top_k"`
	TopP        *float64 `json:"top_p"`
}

// A Request is one as it was sent.
type Request struct {
	Count   *int            `json:"num_samples"`
	Prompt  wire.ModelInput `json:"prompt"`
	Params  samplingParams  `json:"sampling_params"`
	Sampler string          `json:"sampling_session_id"`
	Seq     *int64          `json:"seq_id"`
	Base    string          `json:"base_model"`
	Path    string          `json:"model_path"`

	PromptLogprobs bool            `json:"prompt_logprobs"`
	PromptTops     int             `json:"topk_prompt_logprobs"`
	Tops           int             `json:"topk_sample_logprobs"`
	Alternatives   int             `json:"prompt_alt_tokens_k"`
	PromptLast     *int            `json:"prompt_logprobs_last_n"`
	Targets        json.RawMessage `json:"target_prompt_logprobs"`
}

// Bounds of one request.
const (
	mostSamples = 1024
	mostTops    = 64
)

// A Draw is a request that was checked.
type Draw struct {
	Sample engine.SampleRequest // of the first completion
	Count  int
	Scores bool // log-probabilities of the prompt
	Last   int  // of its last tokens alone
	Tops   int  // the most probable tokens beside the prompt's
	Sub    int  // and beside the completions'
	watch  func() engine.Watcher
}

// A Base is what requests are checked against.
type Base struct {
	Vocab   int
	Context int
	Ends    []int // tokens that end a completion for which nothing is said
	// Watch makes a watcher that ends a completion at one of some texts; an error says what is wrong with the texts. nil: the base has no texts.
	Watch func(texts []string) (func() engine.Watcher, error)
}

// Draw checks a request.
func (b *Base) Draw(q *Request) (*Draw, error) {
	d := &Draw{Count: 1, Scores: q.PromptLogprobs, Last: math.MaxInt, Tops: q.PromptTops, Sub: q.Tops}
	if q.PromptLast != nil {
		d.Last = *q.PromptLast
	}
	if q.Count != nil {
		d.Count = *q.Count
	}
	prompt, err := q.Prompt.Text()
	if err != nil {
		return nil, err
	}
	room := b.Context - len(prompt)
	p := &q.Params
	d.Sample = engine.SampleRequest{Prompt: prompt, MaxTokens: room, Sampling: engine.Sampling{Temperature: 1}, Seed: RandomSeed()}
	if p.MaxTokens != nil {
		d.Sample.MaxTokens = *p.MaxTokens
	}
	if p.Seed != nil {
		d.Sample.Seed = uint64(*p.Seed)
	}
	if p.Temperature != nil {
		d.Sample.Sampling.Temperature = *p.Temperature
	}
	switch t := d.Sample.Sampling.Temperature; {
	case d.Count < 1 || d.Count > mostSamples:
		return nil, fmt.Errorf("num_samples is %d, expected 1 to %d", d.Count, mostSamples)
	case len(prompt) == 0:
		return nil, errors.New("the prompt has no tokens")
	case room < 1:
		return nil, fmt.Errorf("the prompt has %d tokens; the context is %d", len(prompt), b.Context)
	case d.Sample.MaxTokens < 1 || d.Sample.MaxTokens > room:
		return nil, fmt.Errorf("max_tokens is %d, expected 1 to %d: that is what the context of %d leaves behind the prompt", d.Sample.MaxTokens, room, b.Context)
	case !(t >= 0) || t > 100:
		return nil, fmt.Errorf("temperature is %g, expected 0 to 100", t)
	case p.TopK != nil && *p.TopK < -1:
		return nil, fmt.Errorf("top_k is %d, expected -1 (all) or more", *p.TopK)
	case p.TopP != nil && !(*p.TopP > 0 && *p.TopP <= 1):
		return nil, fmt.Errorf("top_p is %g, expected above 0, up to 1", *p.TopP)
	case d.Tops < 0 || d.Tops > mostTops || d.Sub < 0 || d.Sub > mostTops:
		return nil, fmt.Errorf("topk_prompt_logprobs is %d, topk_sample_logprobs is %d; expected 0 to %d", d.Tops, d.Sub, mostTops)
	case q.PromptLast != nil && *q.PromptLast < 0:
		return nil, fmt.Errorf("prompt_logprobs_last_n is %d, expected 0 or more", *q.PromptLast)
	case q.Alternatives != 0 || len(q.Targets) > 0 && string(q.Targets) != "null":
		return nil, errors.New("prompt_alt_tokens_k and target_prompt_logprobs are not given here: ask for topk_prompt_logprobs, or for a forward pass")
	}
	for i, id := range prompt {
		if id >= b.Vocab {
			return nil, fmt.Errorf("the prompt has %d at %d; the vocabulary has %d tokens", id, i, b.Vocab)
		}
	}
	if p.TopK != nil {
		d.Sample.Sampling.TopK = max(*p.TopK, 0)
	}
	if p.TopP != nil {
		d.Sample.Sampling.TopP = *p.TopP
	}
	return d, b.ends(d, &p.Stop)
}

// ends says where completions end.
func (b *Base) ends(d *Draw, p *stops) (err error) {
	d.Sample.Stop = p.tokens
	if !p.said {
		d.Sample.Stop = b.Ends
	}
	if len(p.texts) == 0 {
		return nil
	}
	if b.Watch == nil {
		return errors.New("stop has texts, and the base has no tokenizer here: send token ids")
	}
	d.watch, err = b.Watch(p.texts)
	return err
}

// Requests are those of the completions: the same as single ones with the seeds s, s+1, ...
func (d *Draw) Requests(policy engine.Policy) []engine.SampleRequest {
	all := make([]engine.SampleRequest, d.Count)
	for i := range all {
		all[i] = d.Sample
		all[i].Policy = policy
		all[i].Seed += uint64(i)
		if d.watch != nil {
			all[i].Watch = d.watch()
		}
	}
	return all
}

// Cuts reports whether tokens are drawn from another distribution than that of temperature 1 over the whole vocabulary, which the protocol's
// log-probabilities are of. The engine's are, for the most probable tokens at temperature 0.
func (d *Draw) Cuts() bool {
	p := d.Sample.Sampling
	return p.Temperature != 1 && p.Temperature != 0 || p.TopK > 0 || p.TopP > 0 && p.TopP < 1
}

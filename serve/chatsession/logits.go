package chatsession

import (
	"math"

	"parley/engine"
)

// Logits change the logits of a model's answers, as the fields of OpenAI's protocol and of vLLM's that are called so. The zero value changes none.
type Logits struct {
	Bias       map[int]float32 // by token, added
	Frequency  float32         // taken off a token for each time that it was drawn
	Presence   float32         // taken off every token that was drawn
	Repetition float32         // divides positive logits, and multiplies others, of tokens of the prompt and of the answer; 0 and 1: none does
	MinP       float64         // tokens of less than this share of the greatest probability are cut, before top_k and top_p
}

// Changes says whether they change any.
func (l Logits) Changes() bool {
	return len(l.Bias) > 0 || l.Frequency != 0 || l.Presence != 0 || l.Repetition != 0 && l.Repetition != 1 || l.MinP != 0
}

// change is what they do to a request; nil: nothing.
func (l Logits) change(r *engine.SampleRequest) func(drawn []int, logits []float32) {
	if !l.Changes() {
		return nil
	}
	temperature := r.Sampling.Temperature
	if temperature == 0 { // whose log-probabilities are those of 1
		temperature = 1
	}
	gap := float32(temperature * math.Log(l.MinP))
	return func(drawn []int, logits []float32) {
		l.bias(r.Prompt, drawn, logits)
		if l.MinP > 0 {
			cut(logits, gap)
		}
	}
}

// bias adds to logits, and takes off what penalties take.
func (l Logits) bias(prompt, drawn []int, logits []float32) {
	for token, bias := range l.Bias {
		logits[token] += bias
	}
	times := map[int]int{}
	for _, token := range drawn {
		times[token]++
	}
	if l.Repetition > 0 {
		for _, token := range prompt {
			times[token] += 0
		}
		for token := range times {
			if logits[token] > 0 {
				logits[token] /= l.Repetition
			} else {
				logits[token] *= l.Repetition
			}
		}
	}
	for token, n := range times {
		if n > 0 {
			logits[token] -= float32(n)*l.Frequency + l.Presence
		}
	}
}

// cut takes out what lies more than a gap, which is below 0, under the greatest.
func cut(logits []float32, gap float32) {
	most := float32(math.Inf(-1))
	for _, z := range logits {
		most = max(most, z)
	}
	for i, z := range logits {
		if z < most+gap {
			logits[i] = float32(math.Inf(-1))
		}
	}
}

// Best are the k most probable tokens of a place, as a request's logits are changed: d has all tokens, at its temperature. Cuts
// do not count. Repetition has to be 0 or 1: it goes by the sign of logits, which log-probabilities do not have.
func (l Logits) Best(prefix engine.Prefix, length, k int, d engine.Distribution) engine.Distribution {
	scale := float32(prefix.Sampling.Temperature)
	if scale == 0 {
		scale = 1
	}
	logits := make([]float32, len(d.Logprobs))
	for i, logprob := range d.Logprobs {
		logits[i] = logprob * scale
	}
	l.bias(prefix.Tokens[:prefix.From], prefix.Tokens[prefix.From:length], logits)
	total, most := 0.0, float32(math.Inf(-1))
	for i := range logits {
		logits[i] /= scale
		most = max(most, logits[i])
	}
	for _, z := range logits {
		total += math.Exp(float64(z - most))
	}
	norm := most + float32(math.Log(total))
	whole := engine.Distribution{Logprobs: logits}
	best := engine.Distribution{Tokens: whole.Best(k)}
	for _, token := range best.Tokens {
		best.Logprobs = append(best.Logprobs, logits[token]-norm)
	}
	return best
}

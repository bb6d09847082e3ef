package serve

import (
	"fmt"
	"strconv"

	"parley/serve/chatsession"
)

// Logits are fields of requests that change the logits of what is drawn: OpenAI's, and vLLM's further ones.
type Logits struct {
	Bias       map[string]float64 `json:"logit_bias"`
	Frequency  float64            `json:"frequency_penalty"`
	Presence   float64            `json:"presence_penalty"`
	Repetition *float64           `json:"repetition_penalty"`
	MinP       float64            `json:"min_p"`
}

// Of is what they are for a model, beside so many of the most probable tokens. Of several texts nobody says which one they mean: a team takes none.
func (l Logits) Of(m *Model, tops *int) (out chatsession.Logits, fault *Failure) {
	repetition := 1.0
	if l.Repetition != nil {
		repetition = *l.Repetition
	}
	field := ""
	switch {
	case len(l.Bias) > 0:
		field = "logit_bias"
	case l.Frequency != 0:
		field = "frequency_penalty"
	case l.Presence != 0:
		field = "presence_penalty"
	case repetition != 1:
		field = "repetition_penalty"
	case l.MinP != 0:
		field = "min_p"
	default:
		return out, nil
	}
	w, writes := m.Answerer.(Writer)
	if !writes {
		return out, Bad(field, "%s is set, and %s is no model alone, whose logits it could change: leave it out, or ask one of its agents", field, m.ID).Coded("unsupported_parameter")
	}
	if repetition != 1 && tops != nil && *tops > 0 { // it goes by the sign of logits, which log-probabilities do not have
		return out, Bad("repetition_penalty", "repetition_penalty is set beside the most probable tokens, which are not known with it: leave one out").Coded("unsupported_parameter")
	}
	within := func(name string, value, least, most float64) {
		if fault == nil && !(value >= least && value <= most) {
			fault = Bad(name, "%s is %g, expected %g to %g", name, value, least, most)
		}
	}
	within("frequency_penalty", l.Frequency, -2, 2)
	within("presence_penalty", l.Presence, -2, 2)
	within("repetition_penalty", repetition, 0.01, 100)
	within("min_p", l.MinP, 0, 1)
	out = chatsession.Logits{Frequency: float32(l.Frequency), Presence: float32(l.Presence), Repetition: float32(repetition), MinP: l.MinP, Bias: map[int]float32{}}
	vocabulary := w.Speaker().Model.Tokenizer.Size()
	for name, bias := range l.Bias {
		id, err := strconv.Atoi(name)
		if err != nil || id < 0 || id >= vocabulary {
			return out, Bad("logit_bias", "logit_bias has %.40q, expected the id of a token, below %d", name, vocabulary)
		}
		within(fmt.Sprintf("logit_bias.%d", id), bias, -100, 100)
		out.Bias[id] = float32(bias)
	}
	return out, fault
}

// CheckDraw refuses a temperature, a cut and texts that end an answer, of which there may be so many, where they have no meaning.
func CheckDraw(temperature, topP *float64, stop []string, most int) *Failure {
	switch t, p := temperature, topP; {
	case t != nil && !(*t >= 0 && *t <= 2):
		return Bad("temperature", "temperature is %g, expected 0 to 2", *t)
	case p != nil && !(*p > 0 && *p <= 1):
		return Bad("top_p", "top_p is %g, expected more than 0 and at most 1", *p)
	case len(stop) > most:
		return Bad("stop", "stop has %d texts, expected at most %d", len(stop), most)
	}
	for _, text := range stop {
		switch n := len(text); {
		case n == 0:
			return Bad("stop", "stop has an empty text, which would end every answer before it begins")
		case n > LongestStop:
			return Bad("stop", "stop has a text of %d bytes, expected at most %d", n, LongestStop)
		}
	}
	return nil
}

package wire

import (
	"encoding/json"
	"fmt"
	"math"
)

// Why a completion ended.
const (
	StopToken  = 0 // at a stop token, or a text
	StopLength = 1
)

// A Sequence is one completion.
type Sequence struct {
	Stop     int
	Tokens   []int
	Logprobs []float32 // of the tokens at temperature 1; nil: none were told
	Tops     *Tops     // the most probable tokens at each of its places; nil: they were not asked for
}

// Tops are the most probable tokens at some places, so many each, the most probable first.
type Tops struct {
	K        int
	IDs      []int     // [places·K], 0 where there is none
	Logprobs []float32 // [places·K], [NoTop] where there is none
}

// Add adds a place with at most K tokens.
func (t *Tops) Add(ids []int, logprobs []float32) {
	for i := range t.K {
		if i < len(ids) {
			t.IDs, t.Logprobs = append(t.IDs, ids[i]), append(t.Logprobs, logprobs[i])
		} else {
			t.IDs, t.Logprobs = append(t.IDs, 0), append(t.Logprobs, NoTop)
		}
	}
}

// NoTop stands in the place of the log-probability of a token that there is not.
const NoTop = -99999

// A Sample is what a request for completions answers.
type Sample struct {
	Sequences []Sequence
	// Prompt are the log-probabilities of the prompt's tokens, where they were asked for; NaN: none. Some servers leave the first token's out.
	Prompt []float32
	Tops   *Tops // at every place of the prompt; nil: they were not asked for. Only a server writes them.
}

// DecodeSample reads the message SampleResponse.
func DecodeSample(data []byte) (s Sample, err error) {
	err = eachField(data, func(f field) error {
		switch f.number {
		case 1:
			if err := f.want(delimited); err != nil {
				return err
			}
			q, err := readSequence(f.data)
			s.Sequences = append(s.Sequences, q)
			return err
		case 2:
			if err := f.want(delimited); err != nil {
				return err
			}
			t, err := readElements(Float32, f.data)
			s.Prompt = t.Floats
			return err
		}
		return nil
	})
	return s, err
}

func readSequence(data []byte) (q Sequence, err error) {
	err = eachField(data, func(f field) error {
		switch f.number {
		case 1:
			if f.value > StopLength {
				return fmt.Errorf("a completion ended for the reason %d, which the protocol does not have", f.value)
			}
			q.Stop = int(f.value)
			return f.want(varint)
		case 2, 3:
			if err := f.want(delimited); err != nil {
				return err
			}
			t, err := readElements(map[int]DType{2: Int32, 3: Float32}[f.number], f.data)
			for _, id := range t.Ints {
				q.Tokens = append(q.Tokens, int(id))
			}
			if f.number == 3 {
				q.Logprobs = t.Floats
			}
			return err
		}
		return nil
	})
	return q, err
}

// Encode writes the message SampleResponse.
func (s *Sample) Encode() []byte {
	var m message
	for _, q := range s.Sequences {
		var one message
		one.int(1, uint64(q.Stop))
		ids := Tensor{DType: Int32}
		for _, t := range q.Tokens {
			ids.Ints = append(ids.Ints, int64(t))
		}
		one.bytes(2, ids.elements())
		if q.Logprobs != nil {
			one.bytes(3, (&Tensor{DType: Float32, Floats: q.Logprobs}).elements())
		}
		if q.Tops != nil {
			one.bytes(4, q.Tops.encode())
		}
		m.bytes(1, one)
	}
	if s.Prompt != nil {
		m.bytes(2, (&Tensor{DType: Float32, Floats: s.Prompt}).elements())
	}
	if s.Tops != nil {
		m.bytes(3, s.Tops.encode())
	}
	return m
}

// encode writes the message TopkLogprobs.
func (t *Tops) encode() message {
	var m message
	ids := Tensor{DType: Int32, Ints: make([]int64, len(t.IDs))}
	for i, id := range t.IDs {
		ids.Ints[i] = int64(id)
	}
	m.bytes(1, ids.elements())
	m.bytes(2, (&Tensor{DType: Float32, Floats: t.Logprobs}).elements())
	m.int(3, uint64(t.K))
	if t.K > 0 {
		m.int(4, uint64(len(t.IDs)/t.K))
	}
	return m
}

// JSON writes completions as servers do that answer in JSON.
func (s *Sample) JSON() ([]byte, error) {
	type sequence struct {
		Stop     string    `json:"stop_reason"`
		Tokens   []int     `json:"tokens"`
		Logprobs []float32 `json:"logprobs,omitempty"`
	}
	out := struct {
		Type      string     `json:"type"`
		Sequences []sequence `json:"sequences"`
		Prompt    []*float32 `json:"prompt_logprobs,omitempty"`
		Tops      []any      `json:"topk_prompt_logprobs,omitempty"`
	}{Type: "sample", Sequences: []sequence{}}
	for _, q := range s.Sequences {
		out.Sequences = append(out.Sequences, sequence{[]string{"stop", "length"}[q.Stop], append([]int{}, q.Tokens...), q.Logprobs})
	}
	for i, p := range s.Prompt {
		if math.IsNaN(float64(p)) {
			out.Prompt = append(out.Prompt, nil)
		} else {
			out.Prompt = append(out.Prompt, &s.Prompt[i])
		}
	}
	if s.Tops != nil {
		out.Tops = s.Tops.pairs()
	}
	return json.Marshal(out)
}

// pairs are the tokens of each place with their log-probabilities; nil where there are none.
func (t *Tops) pairs() []any {
	var out []any
	for at := 0; t.K > 0 && at+t.K <= len(t.IDs); at += t.K {
		var one []any
		for i := at; i < at+t.K; i++ {
			if t.Logprobs[i] != NoTop {
				one = append(one, []any{t.IDs[i], t.Logprobs[i]})
			}
		}
		if one == nil {
			out = append(out, nil)
		} else {
			out = append(out, one)
		}
	}
	return out
}

// DecodeSampleJSON reads completions of servers that answer in JSON.
func DecodeSampleJSON(data []byte) (s Sample, err error) {
	var j struct {
		Sequences []struct {
			Stop     string    `json:"stop_reason"`
			Tokens   []int     `json:"tokens"`
			Logprobs []float32 `json:"logprobs"`
		} `json:"sequences"`
		Prompt []*float32 `json:"prompt_logprobs"`
	}
	if err := json.Unmarshal(data, &j); err != nil {
		return s, err
	}
	for _, q := range j.Sequences {
		stop, known := map[string]int{"stop": StopToken, "length": StopLength}[q.Stop]
		if !known {
			return s, fmt.Errorf("a completion ended for the reason %.40q, which the protocol does not have", q.Stop)
		}
		s.Sequences = append(s.Sequences, Sequence{Stop: stop, Tokens: q.Tokens, Logprobs: q.Logprobs})
	}
	for _, p := range j.Prompt {
		if p == nil {
			s.Prompt = append(s.Prompt, float32(math.NaN()))
		} else {
			s.Prompt = append(s.Prompt, *p)
		}
	}
	return s, nil
}

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
}

// A Sample is what a request for completions answers.
type Sample struct {
	Sequences []Sequence
	// Prompt are the log-probabilities of the prompt's tokens, where they were asked for; NaN: none. Some servers leave the first token's out.
	Prompt []float32
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
		m.bytes(1, one)
	}
	if s.Prompt != nil {
		m.bytes(2, (&Tensor{DType: Float32, Floats: s.Prompt}).elements())
	}
	return m
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
		s.Sequences = append(s.Sequences, Sequence{stop, q.Tokens, q.Logprobs})
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

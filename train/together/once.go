package together

import (
	"encoding/json"

	"parley/systems/collab"
)

// once makes what is measured of a problem, or takes what an interrupted evaluation has kept of it. Systems are told from each other by their order.
func once[T any](m *measured, number int, do func() (T, error)) (out T, err error) {
	if m.lineup.Keep == nil {
		return do()
	}
	k := m.lineup.Keep(len(m.out))
	if data := k.Load(number); data != nil && json.Unmarshal(data, &out) == nil {
		return out, nil
	}
	if out, err = do(); err != nil {
		return out, err
	}
	if data, err := json.Marshal(out); err == nil {
		k.Save(number, data)
	}
	return out, nil
}

// keptText is a rated text as it is kept: whole.
type keptText struct {
	Text   string  `json:"text"`
	Worth  float64 `json:"worth"`
	Right  bool    `json:"right"`
	Answer *string `json:"answer"`
}

func (r rated) keep() keptText {
	k := keptText{Text: r.Text, Worth: r.Worth, Right: r.Right}
	if r.hasAnswer {
		k.Answer = &r.answer
	}
	return k
}

func (k keptText) rated() rated {
	r := rated{Text: k.Text, Worth: k.Worth, Right: k.Right}
	if k.Answer != nil {
		r.answer, r.hasAnswer = *k.Answer, true
	}
	return r
}

// keptDrawn are drawn texts as they are kept.
type keptDrawn struct {
	Texts  []keptText          `json:"texts"`
	Costs  map[int]collab.Cost `json:"costs"`
	Waited int                 `json:"waited"`
}

// MarshalJSON implements [json.Marshaler].
func (d drawn) MarshalJSON() ([]byte, error) {
	k := keptDrawn{Costs: d.costs, Waited: d.waited}
	for _, x := range d.texts {
		k.Texts = append(k.Texts, x.keep())
	}
	return json.Marshal(k)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (d *drawn) UnmarshalJSON(data []byte) error {
	var k keptDrawn
	if err := json.Unmarshal(data, &k); err != nil {
		return err
	}
	*d = drawn{costs: k.Costs, waited: k.Waited}
	for _, x := range k.Texts {
		d.texts = append(d.texts, x.rated())
	}
	return nil
}

// keptWritten is a written text as it is kept: whole.
type keptWritten struct {
	Written
	Answer  *string             `json:"answer"`
	Writers []int               `json:"writers"`
	Costs   map[int]collab.Cost `json:"costs"`
	Waited  int                 `json:"waited"`
}

func (w Written) keep() keptWritten {
	return keptWritten{w, w.rated.keep().Answer, w.writers, w.costs, w.waited}
}

func (k keptWritten) written() Written {
	w := k.Written
	w.writers, w.costs, w.waited = k.Writers, k.Costs, k.Waited
	if k.Answer != nil {
		w.answer, w.hasAnswer = *k.Answer, true
	}
	return w
}

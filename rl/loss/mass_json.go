package loss

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
)

// writtenStep is a step in JSON.
type writtenStep struct {
	Norm   float64                `json:"norm"`
	Cancel *float64               `json:"cancel"` // null: not defined
	Roles  map[string]writtenPart `json:"roles"`
}

// writtenPart is a part in JSON.
type writtenPart struct {
	Norm  float64  `json:"norm"`
	Mass  float64  `json:"mass"`
	Share *float64 `json:"share"`
	Cos   *float64 `json:"cos"`
}

// MarshalJSON implements [json.Marshaler].
func (s Mass) MarshalJSON() ([]byte, error) {
	w := writtenStep{s.Norm, defined(s.Cancel), map[string]writtenPart{}}
	for _, p := range s.Parts {
		w.Roles[p.Name] = writtenPart{p.Norm, p.Mass, defined(p.Share), defined(p.Cos)}
	}
	return json.Marshal(w)
}

// UnmarshalJSON implements [json.Unmarshaler]. Parts are in the order of their names.
func (s *Mass) UnmarshalJSON(text []byte) error {
	var w writtenStep
	err := json.Unmarshal(text, &w)
	*s = Mass{Norm: w.Norm, Cancel: massNumber(w.Cancel)}
	for _, name := range slices.Sorted(maps.Keys(w.Roles)) {
		p := w.Roles[name]
		s.Parts = append(s.Parts, MassPart{name, p.Norm, p.Mass, massNumber(p.Share), massNumber(p.Cos)})
	}
	return err
}

// defined is nil for what is not.
func defined(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

// massNumber is NaN for what is not defined.
func massNumber(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

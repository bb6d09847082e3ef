package mass

import (
	"encoding/json"
	"math"
)

// writtenPart is a part in JSON.
type writtenPart struct {
	Role  string   `json:"role"`
	Norm  float64  `json:"norm"`
	Mass  float64  `json:"mass"`
	Share *float64 `json:"share"` // null: not defined
	Cos   *float64 `json:"cos"`
}

// writtenStep is a step in JSON.
type writtenStep struct {
	Norm   float64  `json:"norm"`
	Cancel *float64 `json:"cancel"`
	Roles  []Part   `json:"roles"`
}

// MarshalJSON implements [json.Marshaler].
func (p Part) MarshalJSON() ([]byte, error) {
	return json.Marshal(writtenPart{p.Name, p.Norm, p.Mass, defined(p.Share), defined(p.Cos)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (p *Part) UnmarshalJSON(text []byte) error {
	var w writtenPart
	err := json.Unmarshal(text, &w)
	*p = Part{w.Role, w.Norm, w.Mass, number(w.Share), number(w.Cos)}
	return err
}

// MarshalJSON implements [json.Marshaler].
func (s Step) MarshalJSON() ([]byte, error) {
	return json.Marshal(writtenStep{s.Norm, defined(s.Cancel), s.Parts})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Step) UnmarshalJSON(text []byte) error {
	var w writtenStep
	err := json.Unmarshal(text, &w)
	*s = Step{w.Roles, w.Norm, number(w.Cancel)}
	return err
}

// defined is nil for what is not.
func defined(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

// number is NaN for what is not defined.
func number(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

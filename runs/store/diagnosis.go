package store

import (
	"cmp"
	"fmt"
	"strings"

	"parley/internal/usererror"
)

// A Diagnosis is diagnostics.json: what was looked for in training, and what was found.
type Diagnosis struct {
	Update       int          `json:"update"`        // after which it was written
	JointActions int          `json:"joint_actions"` // in the window
	Diagnostics  []Diagnostic `json:"diagnostics"`   // what fired, at any time
	Checked      []Rule       `json:"checked"`       // every rule for which there were data, with its latest value
	Unchecked    []Unchecked  `json:"unchecked"`     // every rule for which there were none
}

// A Rule is what one rule says of the window.
type Rule struct {
	Kind      string  `json:"kind"`
	Rule      string  `json:"rule"`
	Agent     int     `json:"agent,omitempty"` // from 1; 0: it is about no single agent
	Name      string  `json:"name,omitempty"`  // of the agent, where it has one
	Value     float64 `json:"value"`
	Sense     string  `json:"sense"` // it fires where the value is "<=", "<", ">=" or ">"
	Threshold float64 `json:"threshold"`
	Fired     bool    `json:"fired"`
	Moot      bool    `json:"moot,omitempty"` // it cannot fire, because another condition of it does not hold
}

// A Diagnostic is a rule that fired.
type Diagnostic struct {
	Kind      string  `json:"kind"`
	Rule      string  `json:"rule"`
	Agent     int     `json:"agent,omitempty"` // from 1; 0: it is about no single agent
	Name      string  `json:"name,omitempty"`  // of the agent, where it has one
	Value     float64 `json:"value"`           // when it fired last
	Sense     string  `json:"sense"`
	Threshold float64 `json:"threshold"`
	First     int     `json:"first_update"` // in which it fired
	Last      int     `json:"last_update"`
	Evidence  []Place `json:"evidence"` // a few, of the time when it fired last
	Remedy    string  `json:"remedy"`
}

// A Place points into the episodes of an update.
type Place struct {
	Update  int    `json:"update"`
	Index   int    `json:"index"` // of the episode
	Problem string `json:"problem"`
	Node    int    `json:"node"`
	Action  *int   `json:"action,omitempty"`   // index of a joint action; absent: all of the node
	Agent   int    `json:"agent,omitempty"`    // from 1; 0: all
	Name    string `json:"name,omitempty"`     // of the agent, where it has one
	HeldOut bool   `json:"held_out,omitempty"` // it is the held-out problem of that index, after the update
}

// String says in one line what fired, with its evidence and its remedy.
func (d Diagnostic) String() string {
	return fmt.Sprintf("%s; updates %d to %d%s; try: %s", d.Headline(), d.First, d.Last, evidence(d.Evidence), d.Remedy)
}

// Headline says what fired and why.
func (d Diagnostic) Headline() string {
	return fmt.Sprintf("%s: %s is %.4g, which fires at %s %.4g", d.Kind, of(d.Rule, d.Agent, d.Name), d.Value, d.Sense, d.Threshold)
}

// String says in one line what a rule saw.
func (r Rule) String() string {
	s := fmt.Sprintf("%s: %s is %.4g (fires at %s %.4g)", r.Kind, of(r.Rule, r.Agent, r.Name), r.Value, r.Sense, r.Threshold)
	if r.Moot {
		s += ", but the rule does not apply here"
	}
	return s
}

// evidence names the first place.
func evidence(places []Place) string {
	if len(places) == 0 {
		return ""
	}
	p := places[0]
	if where := fmt.Sprintf("update %d, episode %d", p.Update, p.Index); usererror.InPython() && !p.HeldOut {
		return ", see " + strings.Replace(p.String(), where, fmt.Sprintf("run.episode(%d, %d)", p.Update, p.Index), 1)
	}
	return ", see " + p.String()
}

// String says where to look.
func (p Place) String() string {
	if p.HeldOut {
		return fmt.Sprintf("held-out problem %d (%s)", p.Index+1, p.Problem)
	}
	s := fmt.Sprintf("update %d, episode %d (%s), node %d", p.Update, p.Index, p.Problem, p.Node)
	if p.Action != nil {
		s += fmt.Sprintf(", joint action %d", *p.Action)
	}
	if p.Agent > 0 {
		s += ", " + cmp.Or(p.Name, fmt.Sprintf("agent %d", p.Agent))
	}
	return s
}

// Unchecked is a rule without data, and why there are none.
type Unchecked struct {
	Rule string `json:"rule"`
	Why  string `json:"why"`
}

// DiagnosisFile is the name of a run's diagnosis.
const DiagnosisFile = "diagnostics.json"

// ReadDiagnosis returns the diagnosis of the run in dir; an error that wraps [os.ErrNotExist] means that it has none.
func ReadDiagnosis(dir string) (Diagnosis, error) {
	var d Diagnosis
	err := ReadSealed(dir, DiagnosisFile, &d)
	if err != nil {
		err = fmt.Errorf("read diagnosis: %w", err)
	}
	return d, err
}

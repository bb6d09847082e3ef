package runs

import (
	"cmp"
	"fmt"
	"strings"

	"parley/runs/store"
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
	return fmt.Sprintf("%s: %s is %.4g, which fires at %s %.4g", d.Kind, measures(d.Rule, d.Agent, d.Name), d.Value, d.Sense, d.Threshold)
}

// String says in one line what a rule saw.
func (r Rule) String() string {
	s := fmt.Sprintf("%s: %s is %.4g (fires at %s %.4g)", r.Kind, measures(r.Rule, r.Agent, r.Name), r.Value, r.Sense, r.Threshold)
	if r.Moot {
		s += ", but the rule does not apply here"
	}
	return s
}

// measured says what the value of a rule is. Rewards are shares of the reward's range.
var measured = map[string]string{
	"dead_groups":           "share of groups with equal credits",
	"tiny_spread_whitened":  "share of groups with a tiny spread that is normalised",
	"unusable":              "share of usable responses",
	"token_share":           "share of all tokens",
	"aux_without_influence": "share of joint actions in which the first response can matter",
	"cascade_share":         "share of programs that the helper breaks",
	"audit_gap":             "rise of the robust reward over the last updates",
	"flag_share":            "share of joint actions with a robust flag",
	"few_items_gain":        "share of held-out problems on which the team gains over one model",
	"failed":                "share of problems that could not be scored, over the last updates",
	"flagged":               "share of answers with a flag in the last update",
	"return_spread":         "spread of what answers are trained on, as a share of the reward's range",
	"optimizer_steps":       "optimizer steps in the last updates",
	"drift":                 "mean change of a token's log-probability from the base, in nats",
	"update_norm":           "how far the steps of the window have moved the policy that moved most, as a share of the norm of its parameters",
	"value_explained":       "share of the returns' variance that the critic knows",
	"endless":               "share of answers in the last update that did not end before sampling.max_tokens",
	"truncated_prompts":     "share of prompts in the last update that lost their beginning",
}

// measures says what the value of a rule is, and of whom.
func measures(rule string, agent int, name string) string {
	what := cmp.Or(measured[rule], rule)
	var turn int
	if n, _ := fmt.Sscanf(rule, "turn%d:drop", &turn); n == 1 {
		what = fmt.Sprintf("mean reward of turn %d minus that of turn 1", turn)
	}
	if flag, is := strings.CutPrefix(rule, "flagged:"); is {
		what = fmt.Sprintf("share of answers in the last update with the flag %s", flag)
	}
	if agent > 0 {
		what += " of " + cmp.Or(name, fmt.Sprintf("agent %d", agent))
	}
	return what
}

// evidence names the first place.
func evidence(places []Place) string {
	if len(places) == 0 {
		return ""
	}
	return ", see " + places[0].String()
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
	err := store.ReadSealed(dir, DiagnosisFile, &d)
	if err != nil {
		err = fmt.Errorf("read diagnosis: %w", err)
	}
	return d, err
}

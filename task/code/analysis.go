package code

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley/task/sandbox"
)

// A Submission is what a team wrote for one problem.
type Submission struct {
	Entry  string `json:"entry"`  // name of the asked function
	Prompt string `json:"prompt"` // of the problem: its imports and helpers are part of the program
	Tests  string `json:"tests"`  // of the problem: def check(candidate)
	Aux    string `json:"aux"`    // response of the first agent; empty: there is none
	Main   string `json:"main"`   // response of the last agent

	Solution string `json:"-"` // a program that is known to be right; empty: there is none
}

// An Analysis is what the syntax of a submission says.
type Analysis struct {
	Aux         string `json:"aux"` // source of the function; empty: there is none
	AuxReturns  bool   `json:"aux_returns"`
	Main        string `json:"main"`
	MainReturns bool   `json:"main_returns"`
	Prelude     string `json:"prelude"` // imports and helpers of the prompt
	Program     string `json:"program"` // prelude, aux and main
	Parses      bool   `json:"parses"`  // the program does
	Fault       string `json:"fault"`   // why it does not
	Cascade     bool   `json:"cascade"` // main alone parses although the program does not
	Candidate   string `json:"candidate"`
	Tests       []Test `json:"tests"`
	Calls       bool   `json:"calls"`   // main calls aux or passes it on, be there an aux or not
	Used        bool   `json:"used"`    // main calls aux, or passes it on, and does not rebind the name
	Wrapper     bool   `json:"wrapper"` // main does nothing but call aux
	Ignored     bool   `json:"ignored"` // the value of some call is dropped
	Scheme      Scheme `json:"scheme"`
}

// A Test is one assertion, or one compound statement with assertions, after the set-up that it needs.
type Test struct {
	Setup  []string `json:"setup"`
	Source string   `json:"source"`
}

// A Scheme is the way in which main uses aux (§14).
type Scheme string

const (
	Invalid        Scheme = "invalid"         // main is missing or does not parse
	None           Scheme = "none"            // aux is missing, not called, or the name is rebound
	Ignored        Scheme = "ignored"         // the value of every call is dropped
	Wrapper        Scheme = "wrapper"         // main does nothing but call aux
	Fallback       Scheme = "fallback"        // main has its own way where aux gives nothing
	StrategyFilter Scheme = "strategy_filter" // aux decides branches only
	Coordinator    Scheme = "coordinator"     // main divides the work and combines the results of several calls
	Decorator      Scheme = "decorator"       // aux does the core, main what is around it
)

// examineTime bounds the analysis of one submission.
const examineTime = 10 * time.Second

// Analyze takes a submission apart. A submission that breaks Python's own parser has no functions.
func (l *Sandboxes) Analyze(ctx context.Context, s Submission) (Analysis, error) {
	return l.analyze(ctx, s, false)
}

// analyze uses the published rules on lines where published is set.
func (l *Sandboxes) analyze(ctx context.Context, s Submission, published bool) (Analysis, error) {
	l.slots <- struct{}{}
	defer func() { <-l.slots }()
	r, err := l.trusted.Run(ctx, sandbox.Program{
		Source: "import json, parley_examine\nprint(json.dumps(parley_examine.examine(argument)))",
		Argument: struct {
			Submission
			Published bool `json:"published"`
		}{s, published},
		Limits: sandbox.Limits{Wall: examineTime, Output: 16 << 20},
	})
	if err != nil {
		return Analysis{}, fmt.Errorf("examine a submission: %w", err)
	}
	var e Analysis
	if !r.OK() || json.Unmarshal(r.Stdout, &e) != nil {
		return Analysis{Scheme: Invalid}, nil
	}
	return e, nil
}

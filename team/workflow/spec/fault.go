package spec

import "fmt"

// A Fault is one thing that is wrong with a workflow.
type Fault struct {
	Place   string // such as team.workflow[2].prompt
	Message string
	Hint    string // what to write instead; may be empty
}

func (f Fault) String() string { return fmt.Sprintf("%s: %s", f.Place, f.Message) }

// Faults is everything that is wrong with a workflow.
type Faults []Fault

func (f Faults) Error() string {
	out := ""
	for i, fault := range f {
		if i > 0 {
			out += "\n"
		}
		out += fault.String()
		if fault.Hint != "" {
			out += "; " + fault.Hint
		}
	}
	return out
}

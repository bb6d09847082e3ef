package code

import "parley/task"

// facts are what diagnoses need of a report and of its audit, nil where there is none. Influence is measured by the audit, and there
// only where a test passed; elsewhere a main that does not use aux is what certainly has none. apart says that tests did not run in
// the program's own process.
func (r Report) facts(responses int, audit *Report, apart bool) *task.Signals {
	f := &task.Signals{Usable: []bool{r.Scheme != Invalid}, Cascade: &r.Cascade}
	if r.Stopped != StopNoTests {
		solved := r.Parts[partTests]
		f.Solved = &solved
	}
	if audit != nil {
		paid := audit.Reward()
		gamed := audit.Influences != nil && !*audit.Influences || audit.PassThrough != nil && *audit.PassThrough
		f.Audit, f.Gamed = &paid, &gamed
	}
	if responses < 2 {
		f.Cascade = nil
		return f
	}
	if !apart && r.Total > 0 {
		raised := r.AuxRaised > 0
		f.Raised = &raised
	}
	f.Usable = []bool{r.Parts[partAux] > 0, r.Scheme != Invalid}
	f.Scheme = string(r.Scheme)
	if audit != nil {
		f.Influence = audit.Influences
	}
	if f.Influence == nil {
		uses := r.Scheme != Invalid && r.Scheme != None && r.Scheme != Ignored
		f.Influence = &uses
	}
	return f
}

package code

import "parley/task"

// facts are what diagnoses need of a report. Influence is measured under the robust scorer only, and there only where a test
// passed; elsewhere a main that does not use aux is what certainly has none.
func (r Report) facts(responses int, robust bool) *task.Facts {
	f := &task.Facts{Usable: []bool{r.Scheme != Invalid}, Cascade: &r.Cascade}
	if r.Stopped != StopNoTests {
		solved := r.Parts[PartTests]
		f.Solved = &solved
	}
	if robust {
		audit := r.Reward()
		gamed := r.Influences != nil && !*r.Influences || r.PassThrough != nil && *r.PassThrough
		f.Audit, f.Gamed = &audit, &gamed
	}
	if responses < 2 {
		f.Cascade = nil
		return f
	}
	if !robust && r.Total > 0 {
		raised := r.AuxRaised > 0
		f.Raised = &raised
	}
	f.Usable = []bool{r.Parts[partAux] > 0, r.Scheme != Invalid}
	f.Scheme = string(r.Scheme)
	f.Influence = r.Influences
	if f.Influence == nil {
		uses := r.Scheme != Invalid && r.Scheme != None && r.Scheme != Ignored
		f.Influence = &uses
	}
	return f
}

package labelled

// Forms are all forms; each has the name of its task.
var Forms = []Form{GSM8K, SVAMP, GSMHard, MATH, TinyGSM, NLI}

// Named returns the form of a task.
func Named(name string) (form Form, ok bool) {
	for _, f := range Forms {
		if f.Name == name {
			return f, true
		}
	}
	return Form{}, false
}

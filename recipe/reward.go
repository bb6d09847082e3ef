package recipe

// Joint says that one reward is for all answers of a turn together.
func (r Reward) Joint() bool { return r.OfTask() || r.Source == "user" }

// OfTask says that the joint reward is the task's: trained on, or what a reward model learns.
func (r Reward) OfTask() bool { return r.Source == "joint" || r.Source == preferences }

// sources are the words of a user's reward that say where it comes from.
func (u User) sources() (given []string) {
	for _, s := range []struct {
		word string
		on   bool
	}{{"python", u.Python != ""}, {"command", len(u.Command) > 0}, {"expression", u.Expression != ""}, {"url", u.URL != ""}} {
		if s.on {
			given = append(given, s.word)
		}
	}
	return given
}

// tried says that another try of a reward would give the same.
func (u User) tried() bool { return u.Expression != "" || u.Python != "" && u.Isolated }

// Scored says that something beside the label scores each answer.
func (r Reward) Scored() bool {
	return r.Source == "trained" || r.Source == "program" || r.Source == "server"
}

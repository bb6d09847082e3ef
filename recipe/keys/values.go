package keys

import "net/url"

// Joint says that one reward is for all answers of a turn together.
func (r Reward) Joint() bool { return r.OfTask() || r.Source == "user" }

// OfTask says that the joint reward is the task's: trained on, or what a reward model learns.
func (r Reward) OfTask() bool { return r.Source == "joint" || r.Source == Preferences }

// Sources are the words of a user's reward that say where it comes from.
func (u User) Sources() (given []string) {
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

// Tried says that another try of a reward would give the same.
func (u User) Tried() bool { return u.Expression != "" || u.Python != "" && u.Isolated }

// Scored says that something beside the label scores each answer.
func (r Reward) Scored() bool {
	return r.Source == "trained" || r.Source == "program" || r.Source == "server"
}

// Preferences is the source that is a reward model.
const Preferences = "preferences"

// Active says that some training problems may be left out.
func (f Filter) Active() bool { return f.MinPassRate > 0 || f.MaxPassRate < 1 }

// SameTask is the eval.task.name of a team that is measured on the task that it is trained on.
const SameTask = "same"

// Other says that another task is measured than is trained on.
func (e EvalTask) Other() bool { return e.Name != SameTask }

// Zero says that nothing is added.
func (i Incentives) Zero() bool {
	return i.Alpha0 == 0 && i.Alpha1 == 0 && i.Beta0 == 0 && i.Beta1 == 0
}

// WebAddress reports whether a text is the address of a web server.
func WebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

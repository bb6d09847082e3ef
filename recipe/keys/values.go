package keys

import (
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"parley/internal/service/web"
	"parley/recipe/schema"
)

// Joint says that one reward is for all answers of a turn together.
func (r Reward) Joint() bool { return r.OfTask() || r.Source == "user" || r.Source == OfHarness }

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

// Sources that are a reward model, and the program in which the team works.
const (
	Preferences = "preferences"
	OfHarness   = "harness"
)

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

// Answers reports whether a text is the address of a web server, or of what the program that started parley answers.
func Answers(text string) bool { return WebAddress(text) || web.OfHost(text) }

// sized matches an amount of memory: a number and a unit.
var sized = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?(?i:([KMGT])(i?)B)$`)

// Bytes reads an amount such as 8GiB or 500MB; an empty text is 0.
func Bytes(text string) (bytes float64, ok bool) {
	if text == "" {
		return 0, true
	}
	m := sized.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil || n == 0 {
		return 0, false
	}
	base := 1000.0
	if m[3] != "" {
		base = 1024
	}
	return n * math.Pow(base, float64(1+strings.Index("KMGT", strings.ToUpper(m[2])))), true
}

// What a key with the tag reach lets a recipe do outside of its run's folder and the sandbox.
const (
	runs    = "runs"    // start a program, with its arguments
	Imports = "imports" // run a file of Python, unless that is isolated
	Asks    = "asks"    // send to a server
	Tells   = "tells"   // send it a secret: the value of an environment variable
	Writes  = "writes"  // write into a file or folder
)

// Reach lists the values of the keys of a struct that have the tag, in the order of its schema; of points to it. Of a command these are all
// its items. A file of Python is not among it where the key isolated beside it is true: the sandbox contains it.
func Reach(root *schema.Field, of any) (list []Named) {
	root.Leaves(func(f *schema.Field) {
		how := f.Tag.Get("reach")
		if how == "" || how == Imports && isolated(root, f, of) {
			return
		}
		for _, text := range pathTexts(f.At(of)) {
			if text != "" && (f.Tag.Get("names") != tool || Answers(text)) { // other tools are in the sandbox
				list = append(list, Named{Key: f.Path, Kind: how, Path: text})
			}
		}
	})
	return list
}

// isolated is the value of the key of that name beside another; false: there is none.
func isolated(root, f *schema.Field, of any) bool {
	beside := root.Find(strings.TrimSuffix(f.Path, f.Name) + "isolated")
	return beside != nil && beside.At(of).Bool()
}

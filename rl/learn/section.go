package learn

import (
	"fmt"
	"reflect"
	"slices"
)

// A Section declares the settings of a family of algorithms: recipes have a section of its name with a key for each field. What is wrong with
// the values, or useless, the family says by functions of a [View]. Keys are whole ones, such as ppo.clip.
type Section struct {
	Name     string
	Settings any // of the struct's type, whose tags say keys, defaults and ranges, and whose method KeyTexts what they mean; the value does not matter
	// RewardModels says that a reward model learns by these settings too, whatever the algorithm.
	RewardModels bool
	Rules        []Rule
	// Bundles are the words of the key BundleKey that stand for values of many keys, of any section.
	Bundles   []Bundle
	BundleKey string
	Warnings  []Warning
	Idle      []Idle
}

// A Bundle is a word that stands for values of many keys.
type Bundle struct {
	Word string
	Set  []string // key=value, as behind --set
}

// Type is that of the settings.
func (s Section) Type() reflect.Type { return reflect.TypeOf(s.Settings) }

// A Rule refuses a combination of values.
type Rule struct {
	Keys   []string            // that it is about, the one to point at first
	Broken func(v View) string // what is wrong and what was expected; empty: nothing
	Hint   string              // what to write instead; empty: the message says it
}

// A Warning names a combination that runs and is probably not meant.
type Warning struct {
	When func(v View) bool
	Text string
}

// Idle says when keys have no effect.
type Idle struct {
	When func(v View) string // what makes it so, such as ppo.loss grpo; empty: they have one
	Keys []string
}

// A View is what a section sees of a recipe.
type View struct {
	Algorithm Algorithm
	Settings  []any // of all sections, each by its type: see [SettingsIn]
	// Read says that the run reads the section: its algorithm declares it, or a reward model learns by it.
	Read bool

	Agents, Turns    int
	Together         bool // some turn asks several agents at once
	Trained          int  // agents that are not frozen
	FirstTrainedTurn int
	Updates          int
	Async            int                 // updates by which sampling is ahead
	Budget           int                 // training.tokens
	AnswersPerPolicy int                 // of an update, for the policy with the fewest
	Cut              bool                // sampling leaves improbable tokens out
	Reward           string              // reward.source
	Names            []string            // of the agents
	Speakers         map[string]string   // what speaks for agents that are no models, such as script, by their names
	Workflow         bool                // the protocol is a workflow
	Harness          bool                // a program of the user's asks the agents
	Answer           string              // kind of team.answer, such as vote; empty: the last text
	Acts             bool                // in an environment
	Hidden           map[string][]string // who sees a field that some agents do not
	Frozen           []int               // numbers from 1 of agents that are not trained
	Joint            bool                // one reward is for all answers of a turn
}

// Kind is that of the view's algorithm.
func (v View) Kind() Kind { return v.Algorithm.Kind }

// If returns a text, made of a format, where a condition holds; else none. [Rule] and [Idle] are written with it.
func If(condition bool, format string, args ...any) string {
	if !condition {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// Reads says that the algorithm declares a section.
func (a Algorithm) Reads(section string) bool {
	return slices.ContainsFunc(a.Sections, func(s Section) bool { return s.Name == section })
}

// Sections lists those that some algorithms declare, each once: in the order of the kinds, of the algorithms and of each one's own. Mistakes in
// the declarations panic.
func Sections(all []Algorithm) (list []Section) {
	seen := map[string]reflect.Type{}
	for _, kind := range []Kind{Debates, GroupRelative, ActorCritic, Preferences} {
		for _, a := range all {
			if a.Kind != kind {
				continue
			}
			a.needGroup()
			for _, s := range a.Sections {
				if t, known := seen[s.Name]; !known {
					seen[s.Name] = s.Type()
					list = append(list, s)
				} else if t != s.Type() {
					panic(fmt.Sprintf("internal error: section %s has settings of %v and of %v", s.Name, t, s.Type()))
				}
			}
		}
	}
	return list
}

// needGroup panics where episodes are trees of groups, but no section says how large these are.
func (a Algorithm) needGroup() {
	has := slices.ContainsFunc(a.Sections, func(s Section) bool { return s.Type() == reflect.TypeFor[Group]() })
	if trees := a.Kind == GroupRelative || a.Kind == ActorCritic; trees && !has {
		panic("internal error: algorithm " + a.Name + " declares no section with learn.Group")
	}
}

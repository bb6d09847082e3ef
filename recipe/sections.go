package recipe

import (
	"reflect"
	"slices"

	"parley/recipe/keys"
	"parley/rl/learn"
)

// Section returns the settings of a family of algorithms, such as ppo.Settings; all zero where the language has no section of the type.
func Section[S any](r *Recipe) S {
	if i := indexOf[S](r); i >= 0 {
		return *r.Sections[i].(*S)
	}
	var none S
	return none
}

// ChangeSection changes the settings of a family of algorithms in r. Copies of r keep theirs.
func ChangeSection[S any](r *Recipe, change func(*S)) {
	i := indexOf[S](r)
	if i < 0 {
		return
	}
	s := Section[S](r)
	change(&s)
	r.Sections = slices.Clone(r.Sections)
	r.Sections[i] = &s
}

func indexOf[S any](r *Recipe) int {
	return slices.IndexFunc(r.Sections, func(s any) bool { _, ok := s.(*S); return ok })
}

// LearningSettings are the sections of the recipe that algorithms read, each by its type, with the shape of the rollouts that its algorithm has.
func (r *Recipe) LearningSettings() []any {
	list := make([]any, len(r.Sections))
	for i, s := range r.Sections {
		list[i] = reflect.ValueOf(s).Elem().Interface()
	}
	return r.AlgorithmType().Played(list)
}

// Groups are the settings of groups among [Recipe.LearningSettings].
func (r *Recipe) Groups() learn.Group { return learn.SettingsIn[learn.Group](r.LearningSettings()) }

// view is what a section sees of r.
func (r *Recipe) view(s learn.Section) learn.View {
	a := r.AlgorithmType()
	size, _ := r.Size()
	return learn.View{
		Names: r.Team.Agents.Names(), Speakers: r.Team.Agents.Speakers(), Workflow: r.Team.Protocol == "workflow", Harness: r.Harnessed(), Answer: r.Team.Answer.Word, Acts: r.traits().Acts,
		Together:  r.Team.Program == "" && size.NodeSamples > size.Nodes,
		Algorithm: a, Settings: r.LearningSettings(), Read: a.Reads(s.Name) || s.RewardModels && r.Reward.Source == keys.Preferences,
		Agents: r.Team.Agents.N, Trained: r.Team.Agents.N - len(r.Policies.Frozen), Turns: r.Team.Turns, FirstTrainedTurn: r.Policies.FirstTrainedTurn, Updates: r.Training.Updates, Async: r.Training.Async, Budget: r.Training.Tokens,
		AnswersPerPolicy: r.answersPerPolicy(), Cut: r.Sampling.TopK > 0 || r.Sampling.TopP < 1, Reward: r.Reward.Source, Joint: r.Reward.Joint(), Hidden: r.Team.Fields.ByField(), Frozen: r.Policies.Frozen,
	}
}

// sectionRules reports what the sections of algorithms find wrong with keys that were read.
func (d *reader) sectionRules(r *Recipe) {
	for _, s := range r.language.Sections() {
		v := r.view(s)
		for _, rule := range s.Rules {
			if !d.Sound(rule.Keys...) {
				continue
			}
			if message := rule.Broken(v); message != "" {
				d.Fail(d.Origin(rule.Keys...), message, rule.Hint)
			}
		}
	}
}

// eachIdleInSections is [Recipe.EachIdle] for the sections of algorithms: those that the run does not read, and what their families say.
func eachIdleInSections(r *Recipe, visit func(key, why string)) {
	for _, key := range r.AlgorithmType().Unread {
		visit(key, r.learning())
	}
	for _, s := range r.language.Sections() {
		v := r.view(s)
		if !v.Read {
			visit(s.Name, r.learning())
		}
		for _, idle := range s.Idle {
			if why := idle.When(v); why != "" {
				for _, key := range idle.Keys {
					visit(key, why)
				}
			}
		}
	}
}

// sectionWarnings are those of the sections of algorithms.
func (r *Recipe) sectionWarnings() (list []string) {
	for _, s := range r.language.Sections() {
		v := r.view(s)
		for _, w := range s.Warnings {
			if w.When(v) {
				list = append(list, w.Text)
			}
		}
	}
	return list
}

package recipe

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley/recipe/keys"
	"parley/recipe/schema"
	"parley/recipe/teams"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/task"
	"parley/team"
)

// validate reports every combination of values that makes no sense together. Each value has passed its own checks by then.
func (d *reader) validate(r *Recipe) {
	d.rules(r)
	d.taskSettings(r)
	d.withoutEffect(r)
	d.RefuseRepeats(r)
	d.templates(r)
	d.workflow(r)
	d.experiment(r)
}

// rules reports which rules are broken, of those whose keys were read.
func (d *reader) rules(r *Recipe) {
	d.brokenOf(r, teamRules)
	d.brokenOf(r, workflowRules)
	d.agents(r)
	d.brokenOf(r, rewardRules)
	d.sectionRules(r)
	d.brokenOf(r, runRules)
}

func (d *reader) brokenOf(r *Recipe, rules []rule) {
	for _, rule := range rules {
		if !d.Sound(rule.keys...) {
			continue
		}
		if message := rule.broken(r); message != "" {
			d.Fail(d.Origin(rule.keys...), message, rule.hint)
		}
	}
}

// withoutEffect refuses keys that this recipe would silently ignore. A key that has its default, or its preset's value, is no
// error: a recipe printed in full has them all. Nor is any key of a recipe that a run recorded: a default of an earlier release may be another one now.
func (d *reader) withoutEffect(r *Recipe) {
	if d.recorded {
		return
	}
	defaults, preset := r.language.empty(r.choice()), r.language.start(r.Preset, r.choice())
	r.EachIdle(func(leaf *schema.Field, why string) {
		if value := leaf.At(r).Interface(); !reflect.DeepEqual(value, leaf.At(defaults).Interface()) && !reflect.DeepEqual(value, leaf.At(preset).Interface()) {
			d.Fail(d.Origin(leaf.Path), leaf.Path+" has no effect with "+why, "leave it out")
		}
	})
}

// EachIdle calls visit for every key that has no effect in r, with the reason. Several reasons may hold for one key.
func (r *Recipe) EachIdle(visit func(leaf *schema.Field, why string)) {
	keys := r.schema()
	each := func(key, why string) { keys.Find(key).Leaves(func(leaf *schema.Field) { visit(leaf, why) }) }
	eachIdleInSections(r, each)
	for _, idle := range idleKeys {
		if why := idle.when(r); why != "" {
			for _, key := range idle.keys {
				each(key, why)
			}
		}
	}
}

// idle are the keys that have no effect in r: in no run of its experiment, where it has one.
func (r *Recipe) idle() map[string]bool {
	once := *r
	once.Experiment.Seeds = nil
	trials, err := once.Trials()
	if err != nil {
		panic("internal error: a recipe that was checked: " + err.Error())
	}
	count := map[string]int{}
	for _, t := range trials {
		keys := map[string]bool{} // several rules may say it of one key
		t.Recipe.EachIdle(func(leaf *schema.Field, _ string) { keys[leaf.Path] = true })
		for key := range keys {
			count[key]++
		}
	}
	idle := map[string]bool{}
	for key, n := range count {
		idle[key] = n == len(trials)
	}
	return idle
}

// dropIdle gives keys without effect their defaults, but for those that a --set gave their values.
func (d *reader) dropIdle(r *Recipe) {
	defaults := r.language.empty(r.choice())
	r.EachIdle(func(leaf *schema.Field, _ string) {
		if at, given := d.Given(leaf.Path); !given || at.Line > 0 {
			leaf.At(r).Set(leaf.At(defaults))
		}
	})
}

// taskSettings reports what the tasks find wrong with their settings.
func (d *reader) taskSettings(r *Recipe) {
	in := task.Team{Agents: r.Team.Agents.N, Episodes: r.episodes(), Actors: teams.Actors(r.Team.Workflow)}
	if base := r.schema().Find("model").Default; slices.Contains(r.Bases(), base) {
		in.Shipped = base
	}
	d.faults("task", r, r.Task, in)
	if r.Eval.Task.Other() {
		d.faults("eval.task", r, r.Measured(), in)
	}
}

func (d *reader) faults(section string, r *Recipe, chosen keys.Task, in task.Team) {
	t, _ := r.language.Task(chosen.Name)
	for _, fault := range t.Check(chosen.Settings, in) {
		key := section + "." + fault.Key
		d.Fail(d.Origin(key, section), key+" "+fault.Message, fault.Hint)
	}
}

// templates checks that every prompt is a template and uses only what prompts are given.
func (d *reader) templates(r *Recipe) {
	fields := map[string]string{}
	for _, name := range r.traits().FieldNames(r.Team.Agents.N) {
		fields[name] = "text"
	}
	p := r.Team.Prompts
	for _, c := range []struct {
		key     string
		prompts team.Prompts
	}{
		{"team.prompts.system", team.Prompts{System: p.System}},
		{"team.prompts.first", team.Prompts{First: p.First}},
		{"team.prompts.later", team.Prompts{Later: p.Later}},
	} {
		if r.traits().AnyField { // only the data knows them
			for _, name := range c.prompts.FieldNames() {
				fields[name] = "text"
			}
		}
		if err := c.prompts.Check(fields); err != nil {
			d.Fail(d.Origin(c.key), fmt.Sprintf("%s: %v", c.key, err), "a template has .Question, .Fields, .Agent, .Role, .Turn, .Own, .Others, .Report; docs/"+TaskPage(r.Task.Name)+" lists the fields")
		}
	}
}

// TaskPage is the file of a task's page in docs.
func TaskPage(name string) string { return "recipes/task-" + name + ".md" }

// Size counts what one item of training implies, without early termination (magrpo.md 2.2). An error says that the numbers are beyond
// counting.
func (r *Recipe) Size() (credit.Size, error) {
	agents, turns, completions := r.Seats(), r.Team.Turns, r.Completions()
	switch {
	case r.Harnessed():
		g, calls := r.Groups(), slices.Repeat([]int{1}, turns)
		g.Rollout = "episodes"
		return g.WorkflowSize(calls, calls, completions)
	case r.Stepwise() && r.Kind() != learn.Preferences:
		return r.workflowSize(completions)
	case r.episodes():
		return credit.EpisodesSize(slices.Repeat([]int{agents}, turns), completions)
	case r.Kind() == learn.Preferences:
		return credit.ChainSize(agents, completions, 1)
	case !r.trees() || completions == 1 || r.chain():
		return credit.ChainSize(agents, completions, turns)
	}
	mode, err := credit.ParseJointMode(Section[learn.Group](r).Joint)
	if err != nil {
		return credit.Size{}, err
	}
	return credit.TreeSize(mode, agents, completions, turns)
}

// Generations is how many completions one item of training implies, without early termination.
func (r *Recipe) Generations() (int, error) {
	size, err := r.Size()
	return size.Generations, err
}

// Warnings names choices that are allowed and probably not meant, of an experiment those of all its variants.
func (r *Recipe) Warnings() []string {
	if len(r.Experiment.Variants) == 0 {
		return r.ownWarnings()
	}
	trials, err := r.Trials()
	if err != nil {
		return r.ownWarnings()
	}
	var list []string
	of := map[string][]string{} // the variants that a warning is about
	for _, t := range trials {
		for _, w := range t.Recipe.ownWarnings() {
			if of[w] == nil {
				list = append(list, w)
			}
			if !slices.Contains(of[w], t.Variant) {
				of[w] = append(of[w], t.Variant)
			}
		}
	}
	for i, w := range list {
		if about := of[w]; len(about) < len(r.Experiment.Variants) {
			list[i] = fmt.Sprintf("variant %s: %s", strings.Join(about, ", "), w)
		}
	}
	return list
}

// ownWarnings are those of a single run.
func (r *Recipe) ownWarnings() []string {
	list := append(append(r.sectionWarnings(), r.cutShort()...), r.unread()...)
	for _, w := range warnings {
		switch {
		case !w.when(r):
		case w.about != nil:
			list = append(list, fmt.Sprintf(w.text, w.about(r)))
		default:
			list = append(list, w.text)
		}
	}
	return append(list, r.TaskType().Warnings(r.Task.Settings)...)
}

package lineup

import (
	"fmt"
	"slices"

	"parley/engine"
	"parley/train/plan"
)

// Notes says what became of the records of a data set, and of problems that are too long, how the learning rate was chosen, what is odd in
// the files of models, and that the processor is one that computes slowly.
func (l Lineup) Notes() []string {
	var out []string
	for _, one := range l.tasks() {
		if t, ok := one.(interface{ Account() string }); ok && t.Account() != "" {
			out = append(out, fmt.Sprintf("task %s: %s", one.Name(), t.Account()))
		}
	}
	if l.overlap > 0 {
		out = append(out, fmt.Sprintf("task %s: %d training problems are left out: they are measured on, as held-out problems of task %s", l.Task.Name(), l.overlap, l.measured.Name()))
	}
	if most := l.Recipe.Task.MaxQuestionTokens; most > 0 {
		out = append(out, fmt.Sprintf("task %s: %d of %d training problems have questions of more than %d tokens and are left out", l.Task.Name(), l.TooLong, l.TooLong+len(l.Training.Problems), most))
	}
	if l.RateNote != "" {
		out = append(out, l.RateNote)
	}
	if l.growth != "" {
		out = append(out, l.growth)
	}
	for _, b := range l.Bases {
		for _, note := range b.Model.Notes() {
			out = append(out, fmt.Sprintf("model %s: %s", b.Model.Name, note))
		}
	}
	out = append(out, l.controlNotes()...)
	if _, why := l.Backend.Kernels(plan.EngineOptions(l.Recipe.Engine)); why != "" {
		out = append(out, why)
	}
	return out
}

// controlNotes tells of control tokens in the recipe's own prompts, which are read as text.
func (l Lineup) controlNotes() []string {
	p := l.Recipe.Team.Prompts
	if p.ControlTokens {
		return nil
	}
	var out []string
	for _, b := range l.Bases {
		for _, text := range slices.Concat([]string{p.System, p.First, p.Later}, p.Examples, p.Roles) {
			if control, ok := b.Model.WritesControl(text); ok {
				out = append(out, fmt.Sprintf("model %s: team.prompts has %s, which is read as text: write control_tokens: true beside it if it is to be that token", b.Name, control))
				break
			}
		}
	}
	return out
}

// EngineNotes says what engines have done in another way than they were asked to, because memory was short. A note is returned once.
func (l Lineup) EngineNotes() []string {
	var out []string
	for _, b := range l.Bases {
		noter, ok := engine.As[engine.Noter](b.Engine)
		if !ok {
			continue
		}
		for _, note := range noter.Notes() {
			if len(l.Bases) > 1 {
				note = fmt.Sprintf("model %s: %s", b.Name, note)
			}
			out = append(out, note)
		}
	}
	return out
}

// TemplateNotes tells of chat templates that print earlier turns in another way in later prompts. Training is right all the same: every turn
// is learned with the very prompt and answer ids that it was sampled with. But the model does not see in later turns what it wrote, and
// prompts of later turns share less computation with earlier ones.
func (l Lineup) TemplateNotes() []string {
	if l.Protocol.Turns() < 2 {
		return nil
	}
	var out []string
	for _, b := range l.Bases {
		if err := b.Model.CheckPrefix(); err != nil {
			out = append(out, fmt.Sprintf("model %s: %v; each turn is still trained on the ids that were sampled", b.Model.Name, err))
		}
	}
	return out
}

package recipe

import (
	"fmt"
	"slices"

	"parley/internal/usererror"
	"parley/recipe/keys"
	"parley/recipe/teams"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/team/workflow"
)

// Stepwise says that the recipe itself says who is asked what, step by step.
func (r *Recipe) Stepwise() bool { return r.protocol().Stepwise }

// Harnessed says that a program of the user's says who is asked what.
func (r *Recipe) Harnessed() bool { return r.protocol().Harness }

// Workflow is that of the recipe, with the text of team.program where it has one.
func (r *Recipe) Workflow(program string) workflow.Spec {
	s := teams.Workflow(r.Team, program)
	s.World = r.traits().Acts
	return s
}

// FirstAsked are the agents, from 0, of a workflow's first step, in agent order; nil: it asks no agents by name.
func (r *Recipe) FirstAsked() []int { return teams.FirstAsked(r.Team) }

// AsWorkflow is r with the steps of a workflow in the place of its protocol.
func (r *Recipe) AsWorkflow(s workflow.Spec) *Recipe {
	out := *r
	out.Team = teams.Keys(r.Team, s)
	return &out
}

// asksAll says that every turn of a workflow asks all agents, and is rewarded, as in a debate.
func (r *Recipe) asksAll() bool {
	asks := teams.Asks(r.Workflow(""))
	return r.Team.Answer.Word == keys.AnswerEveryTurn && len(asks) > 0 && !slices.ContainsFunc(asks, func(a teams.Asking) bool { return a.Agents < r.Team.Agents.N })
}

// workflowSize is [Recipe.Size] of a workflow, with so many completions of an agent at a node where a step says nothing else. A program may
// ask everybody in every turn.
func (r *Recipe) workflowSize(completions int) (credit.Size, error) {
	var speakers, samples []int
	for _, ask := range teams.Asks(r.Workflow("")) {
		n := completions
		if ask.Samples > 0 && completions > 1 {
			n = ask.Samples
		}
		speakers, samples = append(speakers, ask.Agents), append(samples, n)
	}
	if len(r.Team.Workflow) == 0 {
		speakers, samples = slices.Repeat([]int{r.Team.Agents.N}, r.Team.Turns), slices.Repeat([]int{completions}, r.Team.Turns)
	}
	return r.Groups().WorkflowSize(speakers, samples, completions)
}

// settle fills in what follows from other keys: the turns of a workflow, or of a program, each of whose calls is one, and the agents that are frozen by name.
func (d *reader) settle(r *Recipe) {
	frozen := slices.Clone(r.Policies.Frozen)
	for i, a := range r.Team.Agents.Named {
		if (a.Frozen || a.Speaker() != "") && !slices.Contains(frozen, i+1) {
			frozen = append(frozen, i+1)
		}
	}
	if len(frozen) > 0 {
		slices.Sort(frozen)
		r.Policies.Frozen = frozen
	}
	if r.Harnessed() {
		if at, given := d.Given("team.turns"); given && r.Team.Turns != r.Team.Harness.Calls && !d.recorded {
			d.Fail(at, fmt.Sprintf("team.turns is %d, but the program of the team decides how often it asks", r.Team.Turns), "leave team.turns out; team.harness.calls bounds the calls of an episode")
		}
		r.Team.SettleHarness(d.folder)
	}
	if !r.Stepwise() || len(r.Team.Workflow) == 0 {
		return
	}
	most := workflow.MostTurns(teams.Steps(r.Team.Workflow, ""))
	if at, given := d.Given("team.turns"); given && r.Team.Turns != most {
		d.Fail(at, fmt.Sprintf("team.turns is %d, but the steps of team.workflow ask in %d turns at most", r.Team.Turns, most), "leave team.turns out")
	}
	r.Team.Turns = most
}

// workflow reports what is wrong with the steps of a workflow. Whoever opens its program says what is wrong with that.
func (d *reader) workflow(r *Recipe) {
	if !d.Sound(keys.WorkflowReads(r.Team.Agents)...) || !r.Stepwise() || len(r.Team.Workflow) == 0 {
		return
	}
	for _, f := range teams.WorkflowFaults(r.Workflow("")) {
		d.Fail(d.Near(f.Place, "team.workflow", "team"), f.String(), f.Hint)
	}
}

// agents reports what is wrong with what agents have of their own.
func (d *reader) agents(r *Recipe) {
	f := teams.Facts{Models: len(r.Models) > 0, Bases: teams.Places(r.Bases(), r.Team.Agents, r.Soloist(), r.Engine.Elsewhere()), Elsewhere: r.Engine.Elsewhere(), Sharing: r.Policies.Sharing, Full: r.Policies.Full, DType: r.Engine.DType, Joint: r.Reward.Joint(), Source: r.Reward.Source, Eval: r.Eval, Harness: r.Harnessed(), Penalty: r.AlgorithmType().PenalizesKL && !r.chain(), Learner: r.learning(), OneModel: learn.If(r.OneModel(), "team.protocol %s%s", r.Team.Protocol, learn.If(r.Stepwise(), ", team.answer %s", r.Team.Answer.Word))}
	if r.chain() {
		f.Learner = "group.rollout chain"
	}
	for _, fault := range teams.Faults(r.Team, f) {
		d.Fail(d.Near(fault.Place, "team"), fault.Message, fault.Hint)
	}
	if key, fault := r.Team.FormFault(r.Sampling, !r.OneModel()); fault != "" {
		d.Fail(d.Near(key, "team"), fault, "docs/forms.md says what can be forced")
	}
}

// Forced says that answers of some agent have a form.
func (r *Recipe) Forced() bool {
	forced := func(a keys.Agent) bool { return a.Form(r.Sampling).Forced() }
	return r.Sampling.Form().Forced() || !r.OneModel() && slices.ContainsFunc(r.Team.Agents.Named, forced)
}

// teamAlone says why an agent's own rewards have no meaning.
func (r *Recipe) teamAlone() string {
	why := r.AlgorithmType().TeamAlone
	if r.chain() {
		why = "it goes on from the joint action that is best for the team"
	}
	return ": " + why
}

// workflowRules are about teams whose steps stand in the recipe.
var workflowRules = []rule{
	{[]string{"team.workflow", "team.program", "team.protocol"}, func(r *Recipe) string {
		steps, program := len(r.Team.Workflow) > 0, r.Team.Program != ""
		return unless(!r.Stepwise() || steps != program, "team.protocol is %s, which needs either team.workflow or team.program", r.Team.Protocol)
	}, `write for example workflow: [{ask: writer, prompt: "{{.Question}}"}]`},
	{[]string{"team.protocol", "task.name"}, func(r *Recipe) string {
		return unless(!r.traits().Acts || r.Stepwise(), "task %s is acted in, which team.protocol %s has no steps for", r.Task.Name, r.Team.Protocol)
	}, `write protocol: workflow with steps that act, such as {act: [north, south]}`},
	{[]string{"reward.source", "task.name"}, func(r *Recipe) string {
		return unless(!r.traits().Acts || r.Reward.Source == "joint", "reward.source is %s, but the environment of task %s pays", r.Reward.Source, r.Task.Name)
	}, usererror.Word("set reward.source to joint", "leave out reward=, or set reward.source to joint")},
	{[]string{"group.rollout", "task.name"}, func(r *Recipe) string {
		return unless(!r.traits().Acts || !r.chain(), "group.rollout is chain, which goes on from the best joint action, but the environment of task %s pays later", r.Task.Name)
	}, "set group.rollout to tree or episodes"},
	{[]string{"eval.baselines", "task.name"}, func(r *Recipe) string {
		lone := slices.ContainsFunc(r.Eval.Baselines, func(name string) bool { return name != "off-the-shelf-double" })
		return unless(!r.traits().Acts || !lone, "eval.baselines is %v, but texts alone earn nothing in the environment of task %s", r.Eval.Baselines, r.Task.Name)
	}, "leave it out, or write off-the-shelf-double"},
	{[]string{"team.turns", "team.protocol"}, func(r *Recipe) string {
		return unless(r.Stepwise() || r.Harnessed() || r.Team.Turns <= 16, "team.turns is %d, expected 1 to 16", r.Team.Turns)
	}, ""},
	{[]string{"team.tools", "team.agents", "group.padding"}, func(r *Recipe) string { return r.Team.ToolsFault(r.OneModel(), r.Groups().Padding) }, "docs/tools.md has examples"},
	{[]string{"algorithm", "team.agents"}, func(r *Recipe) string {
		name, own := r.Team.Agents.Weighted()
		return unless(!own || r.AlgorithmType().OwnRewards && !r.chain(),
			"team.agents.%s.reward weighs rewards, but %s learns from the team's alone%s", name, r.learning(), r.teamAlone())
	}, "leave reward out, or set algorithm to magrpo or iac"},
	{[]string{"team.answer", "team.workflow", "reward.source"}, func(r *Recipe) string {
		every := r.Stepwise() && r.Team.Answer.Word == keys.AnswerEveryTurn && !r.Reward.Joint()
		return unless(!every || !r.Team.Workflow.Shortens() && r.Team.Program == "",
			"team.answer is every-turn, but the team may be done before its last turn, so that turns of some episodes have no vote")
	}, "name who answers, such as answer: writer, or leave out when, until and team.program"},
}

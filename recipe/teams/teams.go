// Package teams makes workflows of the keys of recipes, and keys of workflows.
package teams

import (
	"cmp"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"parley/recipe/keys"
	"parley/rl/reward"
	"parley/systems/lessonl/bank"
	"parley/task"
	"parley/team"
	"parley/team/workflow"
)

// Workflow is what the keys of a team say of its workflow, with the text of program where that is a file.
func Workflow(t keys.Team, program string) workflow.Spec {
	s := workflow.Spec{
		Numbered: len(t.Agents.Named) == 0, Steps: once(Steps(t.Workflow, "team.workflow"), t.Agents), Program: program, Turns: t.Turns, Answer: answer(t.Answer),
		System: t.Prompts.System, Examples: t.Prompts.Examples, ShowScores: t.RewardFeedback, OwnOnly: t.History == "own", Feedback: reward.Feedback,
		Hidden: t.Fields.ByField(), Functions: []*starlark.Builtin{bank.Settings{Selector: bank.Selector(t.Lessons.Selector), Shown: t.Lessons.Shown}.Builtin()},
		Chat: team.Memory{NoOriginal: !t.ChatMemory.Original, NoPrevious: !t.ChatMemory.Previous, Turns: t.ChatMemory.Last},
	}
	names := t.Agents.Names()
	if t.Answer.Word == keys.AnswerTagged {
		names = names[:1] // who writes for the others
	}
	for i, name := range names {
		a := workflow.Agent{Name: name}
		if len(t.Prompts.Roles) > i {
			a.Role = t.Prompts.Roles[i]
		}
		if len(t.Agents.Named) > 0 {
			own := t.Agents.Named[i]
			a.System = own.System
			if own.Role != "" {
				a.Role = own.Role
			}
		}
		s.Agents = append(s.Agents, a)
	}
	return s
}

// Steps are those of a workflow, each with its place.
func Steps(list keys.Steps, within string) []workflow.Step {
	var out []workflow.Step
	for i, s := range list {
		step := workflow.Step{
			Place: fmt.Sprintf("%s[%d]", within, i), Ask: s.Ask, Prompts: s.Prompt, Boxed: s.Shows == "boxed", Continue: s.Chat == "continue", When: s.When, Note: s.Note, Samples: s.Samples,
			Act: s.Act, Repeat: s.Repeat, Until: s.Until,
		}
		if s.Steps != nil {
			step.Steps = Steps(s.Steps, step.Place+".steps")
		}
		for _, g := range s.Groups {
			step.Groups = append(step.Groups, workflow.Group(g))
		}
		out = append(out, step)
	}
	return out
}

// Actors are how many agents a step names that act at once, at most.
func Actors(list keys.Steps) (most int) {
	for _, s := range list {
		most = max(most, len(s.Act), Actors(s.Steps))
	}
	return most
}

// once sets one completion an agent for steps that give no number and ask, by name, only agents that are no models.
func once(list []workflow.Step, agents keys.Agents) []workflow.Step {
	for i, s := range list {
		models := slices.ContainsFunc(s.Ask, func(name string) bool {
			at := slices.IndexFunc(agents.Named, func(a keys.Agent) bool { return a.Name == name })
			return at < 0 || agents.Named[at].Speaker() == ""
		})
		if len(s.Ask) > 0 && !models && s.Samples == 0 {
			list[i].Samples = 1
		}
		once(s.Steps, agents)
	}
	return list
}

func answer(a keys.TeamAnswer) workflow.Answer {
	kind := map[string]workflow.AnswerKind{
		keys.AnswerVote: workflow.Vote, keys.AnswerJoint: workflow.Joint, keys.AnswerExpression: workflow.Computed,
		keys.AnswerEveryTurn: workflow.EveryTurn, keys.AnswerTagged: workflow.Tagged,
	}[a.Word]
	return workflow.Answer{Kind: kind, Names: a.Names, Expr: a.Expr}
}

// Keys are those of a team with the steps of a workflow in the place of its protocol.
func Keys(t keys.Team, s workflow.Spec) keys.Team {
	t.Protocol, t.Workflow, t.Turns, t.History = "workflow", stepKeys(s.Steps), workflow.MostTurns(s.Steps), "all"
	if s.OwnOnly {
		t.History = "own"
	}
	t.Answer = keys.TeamAnswer{Word: keys.AnswerEveryTurn}
	if s.Answer.Kind == workflow.Tagged {
		t.Answer.Word = keys.AnswerTagged
	}
	t.Prompts.First, t.Prompts.Later, t.Prompts.System = "", "", s.System
	return t
}

// stepKeys are the keys of steps.
func stepKeys(list []workflow.Step) keys.Steps {
	var out keys.Steps
	for _, s := range list {
		step := keys.Step{Ask: s.Ask, Prompt: s.Prompts, Chat: "new", Shows: "written", When: s.When, Note: s.Note, Samples: s.Samples, Act: s.Act, Repeat: s.Repeat, Until: s.Until}
		if s.Continue {
			step.Chat = "continue"
		}
		if s.Boxed {
			step.Shows = "boxed"
		}
		if len(s.Steps) > 0 {
			step.Steps = stepKeys(s.Steps)
		}
		for _, g := range s.Groups {
			step.Groups = append(step.Groups, keys.Group(g))
		}
		out = append(out, step)
	}
	return out
}

// DefaultPrompts are what agents are asked about a task where a recipe does not say it: the task's own prompts; else the paper's form for a
// question, or, in a team over the shipped base alone, the short one that it was made with.
func DefaultPrompts(t task.Traits, shippedAlone bool) task.Prompts {
	switch {
	case t.Prompts.First != "":
		return task.Prompts{First: t.Prompts.First, Later: cmp.Or(t.Prompts.Later, team.Maths.Later)}
	case shippedAlone:
		return task.Prompts{First: team.Short.First, Later: team.Short.Later}
	}
	return task.Prompts{First: team.Maths.First, Later: team.Maths.Later}
}

// Package plan is what follows from a recipe alone, before anything is opened: who is asked what, which policies there are and what they
// train, how training samples, and the recipe of the single agent that a team is compared with.
//
//	protocol.go  the team's protocol and prompts
//	policies.go  which agent uses which policy, and what every policy trains; completions of a rollout, and how they are drawn
//	problems.go  which problems an update draws
//	servers.go    options of the engines
//	single.go    one agent in the place of the team
//	growth.go    prompts of a workflow that outgrow the context of a base
//	task.go      the task, opened, and where its data set is
package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/internal/plainfile"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/rl/reward"
	"parley/team"
	"parley/team/protocols"
	"parley/team/workflow"
)

// Protocol returns the protocol of the recipe's team.
func Protocol(r *recipe.Recipe) (team.Protocol, error) {
	if r.Stepwise() {
		return stepwise(r)
	}
	kind, known := r.Language().Protocol(r.Team.Protocol)
	if !known {
		return nil, fmt.Errorf("protocol %q is not known: docs/recipes.md lists the protocols under team.protocol", r.Team.Protocol)
	}
	return kind.Open(settings(r))
}

// settings are what the protocols of package team have in common.
func settings(r *recipe.Recipe) team.Settings {
	return team.Settings{
		Agents: r.Team.Agents.N, Turns: r.Team.Turns, SeeOthers: r.Team.History == "all", ShowScores: r.Team.RewardFeedback, Boxed: r.Team.NormalizeVisible,
		Prompts: Prompts(r), Roles: Roles(r), Feedback: reward.Feedback,
		Memory: team.Memory{NoOriginal: !r.Team.ChatMemory.Original, NoPrevious: !r.Team.ChatMemory.Previous, Turns: r.Team.ChatMemory.Last},
	}
}

// Workflow is that of a recipe as data: its own, or the one that the word of team.protocol stands for. ok is false where the word is known to
// its own package alone.
func Workflow(r *recipe.Recipe) (spec workflow.Spec, ok bool, err error) {
	if r.Stepwise() {
		program, err := programOf(r)
		return r.Workflow(program), true, err
	}
	spec, ok = protocols.Workflow(r.Team.Protocol, settings(r))
	return spec, ok, nil
}

// Roles are the texts of the agents for templates; none: they have none.
func Roles(r *recipe.Recipe) []string {
	named := r.Team.Agents.Named
	if len(named) == 0 {
		return r.Team.Prompts.Roles
	}
	out := make([]string, len(named))
	for i, a := range named {
		out[i] = a.Role
	}
	return out
}

// stepwise is the workflow of a recipe.
func stepwise(r *recipe.Recipe) (team.Protocol, error) {
	program, err := programOf(r)
	if err != nil {
		return nil, err
	}
	w, err := workflow.New(r.Workflow(program))
	if err != nil || r.Team.Proposals.Each == 0 {
		return w, err
	}
	return protocols.Given(w, r.FirstAsked()), nil
}

// programOf is the text of a recipe's program: its own lines, or those of the file that it names.
func programOf(r *recipe.Recipe) (string, error) {
	_, text, err := Script("team.program", r.Team.Program)
	return text, err
}

// Script is what a key holds that is a file or its lines: the text, and where it stands, for errors.
func Script(key, value string) (place, text string, err error) {
	if value == "" || strings.Contains(value, "\n") {
		return key, value, nil
	}
	data, err := plainfile.Read(value)
	if err != nil {
		return key, "", fmt.Errorf("%s: %w", key, err)
	}
	return filepath.Base(value), string(data), nil
}

// Secret is the value of the environment variable that a key names; empty: it names none.
func Secret(key, variable string) (string, error) {
	if variable == "" {
		return "", nil
	}
	value := os.Getenv(variable)
	if value == "" {
		return "", usererror.Errorf("%s is %s, but that environment variable is not set", key, variable)
	}
	return value, nil
}

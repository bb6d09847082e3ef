// Package lineup is a recipe, opened: the bases on their engines, the task, the team.
//
// [Resources] are opened once and closed once, and know no turn. A [Lineup] is a value: a team over these resources, with its protocol, its
// policies and its scorer. Another team over the same resources is derived from it: of another size ([Lineup.WithAgents]), of one agent
// ([Lineup.Solo]), under another protocol ([Lineup.WithProtocol]), or as it is measured on another task ([Lineup.Measured]). Nothing is
// opened then, and nothing of the first lineup changes.
//
//	lineup.go     who speaks: rollouts of training and of evaluation; who plays which part of a team of which nothing is trained; a reward of the user's own is tried before anything is trained
//	derive.go     other teams over the same resources
//	resources.go  opening and closing
//	bases.go      models on engines, and whether they have the tokens for forms; backend.go says which engines, and which program a team works in
//	policies.go   adding, saving and loading what is trained
//	verifiers.go  trained verifiers of answers; workbench.go makes them
//	comparator.go another base that writes beside the team
//	tools.go      what agents may call within their turns
//	notes.go      what a user should be told
package lineup

import (
	"context"
	"slices"
	"time"

	"parley/engine"
	"parley/internal/seed"
	"parley/recipe"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/task"
	"parley/task/environment"
	"parley/team"
	"parley/team/protocols"
	"parley/train/plan"
	"parley/train/score"
)

// A Lineup is a team over resources: who speaks, with which policy, and what it is worth.
type Lineup struct {
	*Resources
	Recipe   *recipe.Recipe // of this team
	Task     task.Task      // that it works on
	Protocol team.Protocol
	Sharing  learn.Sharing
	Scorer   *score.Scorer

	standsFor int // of the recipe's agents, the one that a single agent is
}

// BaseOf returns the base of an agent, from 0.
func (l Lineup) BaseOf(agent int) *Base { return l.Bases[l.Sharing.Bases[agent]] }

// codecs are those of the agents.
func (l Lineup) codecs() []rollout.Codec {
	out := make([]rollout.Codec, l.Protocol.Agents())
	for agent := range out {
		out[agent] = l.BaseOf(agent).Model
	}
	return out
}

// Runner returns a rollout of the team; untrained teams speak with the base in every turn.
func (l Lineup) Runner(trained bool, sampling engine.Sampling, settings rollout.Settings) *rollout.Runner {
	return l.runner(trained, sampling, settings, true)
}

func (l Lineup) runner(trained bool, sampling engine.Sampling, settings rollout.Settings, ownTemperature bool) *rollout.Runner {
	settings.Sampling, settings.Truncate = sampling, l.Recipe.Truncate == "left"
	r := &rollout.Runner{Protocol: l.restarting(), Scorer: l.Scorer, Settings: settings, Seed: uint64(l.Recipe.Seed), Watch: l.Watch}
	if l.Harness != nil && protocols.InProgram(l.Protocol) { // and no agent of the team is asked alone
		r.Player = l.Harness
	}
	if world, acts := l.Task.(score.World); acts {
		least, most := world.Range()
		r.World = &rollout.World{Environment: world.World(), Bounds: environment.Bounds{Agents: l.Recipe.Team.Agents.Names(), Least: least, Most: most}}
	}
	for agent := range l.Protocol.Agents() {
		policy := func(int) engine.Policy { return engine.Base }
		if trained {
			policy = func(turn int) engine.Policy { return l.Sharing.Policy(turn, agent) }
		}
		r.Actors = append(r.Actors, l.actor(agent, policy, ownTemperature))
		l.equip(&r.Actors[agent], agent)
	}
	return r
}

// actor is where an agent of the team sits.
func (l Lineup) actor(agent int, policy func(turn int) engine.Policy, ownTemperature bool) rollout.Actor {
	b, own := l.BaseOf(agent), agent+l.standsFor
	return rollout.Actor{
		Name: l.Recipe.AgentName(own), Engine: b.Engine, Codec: b.Model, Policy: policy, Context: b.Context, Never: b.never(),
		Watch: b.watch(plan.Agent(l.Recipe, own).Name), Own: plan.Draw(l.Recipe, own, ownTemperature, l.forms.Of(own)), Speaker: l.speakerOf(agent),
	}
}

// Untrained are the agents' bases without adapters, for scorers to ask about answers.
func (l Lineup) Untrained() []rollout.Actor {
	actors := l.Runner(false, engine.Sampling{}, rollout.Settings{}).Actors
	for agent := range actors {
		b := l.BaseOf(agent)
		actors[agent].Engine, actors[agent].Codec, actors[agent].Tools = b.Asked, b.Model, nil
	}
	return actors
}

// Rollout returns the rollout that training episodes come from.
func (l Lineup) Rollout() *rollout.Runner {
	r := l.Recipe
	settings := rollout.Settings{
		Group: 1, Joint: credit.Aligned, MaxTokens: r.Sampling.MaxTokens, MinTokens: r.Sampling.MinTokens,
		Limit: r.Limits.Generations, Ends: l.Scorer.Ends(), Truncated: plan.Truncated(r),
		Deadline: time.Duration(r.Training.Deadline * float64(time.Second)),
	}
	if r.Kind() != learn.Debates {
		settings.Group, settings.ReuseInBackward = r.Completions(), plan.ReusesActivations(r)
		group := r.Groups()
		settings.Joint, _ = credit.ParseJointMode(group.Joint) // validated with the recipe
		switch group.Rollout {
		case "chain":
			settings.Chain = true
		case learn.Decisions:
			settings.Decides = group.Decisions()
		case learn.Alternatives:
			settings.FanOut = group.FannedOut(l.Protocol.Turns())
			if n := group.Replay; len(n) == 2 {
				settings.Replay, settings.FanOut = &rollout.Replay{Alternatives: n[0], Continuations: n[1], Turn: group.ReplayTurn}, nil
			}
		}
		if group.Rollout == "episodes" || settings.Replay != nil {
			settings.Episodes, settings.Group, settings.Joint = settings.Group, 1, credit.Aligned
		}
		least, most := l.Scorer.ProcessedRange()
		settings.Width = most - least
	}
	trained := !r.AlgorithmType().FromUntrained()
	out := l.Runner(trained, plan.Sampling(r), settings)
	switch r.Groups().Rollout {
	case learn.Decisions, learn.Alternatives:
		out.Protocol = team.InTurn(out.Protocol)
	}
	l.recordInfluence(out)
	return out
}

// Evaluation returns the rollout of held-out problems. All turns are always played.
func (l Lineup) Evaluation(trained bool) *rollout.Runner {
	r := l.Recipe
	sampling := engine.Sampling{Temperature: r.Eval.Temperature, TopK: r.Sampling.TopK, TopP: r.Sampling.TopP}
	out := l.runner(trained, sampling, rollout.Settings{Group: 1, Joint: credit.Aligned, MaxTokens: r.Sampling.MaxTokens, MinTokens: r.Sampling.MinTokens}, false)
	out.Scorer, out.Cast = l.Scorer.Inference(), l.cast()
	return out
}

// cast gives out the parts of a team for each problem (team.cast: drawn); nil: everybody plays the own one, or all are the same.
func (l Lineup) cast() func(actors []rollout.Actor, number int) []rollout.Actor {
	if l.Recipe.Team.Cast != "drawn" || !l.Recipe.AlgorithmType().Untrained() || l.alike() {
		return nil
	}
	return func(actors []rollout.Actor, number int) []rollout.Actor {
		out := make([]rollout.Actor, len(actors))
		for part, who := range Cast(uint64(l.Recipe.Seed), number, len(actors)) {
			out[part] = actors[who]
			out[part].Name = actors[part].Name // as others know it
		}
		return out
	}
}

// Cast is who of n agents plays each part for the problem of a number.
func Cast(root uint64, number, n int) []int {
	return seed.Stream(seed.Derive(root, "cast", number)).Perm(n)
}

// alike reports whether all agents draw with one base in one way.
func (l Lineup) alike() bool {
	for agent := range l.Protocol.Agents() {
		a := l.actor(agent, nil, true)
		if l.Sharing.Bases[agent] != l.Sharing.Bases[0] || a.Speaker != nil || a.Own != nil || len(l.Recipe.Team.ToolsOf(agent)) > 0 {
			return false
		}
	}
	return true
}

// probe asks a reward of the user's own about a training problem, and about a held-out one where another task is measured, in every form in which
// the run will ask it.
func (l *Lineup) probe(ctx context.Context) error {
	if l.purpose != toTrain {
		return nil // it has paid
	}
	problems := l.Training.Problems[:1]
	if l.elsewhere() && len(l.HeldOut) > 0 {
		problems = append(slices.Clip(problems), l.HeldOut[0])
	}
	return l.Scorer.Probe(ctx, problems...)
}

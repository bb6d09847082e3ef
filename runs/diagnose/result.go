package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"parley/runs/store"
)

// Result is what is known after an update: what fired at any time, or fires in a window that is not full yet, and every rule with
// its value in the window.
func (w *Watch) Result(update int) store.Diagnosis {
	now := Watch{w.Settings, w.State}
	now.Fired = append([]store.Diagnostic{}, w.Fired...)
	looks := slices.Concat(w.health(), w.weights(), w.played())
	if !w.Debate {
		looks = append(w.look(), looks...)
	}
	now.note(update, looks)
	d := store.Diagnosis{Update: update, JointActions: w.size(), Diagnostics: now.Fired, Checked: []store.Rule{}, Unchecked: []store.Unchecked{}}
	Order(d.Diagnostics)
	for _, l := range looks {
		d.Checked = append(d.Checked, Rules(l.finding)...)
	}
	for i, c := range d.Checked {
		d.Checked[i].Name = w.name(c.Agent)
	}
	for _, u := range w.needs() {
		checked := slices.ContainsFunc(d.Checked, func(r store.Rule) bool { return covers(r, u.Rule) })
		if !checked && !(u.Rule == laterTurns && slices.ContainsFunc(d.Checked, isTurn)) {
			d.Unchecked = append(d.Unchecked, u)
		}
	}
	return d
}

// Rules are the checks of a finding in the form of the run folder.
func Rules(f Finding) []store.Rule {
	var out []store.Rule
	for _, c := range f.Checks {
		out = append(out, store.Rule{
			Kind: string(f.Kind), Rule: ruleName(c), Agent: c.Agent, Value: c.Value, Sense: string(c.Sense),
			Threshold: c.Threshold, Fired: c.Fired, Moot: c.Moot,
		})
	}
	return out
}

// Names of rules that not every training can be checked for.
const (
	laterTurns = "turn2:drop"
	tokenShare = "token_share"
)

func isTurn(r store.Rule) bool {
	return r.Kind == string(FeedbackInstability) && strings.HasPrefix(r.Rule, "turn")
}

// call gives the agents of a diagnostic the names that they have.
func (w *Watch) call(d *store.Diagnostic) {
	d.Name = w.name(d.Agent)
	d.Remedy = strings.ReplaceAll(d.Remedy, "NAME", cmp.Or(d.Name, "NAME"))
	for i, p := range d.Evidence {
		d.Evidence[i].Name = w.name(p.Agent)
	}
}

// name is that of an agent, from 1; empty: it has none.
func (w *Watch) name(agent int) string {
	if agent < 1 || agent > len(w.Names) {
		return ""
	}
	return w.Names[agent-1]
}

// needs says of every rule that not every training can be checked for what it needs.
var needs = []store.Unchecked{
	{Rule: "dead_groups", Why: "advantages do not compare the completions of a group"},
	{Rule: "tiny_spread_whitened", Why: "advantages are not normalised"},
	{Rule: "aux_without_influence", Why: "the task does not say whether the first response has influence"},
	{Rule: cascadeShare, Why: "the task joins no programs"},
	{Rule: cascadeShareAtRunTime, Why: "the task joins no programs, or runs them where exceptions do not tell where they come from"},
	{Rule: tokenShare, Why: "not all agents are models, or nobody said anything"},
	{Rule: laterTurns, Why: "there is a single turn, or turns are steps of one piece of work and not answers to be compared"},
	{Rule: "switch:drop", Why: "training does not begin with single turns (team.warm_up)"},
	{Rule: "switch:variance", Why: "training does not begin with single turns (team.warm_up)"},
	{Rule: "audit_gap", Why: "the task has no robust reward for these joint actions, or fewer than 8 updates were made"},
	{Rule: "flag_share", Why: "the task has no robust flags for these joint actions"},
	{Rule: "few_items_gain", Why: "it needs votes or tests of the team and of one model on the same held-out problems (eval.baselines)"},
}

// needs are those of the rules that apply to the training.
func (w *Watch) needs() []store.Unchecked {
	if w.Debate {
		return slices.Concat(healthNeeds, roleNeeds)
	}
	return slices.Concat(needs, healthNeeds, roleNeeds)
}

// kinds are all of them, those first that explain a flat reward most directly.
var kinds = []Kind{
	FailedProblems, FlaggedAnswers, OverpaidAnswers, UnheardPay, DeadGroups, WhiteningNoise, TrivialCooperation, CascadingErrors, ConstantReward, StillPolicy, Capture, Starved, Spike, Dominance,
	FeedbackInstability, RewardHacking, BlindCritic, EndlessAnswers, TruncatedPrompt, NoCooperativeStructure, UnreadAnswers, IgnoredAnswers, UnaskedAgent, CallLimit, OverlappingCalls, RewrittenPrompts,
}

// Order puts first what still fired last, then what explains a flat reward most directly.
func Order(list []store.Diagnostic) {
	slices.SortStableFunc(list, func(a, b store.Diagnostic) int {
		if a.Last != b.Last {
			return b.Last - a.Last
		}
		return rank(a) - rank(b)
	})
}

func rank(d store.Diagnostic) int { return slices.Index(kinds, Kind(d.Kind)) }

// HeldOut turns a finding about held-out problems, given by their ids, into diagnostics.
func HeldOut(f Finding, update int, problems []string) []store.Diagnostic {
	places := make([]store.Place, len(problems))
	for i, id := range problems {
		places[i] = store.Place{Update: update, Index: i, Problem: id, HeldOut: true}
	}
	return fired(look{f, places}, update)
}

// fired lists the rules of a kind that fire.
func fired(l look, update int) []store.Diagnostic {
	var out []store.Diagnostic
	for _, c := range l.finding.Checks {
		if c.Fired {
			out = append(out, diagnostic(l, c, update))
		}
	}
	return out
}

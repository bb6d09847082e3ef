package diagnose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/tie"
	"parley/rl/rollout"
	"parley/runs/store"
)

// The kinds of findings that any algorithm may have, and what each is about.
const (
	FailedProblems  Kind = "failed_problems"  // problems without a score, from which nothing is learned
	FlaggedAnswers  Kind = "flagged_answers"  // a penalty takes the place of most rewards
	OverpaidAnswers Kind = "overpaid_answers" // the verifier pays more than answers are worth
	ConstantReward  Kind = "constant_reward"  // all answers earn the same: there is no signal
	UnheardPay      Kind = "unheard_pay"      // an agent is paid alone, and does not learn from it
	StillPolicy     Kind = "still_policy"     // the policies do not move
	BlindCritic     Kind = "blind_critic"     // the critic explains nothing of the returns
	EndlessAnswers  Kind = "endless_answers"  // answers are cut off by their greatest length
	TruncatedPrompt Kind = "truncated_prompt" // prompts lose their oldest tokens
	NotZeroSum      Kind = "not_zero_sum"     // rewards do not add up to 0 where that is promised
)

// Bounds of the rules about health.
const (
	healthWindow = 10    // updates that are remembered
	fewest       = 4     // answers that a share is taken of
	flaggedShare = 0.5   // of an update's answers, with one flag
	endlessShare = 0.8   // of an update's answers
	overpaidMost = 0.25  // the verifier's score less the label, of a turn's answers over the window
	cutShare     = 0.1   // of an update's prompts
	failedShare  = 0.05  // of the window's problems
	stillDrift   = 0.002 // mean |log π − log π_base| of a token, in nats
	stillMove    = 1e-4  // of the norm of a policy's parameters, the norms of the window's steps together
	stillAfter   = 5     // updates before a policy must have moved
	criticAfter  = 8     // updates before a critic must explain something
	flatRise     = 0.02  // of the reward's range: less is flat
)

// Numbers are what a learner says of an update.
type Numbers struct {
	Steps     int       `json:"steps"`               // optimizer steps
	Reward    float64   `json:"reward"`              // mean of what answers earned
	Overpaid  []float64 `json:"overpaid,omitempty"`  // the verifier's score less the label, a mean by turn; nil: there is no verifier
	Explained *float64  `json:"explained,omitempty"` // share of the returns' variance that the critic knows; nil: there is no critic
	Moved     *float64  `json:"moved,omitempty"`     // see [stillMove]; nil: nobody says it
	Drift     *float64  `json:"drift,omitempty"`     // see [stillDrift]; nil: not measured in this update
	Unsettled *int      `json:"unsettled,omitempty"` // episodes whose rewards do not add up to 0; nil: nobody promised it
}

// Health is what an update says of a training's health, whatever its algorithm.
type Health struct {
	Numbers
	Update   int            `json:"update"`
	Problems int            `json:"problems"`
	Failed   float64        `json:"failed"` // of them; one of which some episodes failed by their share
	Answers  int            `json:"answers"`
	Endless  int            `json:"endless"`
	Prompts  int            `json:"prompts"`
	Cut      int            `json:"cut"`
	Flags    map[string]int `json:"flags,omitempty"`  // answers with each flag
	Earned   Spans          `json:"earned,omitempty"` // what answers are trained on, by turn and agent
	Paid     Spans          `json:"paid,omitempty"`   // rewards of joint actions, by turn and who is paid
	Totals   Spans          `json:"totals,omitempty"` // what whole dialogues are paid, by who is

	Places map[Kind][]store.Place `json:"places,omitempty"` // a few that show what is counted
}

// HealthOf looks at the episodes of an update, those that failed among them.
func HealthOf(update int, episodes []*rollout.Episode, n Numbers) Health {
	h := Health{Numbers: n, Update: update, Problems: len(episodes), Flags: map[string]int{}, Earned: Spans{}, Paid: Spans{}, Totals: Spans{}, Places: map[Kind][]store.Place{}}
	for _, e := range episodes {
		if n := len(e.Failures()); n > 0 {
			h.Failed += float64(n) / float64(e.Samples())
			h.show(FailedProblems, store.Place{Update: update, Index: e.Index, Problem: e.Problem.ID})
		}
		for i, node := range e.Nodes {
			if e.FailedSample(node.Sample) {
				continue
			}
			for s := range node.Agents {
				h.asked(node.Turn, &node.Agents[s], store.Place{Update: update, Index: e.Index, Problem: e.Problem.ID, Node: i, Agent: node.Agents[s].Agent + 1})
			}
		}
		h.pay(e)
	}
	return h
}

// asked counts what an agent was asked and what it answered.
func (h *Health) asked(turn int, a *rollout.AgentTurn, place store.Place) {
	if h.Prompts++; a.Dropped > 0 {
		h.Cut++
		h.show(TruncatedPrompt, place)
	}
	for i := range a.Completions {
		c := &a.Completions[i]
		if h.Answers++; c.Stop != "eos" {
			h.Endless++
			h.show(EndlessAnswers, place)
		}
		for _, flag := range c.Flags {
			h.Flags[flag]++
			h.show(FlaggedAnswers, place)
		}
		h.Earned.add(fmt.Sprintf("turn %d, agent %d", turn+1, a.Agent+1), c.Reward)
	}
}

func (h *Health) show(k Kind, p store.Place) {
	if len(h.Places[k]) < mostEvidence {
		h.Places[k] = append(h.Places[k], p)
	}
}

// Observe takes in the health of an update and returns what fires for the first time.
func (w *Watch) Observe(h Health) []store.Diagnostic {
	w.Health = append(w.Health, h)
	w.Health = w.Health[max(0, len(w.Health)-healthWindow):]
	return w.note(h.Update, w.health())
}

// health applies the rules that hold for every algorithm.
func (w *Watch) health() []look {
	if len(w.Health) == 0 {
		return nil
	}
	last := w.Health[len(w.Health)-1]
	return []look{w.failed(), w.flagged(last), w.overpaid(), w.unheard(), w.constant(), w.still(last), w.critic(), endless(last), cut(last), w.unsettled()}
}

// seen is a look whose evidence are these places.
func seen(f Finding, places []store.Place) look {
	for i := range f.Checks {
		if f.Checks[i].Fired {
			f.Checks[i].Evidence = indices(len(places))
		}
	}
	return look{f, places}
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func (w *Watch) failed() look {
	f, problems, failed := Finding{Kind: FailedProblems}, 0, 0.0
	var places []store.Place
	for _, h := range w.Health {
		problems, failed = problems+h.Problems, failed+h.Failed
		places = append(places, h.Places[FailedProblems]...)
	}
	f.check(Check{Rule: "failed", Value: failed / float64(max(problems, 1)), Sense: AtLeast, Threshold: failedShare}, nil)
	return seen(f, places[max(0, len(places)-mostEvidence):])
}

// flagged has a rule for every flag of the last update: half of the answers carry it, and its penalty takes the place of their rewards.
func (w *Watch) flagged(last Health) look {
	f := Finding{Kind: FlaggedAnswers}
	for _, flag := range slices.Sorted(maps.Keys(last.Flags)) {
		f.checkIf(w.Penalised && last.Answers >= fewest, Check{Rule: "flagged:" + flag, Value: part(last.Flags[flag], last.Answers), Sense: AtLeast, Threshold: flaggedShare}, nil)
	}
	if len(last.Flags) == 0 {
		f.checkIf(w.Penalised, Check{Rule: "flagged", Sense: AtLeast, Threshold: flaggedShare}, nil)
	}
	return seen(f, last.Places[FlaggedAnswers])
}

// overpaid says of the turn in which the verifier's scores are furthest above the labels by how much they are: answers are written for the verifier.
func (w *Watch) overpaid() look {
	f, turns := Finding{Kind: OverpaidAnswers}, []float64(nil)
	for _, h := range w.Health {
		for turn, by := range h.Overpaid {
			if turn == len(turns) {
				turns = append(turns, 0)
			}
			turns[turn] += by / float64(len(w.Health))
		}
	}
	if len(turns) > 0 {
		f.checkIf(len(w.Health) == healthWindow, Check{Rule: "overpaid", Value: slices.Max(turns), Sense: AtLeast, Threshold: overpaidMost}, nil)
	}
	return look{finding: f}
}

// unheard says of each agent that is paid alone and learns from the team's reward alone how much that was at most in the window.
func (w *Watch) unheard() look {
	f := Finding{Kind: UnheardPay}
	for agent, alone := range w.TeamAlone {
		most := 0.0
		for _, h := range w.Health {
			for key, ends := range h.Paid {
				if alone && strings.HasSuffix(key, fmt.Sprintf(", %d", agent+1)) {
					most = max(most, -ends[0], ends[1])
				}
			}
		}
		if most > 0 {
			f.check(Check{Rule: "unheard_pay", Agent: agent + 1, Value: most, Sense: Above}, nil)
		}
	}
	return look{finding: f}
}

// constant says that nothing of the window earned more than its like: rewards are the same whatever is said. It looks at rewards of like places and
// at what whole dialogues are paid, because returns differ with their place wherever there is a discount. Those of debates are what a design makes of
// scores.
func (w *Watch) constant() look {
	f, answers := Finding{Kind: ConstantReward}, 0
	earned, paid, totals := Spans{}, Spans{}, Spans{}
	for _, h := range w.Health {
		answers += h.Answers
		earned.join(h.Earned)
		paid.join(h.Paid)
		totals.join(h.Totals)
	}
	spread := earned.widest()
	if !w.Debate && len(paid) > 0 {
		spread = min(spread, paid.widest(), totals.widest())
	}
	if len(earned) > 0 && !w.Given && len(w.unheard().finding.Reasons) == 0 { // otherwise the reward is not what is wrong
		f.checkIf(answers >= window, Check{Rule: "return_spread", Value: spread / w.Processed.width(), Sense: AtMost, Threshold: tie.Share}, nil)
	}
	return look{finding: f}
}

// still says that policies are where their bases are, or that no step was taken at all. While learning rates rise, they may well be there.
func (w *Watch) still(last Health) look {
	f, steps := Finding{Kind: StillPolicy}, 0
	if w.Automatic {
		f.Remedy = "raise optimizer.lr above what auto gives (parley train --dry-run prints it)" + stillElse
	}
	for _, h := range w.Health {
		steps += h.Steps
	}
	f.checkIf(len(w.Health) >= stillAfter && !w.Gathers, Check{Rule: "optimizer_steps", Value: float64(steps), Sense: AtMost}, nil)
	w.unmoved(&f, last)
	for i := len(w.Health) - 1; i >= 0; i-- {
		if d := w.Health[i].Drift; d != nil {
			f.checkIf(last.Update > stillAfter && w.Health[i].Update > w.Warming && !w.Gathers, Check{Rule: "drift", Value: *d, Sense: Below, Threshold: stillDrift}, nil)
			break
		}
	}
	return look{finding: f}
}

// unmoved says that the parameters of all policies are where they were: the learning rate is far too small, or there are no gradients.
func (w *Watch) unmoved(f *Finding, last Health) {
	moved, known := 0.0, 0
	for _, h := range w.Health {
		if h.Moved != nil {
			moved, known = moved+*h.Moved, known+1
		}
	}
	if known > 0 {
		f.checkIf(known >= stillAfter && last.Update > w.Warming && !w.Gathers, Check{Rule: "update_norm", Value: moved, Sense: Below, Threshold: stillMove}, nil)
	}
}

// critic says that a critic knows nothing of the returns while the reward is flat. Where the reward rises, what is left of the returns may be
// noise that nobody can know.
func (w *Watch) critic() look {
	f := Finding{Kind: BlindCritic}
	var explained, rewards []float64
	for _, h := range w.Health {
		if h.Explained != nil {
			explained, rewards = append(explained, *h.Explained), append(rewards, h.Reward)
		}
	}
	if n := len(explained); n > 0 {
		slices.Sort(explained)
		rise := (mean(rewards[n/2:]) - mean(rewards[:max(n/2, 1)])) / w.Processed.width()
		f.checkIf(n >= criticAfter && rise < flatRise, Check{Rule: "value_explained", Value: explained[n/2], Sense: AtMost}, nil)
	}
	return look{finding: f}
}

func endless(last Health) look {
	f := Finding{Kind: EndlessAnswers}
	f.checkIf(last.Answers >= fewest, Check{Rule: "endless", Value: part(last.Endless, last.Answers), Sense: AtLeast, Threshold: endlessShare}, nil)
	return seen(f, last.Places[EndlessAnswers])
}

func cut(last Health) look {
	f := Finding{Kind: TruncatedPrompt}
	f.check(Check{Rule: "truncated_prompts", Value: part(last.Cut, last.Prompts), Sense: AtLeast, Threshold: cutShare}, nil)
	return seen(f, last.Places[TruncatedPrompt])
}

// unsettled says that rewards of the window do not add up to 0, though that was promised.
func (w *Watch) unsettled() look {
	f, episodes, promised := Finding{Kind: NotZeroSum}, 0, false
	for _, h := range w.Health {
		if h.Unsettled != nil {
			episodes, promised = episodes+*h.Unsettled, true
		}
	}
	if promised {
		f.check(Check{Rule: "not_zero_sum", Value: float64(episodes), Sense: Above}, nil)
	}
	return look{finding: f}
}

// stillElse is what else to see where policies do not move.
const stillElse = "; with madpo and sft see whether there are pairs and debates to learn from"

// healthRemedies say what to try.
var healthRemedies = map[Kind]string{
	FailedProblems:  "look at the reasons (failed_reasons in metrics.jsonl) and mend the reward or the environment; problems with failed calls teach nothing",
	FlaggedAnswers:  "leave that flag of reward.penalties out, or ask for what it wants in team.prompts: its penalty takes the place of most rewards",
	OverpaidAnswers: "read answers with high scores: a penalty for what they have in common, such as reward.penalties.min_tokens, stops it; or train the verifier on answers of later turns too",
	ConstantReward:  "check the reward with parley reward: every answer earns the same, so there is nothing to learn",
	UnheardPay:      "write reward: {team: 1, own: 1} in team.agents.NAME: team.agents.NAME.reward.own weighs what NAME is paid alone (algorithms magrpo and iac); or do not pay it",
	StillPolicy:     "raise optimizer.lr, or leave it out: auto follows the base and the adapter" + stillElse,
	BlindCritic:     "raise ppo.value_lr or critic.lr, take more problems an update, or use an algorithm without a critic",
	EndlessAnswers:  "raise sampling.max_tokens, ask for short answers, or check which token ends the base's answers (parley model show)",
	NotZeroSum:      "pay the others what one agent loses, an illegal move's fine too; or leave credit.zero_sum out",
	TruncatedPrompt: "shorten what later prompts quote (team.history, team.chat_memory), sampling.max_tokens or the questions (task.max_question_tokens)",
}

// part is n of all; 0 of nothing.
func part(n, all int) float64 { return float64(n) / float64(max(all, 1)) }

// healthNeeds says of the rules about health what they need.
var healthNeeds = []store.Unchecked{
	{Rule: "not_zero_sum", Why: "credit.zero_sum does not promise that rewards add up to 0"},
	{Rule: "overpaid", Why: "no verifier scores answers"},
	{Rule: "value_explained", Why: "the algorithm has no critic"},
	{Rule: "update_norm", Why: "the engine does not say how far parameters move"},
	{Rule: "drift", Why: fmt.Sprintf("it is measured in every %dth update, from answers of trained policies", stillAfter)},
}

// CheckHacking compares the training reward over a window with a robust audit of the same joint actions: the training
// reward rose (mean of the last quarter minus mean of the first) by at least 5 % of the maximum while the audit rose by at
// most a quarter of that; or at least 20 % of samples carry a flag. Either input may be empty.
func CheckHacking(train, audit []float64, flagged []bool, maximum float64) Finding {
	f := Finding{Kind: RewardHacking}
	if len(train) > 0 && len(audit) > 0 {
		rise := quarterRise(train)
		f.checkIf(rise >= 0.05*maximum-slack, Check{Rule: "audit_gap", Value: quarterRise(audit), Sense: AtMost, Threshold: 0.25 * rise}, nil)
	}
	if len(flagged) > 0 {
		f.check(Check{Rule: "flag_share", Value: share(flagged), Sense: AtLeast, Threshold: 0.2}, where(flagged, true))
	}
	return f
}

// quarterRise is the mean of the last quarter minus that of the first; a quarter holds at least one value.
func quarterRise(x []float64) float64 {
	q := max(len(x)/4, 1)
	return mean(x[len(x)-q:]) - mean(x[:q])
}

// CheckStructure looks for data without anything to cooperate on: fewer than 20 % of items gain at least 0.05 task score
// (0 to 1, without cooperation bonus) from the joint over the solo answer.
func CheckStructure(joint, solo []float64) Finding {
	f := Finding{Kind: NoCooperativeStructure}
	gains := make([]bool, len(joint))
	for i := range joint {
		gains[i] = joint[i]-solo[i] >= 0.05-slack
	}
	if len(gains) > 0 {
		f.check(Check{Rule: "few_items_gain", Value: share(gains), Sense: Below, Threshold: 0.2}, where(gains, false))
	}
	return f
}

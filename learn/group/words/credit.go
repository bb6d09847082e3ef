package words

import (
	"parley/credit"
	"parley/credit/counterfactual"
	"parley/credit/rolebaseline"
	"parley/credit/workflow"
	"parley/learn"
	"parley/loss"
)

// Credit are the settings of how the messages of whole episodes are credited: what they return, and whom they are compared with.
//
//	A = R − μ                 std none                     μ: mean of the values V of the group, or of those that loo leaves
//	A = (R − μ)/max(σ, ε)     std, divide floor            σ: standard deviation of all of V
//	A = (R − μ)/(σ + ε)       std, divide add
//
//	baseline      V
//	problem       scores of the episodes           Σ_m R_m / messages
//	agent         R of the agent's messages        Dr. MAS (arXiv 2602.08847, Eq. 5)
//	agent_turn    R of its k-th messages           the key of AT-GRPO (arXiv 2510.11062)
//	global        R of all messages
//	rae           none: A = R − b                  SPIRAL (arXiv 2506.24119); see compareWithPast
//	vote          none: A = R(vote) − R(without)   after CCPO (arXiv 2603.21563); see compareVotes
type Credit struct {
	Rule       string        `yaml:"rule" default:"none" oneof:"none drmas atgrpo c3 rae ccpo mgrpo drmamr" doc:"A published rule, by its name: its values are the defaults of these keys and of group's and loss's, whatever the team. drmas: each agent by itself. atgrpo: candidates of one prompt. c3: alternatives of a message. rae: a role's past. ccpo: with and without an agent, which group.without names. mgrpo: an agent that others call. drmamr: no 1/T, influence and restarts. docs/credit.md says which. none: nothing changes."`
	Baseline   string        `yaml:"baseline" default:"auto" oneof:"auto node problem agent agent_turn global rae vote" doc:"Whom a message is compared with. node: the completions of its node, in trees and chains. Of whole episodes: problem, the scores of the problem's episodes; agent, the returns of the agent's messages to the problem (Dr. MAS); agent_turn, those of its k-th messages; global, those of all messages; rae, a moving average of what the agent's role earned before (SPIRAL); vote, the team's vote without the agent's own. auto: node, or problem where whole episodes are compared."`
	Scope      string        `yaml:"scope" default:"problem" oneof:"problem batch" doc:"baseline global: the messages of one problem, or of all problems of an update."`
	Turn       string        `yaml:"turn" default:"own" oneof:"own step" doc:"baseline agent_turn: the count of the agent's own messages before, or the number of the step in its episode."`
	Std        string        `yaml:"std" default:"none" oneof:"none population sample" doc:"Divide advantages by the standard deviation of the values compared with: divisor n, or n-1 (one value then has the deviation 1)."`
	Divide     string        `yaml:"divide" default:"floor" oneof:"floor add" doc:"floor: by max(deviation, eps). add: by deviation + eps, as most published codes do."`
	Eps        float64       `yaml:"eps" default:"1e-6" min:"0" doc:"The least deviation, or what is added to it."`
	LOO        string        `yaml:"loo" default:"auto" oneof:"auto none message episode" doc:"What is left out of the mean that a message is compared with: nothing, its own value, or all values of its episode. episode is unbiased where agents speak several times (docs/credit.md). auto: none, and message with group.rollout c3."`
	Single     string        `yaml:"single" default:"zero" oneof:"zero raw" doc:"Advantage of a message that nobody is compared with: 0, or its return, as the published code of Dr. MAS has it."`
	Replace    bool          `yaml:"replace" default:"false" doc:"baseline problem: every message has the score of its episode, the mean of the returns there, in the place of its own return."`
	Calls      string        `yaml:"calls" default:"each" oneof:"each weight sample" doc:"baseline agent: an agent that is asked 0 to n times in an episode, as a sub-agent that a main agent calls (M-GRPO). each: every message counts once, so that an episode with many counts more. weight: the d messages of an episode count slots/d each. sample: slots of them are drawn, or drawn again, as published."`
	Slots      int           `yaml:"slots" default:"0" min:"0" max:"4096" doc:"calls weight and sample: messages of an agent that an episode counts for; 0: the most of any episode of the problem."`
	Returns    string        `yaml:"returns" default:"to_go" oneof:"to_go episode" doc:"What a message returns: what follows it, discounted by group.discount; or all that the episode paid, undiscounted."`
	Clock      string        `yaml:"clock" default:"ask" oneof:"ask step" doc:"What discounts count: asks, so that an environment's steps between them are free; or its steps too."`
	TeamWeight *float64      `yaml:"team_weight" doc:"Weight of the team's reward for every agent; absent: as team.agents says, else 1."`
	OwnWeight  *float64      `yaml:"own_weight" doc:"Weight of what an agent is paid alone, for every agent; absent: as team.agents says, else 0."`
	Failed     string        `yaml:"failed" default:"drop" oneof:"drop keep" doc:"Episodes that could not be scored: left out, or kept with fail_reward at their end. keep is right only where such failures are the agents' own. A problem all of whose episodes failed is left out in any case."`
	FailReward float64       `yaml:"fail_reward" default:"0" doc:"failed keep: what the team gets at the last step of such an episode."`
	Truncated  string        `yaml:"truncated" default:"auto" oneof:"auto keep mask" doc:"Answers that reach sampling.max_tokens: learned from, or compared but left out of the loss. auto: as sampling.truncated says."`
	ZeroSum    bool          `yaml:"zero_sum" default:"false" doc:"What the agents earn in an episode adds up to 0: episodes that break this are counted as not_zero_sum in metrics.jsonl."`
	Alternate  int           `yaml:"alternate" default:"0" min:"0" doc:"Agents learn in turns, each for so many updates, in the order of the team, one that group.without names first; 0: all at once."`
	RAE        RoleBaselines `yaml:"rae"`
	Solo       Solo          `yaml:"solo"`
	Influence  Influence     `yaml:"influence"`
}

// Influence are the settings of what messages are credited with for what they do to those behind them (Dr. MAMR, arXiv 2511.02303).
type Influence struct {
	Alpha       float64 `yaml:"alpha" default:"0" min:"0" doc:"Weight of a message's influence in its advantage: by how much it makes the next step more probable, compared with a prompt that does not show it. The paper's is 0.1. 0: it is not measured."`
	Alike       float64 `yaml:"alike" default:"0.9" min:"0" max:"1" doc:"Messages of an agent to a problem share their influence where their counts of tokens have at least this cosine."`
	Restart     string  `yaml:"restart" default:"" doc:"A text by which an agent drops its own earlier answers, such as <restart>: prompts behind it no longer show them. Empty: there is none."`
	Beta        float64 `yaml:"beta" default:"0" min:"0" doc:"Weight of the reward of a restart: 1 where it made a right final answer more probable or a wrong one less, -1 for the reverse. The paper's is 0.1."`
	RestartNorm string  `yaml:"restart_norm" default:"standard" oneof:"standard none" doc:"standard: less the mean of the problem's restarts and divided by their deviation, so that it says nothing where all were good. none: as they are."`
	Eps         float64 `yaml:"eps" default:"1e-6" min:"0" doc:"Added to these deviations."`
}

// Asked says that something of it is measured.
func (i Influence) Asked() bool { return i.Alpha > 0 || i.Restart != "" }

// Solo are the settings of what follows from episodes without the agent group.without.
type Solo struct {
	Outcome  string  `yaml:"outcome" default:"reward" oneof:"reward sign" doc:"What a message returns: as credit.returns says; or 1 where the team earned more than 0 in the episode, else -1 (CCPO)."`
	Lambda   float64 `yaml:"lambda" default:"0" min:"0" doc:"Weight of the bonus that the agent gets for what it changed. With baseline group it only makes the agent's steps longer (docs/credit.md)."`
	Bonus    string  `yaml:"bonus" default:"event" oneof:"event delta" doc:"event: 1 where the team was right (1) and alone wrong (b < 0), -1 for the reverse. delta: half of the difference R - b. R is 1 for more than 0, else -1; b is the same of episodes without the agent."`
	Baseline string  `yaml:"baseline" default:"group" oneof:"group paired" doc:"b is the mean of the problem's episodes without the agent, or that of the episode of the same number."`
}

// RoleBaselines are the settings of baseline rae.
type RoleBaselines struct {
	Decay float64 `yaml:"decay" default:"0.95" min:"0" max:"0.9999" doc:"Of a role's moving average: b = decay b + (1 - decay) R."`
	Mode  string  `yaml:"mode" default:"sequential" oneof:"sequential batch" doc:"sequential: the average moves with every game, in the order of problems and episodes. batch: all games of an update are compared with the average at its start, which then moves once, by their mean."`
	Order string  `yaml:"order" default:"before" oneof:"before after" doc:"Use the average before or after it moved with the game. after contains the reward that is compared with it."`
	Key   string  `yaml:"key" default:"role" oneof:"role global" doc:"One average for each role, or one for all: in a zero-sum game that one cancels."`
	Warm  string  `yaml:"warm" default:"zero" oneof:"zero corrected" doc:"Averages begin at 0. corrected: they are divided by 1 - decay^n, what is missing after n games."`
}

// Loss are the settings of what losses of whole episodes are averaged over.
type Loss struct {
	Per string `yaml:"per" default:"messages" oneof:"messages agents turns episodes" doc:"What token losses of whole episodes are averaged over, before group.reduction has its say in a message. messages: all of them. agents: those of each agent, whose losses are then summed. turns: the messages of each episode, then the episodes (multi-turn GRPO). episodes: the episodes alone, so that a message counts the same in a long one (Dr. MAMR)."`
}

// creditOf are the values of credit in the recipe that v shows.
func creditOf(v learn.View) Credit { return learn.SettingsIn[Credit](v.Settings) }

// Alone is c for a single agent: what is about its partners, who vote, take turns with it or are left out, is as in defaults.
func (c Credit) Alone(defaults Credit) Credit {
	if c.Baseline == "vote" {
		c.Baseline = defaults.Baseline
	}
	c.Alternate, c.Solo, c.Influence = defaults.Alternate, defaults.Solo, defaults.Influence
	return c
}

// Compared is the one that is meant by auto.
func (c Credit) Compared(rollout string) string {
	switch {
	case c.Baseline != "auto" && c.Baseline != "":
		return c.Baseline
	case rollout == "episodes":
		return "problem"
	}
	return "node"
}

// Leave is what of a group's values is left out of the mean that one is compared with.
func (c Credit) Leave(rollout string) string {
	switch {
	case c.LOO != "auto" && c.LOO != "":
		return c.LOO
	case rollout == "c3":
		return workflow.LeaveMessage
	}
	return workflow.LeaveNone
}

// Spread is what advantages are divided by.
func (c Credit) Spread() credit.Spread {
	return credit.Spread{Std: credit.Std(c.Std), Divide: credit.Division(c.Divide), Eps: c.Eps}
}

// Plain says that messages are compared with the scores of the problem's episodes and with nothing else: as the algorithm compares them.
func (c Credit) Plain() bool {
	return c.Compared("episodes") == "problem" && c.Std == "none" && c.Leave("episodes") == workflow.LeaveNone && c.Single == "zero" && !c.Replace && c.Calls == "each"
}

// Comparison is the rule that returns are compared by.
func (c Credit) Comparison() workflow.Comparison {
	return workflow.Comparison{
		Baseline: workflow.Baseline(c.Compared("episodes")), Spread: c.Spread(), Leave: c.Leave("episodes"), Raw: c.Single == "raw", Replace: c.Replace,
		BySteps: c.Turn == "step", Batch: c.Scope == "batch",
	}
}

// Roles is the rule of baseline rae; moves are discounted as turns are.
func (c Credit) Roles(discount float64) rolebaseline.Rule {
	r := c.RAE
	return rolebaseline.Rule{
		Decay: r.Decay, After: r.Order == "after", Batch: r.Mode == "batch", Global: r.Key == "global", Corrected: r.Warm == "corrected", Gamma: discount,
	}
}

// NoCredit are the settings where a run has no section credit: the defaults.
func NoCredit() Credit {
	return Credit{
		Rule: "none", Baseline: "auto", Scope: "problem", Turn: "own", Std: "none", Divide: "floor", Eps: credit.SpreadEps, LOO: "auto", Single: "zero", Calls: "each",
		Returns: workflow.ToGo, Clock: string(workflow.ClockAsk), Failed: "drop", Truncated: "auto",
		Solo: Solo{Outcome: "reward", Bonus: string(counterfactual.Event), Baseline: "group"},
	}
}

// NoLoss are the settings where a run has no section loss.
func NoLoss() Loss { return Loss{Per: string(loss.PerMessages)} }

// InGroups says that messages are compared with others to the problem: neither with a role's past nor with a vote.
func (c Credit) InGroups() bool { return c.Baseline != "rae" && c.Baseline != "vote" }

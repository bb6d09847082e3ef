package words

import (
	_ "embed"

	"parley/rl/credit"
	"parley/rl/credit/workflow"
	"parley/rl/learn"
	"parley/rl/loss"
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
	Rule       string        `yaml:"rule" default:"none" oneof:"none drmas rae ccpo mgrpo drmamr"`
	Baseline   string        `yaml:"baseline" default:"auto" oneof:"auto node problem agent agent_turn global rae vote"`
	Scope      string        `yaml:"scope" default:"problem" oneof:"problem batch"`
	Turn       string        `yaml:"turn" default:"own" oneof:"own step"`
	Std        string        `yaml:"std" default:"none" oneof:"none population sample"`
	Divide     string        `yaml:"divide" default:"floor" oneof:"floor add"`
	Eps        float64       `yaml:"eps" default:"1e-6" min:"0"`
	LOO        string        `yaml:"loo" default:"auto" oneof:"auto none message episode"`
	Single     string        `yaml:"single" default:"zero" oneof:"zero raw"`
	Replace    bool          `yaml:"replace" default:"false"`
	Calls      string        `yaml:"calls" default:"each" oneof:"each weight sample"`
	Slots      int           `yaml:"slots" default:"0" min:"0" max:"4096"`
	Returns    string        `yaml:"returns" default:"to_go" oneof:"to_go episode"`
	Clock      string        `yaml:"clock" default:"ask" oneof:"ask step"`
	TeamWeight *float64      `yaml:"team_weight"`
	OwnWeight  *float64      `yaml:"own_weight"`
	Failed     string        `yaml:"failed" default:"drop" oneof:"drop keep"`
	FailReward float64       `yaml:"fail_reward" default:"0"`
	Truncated  string        `yaml:"truncated" default:"auto" oneof:"auto keep mask"`
	ZeroSum    bool          `yaml:"zero_sum" default:"false"`
	Alternate  int           `yaml:"alternate" default:"0" min:"0"`
	RAE        RoleBaselines `yaml:"rae"`
	Solo       Solo          `yaml:"solo"`
	Influence  Influence     `yaml:"influence"`
}

//go:embed credit.md
var creditTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Credit) KeyTexts() (file, text string) { return "rl/learn/group/words/credit.md", creditTexts }

// Influence are the settings of what messages are credited with for what they do to those behind them (Dr. MAMR, arXiv 2511.02303).
type Influence struct {
	Alpha       float64 `yaml:"alpha" default:"0" min:"0"`
	Alike       float64 `yaml:"alike" default:"0.9" min:"0" max:"1"`
	Restart     string  `yaml:"restart" default:""`
	Beta        float64 `yaml:"beta" default:"0" min:"0"`
	RestartNorm string  `yaml:"restart_norm" default:"standard" oneof:"standard none"`
	Eps         float64 `yaml:"eps" default:"1e-6" min:"0"`
}

// Asked says that something of it is measured.
func (i Influence) Asked() bool { return i.Alpha > 0 || i.Restart != "" }

// Solo are the settings of what follows from episodes without the agent group.without.
type Solo struct {
	Outcome  string  `yaml:"outcome" default:"reward" oneof:"reward sign"`
	Lambda   float64 `yaml:"lambda" default:"0" min:"0"`
	Bonus    string  `yaml:"bonus" default:"event" oneof:"event delta"`
	Baseline string  `yaml:"baseline" default:"group" oneof:"group paired"`
}

// RoleBaselines are the settings of baseline rae.
type RoleBaselines struct {
	Decay float64 `yaml:"decay" default:"0.95" min:"0" max:"0.9999"`
	Mode  string  `yaml:"mode" default:"sequential" oneof:"sequential batch"`
	Order string  `yaml:"order" default:"before" oneof:"before after"`
	Key   string  `yaml:"key" default:"role" oneof:"role global"`
	Warm  string  `yaml:"warm" default:"zero" oneof:"zero corrected"`
}

// Loss are the settings of what losses of whole episodes are averaged over.
type Loss struct {
	Per string `yaml:"per" default:"messages" oneof:"messages agents turns episodes"`
}

//go:embed loss.md
var lossTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Loss) KeyTexts() (file, text string) { return "rl/learn/group/words/loss.md", lossTexts }

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
	case rollout == learn.Alternatives:
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
func (c Credit) Roles(discount float64) credit.RoleBaseline {
	r := c.RAE
	return credit.RoleBaseline{
		Decay: r.Decay, After: r.Order == "after", Batch: r.Mode == "batch", Global: r.Key == "global", Corrected: r.Warm == "corrected", Gamma: discount,
	}
}

// NoCredit are the settings where a run has no section credit: the defaults.
func NoCredit() Credit {
	return Credit{
		Rule: "none", Baseline: "auto", Scope: "problem", Turn: "own", Std: "none", Divide: "floor", Eps: credit.SpreadEps, LOO: "auto", Single: "zero", Calls: "each",
		Returns: workflow.ToGo, Clock: string(workflow.ClockAsk), Failed: "drop", Truncated: "auto",
		Solo: Solo{Outcome: "reward", Bonus: string(credit.Event), Baseline: "group"},
	}
}

// NoLoss are the settings where a run has no section loss.
func NoLoss() Loss { return Loss{Per: string(loss.PerMessages)} }

// InGroups says that messages are compared with others to the problem: neither with a role's past nor with a vote.
func (c Credit) InGroups() bool { return c.Baseline != "rae" && c.Baseline != "vote" }

// influenceRules refuse to ask what messages do to those behind them where nothing follows.
func influenceRules() []learn.Rule {
	asked := func(v learn.View) bool { return v.Read && creditOf(v).Influence.Asked() }
	return []learn.Rule{
		{Keys: []string{"credit.influence.alpha", "credit.influence.restart", "credit.rule", "team.protocol"}, Broken: func(v learn.View) string {
			return learn.If(asked(v) && v.Harness, "credit.influence is of a message on what follows it, but only the program of the team could make the prompt that there would have been without the message")
		}, Hint: "leave credit.influence out"},
		{Keys: []string{"credit.influence.alpha", "credit.influence.restart", "group.rollout"}, Broken: func(v learn.View) string {
			return learn.If(asked(v) && joint(v), "credit.influence is of the messages of whole episodes, but group.rollout is %s", of(v).Rollout)
		}, Hint: "set group.rollout to episodes"},
		{Keys: []string{"credit.influence.alpha", "credit.influence.restart", "team.turns"}, Broken: func(v learn.View) string {
			return learn.If(asked(v) && v.Turns < 2, "credit.influence is of a message on the next one, but the team has one turn")
		}, Hint: "leave credit.influence out"},
		{Keys: []string{"credit.influence.beta", "credit.influence.restart"}, Broken: func(v learn.View) string {
			i := creditOf(v).Influence
			return learn.If(v.Read && i.Beta > 0 && i.Restart == "", "credit.influence.beta is %g, but no text restarts", i.Beta)
		}, Hint: "write credit.influence.restart, such as <restart>, and tell the agents of it"},
	}
}

// influenceIdle are keys of what is not measured.
func influenceIdle() []learn.Idle {
	return []learn.Idle{
		{When: func(v learn.View) string {
			return learn.If(creditOf(v).Influence.Alpha == 0, "credit.influence.alpha 0")
		}, Keys: []string{"credit.influence.alike"}},
		{When: func(v learn.View) string { return learn.If(creditOf(v).Influence.Beta == 0, "credit.influence.beta 0") }, Keys: []string{"credit.influence.restart_norm"}},
		{When: func(v learn.View) string {
			i := creditOf(v).Influence
			return learn.If(i.Alpha == 0 && i.Beta == 0, "neither credit.influence.alpha nor beta")
		}, Keys: []string{"credit.influence.eps"}},
	}
}

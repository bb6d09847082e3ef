// Package workflow credits the messages of episodes in which agents speak in any order, several times or never: what each message returned,
// and whom it is compared with.
//
//	returns.go   steps with rewards -> the return of every message
//	baseline.go  returns -> advantages, by the group that a message is compared in
//	branch.go    messages with alternatives -> advantages, by what follows each
//
// An episode is a list of steps. In a step one or several agents speak, in parallel, or, in a step of the environment, nobody. A step may pay the
// team, and single agents, silent ones too. With the weights w of agent i its reward at step u is
//
//	r_iu = w_team·r_team,u + w_own·r_own,iu
//
// and its return at step t, with the clock τ that counts the steps in which somebody spoke (or all of them),
//
//	R_it = Σ_{u≥t} γ^(τ(u)−τ(t))·r_iu
//
// So what the environment pays after a message is not discounted against it, however many of its steps lie between. Published codes of GRPO and of
// Dr. MAS (arXiv 2602.08847) give every message the undiscounted total of its episode instead.
//
// A message is compared inside a group. With the values V of the group, μ their mean and σ their standard deviation:
//
//	problem     V: scores of the problem's episodes, each the mean of its returns      GRPO
//	agent       V: returns of this agent's messages to the problem                     Dr. MAS
//	agent_turn  V: returns of this agent's k-th messages                               the key of AT-GRPO, over independent episodes
//	global      V: returns of all messages to the problem, or of the batch             the ablation between the two
//
//	A = R − μ,  and where wanted divided by σ
//
// Why by agent: under one common μ and σ the second moment of agent k's advantages is (σ_k² + (μ_k−μ)²)/σ². An agent that is asked rarely and paid on
// another scale gets a large advantage of constant sign, which says nothing about its messages.
//
// Why episodes may be left out: the returns of an agent that speaks twice in an episode hang on each other. A baseline that contains a message's own
// later reward is biased; the mean of the values from other episodes is not (leave-one-out by episode).
//
// Episodes of one message each make all four the advantages of [credit.Advantages].
package workflow

// A Step is a step of an episode: an ask, in which agents spoke, or one of the environment. Agents count from 0.
type Step struct {
	Says     []int     // who spoke, in parallel; none: a step of the environment
	Team     float64   // what the team earned
	Own      []float64 // what agents earned beside that, by agent; agents beyond the list earned nothing
	Unscored bool      // what the team earned could not be had: that is no 0
}

// An Episode is all of it.
type Episode struct {
	Steps  []Step
	Failed bool // an error of an engine, a sandbox or a scorer: no bad answer
}

// A Clock says what discounts count.
type Clock string

// The clocks.
const (
	ClockAsk  Clock = "ask"  // steps in which somebody spoke
	ClockStep Clock = "step" // all steps
)

// Kinds of returns.
const (
	ToGo  = "to_go"   // what follows a message, discounted
	Total = "episode" // all that the episode paid, undiscounted, for every message
)

// Weights make the reward of an agent of what the team, the agent alone and the other agents alone earned.
type Weights struct{ Team, Own, Others float64 }

// Of is the reward of an agent, from 0, where the team and each agent alone earned so much: w_team·r_team + w_own·r_i + w_others·Σ r_j, j ≠ i.
func (w Weights) Of(agent int, team float64, own []float64) float64 {
	r := w.Team * team
	for i, x := range own {
		if i == agent {
			r += w.Own * x
		} else {
			r += w.Others * x
		}
	}
	return r
}

// Options say what a message returns.
type Options struct {
	Gamma   float64
	Clock   Clock
	Returns string    // ToGo or Total
	Weights []Weights // of every agent of the roster
	// Keep takes failed episodes with FailReward added to the team's reward of the last step; otherwise they are dropped. It is right only
	// where failures are the agents' own.
	Keep       bool
	FailReward float64
}

// A Message is what an agent said in a step.
type Message struct {
	Step, Agent int
	Turn        int // messages of this agent before it in the episode
	Return      float64
}

// A Credited episode is what became of one.
type Credited struct {
	Kept     bool
	Messages []Message // in the order of steps, and of Says in them
	Totals   []float64 // undiscounted, of every agent of the roster
}

// Score is the mean of the returns of the episode's messages; ok is false where there are none.
func (c Credited) Score() (score float64, ok bool) {
	return meanReturn(c.Messages)
}

func meanReturn(messages []Message) (float64, bool) {
	if len(messages) == 0 {
		return 0, false
	}
	sum := 0.0
	for _, m := range messages {
		sum += m.Return
	}
	return sum / float64(len(messages)), true
}

// Credit returns the messages of an episode with their returns. An episode fails that says so, that was not scored in some step, or that has no
// steps; the last is dropped in any case.
func (o Options) Credit(e Episode) Credited {
	if len(e.Steps) == 0 || e.failed() && !o.Keep {
		return Credited{}
	}
	out := Credited{Kept: true}
	said := make([]int, len(o.Weights))
	for t, s := range e.Steps {
		for _, agent := range s.Says {
			out.Messages = append(out.Messages, Message{Step: t, Agent: agent, Turn: said[agent]})
			said[agent]++
		}
	}
	for agent := range o.Weights {
		rewards := o.rewards(e, agent)
		out.Totals = append(out.Totals, sum(rewards))
		returns := o.returns(e, rewards)
		for i := range out.Messages {
			if m := &out.Messages[i]; m.Agent == agent {
				m.Return = returns[m.Step]
			}
		}
	}
	return out
}

func (e Episode) failed() bool {
	for _, s := range e.Steps {
		if s.Unscored {
			return true
		}
	}
	return e.Failed
}

// rewards are those of an agent in every step: r_iu.
func (o Options) rewards(e Episode, agent int) []float64 {
	out := make([]float64, len(e.Steps))
	failed := e.failed()
	for t, s := range e.Steps {
		team := s.Team
		if s.Unscored {
			team = 0
		}
		if failed && t == len(e.Steps)-1 {
			team += o.FailReward
		}
		out[t] = o.Weights[agent].Of(agent, team, s.Own)
	}
	return out
}

// returns are R_iu from every step on, from the last backward: R_u = r_u + γ·R_u+1 where the clock ticks at the next step, otherwise without γ.
func (o Options) returns(e Episode, rewards []float64) []float64 {
	out := make([]float64, len(rewards))
	total, later := sum(rewards), 0.0
	for u := len(rewards) - 1; u >= 0; u-- {
		if u+1 < len(rewards) && (o.Clock == ClockStep || len(e.Steps[u+1].Says) > 0) {
			later *= o.Gamma
		}
		later += rewards[u]
		out[u] = later
		if o.Returns == Total {
			out[u] = total
		}
	}
	return out
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

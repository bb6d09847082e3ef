package language_test

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/learn/learntest"
	"parley/rl/rollout"
)

// A Case is an algorithm on trial.
type Case struct {
	Algorithm learn.Algorithm
	Settings  []any // of all families
	Group     int   // completions of an agent at a node
	Turns     int   // of a debate; 1: nothing longer is learned from
	// Chain says that the algorithm learns from agents who speak one after the other: two of them stand for every debate.
	Chain bool
	// Still says that a batch whose answers all earn the same teaches nothing.
	Still bool
	// Equal looks at an update whose answers all earned the same; nil: nobody does.
	Equal func(t *testing.T, episodes []*rollout.Episode)
	// KL is the coefficient of the KL penalty in the settings.
	KL float64

	roleGradients int // as in [learn.Config]
}

// Conform checks what every learner promises.
func Conform(t *testing.T, c Case) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Case)
	}{
		{"a function of episodes", functionOfEpisodes},
		{"state", stateIsAll},
		{"steps are counted", stepsAreCounted},
		{"frozen agents", frozenAgentsStay},
		{"errors name the policy", errorsNameThePolicy},
		{"equal rewards", equalRewards},
		{"silent agents", silentAgents},
		{"masked answers", maskedAnswers},
		{"penalties of policies", ownPenalties},
		{"agents that are no models", noModels},
		{"results of tools", resultsOfTools},
		{"gradients of roles", gradientsOfRoles},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, c) })
	}
}

// problems are those of an update.
const problems = 10

// perAgent gives every agent a policy of its own.
var perAgent = learn.Policies{Sharing: "per-agent", FirstTrainedTurn: 1}

// debate is a team of two who debate, or who speak one after the other.
func (c Case) debate(t *testing.T, policies learn.Policies) *learntest.Team {
	p := learntest.Debate(t, 2, c.Turns)
	if c.Chain {
		p = learntest.Pipeline(t, 2)
	}
	return c.prepare(learntest.NewTeam(t, p, policies, c.critics()))
}

func (c Case) prepare(m *learntest.Team) *learntest.Team {
	m.Group, m.Shape = c.Group, learn.SettingsIn[learn.Group](c.Settings).Rollout
	m.Untrained = c.Algorithm.FromUntrained() || c.Algorithm.Kind == learn.Preferences // whose first candidates are the base's
	return m
}

func (c Case) critics() learn.Critics {
	if c.Algorithm.Critics == nil {
		return learn.CriticsNone
	}
	return c.Algorithm.Critics(c.Settings)
}

// A pupil is a learner of a team, with what its run has recorded.
type pupil struct {
	learn.Learner
	config learn.Config
}

// recorded are the episodes of a run by their updates, from 1.
type recorded map[int][]*rollout.Episode

// teach opens a learner of a team for a run of some updates.
func (c Case) teach(t *testing.T, m *learntest.Team, updates int, recorded recorded) *pupil {
	t.Helper()
	p := &pupil{config: m.Config(c.Settings, updates, problems)}
	p.config.RoleGradients = c.roleGradients
	p.config.Recall = func(update int) ([]*rollout.Episode, error) {
		if recorded[update] == nil {
			return nil, errors.New("there is no such update")
		}
		return learntest.Reread(t, recorded[update]), nil
	}
	var err error
	if p.Learner, err = c.Algorithm.New(p.config); err != nil {
		t.Fatal(err)
	}
	return p
}

// update credits and learns from the episodes of an update.
func (p *pupil) update(t *testing.T, update int, episodes []*rollout.Episode) *learn.Stats {
	t.Helper()
	return learntest.Update(t, p.Learner, update, episodes)
}

// functionOfEpisodes: episodes that were read back from disk teach the same as those of a rollout, by the same calls of the engine.
func functionOfEpisodes(t *testing.T, c Case) {
	m := c.debate(t, perAgent)
	episodes := m.Play(t, 0, problems)
	other := *m
	other.Engine = m.Engine.Copy()
	reread := learntest.Reread(t, episodes)
	first := c.teach(t, m, 1, nil).update(t, 0, episodes)
	again := c.teach(t, &other, 1, nil).update(t, 0, reread)
	same(t, "calls", other.Engine.Calls, m.Engine.Calls)
	same(t, "policies", other.Engine.Policies(), m.Engine.Policies())
	same(t, "statistics", asJSON(t, again), asJSON(t, first))
	same(t, "credit", asJSON(t, reread), asJSON(t, episodes))
	if len(m.Engine.Calls) == 0 || other.Engine.Samples > 0 {
		t.Errorf("the engine was asked for %d things, and for %d samples", len(m.Engine.Calls), other.Engine.Samples)
	}
}

// stateIsAll: a learner that begins with the state of another, or, where there is no state, with nothing, goes on as the other does.
func stateIsAll(t *testing.T, c Case) {
	m := c.debate(t, perAgent)
	const updates = 4
	run := recorded{}
	whole := c.teach(t, m, updates, run)
	parted := *m
	parted.Engine = m.Engine.Copy()
	part := c.teach(t, &parted, updates, run)
	for update := range updates {
		episodes := m.Play(t, update, problems)
		reread := learntest.Reread(t, episodes)
		before := len(m.Engine.Calls)
		whole.update(t, update, episodes)
		parted.Engine.Calls = nil
		part.update(t, update, reread)
		same(t, "calls", parted.Engine.Calls, m.Engine.Calls[before:])
		run[update+1] = episodes
		next := c.teach(t, &parted, updates, run)
		maps.Copy(next.config.Steps, part.config.Steps)
		maps.Copy(next.config.Tops, part.config.Tops)
		if from, ok := part.Learner.(learn.Remembering); ok {
			next.Learner.(learn.Remembering).Remember(from.Averages())
		}
		if from, ok := part.Learner.(learn.Stateful); ok {
			if err := next.Learner.(learn.Stateful).Restore(from.State()); err != nil {
				t.Fatal(err)
			}
		}
		part = next
	}
	same(t, "policies", parted.Engine.Policies(), m.Engine.Policies())
}

// stepsAreCounted: statistics and the counts that are saved with checkpoints agree with the steps that the engine took, and so does what the
// algorithm says of a run before it begins; where it chooses what it learns from, that is a bound.
func stepsAreCounted(t *testing.T, c Case) {
	m := c.debate(t, perAgent)
	run := recorded{}
	p := c.teach(t, m, 4, run)
	counted := learn.StepCounts{}
	for update := range p.config.Updates {
		before := len(m.Engine.Steps())
		episodes := m.Play(t, update, problems)
		s := p.update(t, update, episodes)
		run[update+1] = episodes
		taken := m.Engine.Steps()[before:]
		if s.OptimizerSteps != len(taken) {
			t.Errorf("update %d: %d steps in the statistics, %d taken", update+1, s.OptimizerSteps, len(taken))
		}
		if moved := s.Moved(); len(taken) > 0 && (moved == nil || *moved < 0) {
			t.Errorf("update %d: %d steps, and nothing says how far policies moved", update+1, len(taken))
		}
		named := map[string]bool{}
		for _, name := range taken {
			counted[name]++
			named[string(name)] = true
		}
		same(t, "policies with gradients", slices.Sorted(maps.Keys(s.GradNorm)), slices.Sorted(maps.Keys(named)))
	}
	if !maps.Equal(p.config.Steps, counted) || len(counted) == 0 {
		t.Errorf("steps %v were counted, %v taken", p.config.Steps, counted)
	}
	taken, said := len(m.Engine.Steps()), c.Algorithm.StepsOf(c.outline(p.config))
	if chooses := c.Algorithm.FromUntrained() || c.Algorithm.Kind == learn.Preferences; taken > said || taken < said && !chooses {
		t.Errorf("%d steps were taken, %d said before", taken, said)
	}
}

// outline is what the run of a learner is before it begins.
func (c Case) outline(config learn.Config) learn.Outline {
	o := learn.Outline{
		Settings: c.Settings, Updates: config.Updates, Problems: config.Problems, Sharing: config.Sharing, Turns: config.Turns,
		Branching: 1, Actions: c.Group, EpochEnds: config.EpochEnds,
	}
	if c.Algorithm.Kind == learn.GroupRelative {
		o.Branching = c.Group
	}
	return o
}

// frozenAgentsStay: the policies of a frozen agent take no step, nor does the base.
func frozenAgentsStay(t *testing.T, c Case) {
	policies := perAgent
	policies.Frozen = []int{1}
	m := c.debate(t, policies)
	p := c.teach(t, m, 1, nil)
	p.update(t, 0, m.Play(t, 0, problems))
	steps := m.Engine.Steps()
	if len(steps) == 0 {
		t.Error("nobody learns beside a frozen agent")
	}
	for _, name := range steps {
		if name == "" || strings.Contains(string(name), "agent1") {
			t.Errorf("%q takes a step", name)
		}
	}
}

// errBroken is what a broken engine says.
var errBroken = errors.New("the engine is broken")

// errorsNameThePolicy: an engine that fails is said to have failed with a policy.
func errorsNameThePolicy(t *testing.T, c Case) {
	for _, call := range []string{"train", "step"} {
		m := c.debate(t, perAgent)
		p := c.teach(t, m, 1, nil)
		episodes := m.Play(t, 0, problems)
		var failed string
		m.Engine.Broken = func(now string, policy engine.Policy) error {
			if now != call {
				return nil
			}
			failed = string(policy)
			return errBroken
		}
		err := p.Learner.Update(t.Context(), learn.Recorded(0, episodes))
		if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), failed) {
			t.Errorf("%s of %s fails, and the learner says: %v", call, failed, err)
		}
	}
}

// equalRewards: where all answers earn the same, nothing is made more probable than anything else, if that is what the algorithm says.
func equalRewards(t *testing.T, c Case) {
	m := c.debate(t, perAgent)
	m.Reward = func(string) float64 { return 1 }
	p := c.teach(t, m, 1, nil)
	before := m.Engine.Policies()
	episodes := m.Play(t, 0, problems)
	p.update(t, 0, episodes)
	if still := slices.Equal(m.Engine.Policies(), before); still != c.Still {
		t.Errorf("equal rewards leave all policies alone: %v, want %v, which Still of the case says", still, c.Still)
	}
	if c.Equal != nil {
		c.Equal(t, episodes)
	}
}

// silentAgents: agents who do not speak in every turn learn from those in which they do.
func silentAgents(t *testing.T, c Case) {
	if c.Turns == 1 {
		return
	}
	teams := map[string]*learntest.Team{"pipeline": learntest.NewTeam(t, learntest.Pipeline(t, 3), perAgent, c.critics())}
	if !c.Chain {
		teams["leader"] = learntest.NewTeam(t, learntest.Leader(t, 3, 4), perAgent, c.critics())
	}
	for name, m := range teams {
		c.prepare(m)
		p := c.teach(t, m, 1, nil)
		p.update(t, 0, m.Play(t, 0, problems))
		steps := m.Engine.Steps()
		for _, trainee := range m.Sharing.Trained(m.Protocol.Turns(), false) {
			if !slices.Contains(steps, trainee.Policy) {
				t.Errorf("%s: %s takes no step of %v", name, trainee.Policy, steps)
			}
		}
	}
}

// maskedAnswers: what tokens a masked answer has makes no difference to what is learned, and where all answers are masked nothing is.
func maskedAnswers(t *testing.T, c Case) {
	m := c.debate(t, perAgent)
	other := *m
	other.Engine = m.Engine.Copy()
	before := m.Engine.Policies()
	episodes := m.Play(t, 0, problems)
	answers := mask(episodes, func(i int) bool { return i%3 == 0 })
	changed := learntest.Reread(t, episodes)
	mask(changed, func(i int) bool { return i%3 == 0 })
	for i, answer := range mask(firstTurns(changed), nil) { // of later turns, values of what was said before may follow from them
		if answer.Masked {
			answer.Tokens = []int{1 + i%2, 2, learntest.End}
			answer.Logprobs = []float32{-1, -3, -2}
		}
	}
	c.teach(t, m, 1, nil).update(t, 0, episodes)
	c.teach(t, &other, 1, nil).update(t, 0, changed)
	same(t, "policies", other.Engine.Policies(), m.Engine.Policies())
	if slices.Equal(m.Engine.Policies(), before) || len(answers) < problems {
		t.Error("nothing is learned beside masked answers")
	}
	all := *m
	all.Engine = m.Engine.Copy()
	before = all.Engine.Policies()
	episodes = all.Play(t, 0, problems)
	mask(episodes, func(int) bool { return true })
	if c.teach(t, &all, 1, nil).update(t, 0, episodes); !slices.Equal(all.Engine.Policies(), before) {
		t.Error("something is learned from masked answers")
	}
}

// resultsOfTools: what agents read within their turns is in what is scored and trained on, and is never asked for; the engine refuses to say how
// probable it is. Where agents read something else, something else is learned.
func resultsOfTools(t *testing.T, c Case) {
	learned := make([][]string, 2)
	for i, results := range [][]int{{learntest.Result}, {learntest.Result, learntest.Result + 1, learntest.Result}} {
		m := c.debate(t, perAgent)
		before := m.Engine.Policies()
		episodes := m.Play(t, 0, problems)
		inserted := insert(t, m, episodes, results)
		c.teach(t, m, 1, nil).update(t, 0, learntest.Reread(t, episodes))
		learned[i] = m.Engine.Policies()
		if slices.Equal(learned[i], before) || inserted < problems {
			t.Errorf("nothing is learned from %d answers with results", inserted)
		}
	}
	if slices.Equal(learned[0], learned[1]) {
		t.Error("results that agents read make no difference")
	}
}

// insert puts results into answers and gives their tokens the log-probabilities that they have there; it counts them.
func insert(t *testing.T, m *learntest.Team, episodes []*rollout.Episode, results []int) (inserted int) {
	t.Helper()
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for a := range n.Agents {
				asked := &n.Agents[a]
				for k := range asked.Completions {
					answer := &asked.Completions[k]
					if len(answer.Tokens) < 2 {
						continue
					}
					answer.Inserted = []rollout.Inserted{{At: 1 + len(answer.Tokens)/3, Tokens: results}}
					out, err := m.Engine.Copy().Forward(t.Context(), []engine.Datum{learn.Datum(asked.Policy, asked, answer)})
					if err != nil {
						t.Fatal(err)
					}
					answer.Logprobs = out[0].Logprobs
					inserted++
				}
			}
		}
	}
	return inserted
}

// firstTurns are episodes that end after their first turn.
func firstTurns(episodes []*rollout.Episode) []*rollout.Episode {
	var out []*rollout.Episode
	for _, e := range episodes {
		out = append(out, &rollout.Episode{Nodes: e.Nodes[:1]})
	}
	return out
}

// mask masks the i-th answers that which says, and lists all; nil: none more.
func mask(episodes []*rollout.Episode, which func(i int) bool) []*rollout.Completion {
	var all []*rollout.Completion
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for a := range n.Agents {
				for k := range n.Agents[a].Completions {
					answer := &n.Agents[a].Completions[k]
					answer.Masked = answer.Masked || which != nil && which(len(all))
					all = append(all, answer)
				}
			}
		}
	}
	return all
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d %s, want %d", len(got), what, len(want))
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s differ, the %d-th is\n%s\nwant\n%s", what, i, got[i], want[i])
			return
		}
	}
}

func asJSON(t *testing.T, v any) []string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return []string{string(data)}
}

// gradientsOfRoles: what each agent gives to the steps of a shared policy is told without a trace in what is trained, and adds up to the step.
func gradientsOfRoles(t *testing.T, c Case) {
	m := c.debate(t, learn.Policies{Sharing: "shared", FirstTrainedTurn: 1})
	episodes := m.Play(t, 0, problems)
	other := *m
	other.Engine = m.Engine.Copy()
	plain := c.teach(t, &other, 1, nil).update(t, 0, learntest.Reread(t, episodes))
	c.roleGradients = 1
	measured := c.teach(t, m, 1, nil).update(t, 0, episodes)
	same(t, "calls", m.Engine.Calls, other.Engine.Calls)
	same(t, "policies", m.Engine.Policies(), other.Engine.Policies())
	losses := 0.0
	for _, share := range measured.RoleLoss {
		losses += share
	}
	if len(measured.RoleLoss) != 2 || math.Abs(losses-1) > 1e-12 {
		t.Errorf("shares of the loss %v, expected those of two agents that add up to 1: fill batches with PolicyBatch.Add, and call Common.Accumulate", measured.RoleLoss)
	}
	// A full buffer may hold the messages of one agent alone, as steps on pairs of a chain do, and a value head has gradients of its own.
	whole := !c.Chain && learn.SettingsIn[learn.Group](c.Settings).Buffer == 0 && c.critics() != learn.CriticsOnPolicies
	step, ok := measured.RoleGradients["policy"]
	if !ok || len(step.Parts) != 2 || math.Abs(step.Parts[0].Mass+step.Parts[1].Mass-1) > 1e-12 {
		t.Fatalf("gradients of roles %+v", measured.RoleGradients)
	}
	if norm := measured.GradNorm["policy"]; whole && math.Abs(step.Norm-norm) > 1e-6*norm {
		t.Errorf("the roles' gradients add up to a norm of %v, the step's is %v", step.Norm, norm)
	}
	measured.RoleNorm, measured.RoleGradients = nil, nil
	same(t, "statistics", asJSON(t, measured), asJSON(t, plain))
}

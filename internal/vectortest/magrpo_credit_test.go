package vectortest

import (
	"testing"

	"parley/rl/credit"
	"parley/rl/rollout"
	"parley/train/record"
)

func advantagesCase(t *testing.T, c Case) {
	v := decode[struct {
		Returns    []float64
		Mode       credit.AdvantageMode
		Normalize  bool
		Advantages []float64
	}](t, c)
	got, err := credit.Advantages(v.Returns, v.Mode, v.Normalize)
	if err != nil {
		t.Fatal(err)
	}
	nearSlice(t, c, "advantages", got, v.Advantages)
}

// rewardTree and returnTree are the two spellings of a tree in the vector file.
type rewardTree struct {
	Rewards  []float64
	Children []rewardTree
}

func (r rewardTree) tree() credit.Tree {
	t := credit.Tree{Values: r.Rewards}
	for _, c := range r.Children {
		t.Children = append(t.Children, c.tree())
	}
	return t
}

type returnTree struct {
	Returns  []float64
	Children []returnTree
}

func (r returnTree) equals(t *testing.T, c Case, got credit.Tree) {
	t.Helper()
	nearSlice(t, c, "returns", got.Values, r.Returns)
	if len(got.Children) != len(r.Children) {
		t.Fatalf("a node has %d children, want %d", len(got.Children), len(r.Children))
	}
	for i, child := range r.Children {
		child.equals(t, c, got.Children[i])
	}
}

func returnsCase(t *testing.T, c Case) {
	v := decode[struct {
		Discount      float64
		Mode          string
		Agents, Group int
		Tree          rewardTree
		Returns       returnTree
		Counts        struct {
			Nodes       int
			EnvSteps    int `json:"env_steps"`
			Generations int
		}
		TurnMeans []struct {
			Reward         float64
			ExpectedReturn float64 `json:"expected_return"`
		} `json:"turn_means"`
	}](t, c)
	rewards := v.Tree.tree()
	returns, err := rewards.Returns(v.Discount)
	if err != nil {
		t.Fatal(err)
	}
	v.Returns.equals(t, c, returns)
	mode, err := credit.ParseJointMode(v.Mode)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "joint actions of the root", len(credit.JointActions(mode, v.Agents, v.Group)), len(rewards.Values))
	e := new(rollout.Episode)
	rewards.Walk(func(_ int, n credit.Tree) { e.Nodes = append(e.Nodes, played(n, v.Agents, v.Group)) })
	counts := record.CostsOf([]*rollout.Episode{e})
	equal(t, "nodes", counts.Nodes, v.Counts.Nodes)
	equal(t, "env steps", counts.Steps, v.Counts.EnvSteps)
	equal(t, "generations", counts.Generations, v.Counts.Generations)
	meanRewards, meanReturns := depthMeans(rewards), depthMeans(returns)
	if len(meanReturns) != len(v.TurnMeans) {
		t.Fatalf("%d turn means, want %d", len(meanReturns), len(v.TurnMeans))
	}
	for i, want := range v.TurnMeans {
		near(t, c, "mean reward", meanRewards[i], want.Reward)
		near(t, c, "mean return", meanReturns[i], want.ExpectedReturn)
	}
}

// played is a node of a rollout with as many joint actions as one of a tree.
func played(n credit.Tree, agents, group int) *rollout.Node {
	out := &rollout.Node{Joint: make([][]int, len(n.Values)), Agents: make([]rollout.AgentTurn, agents)}
	for a := range out.Agents {
		out.Agents[a].Completions = make([]rollout.Completion, group)
	}
	return out
}

// depthMeans are the means over the nodes of every depth of the node's mean value.
func depthMeans(t credit.Tree) []float64 {
	var sums, nodes []float64
	t.Walk(func(depth int, n credit.Tree) {
		if depth == len(sums) {
			sums, nodes = append(sums, 0), append(nodes, 0)
		}
		for _, v := range n.Values {
			sums[depth] += v / float64(len(n.Values))
		}
		nodes[depth]++
	})
	for d := range sums {
		sums[d] /= nodes[d]
	}
	return sums
}

func crossCreditCase(t *testing.T, c Case) {
	v := decode[struct {
		Agents, Group      int
		JointReturns       []float64 `json:"joint_returns"`
		Mode               credit.CrossMode
		Credit             [][]float64
		AdvantagesMeanMode [][]float64 `json:"advantages_mean_mode"`
	}](t, c)
	got, err := credit.NodeCredit(v.JointReturns, credit.Cross, v.Agents, v.Group, v.Mode)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "agents", len(got), len(v.Credit))
	for i := range v.Credit {
		nearSlice(t, c, "credit", got[i], v.Credit[i])
		adv, err := credit.Advantages(got[i], credit.ModeMean, false)
		if err != nil {
			t.Fatal(err)
		}
		nearSlice(t, c, "advantages", adv, v.AdvantagesMeanMode[i])
	}
}

func treeSizeCase(t *testing.T, c Case) {
	v := decode[struct {
		Group, Agents, Turns       int
		Mode                       string
		Nodes, Generations, Leaves int
		EnvSteps                   int `json:"env_steps"`
		Branching                  int
		NodeSamples                int `json:"node_samples"`
	}](t, c)
	var got credit.Size
	var err error
	if v.Mode == "chain" {
		got, err = credit.ChainSize(v.Agents, v.Group, v.Turns)
	} else {
		mode, perr := credit.ParseJointMode(v.Mode)
		if perr != nil {
			t.Fatal(perr)
		}
		got, err = credit.TreeSize(mode, v.Agents, v.Group, v.Turns)
	}
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "size", got, credit.Size{
		Nodes: v.Nodes, EnvSteps: v.EnvSteps, Generations: v.Generations,
		Leaves: v.Leaves, NodeSamples: v.NodeSamples, Branching: v.Branching,
	})
}

func chainCase(t *testing.T, c Case) {
	v := decode[struct {
		TurnRewards [][]float64 `json:"turn_rewards"`
		TurnWeights []float64   `json:"turn_weights"`
		EarlyValue  *float64    `json:"early_value"`
		EarlyWeight float64     `json:"early_weight"`
		Turns       []struct {
			Turn, Best   int
			Mean, Weight float64
			Advantages   []float64
		}
		StoppedAfter *int      `json:"stopped_after"`
		LoggedMeans  []float64 `json:"logged_means"`
	}](t, c)
	chain := credit.Chain{TurnWeights: v.TurnWeights, EarlyValue: v.EarlyValue, EarlyWeight: v.EarlyWeight, Clip: credit.ChainClip}
	var played []credit.ChainTurn
	var stopped *int
	for i, rewards := range v.TurnRewards {
		turn, err := chain.Turn(i, len(v.TurnRewards), rewards)
		if err != nil {
			t.Fatal(err)
		}
		played = append(played, turn)
		if turn.Stop {
			after := i + 1
			stopped = &after
			break
		}
	}
	if (stopped == nil) != (v.StoppedAfter == nil) || stopped != nil && *stopped != *v.StoppedAfter {
		t.Errorf("stopped after %v, want %v", stopped, v.StoppedAfter)
	}
	if len(played) != len(v.Turns) {
		t.Fatalf("%d turns played, want %d", len(played), len(v.Turns))
	}
	for i, want := range v.Turns {
		equal(t, "turn", i+1, want.Turn)
		equal(t, "best", played[i].Best, want.Best)
		near(t, c, "mean", played[i].Mean, want.Mean)
		near(t, c, "weight", played[i].Weight, want.Weight)
		nearSlice(t, c, "advantages", played[i].Advantages, want.Advantages)
	}
	nearSlice(t, c, "logged means", chain.LoggedMeans(played, len(v.TurnRewards)), v.LoggedMeans)
}

func terminationCase(t *testing.T, c Case) {
	v := decode[struct {
		Rewards   []float64
		Threshold *float64
		Terminate bool
	}](t, c)
	equal(t, "terminate", credit.Terminate(v.Rewards, v.Threshold, 0), v.Terminate)
}

func tdCase(t *testing.T, c Case) {
	v := decode[struct {
		Rewards, Values []float64
		Discount        float64
		Targets, Deltas []float64
	}](t, c)
	targets, deltas := make([]float64, len(v.Rewards)), make([]float64, len(v.Rewards))
	for i := range targets {
		next := 0.0
		if i+1 < len(v.Values) {
			next = v.Values[i+1]
		}
		targets[i] = credit.TDTarget(v.Rewards[i:i+1], next, v.Discount)
		deltas[i] = targets[i] - v.Values[i]
	}
	nearSlice(t, c, "targets", targets, v.Targets)
	nearSlice(t, c, "deltas", deltas, v.Deltas)
}

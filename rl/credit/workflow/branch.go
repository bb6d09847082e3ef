package workflow

import (
	"fmt"
	"math"
	"slices"

	"parley/rl/credit"
)

// A BranchVariant says what siblings are compared by.
type BranchVariant string

// The variants.
const (
	RewardOnly    BranchVariant = "reward_only"    // values from leaves
	ValueOnly     BranchVariant = "value_only"     // the critic's
	ValueAssisted BranchVariant = "value_assisted" // values from leaves, less a baseline that the critic has a share in
)

// Baselines among siblings.
const (
	LeaveOne = "loo"
	FullMean = "full_mean"
)

// Ways in which values go up the tree.
const (
	BackupChildren = "children" // r + γ·mean of the children's values
	BackupLeaves   = "leaves"   // mean of all leaves below
)

// A BranchRule is how a tree of alternatives is credited.
//
// Messages are credited by what follows them (C3, arXiv 2603.06859): the transcript above a message is frozen, alternatives to it are
// drawn, and each is continued to the end.
//
//	value of a message  = what the leaves below it earned, on average
//	A                   = its value − mean value of its siblings without itself
//
// Siblings are the alternatives to one message. With fan-outs f_1 … f_D by role the answers scored are ∏ f_d, and a message at depth d was generated
// ∏_{k≤d} f_k times: compare rules at equal messages, not only at equal answers.
//
// The published code offers more, and has it here by name. A critic Q(prefix) may take the place of the value (value_only), or assist the baseline
// (value_assisted, its default):
//
//	reward_only     A = v − b(v)
//	value_only      A = q − b(q)
//	value_assisted  A = v − [(1−α)·b(v) + α·b(q)]
//
// with b the mean of the others (loo) or of all (full_mean). It then divides (A − mean A) by √(var A + 1e-8) inside the siblings. After that loo and
// full_mean are the same numbers but for that 1e-8 under reward_only and value_only: over n siblings
//
//	v − mean of the others = n/(n−1)·(v − mean of all)
//
// and the factor n/(n−1) cancels with the deviation. An ablation "without leave-one-out" is void there. Nor are siblings across parents (no replay)
// answers to one prompt: they have different transcripts above them.
//
// An aligned tree of one agent a node with equal fan-outs and full_mean is this rule with the returns of [credit.Tree]. New are fan-outs by role,
// leave-one-out, Q, and branching at one message of a finished episode.
type BranchRule struct {
	Variant   BranchVariant
	Alpha     float64 // share of the critic in the baseline of ValueAssisted
	Baseline  string  // LeaveOneOut or FullMean
	NoReplay  bool    // siblings are all messages of one depth and agent, whatever stands above them
	Backup    string  // Children or Leaves
	Gamma     float64
	Normalize bool // divide by the deviation inside the siblings
}

// Check returns an error for unknown words.
func (r BranchRule) Check() error {
	switch r.Variant {
	case RewardOnly, ValueOnly, ValueAssisted:
	default:
		return fmt.Errorf("variant %q: write reward_only, value_only or value_assisted", r.Variant)
	}
	if r.Baseline != LeaveOne && r.Baseline != FullMean {
		return fmt.Errorf("baseline %q: write loo or full_mean", r.Baseline)
	}
	if r.Backup != BackupChildren && r.Backup != BackupLeaves {
		return fmt.Errorf("backup %q: write children or leaves", r.Backup)
	}
	return nil
}

// A BranchNode is one alternative of a message; one without children is a leaf.
type BranchNode struct {
	Agent    string
	Reward   float64 // of a leaf, or of an inner step
	Failed   bool    // a leaf that could not be scored
	Q        float64 // what a critic expects after it
	Children []BranchNode
}

// A CreditedNode message of the tree.
type CreditedNode struct {
	Path      []int // indices of the alternatives from the first message on
	Agent     string
	Value     float64
	Advantage float64
	Valued    bool // something below it was scored; otherwise it takes no part
	q         float64
}

// Credit returns the messages of a tree depth-first, and the paths of each group of siblings in the order of their first. tree lists the
// alternatives of the first message.
func (r BranchRule) Credit(tree []BranchNode) (messages []*CreditedNode, siblings [][][]int, err error) {
	if err := r.Check(); err != nil {
		return nil, nil, err
	}
	type key struct {
		under string // the parent's path, or the depth
		agent string
	}
	groups := map[key][]*CreditedNode{}
	var order []key
	var walk func(nodes []BranchNode, above []int)
	walk = func(nodes []BranchNode, above []int) {
		for i, n := range nodes {
			c := &CreditedNode{Path: append(slices.Clone(above), i), Agent: n.Agent, q: n.Q}
			c.Value, c.Valued = r.value(n)
			messages = append(messages, c)
			k := key{under: fmt.Sprint(above)}
			if r.NoReplay {
				k = key{under: fmt.Sprint(len(above)), agent: n.Agent}
			}
			if groups[k] == nil {
				order = append(order, k)
			}
			groups[k] = append(groups[k], c)
			walk(n.Children, c.Path)
		}
	}
	walk(tree, nil)
	for _, k := range order {
		r.compare(groups[k])
		var paths [][]int
		for _, c := range groups[k] {
			paths = append(paths, c.Path)
		}
		siblings = append(siblings, paths)
	}
	return messages, siblings, nil
}

// value is that of what follows a message; ok is false where nothing below it was scored.
func (r BranchRule) value(n BranchNode) (v float64, ok bool) {
	if len(n.Children) == 0 {
		return n.Reward, !n.Failed
	}
	if r.Backup == BackupLeaves {
		sum, count := leaves(n)
		return sum / max(count, 1), count > 0
	}
	sum, count := 0.0, 0.0
	for _, c := range n.Children {
		if v, ok := r.value(c); ok {
			sum, count = sum+v, count+1
		}
	}
	return n.Reward + r.Gamma*sum/max(count, 1), count > 0
}

func leaves(n BranchNode) (sum, count float64) {
	if len(n.Children) == 0 {
		if n.Failed {
			return 0, 0
		}
		return n.Reward, 1
	}
	for _, c := range n.Children {
		s, k := leaves(c)
		sum, count = sum+s, count+k
	}
	return sum, count
}

// normEps is what the published code adds to the variance.
const normEps = 1e-8

// compare fills in the advantages of siblings. Fewer than two with a value are compared with nobody.
func (r BranchRule) compare(siblings []*CreditedNode) {
	var there []*CreditedNode
	var values, critic []float64
	for _, c := range siblings {
		if c.Valued {
			there, values, critic = append(there, c), append(values, c.Value), append(critic, c.q)
		}
	}
	if len(there) < 2 {
		return
	}
	v, q := r.baselined(values), r.baselined(critic)
	adv := make([]float64, len(there))
	for i := range there {
		switch r.Variant {
		case ValueOnly:
			adv[i] = critic[i] - q[i]
		case ValueAssisted:
			adv[i] = values[i] - ((1-r.Alpha)*v[i] + r.Alpha*q[i])
		default:
			adv[i] = values[i] - v[i]
		}
	}
	if r.Normalize {
		adv = normalised(adv)
	}
	for i, c := range there {
		c.Advantage = adv[i]
	}
}

// baselined are the baselines b of every value.
func (r BranchRule) baselined(x []float64) []float64 {
	out := make([]float64, len(x))
	total := 0.0
	for _, v := range x {
		total += v
	}
	n := float64(len(x))
	for i := range x {
		out[i] = total / n
		if r.Baseline == LeaveOne {
			out[i] = (total - x[i]) / (n - 1)
		}
	}
	return out
}

func normalised(x []float64) []float64 {
	spread := credit.Spread{Std: credit.StdPopulation, Divide: credit.DivideFloor}
	std, _ := spread.Of(x)
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = (v - mean) / math.Sqrt(std*std+normEps)
	}
	return out
}

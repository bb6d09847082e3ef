package eval

// These two files choose what is learned from out of what was scored: rows for supervised training, pairs for DPO, tasks that are neither too easy
// nor too hard. All of it is done on numbers, by index; the caller holds the texts.
//
//	trajectories.go  rewards of whole trajectories → rows, pairs      SWEET-RL's baselines: RFT and multi-turn DPO
//	proposals.go     verdicts on proposals of peers → tasks, rows     MLPO, phase 2; scores of candidates at one history → pairs      SWEET-RL, stage 3
//
// Rewards that differ by rounding are equal ([parley/internal/tie]), and of equals the first one wins. Chance is given, never drawn here.
//
// Pairs out of trees of alternatives are those of [parley/rl/credit], pairs of joint responses those of [parley/rl/loss.PreferencePairs].

import (
	"cmp"
	"slices"

	"parley/internal/tie"
)

// A Row names one trajectory of one task.
type Row struct{ Task, Trajectory int }

// Passing returns the trajectories whose reward reaches a threshold, rewards as [task][trajectory]: rejection sampling. perTask is the most that
// are kept of a task, those with the highest rewards; 0: all of them. The result is ordered by task and trajectory.
func Passing(tasks [][]float64, threshold float64, perTask int) []Row {
	var out []Row
	for t, rewards := range tasks {
		order := Ranking(rewards)
		order = slices.DeleteFunc(order, func(i int) bool { return tie.Above(threshold, rewards[i], 0) })
		if perTask > 0 {
			order = order[:min(perTask, len(order))]
		}
		slices.Sort(order)
		for _, i := range order {
			out = append(out, Row{t, i})
		}
	}
	return out
}

// Ranking returns the indices of scores, best first.
func Ranking(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	levels := tie.Levels(scores, 0)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(levels[b], levels[a]) })
	return order
}

// A Contrast is a pair of trajectories of one task.
type Contrast struct{ Task, Chosen, Rejected int }

// solvedReward is the reward of a trajectory that solves its task.
const solvedReward = 1

// Best returns, for every task, the first trajectory with the highest reward against each one that earned less. With solved only tasks that
// somebody solved take part.
func Best(tasks [][]float64, solved bool) []Contrast {
	var out []Contrast
	for t, rewards := range tasks {
		if len(rewards) == 0 {
			continue
		}
		best := tie.Best(rewards, 0)
		if solved && tie.Above(solvedReward, rewards[best], 0) {
			continue
		}
		for i, r := range rewards {
			if tie.Above(rewards[best], r, 0) {
				out = append(out, Contrast{t, best, i})
			}
		}
	}
	return out
}

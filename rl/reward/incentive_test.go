package reward

import (
	"testing"

	"pgregory.net/rapid"
)

func bits(rows ...[]int) [][]bool {
	out := make([][]bool, len(rows))
	for t, row := range rows {
		for _, b := range row {
			out[t] = append(out[t], b == 1)
		}
	}
	return out
}

// judged is a debate in which all agents speak in every turn, and which of their answers are right.
func judged(correct [][]bool) []Turn {
	debate := make([]Turn, len(correct))
	for t, turn := range correct {
		for a, right := range turn {
			debate[t] = append(debate[t], Answer{Agent: a, Correct: right})
		}
	}
	return debate
}

// The incentive table of §13, for both rules.
func TestSection13Incentives(t *testing.T) {
	c := Coefficients{Alpha0: 1, Alpha1: 2, Beta0: 4, Beta1: 8}
	for _, row := range []struct {
		correct          [][]bool
		paper, reference [][]float64
	}{
		{bits([]int{1, 0}, []int{0, 1}, []int{1, 1}), [][]float64{{8, -4}, {-1, 10}, {2, 0}}, [][]float64{{0, 0}, {-1, -7}, {1, 0}}},
		{bits([]int{0, 1}, []int{1, 1}, []int{1, 0}), [][]float64{{0, 8}, {-6, 0}, {0, -2}}, [][]float64{{0, 0}, {5, 0}, {0, -2}}},
		{bits([]int{0, 0}, []int{0, 1}, []int{1, 1}), [][]float64{{4, 0}, {0, 9}, {2, 0}}, [][]float64{{0, 0}, {0, -6}, {1, 0}}},
		{bits([]int{1, 1}, []int{1, 0}, []int{0, 0}), [][]float64{{-8, 0}, {0, -6}, {-1, 0}}, [][]float64{{0, 0}, {0, 6}, {-1, 0}}},
		{bits([]int{1, 1, 0}, []int{1, 0, 1}, []int{1, 1, 1}), [][]float64{{0, 0, 0}, {0, 0, 2}, {0, 2, 0}}, [][]float64{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}}},
		{bits([]int{0, 1, 1}, []int{1, 1, 1}, []int{0, 1, 1}), [][]float64{{0, 0, 0}, {2, 0, 0}, {-2, 0, 0}}, [][]float64{{0, 0, 0}, {1, 0, 0}, {-2, 0, 0}}},
		{bits([]int{1, 0, 0}, []int{1, 1, 1}, []int{1, 1, 1}), [][]float64{{8, 0, 0}, {0, 0, 0}, {0, 0, 0}}, [][]float64{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
	} {
		near(t, Incentives(PaperRule, c, judged(row.correct)), row.paper, 0)
		near(t, Incentives(ReferenceRule, c, judged(row.correct)), row.reference, 0)
	}
}

// A single agent earns nothing by the paper, and ±α1 in the authors' code.
func TestSingleAgentIncentives(t *testing.T) {
	c := Coefficients{Alpha0: 1, Alpha1: 2, Beta0: 4, Beta1: 8}
	correct := bits([]int{0}, []int{1}, []int{0})
	near(t, Incentives(PaperRule, c, judged(correct)), [][]float64{{0}, {0}, {0}}, 0)
	near(t, Incentives(ReferenceRule, c, judged(correct)), [][]float64{{0}, {2}, {-2}}, 0)
}

// The property of §2.3: bonus(1−C; α0,α1,β0,β1) = −bonus(C; α1,α0,β1,β0); and constant C gives 0.
func TestSection23Properties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turns, agents := rapid.IntRange(1, 4).Draw(t, "turns"), rapid.IntRange(1, 5).Draw(t, "agents")
		row := rapid.SliceOfN(rapid.Bool(), agents, agents)
		correct := rapid.SliceOfN(row, turns, turns).Draw(t, "correct")
		number := rapid.Float64Range(-3, 3)
		c := Coefficients{number.Draw(t, "α0"), number.Draw(t, "α1"), number.Draw(t, "β0"), number.Draw(t, "β1")}
		swapped := Coefficients{Alpha0: c.Alpha1, Alpha1: c.Alpha0, Beta0: c.Beta1, Beta1: c.Beta0}
		complement := make([][]bool, turns)
		constant := make([][]bool, turns)
		for i := range correct {
			constant[i] = correct[0]
			for _, right := range correct[i] {
				complement[i] = append(complement[i], !right)
			}
		}
		mirrored := Incentives(PaperRule, swapped, judged(correct))
		for i := range mirrored {
			for a := range mirrored[i] {
				mirrored[i][a] *= -1
			}
		}
		near(t, Incentives(PaperRule, c, judged(complement)), mirrored, 1e-12)
		near(t, Incentives(PaperRule, c, judged(constant)), constantRows(turns, agents, 0), 0)
	})
}

// Tables 1 and 2 row by row, from a second reading of them: letters against amounts.
func TestTables1And2RowByRow(t *testing.T) {
	c := Coefficients{Alpha0: 1, Alpha1: 2, Beta0: 4, Beta1: 8}
	own := map[string]float64{"RWR": -c.Alpha1, "RWW": -c.Alpha0, "WRW": c.Alpha0, "WRR": c.Alpha1}
	influence := map[string]float64{"RWR": -c.Beta1, "RWW": -c.Beta0, "WRW": c.Beta0, "WRR": c.Beta1}
	letter := map[bool]string{true: "R", false: "W"}
	for code := range 16 { // two agents, two turns
		correct := bits([]int{code & 1, code >> 1 & 1}, []int{code >> 2 & 1, code >> 3 & 1})
		want := constantRows(2, 2, 0)
		for a := range 2 {
			b := 1 - a
			want[1][a] = own[letter[correct[0][a]]+letter[correct[1][a]]+letter[correct[0][b]]]
			want[0][a] = influence[letter[correct[0][b]]+letter[correct[1][b]]+letter[correct[0][a]]]
		}
		near(t, Incentives(PaperRule, c, judged(correct)), want, 0)
	}
}

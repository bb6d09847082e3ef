package credit

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Whitened advantages have mean 0 and n-1 variance 1, keep their order, and neither a shift nor a positive scale of all
// advantages changes them.
func TestWhitenProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answer := rapid.SliceOfN(rapid.Float64Range(-5, 5), 1, 8)
		advantages := rapid.SliceOfN(answer, 1, 4).Draw(t, "advantages")
		white := Whiten(advantages)
		n, sum, squares, spread := 0.0, 0.0, 0.0, 0.0
		for i := range white {
			for x, w := range white[i] {
				n++
				sum += w
				squares += w * w
				spread = max(spread, math.Abs(advantages[i][x]-advantages[0][0]))
				if (advantages[i][x] > advantages[0][0]) != (w > white[0][0]) && math.Abs(advantages[i][x]-advantages[0][0]) > 1e-9 {
					t.Fatal("the order changed")
				}
			}
		}
		if n < 2 || spread < 0.1 {
			return
		}
		if math.Abs(sum/n) > 1e-9 || math.Abs(squares/(n-1)-1) > 1e-4 {
			t.Fatalf("mean %v, variance %v", sum/n, squares/(n-1))
		}
		moved := make([][]float64, len(advantages))
		for i := range advantages {
			for _, a := range advantages[i] {
				moved[i] = append(moved[i], 3*a-7)
			}
		}
		for i, row := range Whiten(moved) {
			for x := range row {
				if math.Abs(row[x]-white[i][x]) > 1e-4 {
					t.Fatalf("3a − 7 is whitened to %v, a to %v", row[x], white[i][x])
				}
			}
		}
	})
}

func TestWhitenEdges(t *testing.T) {
	nearly(t, "single token", Whiten([][]float64{{.7}})[0], []float64{.7}, 0)
	nearly(t, "equal tokens", Whiten([][]float64{{.25, .25}, {.25}})[0], []float64{0, 0}, 0)
	if got := Whiten(nil); len(got) != 0 {
		t.Errorf("nothing whitened to %v", got)
	}
}

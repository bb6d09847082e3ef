package read_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/systems/read"
)

func TestNumbersOfTheSpecification(t *testing.T) {
	a, err := read.AdvantagesOf([]float64{.62, .55}, .45, .9)
	if err != nil || math.Abs(a.V-.5)+math.Abs(a.Each[0]-.12)+math.Abs(a.Each[1]+.07)+math.Abs(a.Joint-.05) > 1e-12 {
		t.Errorf("%+v, %v", a, err)
	}
}

func drawn(t *rapid.T) read.Policies {
	table, rows := read.Policies{Sizes: rapid.SliceOfN(rapid.IntRange(1, 3), 1, 3).Draw(t, "sizes")}, 1
	for _, n := range table.Sizes {
		var policy []float64
		for range rows {
			weights, sum := rapid.SliceOfN(rapid.Float64Range(.1, 1), n, n).Draw(t, "policy"), 0.0
			for _, w := range weights {
				sum += w
			}
			for _, w := range weights {
				policy = append(policy, w/sum)
			}
		}
		rows *= n
		table.Policy = append(table.Policy, policy)
	}
	table.Q = rapid.SliceOfN(rapid.Float64Range(-2, 2), rows, rows).Draw(t, "q")
	return table
}

func action(t *rapid.T, sizes []int) (out []int) {
	for _, n := range sizes {
		out = append(out, rapid.IntRange(0, n-1).Draw(t, "action"))
	}
	return out
}

// TestAdvantagesSum: those of the agents make that of all, and under the agents' own policies the advantage of an agent is zero on average.
func TestAdvantagesSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawn(t)
		taken, wait := action(t, table.Sizes), action(t, table.Sizes)
		q, err := table.Prefix(taken)
		if err != nil {
			t.Fatal(err)
		}
		w, err := table.Value(wait)
		if err != nil {
			t.Fatal(err)
		}
		a, err := read.AdvantagesOf(q, w, .9)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, x := range a.Each {
			sum += x
		}
		if whole, _ := table.Value(taken); math.Abs(sum-a.Joint) > 1e-12 || math.Abs(a.Joint-(whole-w/.9)) > 1e-12 {
			t.Fatalf("%+v of %v", a, whole)
		}
	})
}

// TestMaskedIsTheMean: a prefix without the last agent is the mean over that agent's policy of the prefixes with it.
func TestMaskedIsTheMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawn(t)
		taken := action(t, table.Sizes)
		last := rapid.IntRange(0, len(taken)-1).Draw(t, "agent")
		if last == 0 {
			return
		}
		place := 0 // of the actions before the agent
		for u := range last {
			place = place*table.Sizes[u] + taken[u]
		}
		mean, masked := 0.0, 0.0
		for a := range table.Sizes[last] {
			taken[last] = a
			q, err := table.Prefix(taken)
			if err != nil {
				t.Fatal(err)
			}
			mean += table.Policy[last][place*table.Sizes[last]+a] * q[last]
			masked = q[last-1]
		}
		if math.Abs(mean-masked) > 1e-9 {
			t.Fatalf("%v, want %v", masked, mean)
		}
	})
}

// TestWaitingIsTheDiscountedValue: on a solved chain of states, with an action that changes nothing and pays nothing, Q(s,wait) = γ·V(s).
func TestWaitingIsTheDiscountedValue(t *testing.T) {
	const gamma, states = .9, 5
	value := make([]float64, states+1) // of the policy that goes on half of the time and else waits; the last state is the end
	q := func(s int) (wait, on float64) {
		reward := 0.0
		if s == states-1 {
			reward = 1
		}
		return gamma * value[s], reward + gamma*value[s+1]
	}
	for range 2000 {
		for s := range states {
			wait, on := q(s)
			value[s] = (wait + on) / 2
		}
	}
	for s := range states {
		wait, on := q(s)
		a, err := read.AdvantagesOf([]float64{on}, wait, gamma)
		if err != nil || math.Abs(a.V-value[s]) > 1e-9 || a.Joint <= 0 {
			t.Errorf("state %d: %+v, want the value %v", s, a, value[s])
		}
	}
}

func TestWrongTables(t *testing.T) {
	good := read.Policies{Sizes: []int{2}, Q: []float64{1, 2}, Policy: [][]float64{{.5, .5}}}
	for _, wrong := range []func(*read.Policies) []int{
		func(x *read.Policies) []int { x.Q = x.Q[:1]; return []int{0} },
		func(x *read.Policies) []int { x.Policy = nil; return []int{0} },
		func(x *read.Policies) []int { x.Policy = [][]float64{{1}}; return []int{0} },
		func(*read.Policies) []int { return []int{2} },
		func(*read.Policies) []int { return nil },
	} {
		table := good
		taken := wrong(&table)
		if _, err := table.Prefix(taken); err == nil {
			t.Errorf("no error for %+v", table)
		}
		if _, err := table.Value(taken); err == nil {
			t.Errorf("no error for %+v", table)
		}
	}
	if _, err := read.AdvantagesOf([]float64{1}, 1, 0); err == nil {
		t.Error("no error for a discount of 0")
	}
}

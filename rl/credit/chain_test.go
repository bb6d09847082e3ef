package credit

import (
	"slices"
	"testing"
)

// released is the chain with the released code's values: weights 1.0 and 1.0, early end at a mean reward of 4.0 with weight 2.0,
// advantages in [−10, 10].
func released() Chain {
	early := 4.0
	return Chain{TurnWeights: []float64{1, 1}, EarlyValue: &early, EarlyWeight: 2, Clip: ChainClip}
}

// §2.6: a turn whose mean is exactly the early value ends the chain, weighs double, and stands for the turns not played.
func TestChainEndsEarly(t *testing.T) {
	chain := released()
	first, err := chain.Turn(0, 3, []float64{2, 4, 4})
	if err != nil {
		t.Fatal(err)
	}
	if first.Best != 1 || first.Stop || first.Weight != 1 {
		t.Errorf("first turn %+v: the best is the first of the largest", first)
	}
	second, err := chain.Turn(1, 3, []float64{4, 4, 4})
	if err != nil {
		t.Fatal(err)
	}
	if !second.Stop || second.Weight != 2 || !slices.Equal(second.Advantages, []float64{0, 0, 0}) {
		t.Errorf("second turn %+v", second)
	}
	if got := chain.LoggedMeans([]ChainTurn{first, second}, 3); got[1] != 4 || got[2] != 4 {
		t.Errorf("logged means %v", got)
	}
	chain.EarlyValue = nil
	if again, err := chain.Turn(1, 3, []float64{4, 4, 4}); err != nil || again.Stop {
		t.Errorf("a chain without early value stops: %+v, %v", again, err)
	}
}

// TestChainOfRounding: rounding neither chooses a joint action nor keeps a chain from its end.
func TestChainOfRounding(t *testing.T) {
	a, end := 0.1, 0.3
	a += 0.2
	turn, err := Chain{EarlyValue: &end, EarlyWeight: 2, Width: 1}.Turn(0, 2, []float64{0.3, a})
	if err != nil || turn.Best != 0 || !turn.Stop || a == 0.3 {
		t.Errorf("%+v, %v", turn, err)
	}
	if Terminate([]float64{a, a}, &end, 1) || !Terminate([]float64{0.4}, &end, 1) {
		t.Error("rounding above the threshold terminates")
	}
}

func TestChainAdvantagesAreClamped(t *testing.T) {
	turn, err := released().Turn(0, 1, []float64{-20, 20, 0})
	if err != nil || !slices.Equal(turn.Advantages, []float64{-10, 10, 0}) {
		t.Errorf("advantages %v, %v", turn.Advantages, err)
	}
}

// A chain is never larger than the aligned tree of the same settings, and equal to it with one turn.
func TestChainSize(t *testing.T) {
	for turns := 1; turns <= 4; turns++ {
		chain, err1 := ChainSize(2, 4, turns)
		tree, err2 := TreeSize(Aligned, 2, 4, turns)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if chain.Generations > tree.Generations || turns == 1 && chain.Generations != tree.Generations {
			t.Errorf("%d turns: chain %+v, tree %+v", turns, chain, tree)
		}
		if chain.EnvSteps != 4*turns || chain.NodeSamples != 2*turns {
			t.Errorf("%d turns: %+v", turns, chain)
		}
	}
}

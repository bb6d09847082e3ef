package credit

import (
	"slices"
	"testing"
)

// §2.6: a turn whose mean is exactly the early value ends the chain, weighs double, and stands for the turns not played.
func TestChainEndsEarly(t *testing.T) {
	chain := ReleasedChain()
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

func TestChainAdvantagesAreClamped(t *testing.T) {
	turn, err := ReleasedChain().Turn(0, 1, []float64{-20, 20, 0})
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

func TestTurnMeans(t *testing.T) {
	rewards := Tree{Values: []float64{1, 3}, Children: []Tree{{Values: []float64{0, 2}}, {Values: []float64{4, 6}}}}
	returns, err := rewards.Returns(0.5)
	if err != nil {
		t.Fatal(err)
	}
	want := []TurnMean{{Reward: 2, Return: 3.5}, {Reward: 3, Return: 3}}
	if got := TurnMeans(rewards, returns); !slices.Equal(got, want) {
		t.Errorf("turn means %v, want %v", got, want)
	}
}

package blocks

import "fmt"

// A HouseScore is what a built house earned (HouseBuild).
type HouseScore struct {
	Match         float64 // cells equal to the target, air included, of all cells
	SpiderPenalty float64 // −0.1·min(1, damage/hp) if nobody issued /kill, else 0
}

// Reward is the sum of both parts.
func (s HouseScore) Reward() float64 { return s.Match + s.SpiderPenalty }

// ScoreHouse compares what was built with the target, cell by cell, and charges the damage that spiders did to a player with
// hp hit points.
func ScoreHouse(target, built []string, spiderDamage, hp float64, killIssued bool) (HouseScore, error) {
	if len(target) == 0 || len(target) != len(built) {
		return HouseScore{}, fmt.Errorf("score house: %d cells built, target has %d", len(built), len(target))
	}
	equal := 0
	for i, block := range target {
		if built[i] == block {
			equal++
		}
	}
	s := HouseScore{Match: share(equal, len(target))}
	if !killIssued {
		s.SpiderPenalty = -0.1 * min(1, spiderDamage/hp)
	}
	return s, nil
}

// BlockLimit returns how many blocks of a kind each of n agents may place of a target's count c: ceil(c/n) + floor(c/2n).
func BlockLimit(count, agents int) int {
	return (count+agents-1)/agents + count/(2*agents)
}

package blocks

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"

	"parley/internal/seed"
	"parley/task"
)

// Settings are what recipes may say of either game.
type Settings struct {
	Made bool `yaml:"made" default:"false"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "task/blocks/keys.md", keyTexts }

// A splitting is what there is to build: some for training, some held out.
type splitting[T any] map[task.Split][]T

// first are the first n of a split.
func (s splitting[T]) first(split task.Split, n int) ([]T, error) {
	list, ok := s[split]
	if !ok {
		return nil, fmt.Errorf("no split %q: write train or test", split)
	}
	return list[:min(max(n, 0), len(list))], nil
}

// scattered orders what was made without a rule, and holds one in five out.
func scattered[T any](all []T, what string) splitting[T] {
	seed.Stream(seed.Derive(0, "blocks: made "+what)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	held := len(all) / 5
	return splitting[T]{task.Train: all[held:], task.Test: all[:held]}
}

// madeTexts are all pairs of letters.
func madeTexts() splitting[string] {
	var all []string
	letters := slices.Sorted(maps.Keys(font))
	for _, a := range letters {
		for _, b := range letters {
			all = append(all, string(a)+string(b))
		}
	}
	return scattered(all, drawings)
}

// madePlans are low houses of every size and blocks out of a few.
func madePlans() splitting[plan] {
	var all []plan
	blocks := [][]string{{"stone", "dirt", "gravel"}, {"bricks", "sandstone", "birch_planks"}, {"granite", "oak_log"}, {"clay", "glass", "oak_planks"}}
	for i := range 9 * 3 * 3 * 2 * 3 {
		size, floor, wall, corner, roof := i%9, i/9%3, i/27%3, i/81%2, i/162
		all = append(all, plan{
			name: fmt.Sprintf("made-%d", i+1), size: Size{4 + size%3, 3, 4 + size/3},
			floor: blocks[0][floor], wall: blocks[1][wall], corner: blocks[2][corner], roof: blocks[3][roof],
		})
	}
	return scattered(all, houses)
}

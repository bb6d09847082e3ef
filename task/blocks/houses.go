package blocks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/seed"
	"parley/task"
)

// Fields of a house's problem, beside [FieldItem].
const (
	FieldSize   = "size"   // such as 6 x 7 x 7
	FieldBlocks = "blocks" // each kind with how many one agent may place

	FieldAloneBlocks = "blocks_alone" // how many one may place who builds alone
)

// The attack on a house (§8).
const (
	hitPoints  = 5
	spiders    = 3
	mostAttack = 3 // of one spider, at least 1
)

// A House is an item of HouseBuild.
type House struct {
	Name   string            `json:"name"`
	Layers [][]string        `json:"layers"` // upwards from y = 0; rows along z, letters along x
	Legend map[string]string `json:"legend"`
	Damage float64           `json:"spider_damage"` // to a player with HP, unless somebody issues /kill
	HP     float64           `json:"player_hp"`
}

// target is the block of every cell.
func (h House) target() (Size, []string, error) {
	if len(h.Layers) == 0 || len(h.Layers[0]) == 0 || len(h.Layers[0][0]) == 0 {
		return Size{}, nil, errors.New("layers is empty")
	}
	size := Size{len(h.Layers[0][0]), len(h.Layers), len(h.Layers[0])}
	cells := make([]string, 0, size.cells())
	for _, layer := range h.Layers {
		for _, row := range layer {
			for _, letter := range row {
				block := air
				if letter != '.' {
					block = h.Legend[string(letter)]
				}
				if block == "" {
					return Size{}, nil, fmt.Errorf("legend does not say what %q is", letter)
				}
				cells = append(cells, block)
			}
		}
	}
	if len(cells) != size.cells() {
		return Size{}, nil, errors.New("layers and their rows are not of one size")
	}
	return size, cells, nil
}

// ReadHouse reads an item of HouseBuild for so many agents.
func ReadHouse(data []byte, agents int) (task.Problem, error) {
	h := House{HP: hitPoints}
	if err := json.Unmarshal(data, &h); err != nil {
		return task.Problem{}, err
	}
	return h.problem(agents)
}

func (h House) problem(agents int) (task.Problem, error) {
	size, target, err := h.target()
	if err != nil {
		return task.Problem{}, err
	}
	item, err := json.Marshal(h)
	if err != nil {
		return task.Problem{}, err
	}
	var question strings.Builder
	for y, layer := range h.Layers {
		fmt.Fprintf(&question, "y = %d\n%s\n", y, strings.Join(layer, "\n"))
	}
	return task.Problem{ID: "housebuild-" + h.Name, Question: strings.TrimSpace(question.String()), Fields: map[string]string{
		FieldItem: string(item),
		FieldSize: fmt.Sprintf("%d x %d x %d", size[0], size[1], size[2]), FieldBlocks: h.blocks(newSite(size, target, agents)), FieldAloneBlocks: h.blocks(newSite(size, target, 1)),
	}}, nil
}

// blocks lists the kinds of blocks with how many one agent may place.
func (h House) blocks(s *site) string {
	var list []string
	for letter, block := range h.Legend {
		if n, used := s.limits[block]; used {
			list = append(list, fmt.Sprintf("%s = %s (at most %d)", letter, block, n))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// Houses is the task housebuild. It implements [task.Task] and [task.JointScorer].
type Houses struct {
	agents int
	plans  splitting[plan]
}

// NewHouses returns the task for a team of so many agents.
func NewHouses(agents int) *Houses { return &Houses{agents, usualPlans} }

// Name implements [task.Task].
func (t *Houses) Name() string { return houses }

// Problems implements [task.Task].
func (t *Houses) Problems(split task.Split, n int) ([]task.Problem, error) {
	list, err := t.plans.first(split, n)
	if err != nil {
		return nil, fmt.Errorf("task housebuild: %w", err)
	}
	problems := make([]task.Problem, len(list))
	for i, plan := range list {
		if problems[i], err = plan.house().problem(t.agents); err != nil {
			return nil, fmt.Errorf("task housebuild: house %s: %w", plan.name, err)
		}
	}
	return problems, nil
}

// attack is the damage that the spiders do to whoever builds a house of this name.
func attack(name string) float64 {
	sum := 0
	for spider := range spiders {
		sum += 1 + int(seed.Derive(0, "spider of "+name, spider)%mostAttack)
	}
	return float64(sum)
}

// Range implements [task.JointScorer].
func (t *Houses) Range() (least, greatest float64) { return -0.1, 1 }

// A building is what agents made of a house.
type building struct {
	*site
	house  House
	target []string
	works  []work // by agent
}

// build lets agents build in order, later ones over what is there.
func (t *Houses) build(p task.Problem, responses []string) (building, error) {
	var b building
	if err := json.Unmarshal([]byte(p.Fields[FieldItem]), &b.house); err != nil {
		return building{}, fmt.Errorf("task housebuild: problem %s: %w", p.ID, err)
	}
	size, target, err := b.house.target()
	if err != nil {
		return building{}, fmt.Errorf("task housebuild: problem %s: %w", p.ID, err)
	}
	b.site, b.target = newSite(size, target, len(responses)), target
	for _, text := range responses {
		b.works = append(b.works, b.carryOut(text))
	}
	return b, nil
}

// wrong says that a cell is not as it should be.
func (b building) wrong(at place) bool {
	i := b.size.index(at)
	return b.cells[i] != b.target[i]
}

// Score implements [task.JointScorer].
func (t *Houses) Score(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
	b, err := t.build(p, responses)
	if err != nil {
		return task.Score{}, err
	}
	usable := make([]bool, len(responses))
	for i, w := range b.works {
		usable[i] = len(w.commands) > 0
	}
	s, err := ScoreHouse(b.target, b.cells, b.house.Damage, b.house.HP, b.killed)
	if err != nil {
		return task.Score{}, fmt.Errorf("task housebuild: problem %s: %w", p.ID, err)
	}
	return task.Score{Reward: s.Reward(), Signals: &task.Signals{Usable: usable, Solved: &s.Match}, Parts: map[string]float64{"match": s.Match, "spider_penalty": s.SpiderPenalty}}, nil
}

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

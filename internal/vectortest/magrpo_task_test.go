package vectortest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/task"
	"parley/task/blocks"
	"parley/task/classeval"
	"parley/task/code"
	"parley/task/textstats"
)

// textCase is a case of the writing tasks.
type textCase struct {
	C1, C2          string
	Era             string
	Source          string
	Reward          *float64
	RewardMin       *float64            `json:"reward_min"` // with RewardMax instead of Reward in natural texts
	RewardMax       *float64            `json:"reward_max"`
	Parts           map[string]*float64 // null: left open
	StoppedAt       *int                `json:"stopped_at"`
	Measured        json.RawMessage     // informative
	Markers         map[string]textstats.Category
	RobustFlags     []string `json:"robust_flags"`
	RobustReward    *float64 `json:"robust_reward"`
	RobustMax       *float64 `json:"robust_max"`
	SubstringReward *float64 `json:"substring_reward"`
	Gaming          bool
}

func tldrRewardCase(t *testing.T, c Case) {
	v := decode[textCase](t, c)
	v.check(t, c, textstats.TLDRRubric())
	if v.RobustReward == nil {
		return
	}
	// The same through the task, as training and the shell reach it.
	robust, err := textstats.NewTLDR(t.Context(), textstats.TLDROptions{Scorer: task.Robust})
	if err != nil {
		t.Fatal(err)
	}
	score, err := robust.Score(t.Context(), task.Problem{Question: v.Source}, []string{v.C1, v.C2})
	if err != nil {
		t.Fatal(err)
	}
	near(t, c, "robust reward of the task", score.Reward, *v.RobustReward)
}

func arxivRewardCase(t *testing.T, c Case) {
	v := decode[textCase](t, c)
	rubric, err := textstats.ArxivRubric(textstats.Era(v.Era))
	if err != nil {
		t.Fatal(err)
	}
	v.check(t, c, rubric)
}

func (v textCase) check(t *testing.T, c Case, r textstats.Rubric) {
	t.Helper()
	score := r.ScorePair(task.Standard, v.C1, v.C2, v.Source)
	if v.Reward != nil {
		near(t, c, "reward", score.Reward(), *v.Reward)
	} else {
		inside(t, c, "reward", score.Reward(), v.RewardMin, v.RewardMax)
	}
	parts := score.Parts()
	for name, want := range v.Parts {
		if got, ok := parts[name]; !ok {
			t.Errorf("no part %s", name)
		} else if want != nil {
			near(t, c, name, got, *want)
		}
	}
	stopped := 0
	if v.StoppedAt != nil {
		stopped = *v.StoppedAt
	}
	equal(t, "stopped at level", score.StoppedAt, stopped)
	for marker, want := range v.Markers {
		got, _ := textstats.CategoryOf(marker)
		equal(t, "category of "+marker, got, want)
	}
	v.checkRobust(t, c, r)
	if v.SubstringReward != nil {
		near(t, c, "substring reward", r.ScorePair(task.Compat, v.C1, v.C2, v.Source).Reward(), *v.SubstringReward)
	}
}

func (v textCase) checkRobust(t *testing.T, c Case, r textstats.Rubric) {
	t.Helper()
	robust := r.ScorePair(task.Robust, v.C1, v.C2, v.Source)
	if v.RobustFlags != nil && !slices.Equal(robust.Flags, slices.Sorted(slices.Values(v.RobustFlags))) {
		t.Errorf("flags %v, want %v", robust.Flags, v.RobustFlags)
	}
	switch {
	case v.RobustReward != nil:
		near(t, c, "robust reward", robust.Reward(), *v.RobustReward)
	case v.RobustMax != nil || v.Reward != nil: // natural texts may leave it open
		inside(t, c, "robust reward", robust.Reward(), nil, v.RobustMax)
	}
}

func inside(t *testing.T, c Case, what string, got float64, least, greatest *float64) {
	t.Helper()
	if least == nil && greatest == nil {
		t.Fatalf("%s: the case names neither a value nor a bound", what)
	}
	slack := *c.Tolerance
	if least != nil && got < *least-slack || greatest != nil && got > *greatest+slack {
		t.Errorf("%s %v out of bounds", what, got)
	}
}

func splitCase(t *testing.T, c Case) {
	v := decode[struct {
		Text, Delimiter  string
		Strict, Third    []string
		CompatTLDRReward float64 `json:"compat_tldr_reward"`
		RobustReward     float64 `json:"robust_reward"`
		Gaming           bool
	}](t, c)
	equal(t, "delimiter", textstats.Delimiter, v.Delimiter)
	first, second, ok := textstats.Split(v.Text)
	equal(t, "delimiter found", ok, v.Strict != nil)
	if ok {
		equal(t, "split", first+"\x00"+second, strings.Join(v.Strict, "\x00"))
	}
	first, second = textstats.CutThird(v.Text)
	equal(t, "third", first+"\x00"+second, strings.Join(v.Third, "\x00"))
	near(t, c, "compat reward", textstats.TLDRRubric().ScoreSingle(task.Compat, v.Text, "").Reward(), v.CompatTLDRReward)
	near(t, c, "robust reward", textstats.TLDRRubric().ScoreSingle(task.Robust, v.Text, "").Reward(), v.RobustReward)
}

func classevalCase(t *testing.T, c Case) {
	v := decode[struct {
		Generation    string
		Methods       int
		Agents        []classeval.Contribution
		Compiles      bool
		TestsPassed   int   `json:"tests_passed"`
		TestsRun      int   `json:"tests_run"`
		PicksPerAgent []int `json:"picks_per_agent"`
		Covered       int
		Gate          *classeval.Gate
		Reward        float64
		Parts         map[string]float64
		Zeroed        bool
	}](t, c)
	var reward float64
	var levels classeval.Levels
	var gate classeval.Gate
	var err error
	switch v.Generation {
	case "current":
		reward, levels, err = classeval.Score(v.Methods, v.Agents, v.Compiles, v.TestsPassed, v.TestsRun)
		equal(t, "zeroed", !v.Compiles, v.Zeroed)
	case "oct2025":
		reward, levels, gate, err = classeval.ScoreOctober2025(v.Methods, v.PicksPerAgent, v.Covered)
	default:
		t.Fatalf("generation %q is unknown", v.Generation)
	}
	if err != nil {
		t.Fatal(err)
	}
	near(t, c, "reward", reward, v.Reward)
	want := classeval.GateNone
	if v.Gate != nil {
		want = *v.Gate
	}
	equal(t, "gate", gate, want)
	if v.Parts != nil {
		equalParts(t, c, "parts", map[string]float64{"lv1": levels.Lv1, "lv2": levels.Lv2, "lv3": levels.Lv3}, v.Parts)
	}
}

func strbuildCase(t *testing.T, c Case) {
	v := decode[struct {
		Rows, Outputs []string
		Palettes      []blocks.Palette
		MaxCommands   int `json:"max_commands"`
		Reward        float64
		Parts         map[string]float64
		IoU           float64
		Accepted      []int
	}](t, c)
	s, err := blocks.ScoreString(v.Rows, v.Outputs, v.Palettes, v.MaxCommands)
	if err != nil {
		t.Fatal(err)
	}
	near(t, c, "reward", s.Reward(), v.Reward)
	equalParts(t, c, "parts", map[string]float64{
		"coverage": s.Coverage, "extra": s.Extra, "same_colour": s.SameColour,
		"unused_palettes": float64(s.UnusedPalettes),
	}, v.Parts)
	near(t, c, "iou", s.IoU, v.IoU)
	if !slices.Equal(s.Accepted, v.Accepted) {
		t.Errorf("accepted %v, want %v", s.Accepted, v.Accepted)
	}
}

func housebuildCase(t *testing.T, c Case) {
	v := decode[struct {
		Target, Built []string
		SpiderDamage  float64 `json:"spider_damage"`
		PlayerHP      float64 `json:"player_hp"`
		KillIssued    bool    `json:"kill_issued"`
		Reward        float64
		Parts         map[string]float64
	}](t, c)
	s, err := blocks.ScoreHouse(v.Target, v.Built, v.SpiderDamage, v.PlayerHP, v.KillIssued)
	if err != nil {
		t.Fatal(err)
	}
	near(t, c, "reward", s.Reward(), v.Reward)
	equalParts(t, c, "parts", map[string]float64{"match": s.Match, "spider_penalty": s.SpiderPenalty}, v.Parts)
}

func feedbackSliceCase(t *testing.T, c Case) {
	v := decode[struct {
		Asserts      int
		SandboxSlice json.RawMessage `json:"sandbox_slice"`
		Used         []int
	}](t, c)
	var s code.Slice // 0, "all" or null: every one
	if text := strings.Trim(string(v.SandboxSlice), `"`); text != "all" && text != "null" {
		k, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		s = code.Slice(k)
	}
	if got := s.Of(v.Asserts); !slices.Equal(got, v.Used) {
		t.Errorf("shown %v, want %v", got, v.Used)
	}
}

package vectortest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/rl/eval"
	"parley/runs/diagnose"
	"parley/task/answer"
	"parley/train/measure"
)

// flag is a truth value written as 0 or 1, or as false or true.
type flag bool

func (f *flag) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "0", "false":
		*f = false
	case "1", "true":
		*f = true
	default:
		return fmt.Errorf("%s is no truth value", data)
	}
	return nil
}

func bools(flags []flag) []bool {
	var b []bool
	for _, f := range flags {
		b = append(b, bool(f))
	}
	return b
}

func passAtKCase(t *testing.T, c Case) {
	v := decode[struct {
		N, Correct, K int
		Outcomes      []flag
		Unbiased      float64
		AnyOfFirstK   flag `json:"any_of_first_k"`
	}](t, c)
	correct := 0
	passes := make([]float64, len(v.Outcomes))
	for i, pass := range v.Outcomes {
		if pass {
			correct++
			passes[i] = 1
		}
	}
	equal(t, "correct", correct, v.Correct)
	near(t, c, "unbiased", eval.PassAtK(v.N, v.Correct, v.K), v.Unbiased)
	equal(t, "any of the first k", eval.BestOfFirst(passes, v.K) == 1, bool(v.AnyOfFirstK))
}

func TestVectorsPassHat(t *testing.T) {
	runSections(t, "passhat.json", map[string]func(*testing.T, Case){"": func(t *testing.T, c Case) {
		v := decode[struct {
			N, K      int
			Successes []float64
			PassHat   float64 `json:"pass_hat"`
		}](t, c)
		m := &measure.Measurement{System: "x"}
		for _, s := range v.Successes {
			passed := make([]float64, v.N)
			for i := range int(s) {
				passed[i] = 1
			}
			m.Passed = append(m.Passed, passed)
		}
		near(t, c, "pass^k", measure.PassHat(m, []int{v.K}, 1)[0].Value, v.PassHat)
	}}, nil)
}

func accuracyAtKCase(t *testing.T, c Case) {
	v := decode[struct {
		N, K         int
		PassRates    []float64 `json:"pass_rates"`
		BestOfFirstK float64   `json:"best_of_first_k"`
		BestUnbiased float64   `json:"best_unbiased"`
	}](t, c)
	equal(t, "samples", len(v.PassRates), v.N)
	near(t, c, "best of the first k", eval.BestOfFirst(v.PassRates, v.K), v.BestOfFirstK)
	near(t, c, "expected best", eval.ExpectedBest(v.PassRates, v.K), v.BestUnbiased)
}

func majorityCase(t *testing.T, c Case) {
	v := decode[struct {
		Answers []string
		Winner  string
		Votes   int
		Share   float64
		Tie     bool
	}](t, c)
	var answers []answer.Answer // texts that differ in case or in the white space around them are one answer
	for _, text := range v.Answers {
		answers = append(answers, answer.Answer{Canonical: strings.ToLower(strings.TrimSpace(text)), OK: true})
	}
	winners := answer.Winners(answers, answer.InvalidVotes)
	votes := 0
	for _, a := range answers {
		if a == winners[0] {
			votes++
		}
	}
	equal(t, "winner", winners[0].Canonical, v.Winner)
	equal(t, "votes", votes, v.Votes)
	near(t, c, "share", float64(votes)/float64(len(answers)), v.Share)
	equal(t, "tie", len(winners) > 1, v.Tie)
}

func metricsCase(t *testing.T, c Case) {
	v := decode[struct {
		Reward      *float64
		TurnRewards []float64 `json:"turn_rewards"`
		Max         float64
		Percent     float64
		Rule        string
		Parts       map[string]float64
		Percents    map[string]float64
	}](t, c)
	switch {
	case v.Reward != nil:
		near(t, c, "percent", returnPercent(*v.Reward, v.Max), v.Percent)
	case v.TurnRewards != nil:
		near(t, c, "percent", episodeReturnPercent(v.TurnRewards, v.Max), v.Percent)
	case v.Parts != nil:
		breakdown := codePercents
		if _, writing := v.Parts["jaccard"]; writing {
			breakdown = writingPercents
		}
		equalParts(t, c, "percents", breakdown(v.Parts), v.Percents)
	default:
		t.Fatal("a metrics case without reward, turn_rewards and parts")
	}
}

// diagnosticInput has the inputs of all kinds; the kind says which are used.
type diagnosticInput struct {
	Usable        [][]flag
	Tokens        [][]float64
	AuxInfluence  []flag `json:"aux_influence"`
	Rewards       []float64
	Max           float64
	TurnRewards   [][]float64 `json:"turn_rewards"`
	Before, After []float64
	Train, Audit  []float64
	Flags         []flag
	Joint, Solo   []float64
	AuxOK         []flag `json:"aux_ok"`
	MainOK        []flag `json:"main_ok"`
	JointOK       []flag `json:"joint_ok"`
	Groups        [][]float64
	Normalize     bool
}

func diagnosticsCase(t *testing.T, c Case) {
	v := decode[struct {
		Kind    diagnose.Kind
		Input   diagnosticInput
		Fired   bool
		Reasons []string
	}](t, c)
	got := v.Input.diagnose(t, v.Kind)
	equal(t, "kind", got.Kind, v.Kind)
	equal(t, "fired", len(got.Reasons) > 0, v.Fired)
	if !slices.Equal(slices.Sorted(slices.Values(got.Reasons)), slices.Sorted(slices.Values(v.Reasons))) {
		t.Errorf("reasons %v, want %v", got.Reasons, v.Reasons)
	}
	if got.Kind.Remedy() == "" {
		t.Error("no remedy")
	}
}

func (in diagnosticInput) diagnose(t *testing.T, kind diagnose.Kind) diagnose.Finding {
	t.Helper()
	switch kind {
	case diagnose.TrivialCooperation:
		w := diagnose.JointActions{Tokens: in.Tokens, AuxInfluence: bools(in.AuxInfluence), Rewards: in.Rewards, Max: in.Max}
		for _, u := range in.Usable {
			w.Usable = append(w.Usable, bools(u))
		}
		return diagnose.CheckCooperation(w)
	case diagnose.FeedbackInstability:
		if in.TurnRewards != nil {
			return diagnose.CheckTurns(in.TurnRewards, in.Max)
		}
		return diagnose.CheckSwitch(in.Before, in.After, in.Max)
	case diagnose.RewardHacking:
		return diagnose.CheckHacking(in.Train, in.Audit, bools(in.Flags), in.Max)
	case diagnose.NoCooperativeStructure:
		return diagnose.CheckStructure(in.Joint, in.Solo)
	case diagnose.CascadingErrors:
		return diagnose.CheckCascade(bools(in.AuxOK), bools(in.MainOK), bools(in.JointOK))
	case diagnose.DeadGroups:
		return diagnose.CheckGroups(in.Groups)
	case diagnose.WhiteningNoise:
		return diagnose.CheckWhitening(in.Groups, in.Max, in.Normalize)
	}
	t.Fatalf("kind %q is unknown", kind)
	return diagnose.Finding{}
}

package vectortest

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"parley/task"

	"parley/task/code"
)

// codeSections run model-written Python in the real sandbox.
var codeSections = map[string]func(*testing.T, Case){
	"code_reward":         codeRewardCase,
	"cooperation_schemes": cooperationSchemesCase,
}

// runsCode reports whether the code sections are to be run: under the build tag sandbox, and on vectors from outside.
func runsCode() bool { return withSandbox || os.Getenv("PARLEY_VECTORS") != "" }

// openLab opens the sandbox for all cases; it ends with this process.
var openLab = sync.OnceValues(func() (*code.Sandboxes, error) { return code.OpenSandboxes(context.Background(), 0) })

func lab(t *testing.T) *code.Sandboxes {
	t.Helper()
	l, err := openLab()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// submission is how the vector file spells one.
type submission struct {
	EntryPoint string `json:"entry_point"`
	Prompt     string
	Tests      string
	Aux, Main  string
}

func (s submission) submission() code.Submission {
	return code.Submission{Entry: s.EntryPoint, Prompt: s.Prompt, Tests: s.Tests, Aux: s.Aux, Main: s.Main}
}

func codeRewardCase(t *testing.T, c Case) {
	v := decode[struct {
		submission
		Limits struct {
			PerTestSeconds float64 `json:"per_test_seconds"`
			MemoryMB       int64   `json:"memory_mb"`
		}
		Reward        *float64
		Parts         map[string]float64
		TestsPassed   *int               `json:"tests_passed"`
		TestsTotal    *int               `json:"tests_total"`
		StoppedAt     *string            `json:"stopped_at"`
		CompatReward  *float64           `json:"compat_reward"`
		CompatNote    string             `json:"compat_note"`
		RobustReward  *float64           `json:"robust_reward"`
		RobustMax     *float64           `json:"robust_max"`
		RobustParts   map[string]float64 `json:"robust_parts"`
		AuxInfluences *bool              `json:"aux_influences"`
		PassThrough   *bool              `json:"pass_through_equivalent"`
		Cascade       *bool
		Gaming        bool
		Measured      any
	}](t, c)
	judge := func(s task.RewardVariant) code.Report {
		j := code.Scorer{Sandboxes: lab(t), Variant: s, PerTest: time.Duration(v.Limits.PerTestSeconds * float64(time.Second)), Memory: v.Limits.MemoryMB << 20}
		r, err := j.Score(t.Context(), v.submission.submission())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	standard := judge(task.Standard)
	if v.Reward != nil {
		near(t, c, "reward", standard.Reward(), *v.Reward)
		stopped := ""
		if v.StoppedAt != nil {
			stopped = *v.StoppedAt
		}
		equal(t, "stopped at", string(standard.Stopped), stopped)
		if v.Parts != nil {
			equalParts(t, c, "parts", standard.Parts, v.Parts)
		}
		equalWhereGiven(t, "tests passed", &standard.Passed, v.TestsPassed)
		equalWhereGiven(t, "tests in all", &standard.Total, v.TestsTotal)
		equalWhereGiven(t, "cascade", &standard.Cascade, v.Cascade)
	}
	if v.CompatReward != nil {
		near(t, c, "compat reward", judge(task.Compat).Reward(), *v.CompatReward)
	}
	robust := judge(task.Robust)
	if v.RobustReward != nil {
		near(t, c, "robust reward", robust.Reward(), *v.RobustReward)
	}
	if v.RobustMax != nil && robust.Reward() > *v.RobustMax+magrpoTolerance {
		t.Errorf("robust reward %v, more than %v", robust.Reward(), *v.RobustMax)
	}
	if v.RobustParts != nil {
		equalParts(t, c, "robust parts", robust.Parts, v.RobustParts)
	}
	equalWhereGiven(t, "influence", robust.Influences, v.AuxInfluences)
	equalWhereGiven(t, "pass-through", robust.PassThrough, v.PassThrough)
}

func equalWhereGiven[T comparable](t *testing.T, what string, got, want *T) {
	t.Helper()
	if want != nil && (got == nil || *got != *want) {
		t.Errorf("%s: %v, want %v", what, got, *want)
	}
}

func cooperationSchemesCase(t *testing.T, c Case) {
	v := decode[struct {
		submission
		Scheme code.Scheme
	}](t, c)
	e, err := lab(t).Analyze(t.Context(), v.submission.submission())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "scheme", e.Scheme, v.Scheme)
}

package vectortest

import (
	"encoding/json"
	"testing"

	"parley/rl/loss"
	"parley/systems/fuse"
)

func clippedGroupCase(t *testing.T, c Case) {
	v := decode[struct {
		Rewards          []float64
		Logps            [][]float64
		OldLogps         [][]float64 `json:"old_logps"`
		Epsilon, Divisor float64
		Advantages       []float64
		Loss             float64
		Grads            [][]float64
		ClipFraction     float64 `json:"clip_fraction"`
	}](t, c)
	got, err := loss.ClippedGroup{Clip: loss.Clip{Low: v.Epsilon, High: v.Epsilon}, Divisor: v.Divisor}.Of(v.Rewards, v.Logps, v.OldLogps)
	if err != nil {
		t.Fatal(err)
	}
	nearSlice(t, c, "advantages", got.Advantages, v.Advantages)
	near(t, c, "loss", got.Loss, v.Loss)
	nearRows(t, c, "grads", got.Grads, v.Grads)
	near(t, c, "clip_fraction", got.ClipFraction, v.ClipFraction)
}

// tokenIDs are ids of which None is null.
func tokenIDs(ids []int) []any {
	out := make([]any, len(ids))
	for i, id := range ids {
		if id != fuse.None {
			out[i] = id
		}
	}
	return out
}

func vocabularyCase(t *testing.T, c Case) {
	v := decode[struct {
		StudentVocab []string `json:"student_vocab"`
		TeacherVocab []string `json:"teacher_vocab"`
		StudentMark  string   `json:"student_mark"`
		TeacherMark  string   `json:"teacher_mark"`
		Mode         fuse.Mode
		Map          json.RawMessage
	}](t, c)
	vocabulary := fuse.NewVocabulary(fuse.Tokenizer{Tokens: v.StudentVocab, Mark: v.StudentMark}, fuse.Tokenizer{Tokens: v.TeacherVocab, Mark: v.TeacherMark}, v.Mode)
	same(t, c, "map", tokenIDs(vocabulary.Map()), v.Map)
}

func warpCase(t *testing.T, c Case) {
	v := decode[struct {
		Teacher, Student []string
		TeacherMark      string `json:"teacher_mark"`
		StudentMark      string `json:"student_mark"`
		Cost             int
		Path, Matches    json.RawMessage
	}](t, c)
	p, err := fuse.Warp(v.Student, v.Teacher, v.StudentMark, v.TeacherMark)
	if err != nil {
		t.Fatal(err)
	}
	var steps [][2]int
	for _, s := range p.Steps {
		steps = append(steps, [2]int{s.Teacher, s.Student})
	}
	if p.Cost != v.Cost {
		t.Errorf("cost %d, want %d", p.Cost, v.Cost)
	}
	same(t, c, "path", steps, v.Path)
	same(t, c, "matches", p.Matches(len(v.Student)), v.Matches)
}

type vectorTop struct {
	IDs    []int
	Logits []float64
}

func tops(list []vectorTop) []fuse.Logits {
	var out []fuse.Logits
	for _, x := range list {
		out = append(out, fuse.Logits{IDs: x.IDs, Values: x.Logits})
	}
	return out
}

func rowsCase(t *testing.T, c Case) {
	v := decode[struct {
		Mode             fuse.Mode
		StudentVocab     []string `json:"student_vocab"`
		TeacherVocab     []string `json:"teacher_vocab"`
		StudentMark      string   `json:"student_mark"`
		TeacherMark      string   `json:"teacher_mark"`
		Student, Teacher []int
		TeacherTopk      []vectorTop `json:"teacher_topk"`
		StartTopk        []vectorTop `json:"start_topk"`
		Temperature      float64
		Rows             json.RawMessage
	}](t, c)
	vocabulary := fuse.NewVocabulary(fuse.Tokenizer{Tokens: v.StudentVocab, Mark: v.StudentMark}, fuse.Tokenizer{Tokens: v.TeacherVocab, Mark: v.TeacherMark}, v.Mode)
	rows, err := fuse.Aligner{Vocabulary: vocabulary, Temperature: v.Temperature}.Rows(fuse.Text{
		Student: v.Student, Teacher: v.Teacher, TeacherTop: tops(v.TeacherTopk), StartTop: tops(v.StartTopk),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := []any{}
	for _, r := range rows {
		got = append(got, map[string]any{"from": r.From, "ids": append([]int{}, r.IDs...), "probs": append([]float64{}, r.Probs...)})
	}
	same(t, c, "rows", got, v.Rows)
}

func topCase(t *testing.T, c Case) {
	v := decode[struct {
		Logits      []float64
		K           int
		Temperature float64
		IDs, Probs  json.RawMessage
	}](t, c)
	top := fuse.Top(v.Logits, v.K)
	same(t, c, "ids", top.IDs, v.IDs)
	same(t, c, "probs", top.Probabilities(v.Temperature), v.Probs)
}

func fusionCase(t *testing.T, c Case) {
	v := decode[struct {
		Teachers []struct {
			CE            float64
			Tokens, Chars int
			Rows          [][]float64
		}
		Student    [][]float64
		Gold, Mask []int
		Fusion     string
		CEPer      string `json:"ce_per"`
		Form       fuse.Form
		Lambda     struct {
			Schedule    string
			Value       float64
			Step, Steps int
		}
		Chosen, Weights json.RawMessage
		LambdaUsed      float64 `json:"lambda_used"`
		CLM             float64
		FusionLoss      float64 `json:"fusion_loss"`
		Loss            float64
		Grads           [][]float64
	}](t, c)
	var teachers []fuse.Teacher
	for _, x := range v.Teachers {
		teachers = append(teachers, fuse.Teacher{CE: x.CE, Tokens: x.Tokens, Chars: x.Chars})
	}
	choice, err := fuse.Objective{Fusion: v.Fusion, Per: v.CEPer}.Choose(teachers)
	if err != nil {
		t.Fatal(err)
	}
	lambda, err := fuse.Schedule{Kind: v.Lambda.Schedule, Value: v.Lambda.Value}.At(v.Lambda.Step, v.Lambda.Steps, choice)
	if err != nil {
		t.Fatal(err)
	}
	got, grads := fuse.Mean{}, make([][]float64, len(v.Student))
	for _, counts := range v.Mask {
		got.Places += counts
	}
	for p, logits := range v.Student {
		if v.Mask[p] == 0 {
			grads[p] = make([]float64, len(logits))
			continue
		}
		var rows []fuse.Target
		for _, x := range v.Teachers {
			rows = append(rows, wholeRow(x.Rows[p]))
		}
		grads[p] = got.Add(fuse.Place(logits, v.Gold[p], choice.Target(rows), lambda, v.Form))
	}
	same(t, c, "chosen", where(choice.Chosen >= 0, float64(choice.Chosen)), v.Chosen)
	same(t, c, "weights", choice.Weights, v.Weights)
	near(t, c, "lambda_used", lambda, v.LambdaUsed)
	near(t, c, "clm", got.CLM, v.CLM)
	near(t, c, "fusion_loss", got.Fusion, v.FusionLoss)
	near(t, c, "loss", got.Loss, v.Loss)
	nearRows(t, c, "grads", grads, v.Grads)
}

// wholeRow lists all tokens of a row with their probabilities.
func wholeRow(probs []float64) fuse.Target {
	t := fuse.Target{Probs: probs}
	for id := range probs {
		t.IDs = append(t.IDs, id)
	}
	return t
}

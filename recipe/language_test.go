package recipe_test

import (
	"reflect"
	"testing"

	"parley/task/labelled"
	"parley/task/sums"
)

// TestTaskKeys: a recipe has the keys of the task that it names, wherever the name is given. Keys of other tasks are mistakes, but for their
// defaults: a recipe that was printed in full may have them.
func TestTaskKeys(t *testing.T) {
	for _, c := range []struct {
		source string
		sets   []string
		want   any    // settings
		wrong  string // the only error
	}{
		{source: "name: x\ntask: {steps: 3}\n", want: &sums.Settings{Steps: 3, Style: "story", Answer: "boxed"}},
		{source: "name: x\ntask: {steps: 3, name: duet}\n", want: &sums.DuetSettings{Steps: 3}},
		{source: "name: x\n", sets: []string{"task.steps=3", "task.name=duet"}, want: &sums.DuetSettings{Steps: 3}},
		{source: "name: x\ntask: {name: duet, path: '', style: story}\n", want: &sums.DuetSettings{}},
		{source: "name: x\ntask: {name: duet, style: sum}\n", wrong: "f:2:20: task.style has no effect with task duet; leave it out"},
		{source: "name: x\n", sets: []string{"task.subset=r3"}, wrong: "--set task.subset=r3: task.subset has no effect with task sums; leave it out"},
		{source: "name: x\ntask: {name: suns, subset: r3}\n", wrong: `task.name is "suns", expected one of sums, data, gsm8k`},
		{source: "name: x\ntask: {stepps: 3}\n", wrong: `f:2:8: unknown key "stepps" in task; did you mean "steps"?`},
		{source: "name: x\nteam: {subset: r3}\n", wrong: `f:2:8: unknown key "subset" in team; did you mean task.subset?`},
		{source: "name: x\neval: {task: {path: x}}\n", wrong: "f:2:15: eval.task.path has no effect with eval.task.name same; leave it out"},
		{source: "name: x\neval: {task: {name: nli, bad_lines: skip}}\n", wrong: `unknown key "bad_lines" in eval.task; did you mean task.bad_lines?`},
		{source: "name: x\neval: {task: {name: tldr}}\n", wrong: `eval.task.name is "tldr", expected one of same, sums`},
		{source: "name: x\npreset: magrpo-tiny\ntask: {name: sums}\nreward: {source: label}\n", want: &sums.Settings{Style: "story", Answer: "boxed"}},
	} {
		if c.wrong != "" {
			if got := wrong(t, c.source, c.sets...); len(got) != 1 || !contains(got[0], c.wrong) {
				t.Errorf("%q %v: errors %q, want %q", c.source, c.sets, got, c.wrong)
			}
			continue
		}
		r := parse(t, c.source, c.sets...)
		if !reflect.DeepEqual(r.Task.Settings, c.want) {
			t.Errorf("%q %v: settings %+v, want %+v", c.source, c.sets, r.Task.Settings, c.want)
		}
		roundTrip(t, r)
	}
}

// TestMeasuredTask: the task that is measured has settings of its own, but reads answers and treats broken data as the trained one does.
func TestMeasuredTask(t *testing.T) {
	r := parse(t, "name: x\ntask: {name: gsm8k, path: a, bad_lines: skip, answer: last-number, train: 7}\nreward: {penalties: {no_box: false}}\neval: {task: {name: svamp, subset: b}}\n")
	want := &labelled.NumberSettings{Settings: labelled.Settings{Subset: "b", BadLines: "skip"}, Answer: "last-number"}
	if m := r.Measured(); m.Name != "svamp" || m.Train != 7 || !reflect.DeepEqual(m.Settings, want) {
		t.Errorf("measured: %+v with settings %+v, want %+v", m, m.Settings, want)
	}
	roundTrip(t, r)
	if m := parse(t, "name: x\n").Measured(); m.Name != "sums" {
		t.Errorf("without a task of its own %+v is measured", m)
	}
}

// TestVariantsOfTasks: a variant may name another task. What the recipe says of the first one's keys falls away, unless the second one has them.
func TestVariantsOfTasks(t *testing.T) {
	r := parse(t, "name: x\ntask: {steps: 3, style: sum}\nexperiment:\n  variants:\n    plain: []\n    others: [task.name=nli]\n    pair: [task.name=duet]\n")
	trials, err := r.Trials()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []any{&sums.Settings{Steps: 3, Style: "sum", Answer: "boxed"}, &labelled.Settings{BadLines: "error"}, &sums.DuetSettings{Steps: 3}} {
		if got := trials[i].Recipe.Task.Settings; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: settings %+v, want %+v", trials[i].Name(), got, want)
		}
	}
	if got := wrong(t, "name: x\nexperiment: {variants: {a: [task.name=duet, task.style=sum]}}\n"); len(got) != 1 || !contains(got[0], "variant a: task.style has no effect with task duet") {
		t.Errorf("errors %q", got)
	}
}

package classeval

import (
	"strings"
	"testing"

	"parley/task"
)

func TestNew(t *testing.T) {
	for drop, want := range map[bool][2]int{false: {66, 34}, true: {53, 32}} {
		whole, err := New(t.Context(), Options{Drop: drop})
		if err != nil {
			t.Fatal(err)
		}
		train, _ := whole.Problems(task.Train, 1000)
		test, _ := whole.Problems(task.Test, 1000)
		if len(train) != want[0] || len(test) != want[1] || test[0].ID != "ClassEval_66" {
			t.Errorf("%d and %d problems, the first held out is %s", len(train), len(test), test[0].ID)
		}
		for _, p := range append(train, test...) {
			f := p.Fields
			if f[FieldFirst] == "" || f[FieldSecond] == "" || len(strings.Split(f[FieldFirst]+", "+f[FieldSecond], ", ")) != len(strings.Split(f[FieldMethods], ", ")) {
				t.Errorf("%s: methods %q are %q and %q", p.ID, f[FieldMethods], f[FieldFirst], f[FieldSecond])
			}
		}
	}
	if made, err := New(t.Context(), Options{Made: true}); err != nil || len(made.Splits[task.Train]) != 40 || len(made.Splits[task.Test]) != 40 {
		t.Errorf("%+v, %v", made, err)
	}
	if _, err := New(t.Context(), Options{Generation: "old"}); err == nil {
		t.Error("an unknown generation is a task")
	}
}

func TestCountParameters(t *testing.T) {
	for text, want := range map[string]int{
		"def f():": 0, "def f(self):": 1, "def f( self , a):": 2, "@staticmethod\n    def f(a):": 1, "def f(self, a=(1, 2), *, b: dict[str, int] = {}) -> None:": 4,
		"def f(self, sep=',') :": 2, "def f(self,\n      a,\n      ):": 2, "x": 0,
	} {
		if got := countParameters(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for _, line := range []string{`{`, `{}`, `{"skeleton":"x"}`, `{"skeleton":"x","class_name":"A","class_constructor":"class A:"}`} {
		if _, err := Read("file", strings.NewReader(line)); err == nil || !strings.Contains(err.Error(), "file") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func FuzzReadProblem(f *testing.F) {
	f.Add([]byte(`{"skeleton":"x","class_name":"A","class_constructor":"class A:","methods_info":[{"method_name":"f","method_description":"def f(self, a='('):"}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		p, err := ReadProblem(line)
		if err == nil && (p.Question == "" || p.Fields[FieldClass] == "") {
			t.Fatalf("%+v", p)
		}
	})
}

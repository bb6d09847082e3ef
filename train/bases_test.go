package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/recipe"
	"parley/rl/learn"
	"parley/runs"
	"parley/train/lineup"
	"parley/train/plan"
)

// mixed is a team of the shipped base and a tiny one, with changes.
func mixed(t *testing.T, name string, sets ...string) *recipe.Recipe {
	t.Helper()
	sets = append([]string{"models=[parley-base, testdata/tiny-base]", "training.updates=1", "training.problems=4", "task.train=20", "eval.problems=2", "eval.baselines=[]"}, sets...)
	r, err := lang.Load(name, sets)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A spy notes which policies an engine is asked to change.
type spy struct {
	engine.Engine
	touched map[engine.Policy]bool
}

func (s *spy) ForwardBackward(ctx context.Context, data []engine.Datum, loss engine.Loss) error {
	for _, d := range data {
		s.touched[d.Policy] = true
	}
	return s.Engine.ForwardBackward(ctx, data, loss)
}

func (s *spy) Step(ctx context.Context, p engine.Policy, opt engine.Adam) (engine.StepInfo, error) {
	s.touched[p] = true
	return s.Engine.Step(ctx, p, opt)
}

// TestEveryPolicyStaysOnItsBase: an update changes the trained policies, each on the engine of its own base; the bases, and with
// them frozen agents, stay as they are, bit for bit.
//
// TestLongEveryPolicyStaysOnItsBase does so with critics.
func TestEveryPolicyStaysOnItsBase(t *testing.T) {
	staysOnItsBase(t, onBases{"first frozen in a group", "magrpo-tiny", []string{"policies.frozen=[1]"}, []int{0, 1}})
}

// onBases is a run of two bases.
type onBases struct {
	name, recipe string
	sets         []string
	touched      []int // policies that change, per base
}

func staysOnItsBase(t *testing.T, cases ...onBases) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := mixed(t, c.recipe, c.sets...)
			result, err := Run(context.Background(), Options{Backend: native.Backend{}, Recipe: r, Dir: filepath.Join(t.TempDir(), "run"), MaxUpdates: -1})
			if err != nil {
				t.Fatal(err)
			}
			untouched := fresh(t, r)
			defer untouched.Close()
			var spies []*spy
			learned := replay(t, r, result.Dir, func(e engine.Engine) engine.Engine {
				spies = append(spies, &spy{e, map[engine.Policy]bool{}})
				return spies[len(spies)-1]
			})
			defer learned.Close()
			for i, b := range learned.Bases {
				want := map[engine.Policy]bool{}
				for _, p := range learned.Policies() {
					if p.Base == i {
						want[p.Name] = true
						if fingerprint(t, learned, p) == fingerprint(t, untouched, p) && !learn.IsCritic(p.Name) {
							t.Errorf("%s did not change", p.Name)
						}
					}
				}
				if !reflect.DeepEqual(spies[i].touched, want) || len(want) != c.touched[i] {
					t.Errorf("base %s: policies %v were changed, want %v", b.Name, spies[i].touched, want)
				}
				if base := (plan.Policy{Base: i}); fingerprint(t, learned, base) != fingerprint(t, untouched, base) {
					t.Errorf("base %s changed", b.Name)
				}
			}
		})
	}
}

// TestBasesAreRecorded: run.json says which files each base was, and a run over other files is not resumed.
func TestBasesAreRecorded(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "base")
	if err := os.CopyFS(folder, os.DirFS("testdata/tiny-base")); err != nil {
		t.Fatal(err)
	}
	r := mixed(t, "debate-sums", "team.agents=3", "models=[parley-base, testdata/tiny-base, "+folder+"]", "training.updates=0")
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := Run(context.Background(), Options{Backend: native.Backend{}, Recipe: r, Dir: dir, MaxUpdates: -1}); err != nil {
		t.Fatal(err)
	}
	meta, err := runs.Read(dir)
	if err != nil || len(meta.Bases) != 3 {
		t.Fatalf("bases %+v, %v", meta.Bases, err)
	}
	if b := meta.Bases; b[0].SHA256 == b[1].SHA256 || b[1].SHA256 != b[2].SHA256 || !reflect.DeepEqual(b[2].Agents, []int{3}) || len(b[0].Policies) != 4 {
		t.Errorf("bases %+v", b)
	}
	config := filepath.Join(folder, "generation_config.json")
	if err := os.WriteFile(config, []byte(`{"eos_token_id":0,"temperature":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Run(context.Background(), Options{Backend: native.Backend{}, Language: lang, Dir: dir, Resume: true, MaxUpdates: -1})
	var user *UserError
	if !errors.As(err, &user) || !strings.Contains(err.Error(), folder) {
		t.Errorf("a run over other files is resumed: %v", err)
	}
}

// TestOneFolderIsOneEngine: two names of one folder are one base.
func TestOneFolderIsOneEngine(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	whole, err := filepath.Abs("testdata/tiny-base")
	if err == nil {
		err = os.Symlink(whole, link)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := mixed(t, "debate-sums", "models=[testdata/tiny-base, "+link+"]")
	s, err := lineup.Open(t.Context(), r, native.Backend{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if len(s.Bases) != 1 || !reflect.DeepEqual(s.Bases[0].Agents, []int{0, 1}) {
		t.Errorf("%d bases for two names of one folder", len(s.Bases))
	}
}

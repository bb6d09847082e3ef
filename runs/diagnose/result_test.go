package diagnose_test

import (
	"reflect"
	"slices"
	"testing"

	"parley/runs/diagnose"
	"parley/runs/store"
)

// TestOrder: first what fired last; of one update first what explains a flat reward most directly; else as it was.
func TestOrder(t *testing.T) {
	hacking, dead, trivial := string(diagnose.RewardHacking), string(diagnose.DeadGroups), string(diagnose.TrivialCooperation)
	want := []store.Diagnostic{
		{Kind: hacking, Last: 9},
		{Kind: dead, Last: 7},
		{Kind: trivial, Last: 7, Rule: "unusable", Agent: 2},
		{Kind: trivial, Last: 7, Rule: "token_share", Agent: 1},
		{Kind: hacking, Last: 7},
		{Kind: dead, Last: 3},
	}
	for _, order := range [][]int{{0, 1, 2, 3, 4, 5}, {5, 4, 2, 3, 1, 0}, {2, 0, 4, 3, 5, 1}} {
		var list []store.Diagnostic
		for _, i := range order {
			list = append(list, want[i])
		}
		if diagnose.Order(list); !reflect.DeepEqual(list, want) {
			t.Errorf("%v from the order %v", list, order)
		}
	}
}

// TestHeldOut: only rules that fire become diagnostics, and their evidence are the held-out problems by number and name.
func TestHeldOut(t *testing.T) {
	f := diagnose.Finding{Kind: diagnose.NoCooperativeStructure, Checks: []diagnose.Check{
		{Rule: "few_items_gain", Value: 0.1, Sense: "<", Threshold: 0.2, Fired: true, Evidence: []int{2, 0}},
		{Rule: "calm", Value: 0.5, Sense: "<", Threshold: 0.2},
	}}
	got := diagnose.HeldOut(f, 12, []string{"a", "b", "c"})
	if len(got) != 1 || got[0].First != 12 || got[0].Last != 12 || got[0].Rule != "few_items_gain" || got[0].Remedy == "" {
		t.Fatalf("%+v", got)
	}
	want := []store.Place{{Update: 12, Index: 2, Problem: "c", HeldOut: true}, {Update: 12, Index: 0, Problem: "a", HeldOut: true}}
	if !slices.Equal(got[0].Evidence, want) {
		t.Errorf("evidence %+v, want %+v", got[0].Evidence, want)
	}
}

// TestRewardOfNoWidth: a reward that cannot vary is no reason to divide by zero.
func TestRewardOfNoWidth(t *testing.T) {
	s := healthy()
	s.settings.Raw, s.settings.Processed = diagnose.Range{Least: 1, Most: 1}, diagnose.Range{Least: 1, Most: 1}
	s.rewards = func(int, int, int, int) float64 { return 1 }
	w := &diagnose.Watch{}
	if fired := s.train(w, 1, 5); !slices.Equal(fired, []string{"dead_groups dead_groups"}) {
		t.Errorf("fired %q", fired)
	}
	for _, r := range w.Result(5).Checked {
		if r.Value != r.Value {
			t.Errorf("%s is not a number", r.Rule)
		}
	}
}

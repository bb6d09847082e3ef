package record

import (
	"math"
	"reflect"
	"testing"

	"parley/rl/rollout"
	"parley/task"
)

func TestSchemesOfAnUpdate(t *testing.T) {
	using := func(scheme string) task.Score { return task.Score{Signals: &task.Signals{Scheme: scheme}} }
	n := &rollout.Node{Rewards: []float64{-1, -3, 0, -2}, Scored: []task.Score{using("decorator"), using("none"), {}, using("none")}}
	var m Metrics
	m.schemes([]*rollout.Episode{{Nodes: []*rollout.Node{n}}})
	if want := map[string]float64{"decorator": 1.0 / 3, "none": 2.0 / 3}; !reflect.DeepEqual(m.Schemes, want) {
		t.Errorf("shares %v, want %v", m.Schemes, want)
	}
	if want := map[string]float64{"decorator": -1, "none": -2.5}; !reflect.DeepEqual(m.SchemeReward, want) {
		t.Errorf("rewards %v, want %v", m.SchemeReward, want)
	}
	if want := math.Log(3) - 2.0/3*math.Ln2; math.Abs(*m.SchemeEntropy-want) > 1e-12 {
		t.Errorf("entropy %v, want %v", *m.SchemeEntropy, want)
	}
	var none Metrics
	if none.schemes([]*rollout.Episode{{Nodes: []*rollout.Node{{Scored: []task.Score{{}}}}}}); none.Schemes != nil || none.SchemeEntropy != nil {
		t.Errorf("a task without schemes has %v", none.Schemes)
	}
}

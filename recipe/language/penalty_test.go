package language_test

import (
	"maps"
	"strings"
	"testing"

	"parley/engine"
	"parley/rl/learn/learntest"
)

// ownPenalties: policies whose own coefficients of the KL penalty are that of the settings learn the same as without their own, and the
// coefficient of one policy changes what that policy learns and no other one.
func ownPenalties(t *testing.T, c Case) {
	if !c.Algorithm.PenalizesKL {
		return
	}
	m := c.debate(t, perAgent)
	c.teach(t, m, 1, nil).update(t, 0, m.Play(t, 0, problems)) // away from the base
	episodes := m.Play(t, 1, problems)
	learn := func(kl map[engine.Policy]float64) (policies []string) {
		other := *m
		other.Engine = m.Engine.Copy()
		p := c.teach(t, &other, 2, nil)
		p.config.KL = kl
		var err error
		if p.Learner, err = c.Algorithm.New(p.config); err != nil {
			t.Fatal(err)
		}
		p.update(t, 1, learntest.Reread(t, episodes))
		return other.Engine.Policies()
	}
	own := map[engine.Policy]float64{}
	var last engine.Policy
	for _, x := range m.Sharing.Trained(m.Protocol.Turns(), false) {
		own[x.Policy], last = c.KL, x.Policy
	}
	plain := learn(nil)
	same(t, "policies with the coefficient of the settings", learn(own), plain)
	strict := maps.Clone(own)
	strict[last] = c.KL + 2
	for i, now := range learn(strict) {
		name, _, _ := strings.Cut(now, ":")
		if trained := strings.HasPrefix(name, "policy"); trained && (now != plain[i]) != (name == string(last)) {
			t.Errorf("with a coefficient of %s, %s is %s; it was %s", last, name, now, plain[i])
		}
	}
}

// Package cluster runs recipes on other engines than the embedded one: engine.tinker in a recipe names a server of a training cluster, which samples
// and trains in this machine's place, and engine.torch has a process of Python do so on a device of this machine (torch.go).
//
// What they cannot do is refused before anything starts, all at once, with what to write instead: [Check] knows what the protocol has no
// words for, and the engine's profile, which is measured when it is opened, what a server does in another way.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"parley/engine"
	"parley/engine/tinker"
	"parley/engine/tinker/link"
	"parley/internal/usererror"
	"parley/model"
	"parley/model/config"
	"parley/recipe"
	"parley/train/plan"
)

// A Backend is a kind of engine that recipes can run on; see package lineup.
type Backend interface {
	Open(ctx context.Context, m *model.Model, o engine.Options) (engine.Engine, error)
	Estimator(c config.Config, o engine.Options) engine.Estimator
	Kernels(o engine.Options) (name, slow string)
}

// For returns the engines that a recipe runs on: those of its server or of its workers, or else what is here.
func For(r *recipe.Recipe, here Backend) Backend {
	switch r.Engine.Elsewhere() {
	case "":
		return here
	case "torch":
		if _, is := here.(*workers); is {
			return here
		}
		return &workers{here, r}
	}
	if _, is := here.(*remote); is {
		return here
	}
	before, is := here.(*known)
	if !is {
		before = &known{Backend: here}
	}
	return &remote{r, before}
}

// Here returns the embedded engines.
func Here(b Backend) Backend {
	switch b := b.(type) {
	case *remote:
		return b.before.Backend
	case *known:
		return b.Backend
	case *workers:
		return b.Backend
	}
	return b
}

// remote opens engines on the server that a recipe names.
type remote struct {
	recipe *recipe.Recipe
	before *known
}

// Open implements [Backend]: it measures the server, and refuses what the recipe asks of it in vain.
func (b *remote) Open(ctx context.Context, m *model.Model, o engine.Options) (engine.Engine, error) {
	t := b.recipe.Engine.Tinker
	c, err := config.Roughly(m.Source.Config())
	if err != nil {
		return nil, err
	}
	s := link.Server{URL: t.URL, Model: t.Model, Slots: t.Slots, Alone: t.Alone, Wait: time.Duration(t.Wait * float64(time.Second))}
	if t.KeyEnv != "" {
		if s.Key = os.Getenv(t.KeyEnv); s.Key == "" {
			return nil, usererror.Errorf("engine.tinker.key_env: the environment variable %s is empty: put the server's key into it", t.KeyEnv)
		}
	}
	e, err := tinker.Open(ctx, s, tinker.Shape{Vocab: c.Vocab, Context: c.Context, Unused: m.Unused(), Rank: b.recipe.Policies.Rank}, b.before.profile)
	if err != nil {
		return nil, err
	}
	p := e.Profile()
	b.before.profile = &p
	if err := refuse(t.URL, unfit(b.recipe, p)); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if t.Again == 0 {
		return e, nil
	}
	here, err := b.before.Open(ctx, m, o)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return audit(e, here, t.Again), nil
}

// Estimator implements [Backend]: nothing of the model is in this machine's memory.
func (b *remote) Estimator(config.Config, engine.Options) engine.Estimator { return nowhere{} }

type nowhere struct{}

func (nowhere) Footprint(engine.Load, []engine.PolicySpec) engine.Footprint {
	return engine.Footprint{}
}

// EstimatorHere is that of the engines on this machine.
func (b *remote) EstimatorHere(c config.Config, o engine.Options) engine.Estimator {
	return b.before.Estimator(c, o)
}

// Kernels implements [Backend].
func (b *remote) Kernels(o engine.Options) (name, slow string) {
	return beside("tinker", b.recipe, b.before, o)
}

// refuse lists mismatches.
func refuse(server string, all []string) error {
	if len(all) == 0 {
		return nil
	}
	return usererror.Errorf("the recipe asks for what engine.tinker (%s) does not have:\n  %s", server, strings.Join(all, "\n  "))
}

// policies are those that a run of a recipe trains on its server.
func policies(r *recipe.Recipe) []plan.Policy {
	sharing := r.Sharing()
	there := map[int]bool{} // bases
	for _, agent := range remotes(r) {
		there[sharing.Bases[agent]] = true
	}
	return slices.DeleteFunc(plan.Policies(r, sharing, r.Team.Turns), func(p plan.Policy) bool { return !there[p.Base] })
}

// remotes are the agents that speak and learn elsewhere than on the embedded engine, from 0.
func remotes(r *recipe.Recipe) (out []int) {
	for agent := range r.Seats() {
		if !plan.Embedded(r, agent) {
			out = append(out, agent)
		}
	}
	return out
}

func mismatch(key string, value any, why, instead string) string {
	return fmt.Sprintf("%s is %v, but %s: %s", key, value, why, instead)
}

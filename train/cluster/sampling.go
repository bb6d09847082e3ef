package cluster

// This file runs recipes whose completions are drawn elsewhere: sampler.openai in a recipe names a server that samples from the team's
// policies, while this machine trains them.
//
// What such a sampler cannot do is refused before anything starts, all at once ([Check]).

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"parley/engine"
	"parley/engine/openai"
	"parley/internal/usererror"
	"parley/model"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/train/plan"
)

// CheckSampler lists what a recipe asks of its sampler in vain. A recipe without one passes.
func CheckSampler(r *recipe.Recipe) error {
	s := r.Sampler.OpenAI
	if s.URL == "" {
		return nil
	}
	var all []string
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	refuse(!keys.WebAddress(s.URL), "sampler.openai.url is %q, expected an http address: write for example http://127.0.0.1:8000/v1", s.URL)
	refuse(s.Model == "", "sampler.openai.model is empty: write what the server calls the base")
	refuse(s.Adapters == "", "sampler.openai.adapters is empty: write a folder that the server can read")
	refuse(r.Engine.Tinker.URL != "", "engine.tinker samples and trains on a cluster: leave one of the two out")
	refuse(r.Policies.Full, "policies.full is true, but only adapters can be sent to the sampler: write false")
	refuse(r.AlgorithmType().Decodes(), "algorithm %s chooses every token by itself, which needs the engine of this machine", r.Algorithm)
	bases := slices.Compact(slices.Sorted(slices.Values(r.Bases())))
	if rival := plan.Rival(r); rival != "" && !slices.Contains(bases, rival) {
		bases = append(bases, rival)
	}
	refuse(len(bases) > 1, "the recipe has %d bases, but a sampler has one: give all agents the same", len(bases))
	if len(all) == 0 {
		return nil
	}
	return usererror.Errorf("the recipe asks for what sampler.openai (%s) does not have:\n  %s", s.URL, strings.Join(all, "\n  "))
}

// ForSampler returns the engines that a recipe runs on: those that are given, with its sampler before them where it names one.
func ForSampler(r *recipe.Recipe, here Backend) Backend {
	if _, is := here.(*sampledElsewhere); is || r.Sampler.OpenAI.URL == "" {
		return here
	}
	return &sampledElsewhere{here, r}
}

// sampledElsewhere opens engines that train here and sample on the server that a recipe names.
type sampledElsewhere struct {
	Backend
	recipe *recipe.Recipe
}

// Open implements [Backend].
func (b *sampledElsewhere) Open(ctx context.Context, m *model.Model, o engine.Options) (engine.Engine, error) {
	s := b.recipe.Sampler.OpenAI
	key, err := plan.Secret("sampler.openai.key_env", s.KeyEnv)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.Adapters, 0o755); err != nil {
		return nil, usererror.Errorf("sampler.openai.adapters: %w", err)
	}
	pool, err := openai.OpenPool(openai.PoolOptions{Together: s.Together})
	if err != nil {
		return nil, err
	}
	here, err := b.Backend.Open(ctx, m, o)
	if err != nil {
		return nil, err
	}
	at := openai.Address{URL: s.URL, Key: key, Deadline: time.Duration(s.Seconds * float64(time.Second)), Retries: s.Retries}
	e, err := openai.Open(ctx, here, openai.Settings{
		Server: pool.Server(at), Model: s.Model, Folder: s.Adapters, Seen: s.Seen, Together: s.Together, MostGap: s.MostGap,
	})
	if err != nil {
		return nil, errors.Join(err, closed(here))
	}
	return e, nil
}

// closed closes an engine.
func closed(e engine.Engine) error {
	if c, can := e.(interface{ Close() error }); can {
		return c.Close()
	}
	return nil
}

// Kernels implements [Backend]: what is sampled elsewhere has other bits.
func (b *sampledElsewhere) Kernels(o engine.Options) (name, slow string) {
	name, slow = b.Backend.Kernels(o)
	return name + ", sampler elsewhere", slow
}

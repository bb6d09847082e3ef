package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/engine"
	"parley/engine/torch"
	"parley/internal/folder"
	"parley/internal/usererror"
	"parley/model"
	"parley/model/config"
	"parley/model/weights"
	"parley/recipe"
	"parley/train/plan"
)

// workers opens engines in processes of Python, as engine.torch of a recipe says.
type workers struct {
	Backend // the embedded engine
	recipe  *recipe.Recipe
}

// Open implements [Backend].
func (b *workers) Open(ctx context.Context, m *model.Model, o engine.Options) (engine.Engine, error) {
	t := b.recipe.Engine.Torch
	if len(m.Source.Tensors()) == 0 {
		return nil, usererror.Errorf("its weights are not here: get them with: parley model pull %s", m.Name)
	}
	folder, err := transformersFolder(m, t.DType)
	if err != nil {
		return nil, err
	}
	dtype := t.DType
	if dtype == "auto" {
		dtype = ""
	}
	e, err := torch.Open(ctx, torch.Options{
		Python: t.Python, Model: folder, Device: t.Device, Devices: t.Each(), DType: dtype, Memory: t.Memory,
		Threads: o.Threads, Timeout: time.Duration(t.Timeout * float64(time.Second)),
	})
	if err != nil {
		return nil, fmt.Errorf("engine.torch: %w", err)
	}
	return e, nil
}

// Estimator implements [Backend]: a worker on the CPU takes about what the embedded engine does, and one on a GPU takes none of this memory.
func (b *workers) Estimator(c config.Config, o engine.Options) engine.Estimator {
	if b.recipe.Engine.Torch.Device != "cpu" {
		return nowhere{}
	}
	if b.recipe.Engine.Torch.DType == "bf16" {
		o.Format = engine.BF16
	}
	return b.Backend.Estimator(c, o)
}

// EstimatorHere is that of the embedded engine.
func (b *workers) EstimatorHere(c config.Config, o engine.Options) engine.Estimator {
	return b.Backend.Estimator(c, o)
}

// Kernels implements [Backend]. What kind of numbers it computes an engine knows when it is there: see [Exactly].
func (b *workers) Kernels(o engine.Options) (name, slow string) {
	return beside("torch", b.recipe, b.Backend, o)
}

// Exactly says in the name of what computes what kind of numbers an engine's worker computes, and returns the SHA-256 of the worker's files; without a
// worker the name stays, and there is no hash.
func Exactly(kernels string, e engine.Engine) (name, worker string) {
	if t, ok := engine.As[*torch.Engine](e); ok {
		return strings.Replace(kernels, "torch", t.Info().Kind, 1), t.Info().WorkerHash
	}
	return kernels, ""
}

// Masks says that an engine elsewhere has masks: it neither draws nor scores tokens that a request leaves out.
func Masks(e engine.Engine) bool {
	_, can := engine.As[*torch.Engine](e)
	return can
}

// transformersFolder is the folder of a model as transformers opens it. Of a model that ships, and of a .gguf file, one is written once, under the
// user's cache folder: the latter in bfloat16, or in float32 where that is how the base is held.
func transformersFolder(m *model.Model, dtype string) (string, error) {
	gguf := strings.HasSuffix(strings.ToLower(m.Path), ".gguf")
	if m.Path != "" && !gguf {
		return filepath.Abs(m.Path)
	}
	store := "" // as it is
	if gguf {
		if store = "BF16"; dtype == "f32" {
			store = "F32"
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", usererror.Errorf("no folder to write model %s to, as transformers opens it: %w", m.Name, err)
	}
	hash, err := m.Hash()
	if err != nil {
		return "", fmt.Errorf("hash model %s: %w", m.Name, err)
	}
	dir := filepath.Join(cache, "parley", "transformers", strings.ToLower(hash[:16]+store))
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", usererror.Errorf("write model %s as transformers opens it (XDG_CACHE_HOME says where): %w", m.Name, err)
	}
	err = folder.Whole(dir, func(tmp string) error { return weights.Write(tmp, m.Source, store) })
	if _, there := os.Stat(dir); err != nil && there != nil { // another process may have been faster
		return "", fmt.Errorf("write model %s as transformers opens it: %w", m.Name, err)
	}
	return dir, nil
}

// checkTorch lists what a recipe asks of a worker in vain.
func checkTorch(r *recipe.Recipe) error {
	if all := unworked(r); len(all) > 0 {
		return usererror.Errorf("the recipe asks for what engine.torch does not have:\n  %s", strings.Join(all, "\n  "))
	}
	return nil
}

// unworked lists what workers do not do.
func unworked(r *recipe.Recipe) (out []string) {
	if len(remotes(r)) == 0 {
		return []string{"no agent computes on it, since all of them have engine: embedded: leave engine.torch out"}
	}
	refuse := func(wrong bool, key string, value any, why, instead string) {
		if wrong {
			out = append(out, mismatch(key, value, why, instead))
		}
	}
	t := r.Engine.Torch
	refuse(t.Sampler != "torch", "engine.torch.sampler", t.Sampler, "the worker draws by itself", "write torch")
	refuse(len(remotes(r)) == r.Seats() && r.Engine.DType != "f32", "engine.dtype", r.Engine.DType, "the worker holds its base as engine.torch.dtype says", "leave it out")
	refuse(r.Policies.Full, "policies.full", true, "the worker trains adapters", "write false")
	for _, agent := range remotes(r) {
		f := plan.Agent(r, agent).Form(r.Sampling)
		refuse(f.Forced(), f.Key, "set", "the worker holds no answer to a form", "leave it out")
	}
	url := r.Sampler.OpenAI.URL
	refuse(url != "", "sampler.openai", url, "the worker that trains samples too", "leave it out")
	return out
}

// beside names an engine elsewhere, and what is on the embedded one where some agents are.
func beside(name string, r *recipe.Recipe, here Backend, o engine.Options) (names, slow string) {
	for agent := range r.Seats() {
		if plan.Embedded(r, agent) {
			own, slow := here.Kernels(o)
			return name + ", " + own, slow
		}
	}
	return name, ""
}

package peft

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/plainfile"
	"parley/model/weights/safetensors"
)

// An Adapter is an open adapter folder.
type Adapter struct {
	Config
	File *safetensors.File // names as [Module.A] and [Module.B] have them
	dir  string
}

// Open opens an adapter folder.
func Open(dir string) (*Adapter, error) {
	path := filepath.Join(dir, ConfigFile)
	text, err := readSmall(path)
	if err != nil {
		return nil, err
	}
	a := &Adapter{dir: dir}
	if a.Config, err = Parse(text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if a.File, err = safetensors.Open(a.Path()); err == nil {
		return a, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, e := os.Stat(filepath.Join(dir, pickleFile)); e == nil {
			return nil, fmt.Errorf("%s is a pickle, which can run code when it is read: load the adapter in peft and save it again with "+
				"save_pretrained, which writes %s", filepath.Join(dir, pickleFile), WeightsFile)
		}
	}
	return nil, err
}

// maxConfig bounds adapter_config.json in bytes. A rank of its own for each of a thousand modules takes a tenth of it.
const maxConfig = 1 << 20

func readSmall(path string) ([]byte, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(text) > maxConfig {
		err = fmt.Errorf("%s has more than %d bytes", path, maxConfig)
	}
	if err == nil {
		err = plainfile.Check(path, text)
	}
	return text, err
}

// Close releases the file.
func (a *Adapter) Close() error { return a.File.Close() }

// Path is that of the file with the weights.
func (a *Adapter) Path() string { return filepath.Join(a.dir, WeightsFile) }

// Adapted lists the modules that the configuration adapts; none is an error.
func (c *Config) Adapted(modules []Module) ([]Module, error) {
	var adapted []Module
	for _, m := range modules {
		if c.Adapts(m.Name) {
			adapted = append(adapted, m)
		}
	}
	if len(adapted) == 0 {
		return nil, fmt.Errorf("target_modules (%s) name no projection of the model; its projections are %s", c.Targets,
			strings.Join(targets(modules), ", "))
	}
	return adapted, nil
}

// Check compares the adapter with the linear layers of a model: the file must have A and B of every module that is adapted,
// in the model's shapes, and nothing else. The error names the first tensor that does not fit, both shapes, and the model
// that the adapter says it was made for.
func (a *Adapter) Check(modules []Module) error {
	err := a.checkModules(modules)
	if err == nil {
		return nil
	}
	if a.Base != "" {
		err = fmt.Errorf("%w; the adapter was made for %s", err, a.Base)
	}
	return fmt.Errorf("%s: %w", a.Path(), err)
}

func (a *Adapter) checkModules(modules []Module) error {
	adapted, err := a.Adapted(modules)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, m := range adapted {
		rank, _, err := a.Of(m.Name)
		if err != nil {
			return err
		}
		known[m.A()], known[m.B()] = true, true
		if err := errors.Join(a.checkTensor(m.A(), rank, m.In), a.checkTensor(m.B(), m.Out, rank)); err != nil {
			return err
		}
	}
	for _, t := range a.File.Tensors() {
		if !known[t.Name] {
			return stranger(t, modules)
		}
	}
	return nil
}

func (a *Adapter) checkTensor(name string, shape ...int) error {
	t, ok := a.File.Lookup(name)
	switch {
	case !ok:
		return fmt.Errorf("tensor %s (shape %v) is missing", name, shape)
	case !slices.Equal(t.Shape, shape):
		return fmt.Errorf("tensor %s has shape %v; the model asks for %v", name, t.Shape, shape)
	}
	return nil
}

// stranger says why a tensor of an adapter file has no place in a model.
func stranger(t safetensors.Tensor, modules []Module) error {
	name, _, isLora := strings.Cut(strings.TrimPrefix(t.Name, prefix), ".lora_")
	names := targets(modules)
	m := Module{Name: name}
	switch {
	case !isLora:
		return fmt.Errorf("tensor %s (shape %v) is no part of a low-rank adapter of a projection", t.Name, t.Shape)
	case !slices.Contains(names, m.target()):
		return fmt.Errorf("tensor %s (shape %v): the model has no projection %s; adapters of this model are for %s", t.Name, t.Shape,
			m.target(), strings.Join(names, ", "))
	case !slices.ContainsFunc(modules, func(o Module) bool { return o.Name == name }):
		return fmt.Errorf("tensor %s (shape %v): the model has no %s", t.Name, t.Shape, name)
	}
	return fmt.Errorf("tensor %s (shape %v): the configuration does not adapt %s", t.Name, t.Shape, name)
}

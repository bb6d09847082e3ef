package model

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"parley/internal/plainfile"
	"parley/model/shipped"
	"parley/model/weights"
)

// shapes are the config.json of the models that shipped recipes name and of others of their families, cut down to what sizes follow
// from: rotary scalings are left out.
//
//go:embed shapes/*.json
var shapes embed.FS

// Shape returns the config.json of a model and whether the model is on this machine. It reads nothing else of the model. The shapes
// of models that shipped recipes name, and of some of their relatives, are known without the model.
func Shape(name string) (config []byte, here bool, err error) {
	if files := shipped.FS(name); files != nil {
		config, err = fs.ReadFile(files, "config.json")
		return config, true, err
	}
	file, missing := Find(name)
	if missing != nil {
		if config, err = knownShape(strings.ToLower(path.Base(name))); err != nil {
			return nil, false, missing
		}
		return config, false, nil
	}
	if strings.HasSuffix(strings.ToLower(file), ".gguf") {
		g, err := weights.OpenGGUF(file)
		if err != nil {
			return nil, true, err
		}
		return g.Config(), true, g.Close()
	}
	if config, err = fs.ReadFile(plainfile.Dir(file, maxText), "config.json"); err != nil {
		return nil, true, fmt.Errorf("model %s: %w", name, err)
	}
	return config, true, nil
}

// knownShape returns the shape of a model that is not here. A model that was tuned to follow instructions has the shape of
// its base.
func knownShape(name string) ([]byte, error) {
	config, err := shapes.ReadFile("shapes/" + name + ".json")
	if err != nil {
		return shapes.ReadFile("shapes/" + strings.TrimSuffix(name, "-instruct") + ".json")
	}
	return config, nil
}

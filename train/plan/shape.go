package plan

import (
	"fmt"

	"parley/model/config"
)

// Shape is what a config.json says of a base that the embedded engine is to compute, or an engine elsewhere, which may have families that are not known here.
func Shape(text []byte, embedded bool) (config.Config, error) {
	if !embedded {
		return config.Roughly(text)
	}
	c, err := config.Parse(text)
	if err == nil {
		return c, nil
	}
	if _, unfit := config.Roughly(text); unfit == nil {
		err = fmt.Errorf("%w: the torch engine may have it (engine.torch.device: auto, docs/gpus.md)", err)
	}
	return c, err
}

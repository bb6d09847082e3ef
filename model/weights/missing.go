package weights

import (
	"errors"
	"fmt"

	"parley/internal/plainfile"
	"parley/model/weights/safetensors"
)

// otherFile says what a file is that was named as a model.
func otherFile(name string) error {
	err := errors.New("neither a folder with config.json and model.safetensors nor a .gguf file")
	file, openErr := safetensors.Map(name)
	if openErr != nil {
		return fmt.Errorf("open checkpoint: %w", openErr)
	}
	defer file.Close()
	if stub := plainfile.Check(name, file.Data); stub != nil {
		err = stub
	}
	return fmt.Errorf("open checkpoint %s: %w", name, plainfile.Explain(file.Data, err))
}

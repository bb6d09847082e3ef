package export

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley/model"
	"parley/model/weights"
	"parley/model/weights/peft"
	"parley/model/weights/safetensors"
)

// copyFile holds the tensors of a policy that is a full copy of its base.
const copyFile = "model.safetensors"

// Full says that a policy is a full copy of its base, and no adapter over it.
func (x *Export) Full(policy string) bool {
	_, err := os.Stat(filepath.Join(x.saved(policy), peft.ConfigFile))
	if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	_, err = os.Stat(filepath.Join(x.saved(policy), copyFile))
	return err == nil
}

// trainedCopy opens what a full copy is: the tensors of its base with trained values.
func (x *Export) trainedCopy(policy string, m *model.Model) (weights.Source, error) {
	f, err := safetensors.Open(filepath.Join(x.saved(policy), copyFile))
	if err != nil {
		return nil, err
	}
	return &trainedSource{m.Source, f}, nil
}

// A trainedSource has the values of a copy under the names, shapes and types of its base.
type trainedSource struct {
	weights.Source
	trained *safetensors.File
}

// Float32 implements [weights.Source].
func (s *trainedSource) Float32(name string, dst []float32) error {
	if err := s.trained.Float32(name, dst); err != nil {
		return fmt.Errorf("the trained copy: %w", err)
	}
	return nil
}

// Close leaves the base open: it is the caller's.
func (s *trainedSource) Close() error { return s.trained.Close() }

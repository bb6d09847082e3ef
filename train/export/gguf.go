package export

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"parley/internal/folder"
	"parley/model"
	"parley/model/weights"
	"parley/model/weights/peft"
)

// The files of a policy. The name Modelfile is ollama's.
const (
	modelFile   = "model.gguf"
	adapterFile = "adapter.gguf"
	ollamaFile  = "Modelfile"
)

// writeGGUF writes a policy as a model, and as an adapter over its base where it is one.
func (x *Export) writeGGUF(policy, to string) error {
	return x.merge(policy, func(m *model.Model, a *peft.Adapter, src weights.Source) error {
		notes, err := m.ExportGGUF(filepath.Join(to, modelFile), src, x.DType)
		if err != nil {
			return err
		}
		for _, note := range notes {
			x.Note(fmt.Sprintf("policy %s: %s", policy, note))
		}
		if a != nil {
			if err := m.ExportGGUFAdapter(filepath.Join(to, adapterFile), a); err != nil {
				return err
			}
		}
		f := m.Modelfile()
		f.From, f.Stop = "./"+modelFile, append(f.Stop, x.Sampling.Stop...)
		f.Temperature, f.TopK, f.TopP = x.Sampling.Temperature, x.Sampling.TopK, x.Sampling.TopP
		return folder.WriteFile(filepath.Join(to, ollamaFile), []byte(f.String()))
	})
}

// bases lists the bases of the policies, in order.
func (x *Export) bases() []string {
	var list []string
	for _, p := range x.Policies {
		if base := x.Base(p); !slices.Contains(list, base) {
			list = append(list, base)
		}
	}
	return list
}

// baseFile is the file of a base beside the folders of the policies.
func (x *Export) baseFile(base string) string {
	if i := slices.Index(x.bases(), base); i > 0 {
		return fmt.Sprintf("base-%d.gguf", i+1)
	}
	return "base.gguf"
}

// writeBases writes the bases themselves, if they are wanted: as their files have them, for the adapters.
func (x *Export) writeBases(ctx context.Context, tmp string) error {
	if !x.WithBase {
		return nil
	}
	for _, base := range x.bases() {
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := model.OpenIncomplete(base)
		if err != nil {
			return err
		}
		_, err = m.ExportGGUF(filepath.Join(tmp, x.baseFile(base)), m.Source, x.DType)
		if err = errors.Join(err, m.Close()); err != nil {
			return err
		}
	}
	return nil
}

package runcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/internal/atomicdir"
	"parley/model"
	"parley/model/weights/peft"
)

// write writes all policies into the folder tmp.
func (x *export) write(ctx context.Context, tmp string) error {
	for _, p := range x.policies {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := filepath.Join(tmp, p)
		if err := os.Mkdir(to, 0o755); err != nil {
			return err
		}
		write := x.writeAdapter
		if x.merged {
			write = x.writeMerged
		}
		if err := write(p, to); err != nil {
			return fmt.Errorf("policy %s: %w", p, err)
		}
	}
	return nil
}

func (x *export) adapter(policy string) string { return filepath.Join(x.from.Dir, policy) }

// writeAdapter copies what other tools need of an adapter, and adds the name of its base, by which peft finds that.
func (x *export) writeAdapter(policy, to string) error {
	text, err := os.ReadFile(filepath.Join(x.adapter(policy), peft.ConfigFile))
	if err != nil {
		return err
	}
	var config map[string]json.RawMessage // raw: the order of patterns counts
	if err := json.Unmarshal(text, &config); err != nil {
		return fmt.Errorf("%s: %w", peft.ConfigFile, err)
	}
	if config["base_model_name_or_path"], err = json.Marshal(x.base(policy)); err != nil {
		return err
	}
	if text, err = json.MarshalIndent(config, "", "  "); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(x.adapter(policy), peft.WeightsFile))
	if err != nil {
		return err
	}
	return errors.Join(atomicdir.File(filepath.Join(to, peft.ConfigFile), append(text, '\n')), atomicdir.File(filepath.Join(to, peft.WeightsFile), data))
}

// writeMerged writes the base with the adapter in its weights.
func (x *export) writeMerged(policy, to string) error {
	m, err := model.OpenIncomplete(x.base(policy))
	if err != nil {
		return fmt.Errorf("its base: %w", err)
	}
	defer m.Close()
	a, err := peft.Open(x.adapter(policy))
	if err != nil {
		return err
	}
	defer a.Close()
	src, err := peft.Merge(m.Source, a)
	if err != nil {
		return err
	}
	return m.Export(to, src, x.dtype)
}

package export

import (
	"errors"
	"fmt"

	"parley/engine/native"
	"parley/model"
	"parley/model/weights"
	"parley/model/weights/peft"
)

// writeMerged writes the base with the adapter in its weights.
func (x *Export) writeMerged(policy, to string) error {
	return x.merge(policy, func(m *model.Model, _ *peft.Adapter, src weights.Source) error { return m.Export(to, src, x.DType) })
}

// merge opens what a policy is: its base as the run held it, with the adapter in the weights; or a trained copy of it, of which there is no
// adapter.
func (x *Export) merge(policy string, use func(*model.Model, *peft.Adapter, weights.Source) error) error {
	m, err := x.openBase(policy)
	if err != nil {
		return err
	}
	if x.Full(policy) {
		src, err := x.trainedCopy(policy, m)
		if err == nil {
			err = errors.Join(use(m, nil, src), src.Close())
		}
		return errors.Join(err, m.Close())
	}
	a, err := peft.Open(x.saved(policy))
	if err != nil {
		return errors.Join(err, m.Close())
	}
	src, err := peft.Merge(native.Held(m.Source, x.Engine.Format), a)
	if err == nil {
		err = use(m, a, src)
	}
	return errors.Join(err, a.Close(), m.Close())
}

// openBase opens a policy's base, which must be the one that it was trained over.
func (x *Export) openBase(policy string) (*model.Model, error) {
	m, err := model.OpenIncomplete(x.Base(policy))
	if err != nil {
		return nil, fmt.Errorf("its base: %w", err)
	}
	want := x.Hash(policy)
	if want == "" {
		return m, nil
	}
	now, err := m.Hash()
	if err == nil && now != want {
		err = fmt.Errorf("its base %s is not the one that it was trained over (its files had the hash %.12s…): put that back, or name the model to merge into with --base", x.Base(policy), want)
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

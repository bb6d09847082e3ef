package probe

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"os"
	"strings"

	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
	"parley/model/weights/peft"
	"parley/model/weights/safetensors"
)

// mostNames are tries to save under a name that is new.
const mostNames = 3

// save saves a model under a name that nothing else has, and returns the server's path to it. Servers do not know a save again: where one was taken and
// its answer lost, the name is there already, and another is taken.
func (m *model) save(ctx context.Context, kind string) (string, error) {
	for try := 1; ; try++ {
		saved, err := m.operate(ctx, func(seq int) (link.Request, error) {
			return link.Post(kind, wire.Save{Model: m.id, Name: "parley-probe-" + strings.ToLower(rand.Text()), Seq: seq, Type: kind})
		})
		if err == nil && saved.Path == "" {
			err = errors.New("the result of a save names no path")
		}
		if !link.Conflict(err) || try == mostNames {
			return saved.Path, err
		}
		m.seq++ // it was taken
	}
}

// form looks at a trained adapter as it comes home, which every checkpoint has.
func (m *model) form(ctx context.Context, p *Profile) error {
	const what = "an adapter that comes home"
	path, err := m.save(ctx, "save_weights_for_sampler")
	if refusal(err) {
		p.NoArchive = true
		p.note("P22", what, "refused: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "parley-probe-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	err = m.b.c.FetchAdapter(ctx, path, dir)
	if errors.Is(err, errors.ErrUnsupported) {
		p.NoArchive = true
		p.note("P22", what, "there are no archives")
		return nil
	}
	if err != nil {
		return err
	}
	a, err := peft.Open(dir)
	if err != nil {
		return err
	}
	defer a.Close()
	shared, err := sharedA(a.File)
	if err != nil {
		return err
	}
	if p.Alpha == 0 {
		p.Alpha = a.Alpha
	}
	kind := map[bool]string{true: "q_proj, k_proj and v_proj share their A", false: "every projection has an A of its own"}
	p.note("P22", what, "rank %d, alpha %g, %s; %s", a.Rank, a.Alpha, a.Targets, kind[shared])
	return nil
}

// sharedA reports whether the projections of a layer's attention have one A.
func sharedA(f *safetensors.File) (bool, error) {
	for _, t := range f.Tensors() {
		layer, is := strings.CutSuffix(t.Name, "q_proj.lora_A.weight")
		if !is {
			continue
		}
		var all [][]byte
		for _, target := range []string{"q_proj", "k_proj", "v_proj"} {
			a, err := f.Bytes(layer + target + ".lora_A.weight")
			if err != nil {
				return false, err
			}
			all = append(all, a)
		}
		return bytes.Equal(all[0], all[1]) && bytes.Equal(all[0], all[2]), nil
	}
	return false, nil
}

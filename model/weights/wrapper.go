package weights

import (
	"fmt"
	"strings"

	"parley/model/config"
)

// unwrap makes the checkpoint of a model that reads images that of its text model, and notes what is left out.
func (c *checkpoint) unwrap() error {
	text, wrapped, err := config.Text(c.config)
	if err != nil || !wrapped {
		return err
	}
	all, stored := c.tensors, c.stored
	c.config, c.tensors, c.stored = text, nil, map[string]storedTensor{}
	left := 0
	for _, t := range all {
		from := stored[t.Name]
		name, ok := textName(t.Name)
		if !ok {
			left++
			continue
		}
		if twin, twice := c.stored[name]; twice {
			return fmt.Errorf("tensors %q and %q are both %s of the text model", twin.name, from.name, name)
		}
		t.Name = name
		c.tensors, c.stored[name] = append(c.tensors, t), from
	}
	c.notes = append(c.notes, fmt.Sprintf("the model reads images too; its text model is used, and %d tensors that only images need are left out", left))
	return nil
}

// textName is what the text model calls a tensor of the model around it, as checkpoints on the Hub name them
// (language_model.model.norm.weight) or as transformers has done since version 4.52 (model.language_model.norm.weight); not ok: it
// is no tensor of the text model. Names of neither form stay as they are, and are then missing when the text model's tensors are
// looked up.
func textName(name string) (text string, ok bool) {
	for _, part := range []string{"vision_tower.", "multi_modal_projector."} {
		if strings.HasPrefix(strings.TrimPrefix(name, "model."), part) {
			return "", false
		}
	}
	if inner, ok := strings.CutPrefix(name, "model.language_model."); ok {
		return "model." + inner, true
	}
	return strings.TrimPrefix(name, "language_model."), true
}

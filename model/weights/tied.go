package weights

import (
	"encoding/json"
	"fmt"
	"slices"

	"parley/model/config"
)

// The tensors of which config.json can say that one is the other.
const (
	headName      = "lm_head.weight"
	embeddingName = "model.embed_tokens.weight"
)

// A Noter is a [Source] that has something to say of itself that its user should know.
type Noter interface{ Notes() []string }

// Notes returns what a source has to say of itself: where its tensors and its config.json disagree, and which counts.
func Notes(s Source) []string {
	if n, ok := s.(Noter); ok {
		return n.Notes()
	}
	return nil
}

// settleHead decides what the head is where config.json says that it is the embedding's matrix, as transformers 5 does: a head that
// the files hold and that differs is a head of its own, and where they hold one of the two, it is both. After it, config.json and
// the tensors agree.
func (c *checkpoint) settleHead() error {
	shape, err := config.Parse(c.config)
	if err != nil {
		return nil // whoever needs the shape reports the error
	}
	head, hasHead := c.lookup(headName)
	embedding, hasEmbedding := c.lookup(embeddingName)
	switch {
	case !shape.Tied && !hasHead && hasEmbedding:
		return fmt.Errorf("the head is missing: there is no %s, and %s does not say that the embedding is the head; "+
			"if it is, write \"tie_word_embeddings\": true there", headName, configName)
	case !shape.Tied:
		return nil
	case !hasHead:
		return nil
	case !hasEmbedding:
		c.rename(headName, embeddingName)
		return nil
	}
	same, err := c.equal(embedding, head)
	if err != nil {
		return err
	}
	if same {
		c.remove(headName)
		return nil
	}
	c.notes = append(c.notes, fmt.Sprintf("%s says that the head is the embedding (tie_word_embeddings), but the checkpoint has another matrix in %s: that one is the head",
		configName, headName))
	c.config, err = untied(c.config)
	return err
}

// untied is a config.json with a head of its own.
func untied(text []byte) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", configName, err)
	}
	all["tie_word_embeddings"] = json.RawMessage("false")
	return json.MarshalIndent(all, "", "  ")
}

// comparedFloats is about how many values of two tensors are compared at a time.
const comparedFloats = 1 << 20

// equal reports whether two matrices have the same values, however they are stored.
func (c *checkpoint) equal(a, b Tensor) (bool, error) {
	if !slices.Equal(a.Shape, b.Shape) || len(a.Shape) != 2 || a.Elements() == 0 {
		return slices.Equal(a.Shape, b.Shape), nil
	}
	rows, width := a.Shape[0], a.Shape[1]
	step := max(1, comparedFloats/width)
	x, y := make([]float32, min(step, rows)*width), make([]float32, min(step, rows)*width)
	for from := 0; from < rows; from += step {
		n := min(step, rows-from) * width
		if err := c.Rows(a.Name, from, x[:n]); err != nil {
			return false, err
		}
		if err := c.Rows(b.Name, from, y[:n]); err != nil {
			return false, err
		}
		if !slices.Equal(x[:n], y[:n]) {
			return false, nil
		}
	}
	return true, nil
}

// lookup describes a tensor.
func (c *checkpoint) lookup(name string) (Tensor, bool) {
	if i := c.index(name); i >= 0 {
		return c.tensors[i], true
	}
	return Tensor{}, false
}

func (c *checkpoint) index(name string) int {
	return slices.IndexFunc(c.tensors, func(t Tensor) bool { return t.Name == name })
}

// remove takes a tensor out of the list.
func (c *checkpoint) remove(name string) {
	c.tensors = slices.Delete(c.tensors, c.index(name), c.index(name)+1)
	delete(c.stored, name)
}

// rename gives a tensor another name than its file has.
func (c *checkpoint) rename(from, to string) {
	c.tensors[c.index(from)].Name = to
	c.stored[to] = c.stored[from]
	delete(c.stored, from)
}

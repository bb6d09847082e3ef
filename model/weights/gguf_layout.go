package weights

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// A GGUFLayout says how GGUF files call and store the tensors of a model: what [OpenGGUF] undoes.
type GGUFLayout struct {
	Architecture   string // general.architecture
	Rows           int    // tokenizer.ggml.tokens must have as many entries: rows of the embedding
	architecture   ggufArchitecture
	heads, kvHeads int
	blockNames     map[string]string // names within a block, by those of Hugging Face
}

// LayoutGGUF finds the layout of a model by its config.json.
func LayoutGGUF(config []byte) (*GGUFLayout, error) {
	var c struct {
		ModelType string `json:"model_type"`
		Vocab     int    `json:"vocab_size"`
		Heads     int    `json:"num_attention_heads"`
		KVHeads   int    `json:"num_key_value_heads"`
	}
	if err := json.Unmarshal(config, &c); err != nil {
		return nil, fmt.Errorf("%s: %w", configName, err)
	}
	l := &GGUFLayout{Rows: c.Vocab, heads: c.Heads, kvHeads: c.KVHeads, blockNames: map[string]string{}}
	if l.kvHeads == 0 {
		l.kvHeads = l.heads
	}
	if c.ModelType == "mistral" {
		c.ModelType = "llama" // which llama.cpp calls it
	}
	for name, a := range ggufArchitectures {
		if a.modelType == c.ModelType {
			l.Architecture, l.architecture = name, a
		}
	}
	if l.Architecture == "" {
		return nil, fmt.Errorf("model_type %.80q has no architecture in GGUF files that is known here; known are %s", c.ModelType, ggufKnown())
	}
	for name, of := range ggufBlockNames {
		if _, renamed := l.architecture.names[name]; !renamed {
			l.blockNames[of] = name
		}
	}
	for name, of := range l.architecture.names {
		l.blockNames[of] = name
	}
	return l, nil
}

// hfBlock is the name of a tensor in a layer.
var hfBlock = regexp.MustCompile(`^model\.layers\.(\d+)\.(.+)\.(weight|bias)$`)

// Name is what GGUF files call a tensor. A GGUF file's own name stays.
func (l *GGUFLayout) Name(tensor string) (string, error) {
	for name, of := range ggufNames {
		if of == tensor {
			return name, nil
		}
	}
	if parts := hfBlock.FindStringSubmatch(tensor); parts != nil {
		if name, ok := l.blockNames[parts[2]]; ok {
			return fmt.Sprintf("blk.%s.%s.%s", parts[1], name, parts[3]), nil
		}
	}
	return "", fmt.Errorf("tensor %s has no name in GGUF files of architecture %s", tensor, l.Architecture)
}

// Store turns the values of a tensor with so many rows into those that GGUF files hold: rows of q and k are put in the order of llama.cpp's own
// rotation, and norms have the 1 added that their model adds.
func (l *GGUFLayout) Store(tensor string, rows int, values []float32) error {
	if l.architecture.plusOne && strings.HasSuffix(tensor, "norm.weight") {
		for i := range values {
			values[i]++
		}
	}
	heads := l.permuted(tensor)
	if heads == 0 {
		return nil
	}
	if rows%(2*heads) != 0 {
		return fmt.Errorf("tensor %s: %d rows are not %d heads of an even width", tensor, rows, heads)
	}
	permute(values, rows, heads)
	return nil
}

// permuted is the number of heads within which the rows of a tensor change places; 0: they stay.
func (l *GGUFLayout) permuted(tensor string) int {
	switch {
	case !l.architecture.permuted:
	case strings.Contains(tensor, ".self_attn.q_proj."):
		return l.heads
	case strings.Contains(tensor, ".self_attn.k_proj."):
		return l.kvHeads
	}
	return 0
}

// permute puts rows i and i+d/2 of each head of d rows, the two coordinates that one angle turns, at 2i and 2i+1; see [ggufTensor.decodeRows].
func permute(values []float32, rows, heads int) {
	d, width := rows/heads, len(values)/rows
	head := make([]float32, d*width)
	for h := range heads {
		of := values[h*d*width:][:d*width]
		copy(head, of)
		for i := range d {
			r := i%(d/2)*2 + i/(d/2)
			copy(of[r*width:(r+1)*width], head[i*width:(i+1)*width])
		}
	}
}

package weights

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sort"
	"strings"

	"parley/internal/plainfile"
	"parley/model/config"
	"parley/model/weights/safetensors"
)

const (
	configName = "config.json"
	singleName = safetensors.Single
	indexName  = safetensors.Index
)

// checkpoint is a folder in Hugging Face layout.
type checkpoint struct {
	config  []byte
	tensors []Tensor
	stored  map[string]storedTensor // by tensor name
	maps    []*safetensors.Mapped
	notes   []string
}

// A storedTensor is where a tensor is, and its name there.
type storedTensor struct {
	file *safetensors.File
	name string
}

func openFolder(dir place, name string) (Source, error) {
	c := &checkpoint{stored: map[string]storedTensor{}}
	err := c.load(dir)
	if err == nil {
		err = c.unwrap()
	}
	if err == nil {
		err = c.settleHead()
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("open checkpoint %s: %w", name, err)
	}
	sort.Slice(c.tensors, func(i, j int) bool { return c.tensors[i].Name < c.tensors[j].Name })
	return c, nil
}

func (c *checkpoint) load(dir place) (err error) {
	if c.config, err = readSmall(dir, configName); err != nil {
		return err
	}
	if err := validJSON(c.config); err != nil {
		return fmt.Errorf("%s is not valid JSON: %w", configName, err)
	}
	if err := config.CheckQuantization(c.config); err != nil {
		return err
	}
	f, err := c.openFile(dir, singleName)
	if errors.Is(err, fs.ErrNotExist) {
		return c.loadShards(dir)
	}
	if err != nil {
		return err
	}
	for _, t := range f.Tensors() {
		c.add(t, f)
	}
	return safetensors.RefuseQuantised(c.tensors, func(t Tensor) string { return t.Name })
}

// validJSON says where a text is no JSON.
func validJSON(text []byte) error {
	var any json.RawMessage
	err := json.Unmarshal(text, &any)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		before := text[:min(int(syntax.Offset), len(text))]
		return fmt.Errorf("line %d: %w", 1+bytes.Count(before, []byte("\n")), err)
	}
	return err
}

// loadShards reads the index and every file it names. The index decides which file a tensor is read from.
func (c *checkpoint) loadShards(dir place) error {
	text, err := readSmall(dir, indexName)
	if errors.Is(err, fs.ErrNotExist) {
		return safetensors.NoWeights(dir.names())
	}
	if err != nil {
		return err
	}
	weightMap, err := parseIndex(text)
	if err != nil {
		return fmt.Errorf("%s: %w", indexName, err)
	}
	files, err := c.openShards(dir, weightMap)
	if err != nil {
		return fmt.Errorf("%s: %w", indexName, err)
	}
	for name, shard := range weightMap {
		t, ok := files[shard].Lookup(name)
		if !ok {
			return fmt.Errorf("%s: tensor %q is not in %s", indexName, name, shard)
		}
		c.add(t, files[shard])
	}
	return safetensors.RefuseQuantised(c.tensors, func(t Tensor) string { return t.Name })
}

// openShards opens every file that an index names, and lists those that are missing.
func (c *checkpoint) openShards(dir place, weightMap map[string]string) (map[string]*safetensors.File, error) {
	files, missing := map[string]*safetensors.File{}, []string(nil)
	shards := slices.Compact(slices.Sorted(maps.Values(weightMap)))
	for _, shard := range shards {
		f, err := c.openFile(dir, shard)
		if errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, shard)
			continue
		}
		if err != nil {
			return nil, err
		}
		files[shard] = f
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%d of the %d files of weights are missing (%s): the download is not complete; get them again", len(missing), len(shards), safetensors.Some(missing))
	}
	return files, nil
}

func (c *checkpoint) add(t Tensor, f *safetensors.File) {
	c.tensors = append(c.tensors, t)
	c.stored[t.Name] = storedTensor{f, t.Name}
}

// openFile opens one .safetensors file; c closes it.
func (c *checkpoint) openFile(dir place, name string) (*safetensors.File, error) {
	m, err := dir.open(name)
	if err != nil {
		return nil, err
	}
	c.maps = append(c.maps, m)
	return safetensors.Parse(name, m.Data)
}

// parseIndex reads the map from tensor to shard. Names of shards are file names: a path could lead out of the folder.
func parseIndex(text []byte) (map[string]string, error) {
	var index struct {
		WeightMap json.RawMessage `json:"weight_map"`
	}
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, err
	}
	if index.WeightMap == nil {
		return nil, errors.New("no weight_map")
	}
	dec := json.NewDecoder(bytes.NewReader(index.WeightMap))
	if tok, _ := dec.Token(); tok != json.Delim('{') {
		return nil, errors.New("weight_map is not an object")
	}
	weightMap := map[string]string{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, shard := key.(string), ""
		if err := dec.Decode(&shard); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		if _, twice := weightMap[name]; twice {
			return nil, fmt.Errorf("tensor %q occurs twice", name)
		}
		if !isFileName(shard) {
			return nil, fmt.Errorf("tensor %q: %q is not the name of a .safetensors file in the same folder", name, shard)
		}
		weightMap[name] = shard
	}
	return weightMap, nil
}

// isFileName says whether shard can only be a file of the folder itself, on every system.
func isFileName(shard string) bool {
	return strings.HasSuffix(shard, ".safetensors") && !strings.ContainsAny(shard, "/\\:\x00")
}

// readSmall returns a copy of a small file.
func readSmall(dir place, name string) ([]byte, error) {
	m, err := dir.open(name)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if len(m.Data) > maxConfig {
		return nil, fmt.Errorf("%s has %d bytes, over the limit of %d", name, len(m.Data), maxConfig)
	}
	return bytes.Clone(m.Data), plainfile.Check(name, m.Data)
}

func (c *checkpoint) Config() []byte    { return c.config }
func (c *checkpoint) Tensors() []Tensor { return c.tensors }

// Notes implements [Noter].
func (c *checkpoint) Notes() []string { return c.notes }

func (c *checkpoint) Float32(name string, dst []float32) error {
	t, ok := c.stored[name]
	if !ok {
		return fmt.Errorf("checkpoint has no tensor %q", name)
	}
	return t.file.Float32(t.name, dst)
}

// Rows implements [RowReader].
func (c *checkpoint) Rows(name string, from int, dst []float32) error {
	t, ok := c.stored[name]
	if !ok {
		return fmt.Errorf("checkpoint has no tensor %q", name)
	}
	return t.file.Rows(t.name, from, dst)
}

// Forget implements [Forgetter].
func (c *checkpoint) Forget() {
	for _, m := range c.maps {
		m.Forget()
	}
}

func (c *checkpoint) Close() error {
	var errs []error
	for _, m := range c.maps {
		errs = append(errs, m.Close())
	}
	c.maps, c.stored = nil, nil
	return errors.Join(errs...)
}

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

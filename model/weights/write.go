package weights

import (
	"fmt"
	"path/filepath"
	"slices"

	"parley/internal/folder"
	"parley/model/weights/quant"
	"parley/model/weights/safetensors"
)

// shardBytes is the size of weights above which a checkpoint is written in several files, that of the Hub's own tools.
const shardBytes = 5_000_000_000

// elementBytes are the sizes of the element types that Write can store.
var elementBytes = map[string]int64{"F32": 4, "BF16": 2, "F16": 2}

// Write writes a checkpoint into the folder dir, which exists: config.json and model.safetensors, or shards of at most 5 GB
// with their index. Tensors pass one by one. dtype is F32, BF16 or F16, what all tensors are stored in; empty keeps each
// tensor's own, and F32 for quantised ones.
//
// A GGUF file's tensor of frequency factors becomes the rope_scaling of config.json that it was made from; one that no
// rope_scaling makes is an error.
func Write(dir string, src Source, dtype string) error { return write(dir, src, dtype, shardBytes) }

func write(dir string, src Source, dtype string, shard int64) error {
	if dtype != "" && elementBytes[dtype] == 0 {
		return fmt.Errorf("write checkpoint: dtype %q is none of F32, BF16 and F16", dtype)
	}
	var tensors []Tensor
	for _, t := range src.Tensors() {
		if t.Name != ropeFreqs {
			tensors = append(tensors, Tensor{Name: t.Name, Shape: t.Shape, DType: storedAs(t.DType, dtype)})
		}
	}
	config, err := writtenConfig(src, tensors)
	if err == nil {
		err = folder.WriteFile(filepath.Join(dir, configName), config)
	}
	if err == nil {
		err = writeShards(dir, src, split(tensors, shard))
	}
	if err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	return nil
}

func storedAs(own, asked string) string {
	switch {
	case asked != "":
		return asked
	case elementBytes[own] > 0:
		return own
	}
	return "F32"
}

func bytesOf(t Tensor) int64 { return int64(t.Elements()) * elementBytes[t.DType] }

// split puts tensors into shards of at most limit bytes, in order. A tensor above the limit has one of its own.
func split(tensors []Tensor, limit int64) [][]Tensor {
	var shards [][]Tensor
	room := int64(0)
	for _, t := range tensors {
		n := bytesOf(t)
		if len(shards) == 0 || n > room {
			shards, room = append(shards, nil), limit
		}
		last := len(shards) - 1
		shards[last], room = append(shards[last], t), room-n
	}
	return shards
}

func writeShards(dir string, src Source, shards [][]Tensor) error {
	types := map[string]string{}
	for _, t := range slices.Concat(shards...) {
		types[t.Name] = t.DType
	}
	read := func(name string, dst []float32) error {
		if err := src.Float32(name, dst); err != nil {
			return err
		}
		return inRange(dst, types[name])
	}
	metadata := map[string]string{"format": "pt"} // transformers refuses files without it
	if len(shards) == 1 {
		return safetensors.WriteFrom(filepath.Join(dir, singleName), shards[0], metadata, read)
	}
	weightMap, total := map[string]string{}, int64(0)
	for i, tensors := range shards {
		name := fmt.Sprintf("model-%05d-of-%05d.safetensors", i+1, len(shards))
		if err := safetensors.WriteFrom(filepath.Join(dir, name), tensors, metadata, read); err != nil {
			return err
		}
		for _, t := range tensors {
			weightMap[t.Name], total = name, total+bytesOf(t)
		}
	}
	return folder.WriteJSON(filepath.Join(dir, indexName), map[string]any{"metadata": map[string]any{"total_size": total}, "weight_map": weightMap})
}

// inRange reports a number that dtype has none near: with F16 such that would become infinite.
func inRange(data []float32, dtype string) error {
	for i, v := range data {
		if v-v != 0 {
			return fmt.Errorf("element %d is %g: the weights are damaged", i, v)
		}
		if dtype == "F16" && quant.ToF16(v)&0x7fff == 0x7c00 {
			return fmt.Errorf("element %d is %g, beyond the range of F16; use BF16 or F32", i, v)
		}
	}
	return nil
}

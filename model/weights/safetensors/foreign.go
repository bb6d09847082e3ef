package safetensors

import (
	"fmt"
	"path"
	"strings"
)

// The files that weights are read from.
const (
	Single = "model.safetensors"
	Index  = "model.safetensors.index.json"
)

// others are files of weights in formats that are not read, as patterns of their names, with what to do.
var others = []struct{ pattern, remedy string }{
	{"*.gguf", "name that file as the model, not its folder"},
	{"adapter_model.*", "the folder is an adapter: name its base as the model, and the adapter with --adapter"},
	{"*.safetensors.index.json", "the weights are indexed under another name: rename the index to " + Index},
	{"model-*-of-*.safetensors", "the index of these files, " + Index + ", is missing: get it again"},
	{"*.incomplete", "a download did not finish: get the model again"},
	{"consolidated*", "these are Mistral's or Meta's own files: get the repository's files in Hugging Face layout"},
	{"*.safetensors", "weights are read from " + Single + ": rename the file, if it holds them all"},
	{"pytorch_model*", "these are PyTorch's: convert them to safetensors, for instance with transformers' save_pretrained"},
	{"*.bin", "these are PyTorch's: convert them to safetensors, for instance with transformers' save_pretrained"},
	{"*.pt*", "these are PyTorch's: convert them to safetensors, for instance with transformers' save_pretrained"},
	{"*.h5", "these are TensorFlow's: convert them to safetensors"},
	{"*.msgpack", "these are Flax's: convert them to safetensors"},
	{"*.onnx", "these are of ONNX: get the model in safetensors"},
	{"*.npz", "these are of MLX or NumPy: get the model in safetensors"},
}

// NoWeights says what a folder without weights that can be read has in their place.
func NoWeights(names []string) error {
	begin := fmt.Sprintf("neither %s nor %s is there", Single, Index)
	for _, f := range others {
		for _, name := range names {
			if fits, _ := path.Match(f.pattern, name); fits {
				return fmt.Errorf("%s, but %s is: %s", begin, name, f.remedy)
			}
		}
	}
	return fmt.Errorf("%s: the folder has no weights; get them again (parley model pull downloads a model whole)", begin)
}

// packed are ends of names of tensors that only quantised checkpoints have, and what makes them.
var packed = []struct{ end, by string }{
	{".qweight", "GPTQ or AWQ"},
	{".qzeros", "GPTQ or AWQ"},
	{".g_idx", "GPTQ"},
	{".absmax", "bitsandbytes"},
	{".quant_map", "bitsandbytes"},
	{".SCB", "bitsandbytes"},
	{".weight_format", "bitsandbytes"},
	{".weight_packed", "compressed-tensors"},
	{".weight_scale_inv", "fp8"},
	{".weight_scale", "fp8 or compressed-tensors"},
	{".input_scale", "fp8"},
	{".W_q", "HQQ"},
	{"_blocks", "MXFP4"},
	{".scales", "MLX or AWQ"},
}

// RefuseQuantised refuses checkpoints whose matrices are quantised, where no config.json says so.
func RefuseQuantised[T any](tensors []T, name func(T) string) error {
	for _, t := range tensors {
		for _, p := range packed {
			if strings.HasSuffix(name(t), p.end) {
				return fmt.Errorf("tensor %q: the weights are quantised by %s, which is not read; get the model in BF16, F16 or F32, or as GGUF: it can be held in int8 and nf4",
					name(t), p.by)
			}
		}
	}
	return nil
}

// Some lists the first of names.
func Some(names []string) string {
	const shown = 5
	if len(names) > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return strings.Join(names, ", ")
}

package weights

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/model/weights/safetensors"
)

// stubs are what downloads leave in place of files, with what an error has to say of each.
var stubs = map[string]struct{ content, want string }{
	"pointer":  {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n", "Git-LFS pointer"},
	"web page": {"\n<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>", "web page"},
	"refusal":  {`{"error":"Repository not found"}`, "Repository not found"},
	"detail":   {`{"status":401,"message":"Unauthorized"}`, "Unauthorized"},
	"xml":      {`<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code></Error>`, "refusal of a server"},
	"empty":    {"", "is empty"},
}

// TestStubs: what stands in for config.json, weights, an index, a shard or a .gguf file is named.
func TestStubs(t *testing.T) {
	for name, stub := range stubs {
		shards := index(`{"a":"a.safetensors"}`)
		for place, texts := range map[string]map[string]string{
			configName: {configName: stub.content},
			singleName: {configName: "{}", singleName: stub.content},
			indexName:  {configName: "{}", indexName: stub.content},
			"shard":    {configName: "{}", indexName: shards[indexName], "s.safetensors": stub.content},
		} {
			dir := files(t, texts)
			if place == "shard" {
				write := os.WriteFile(filepath.Join(dir, "a.safetensors"), []byte(stub.content), 0o600)
				if write != nil {
					t.Fatal(write)
				}
			}
			refused(t, name+" as "+place, dir, stub.want)
		}
		file := filepath.Join(t.TempDir(), "model.gguf")
		if err := os.WriteFile(file, []byte(stub.content), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, name+" as GGUF", file, stub.want)
	}
}

// TestOtherFormats: weights in a format that is not read are named, with what to do.
func TestOtherFormats(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"zip":      {"PK\x03\x04rest of the archive", "PyTorch"},
		"pickle":   {"\x80\x02}q\x00(X\x05\x00\x00\x00model", "pickle"},
		"hdf5":     {"\x89HDF\r\n\x1a\n and more", "HDF5"},
		"gguf":     {string(tinyFile(tinyMeta("llama"), []string{"token_embd.weight"}, [][]uint64{{8, 5}})), ".gguf"},
		"gzip":     {"\x1f\x8b\x08\x00\x00\x00\x00\x00 compressed", "gzip"},
		"zeros":    {strings.Repeat("\x00", 4096), "did not finish"},
		"json":     {"{\n  \"a\": 1\n}", "JSON"},
		"cut":      {"\x00\x01\x00\x00\x00\x00\x00\x00{\"a\":", "truncated"},
		"anything": {"these are no weights at all", "safetensors"},
	} {
		refused(t, name, files(t, map[string]string{configName: "{}", singleName: c.content}), c.want)
	}
	st := &bytes.Buffer{}
	st.WriteString("\x02\x00\x00\x00\x00\x00\x00\x00{} and data")
	file := filepath.Join(t.TempDir(), "model.gguf")
	if err := os.WriteFile(file, st.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, "safetensors as GGUF", file, "is a safetensors file")
}

// TestNoWeights: a folder without weights that can be read says what it has in their place.
func TestNoWeights(t *testing.T) {
	for have, want := range map[string]string{
		"model.Q4_K_M.gguf": "name that file", "pytorch_model.bin": "convert", "consolidated.00.pth": "Hugging Face layout",
		"adapter_model.safetensors": "--adapter", "tf_model.h5": "TensorFlow", "model-00001-of-00002.safetensors": indexName + ", is missing",
		"model.safetensors.incomplete": "did not finish", "README.md": "no weights",
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{configName: "{}", have: "x"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		refused(t, have, dir, want)
	}
}

// TestMissingShards lists the files of an index that are not there.
func TestMissingShards(t *testing.T) {
	dir := files(t, index(`{"a":"a.safetensors","b":"b.safetensors","c":"c.safetensors","d":"d.safetensors"}`))
	refused(t, "two of four", dir, "2 of the 4 files of weights are missing (c.safetensors, d.safetensors)")
}

// TestQuantizedElsewhere: checkpoints of other quantisations are refused by their names, from config.json or from names of tensors.
func TestQuantizedElsewhere(t *testing.T) {
	for config, want := range map[string]string{
		`{"quantization_config":{"quant_method":"gptq","bits":4}}`:                       "GPTQ (4 bits)",
		`{"quantization_config":{"quant_method":"awq","bits":4}}`:                        "AWQ",
		`{"quantization_config":{"quant_method":"bitsandbytes","load_in_4bit":true}}`:    "bitsandbytes",
		`{"quantization_config":{"quant_method":"fp8"}}`:                                 "fp8",
		`{"quantization_config":{"quant_method":"mxfp4"}}`:                               "MXFP4",
		`{"quantization_config":{"quant_method":"compressed-tensors","format":"x"}}`:     "compressed-tensors",
		`{"quantization_config":{"quant_method":"newest"}}`:                              "newest",
		`{"quantization":{"group_size":64,"bits":4}}`:                                    "4 bits",
		`{"quantization_config":null,"quantization":false,"compression_config":{"a":1}}`: "compression_config",
	} {
		refused(t, config, files(t, map[string]string{configName: config, singleName: "never read"}), want)
	}
	for end, want := range map[string]string{"qweight": "GPTQ", "weight.absmax": "bitsandbytes", "weight_packed": "compressed-tensors", "weight_scale_inv": "fp8"} {
		dir := files(t, map[string]string{configName: "{}"})
		tensor := safetensors.Output{Tensor: Tensor{Name: "model.layers.0.mlp.up_proj." + end, Shape: []int{1}, DType: "F32"}, Data: []float32{1}}
		if err := safetensors.Write(filepath.Join(dir, singleName), []safetensors.Output{tensor}, nil); err != nil {
			t.Fatal(err)
		}
		refused(t, end, dir, want)
	}
}

// TestSplitGGUF: a part of a split file is named as one.
func TestSplitGGUF(t *testing.T) {
	meta := tinyMeta("llama")
	meta["split.no"], meta["split.count"] = uint32(0), uint32(3)
	_, err := ParseGGUF("m-00001-of-00003.gguf", tinyFile(meta, []string{"token_embd.weight"}, [][]uint64{{8, 5}}))
	if err == nil || !strings.Contains(err.Error(), "part 1 of 3") || !strings.Contains(err.Error(), "--merge") {
		t.Errorf("the error is %v", err)
	}
}

// TestNoFiles: what is no file in place of one is named, and never waited for.
func TestNoFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // it has no such names
	}
	for kind, make := range map[string]func(path string) error{
		"a named pipe":       namedPipe,
		"a folder":           func(path string) error { return os.Mkdir(path, 0o700) },
		"a device":           func(path string) error { return os.Symlink("/dev/zero", path) },
		"which is not there": func(path string) error { return os.Symlink("../../blobs/0123", path) },
		"a socket": func(path string) error {
			l, err := net.Listen("unix", path)
			if err == nil {
				t.Cleanup(func() { l.Close() })
			}
			return err
		},
	} {
		for _, name := range []string{configName, singleName, indexName} {
			dir, err := os.MkdirTemp("", "p") // names of sockets are short
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
			if name != configName {
				if err := os.WriteFile(filepath.Join(dir, configName), []byte("{}"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := make(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			refused(t, kind+" as "+name, dir, kind)
		}
	}
}

// refused checks that a checkpoint is refused in words that say what it is, in time.
func refused(t *testing.T, what, path, want string) {
	t.Helper()
	errs := make(chan error, 1)
	go func() {
		s, err := Open(path)
		if err == nil {
			s.Close()
		}
		errs <- err
	}()
	select {
	case err := <-errs:
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q in it", what, err, want)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: opening waits", what)
	}
}

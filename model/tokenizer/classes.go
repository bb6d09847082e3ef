package tokenizer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// classTokens are the named tokens of transformers' tokenizer classes, which count where the files name no others.
var classTokens = map[string][][2]string{
	"LlamaTokenizer": {{"bos_token", "<s>"}, {"eos_token", "</s>"}, {"unk_token", "<unk>"}},
	"CodeLlamaTokenizer": {
		{"bos_token", "<s>"},
		{"eos_token", "</s>"},
		{"unk_token", "<unk>"},
		{"prefix_token", "▁<PRE>"},
		{"middle_token", "▁<MID>"},
		{"suffix_token", "▁<SUF>"},
		{"eot_token", "▁<EOT>"},
		{"fill_token", "<FILL_ME>"},
	},
	"GemmaTokenizer": {{"bos_token", "<bos>"}, {"eos_token", "<eos>"}, {"unk_token", "<unk>"}, {"pad_token", "<pad>"}, {"mask_token", "<mask>"}},
	"Qwen2Tokenizer": {{"eos_token", endOfText}, {"unk_token", endOfText}, {"pad_token", endOfText}},
	"GPT2Tokenizer":  {{"bos_token", endOfText}, {"eos_token", endOfText}, {"unk_token", endOfText}},
	"GPTNeoXTokenizer": {
		{"bos_token", endOfText}, {"eos_token", endOfText}, {"unk_token", endOfText}, {"pad_token", "<|padding|>"},
	},
	"CohereTokenizer": {
		{"bos_token", "<BOS_TOKEN>"},
		{"eos_token", "<|END_OF_TURN_TOKEN|>"},
		{"unk_token", "<UNK>"},
		{"sep_token", "<SEP>"},
		{"pad_token", "<PAD>"},
		{"cls_token", "<CLS>"},
		{"mask_token", "<MASK_TOKEN>"},
	},
}

const endOfText = "<|endoftext|>"

// modelClasses are the classes of families of models. Where it is empty, transformers reads tokenizer.json as it is, whatever class the files name.
var modelClasses = map[string]string{
	"qwen2": "Qwen2Tokenizer", "qwen3": "Qwen2Tokenizer",
	"gemma": "GemmaTokenizer", "gemma2": "GemmaTokenizer", "gemma3": "GemmaTokenizer", "gemma3_text": "GemmaTokenizer",
	"cohere": "CohereTokenizer", "cohere2": "CohereTokenizer", "gpt2": "GPT2Tokenizer", "gpt_neox": "GPTNeoXTokenizer", "olmo": "GPTNeoXTokenizer",
	"code_llama": "CodeLlamaTokenizer",
	"mistral":    "", "phi3": "", "olmo2": "", "olmo3": "", "granite": "",
}

// stubborn are the families whose files on the hub name a wrong class.
var stubborn = []string{"qwen2", "phi3"}

// tokenizerClass is the tokenizer class that transformers' AutoTokenizer takes; empty: one without tokens of its own. It is the one that the config of
// the tokenizer names, else that of the model, unless the family has another.
func tokenizerClass(folder fs.FS, dir string, config members) (string, error) {
	const modelName, llama = "config.json", "LlamaTokenizer"
	var says, model struct {
		Class string `json:"tokenizer_class"`
		Type  string `json:"model_type"`
	}
	if err := readJSON(folder, dir, modelName, &model); err != nil {
		return "", err
	}
	if raw, ok := config.get("tokenizer_class"); ok {
		if err := json.Unmarshal(raw, &says.Class); err != nil {
			return "", fmt.Errorf("tokenizer_config.json: tokenizer_class: %w", err)
		}
	}
	if says.Class == "" {
		says.Class = model.Class
	}
	named := strings.TrimSuffix(says.Class, "Fast")
	family, known := modelClasses[model.Type]
	switch {
	case named == "":
		return family, nil
	case named == llama && !slices.Contains(stubborn, model.Type) && sayBytes(folder, dir):
		return "", nil
	case known && family == "":
		return "", nil
	case known && slices.Contains(stubborn, model.Type):
		return family, nil
	}
	return named, nil
}

// sayBytes reports a tokenizer of byte-level pieces, which no LlamaTokenizer is, though many are called so.
func sayBytes(folder fs.FS, dir string) bool {
	data, err := fs.ReadFile(folder, path.Join(dir, "tokenizer.json"))
	return err == nil && bytes.Contains(data, []byte(`"ByteLevel"`))
}

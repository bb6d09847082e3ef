package model

import (
	"slices"

	"parley/model/weights"
)

// knownEnds are texts of tokens that end answers, whatever a file says: llama.cpp's list of what ends a generation (llama-vocab.cpp; its
// issue 9606 says why there is one: converted files have room for one end token).
var knownEnds = []string{
	"<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>", "<end_of_turn>", "<|endoftext|>", "</s>", "<|eom_id|>",
	"<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<|end_of_text|>", "<end_of_utterance>", "<eos>", "<turn|>", "<|tool_response>", "<｜end▁of▁sentence｜>", "[e~[",
}

// knownGaps are texts of tokens of code infilling, of which llama.cpp takes the first of each kind that a GGUF file has for an end, where
// the file names none of the kind.
var knownGaps = map[string][]string{
	"fim_pad": {"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"},
	"fim_rep": {"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"},
	"fim_sep": {"<|file_sep|>"},
}

// addKnownEnds adds the tokens that llama.cpp finds by text: in a GGUF file all that have one of the texts, as it does, in a folder those
// that the tokenizer holds for special.
func (m *Model) addKnownEnds() {
	file, isGGUF := m.Source.(*weights.GGUF)
	has := func(text string) (int, bool) {
		id, ok := m.Tokenizer.ID(text)
		return id, ok && m.Tokenizer.Used(id) && (isGGUF || m.Tokenizer.Special(id))
	}
	any := func(texts ...string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { _, ok := has(text); return ok })
	}
	for _, text := range knownEnds {
		switch {
		case text == "<|end|>" && any("<|return|>") && any("<|call|>", "<|calls|>"), text == "<|end|>" && any("<|flush|>") && any("<|call|>", "<|calls|>"):
			continue // of a message, not of an answer, which may have several
		case text == "</s>" && any("<|tool_response>"):
			continue // a plain piece of text in these vocabularies
		}
		if id, ok := has(text); ok {
			m.addEnd(id, byText)
		}
	}
	if !isGGUF {
		return
	}
	for kind, texts := range knownGaps {
		if _, named := integer(file.Metadata()["tokenizer.ggml."+kind+"_token_id"]); named {
			continue
		}
		if i := slices.IndexFunc(texts, func(text string) bool { return any(text) }); i >= 0 {
			id, _ := has(texts[i])
			m.addEnd(id, byText)
		}
	}
}

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"parley/engine"
	"parley/engine/native"
	"parley/model/tokenizer"
)

// chatTemplate is the format of render as a template of Hugging Face's libraries.
//
//go:embed chat_template.jinja
var chatTemplate string

// makeModel learns the tokenizer, trains the model and puts the folder out in place of an old one.
func makeModel(ctx context.Context, p plan, card []byte, out string, log io.Writer) error {
	file, err := learnTokenizer(p.seed, p.corpus.words, p.vocabDocs, p.vocab)
	if err != nil {
		return err
	}
	tok, err := tokenizer.Parse(file)
	if err != nil {
		return fmt.Errorf("the learned tokenizer: %w", err)
	}
	end, _ := tok.ID(tokenEnd)
	p.config.Vocab, p.config.EOS = tok.Size(), []int{end}
	e, err := native.Open(native.Random(p.config, p.seed), engine.Options{})
	if err != nil {
		return err
	}
	defer e.Close()
	fmt.Fprintf(log, "%d tokens in the vocabulary, %d updates, kernels %s\n", p.config.Vocab, p.updates, e.Kernels())
	if err := e.NewPolicy(ctx, trained, engine.PolicySpec{Full: true}); err != nil {
		return err
	}
	if err := train(ctx, e, tok, p, log); err != nil {
		return err
	}
	return replace(out, func(dir string) error {
		if err := e.SaveFull(trained, dir, "bf16"); err != nil {
			return err
		}
		return writeBeside(dir, p.config.Context, card, file, end)
	})
}

// writeBeside writes what a model folder holds beside the weights and config.json.
func writeBeside(dir string, context int, card, tokenizerFile []byte, end int) error {
	tokenizerConfig, err := json.MarshalIndent(map[string]any{
		"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": tokenEnd, "pad_token": tokenEnd,
		"chat_template": chatTemplate, "model_max_length": context, "clean_up_tokenization_spaces": false,
	}, "", "  ")
	if err != nil {
		return err
	}
	generation, err := json.MarshalIndent(map[string]any{
		"eos_token_id": end, "pad_token_id": end, "do_sample": true, "temperature": 0.7, "max_new_tokens": 64,
	}, "", "  ")
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"tokenizer.json": tokenizerFile, "tokenizer_config.json": append(tokenizerConfig, '\n'),
		"generation_config.json": append(generation, '\n'), "README.md": card,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return fmt.Errorf("write the model: %w", err)
		}
	}
	return nil
}

// replace lets write make a new folder and then puts it in the place of out, so that out is always whole: the old one or the new.
func replace(out string, write func(dir string) error) error {
	parent := filepath.Dir(filepath.Clean(out))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("write the model: %w", err)
	}
	tmp, err := os.MkdirTemp(parent, ".makebase-")
	if err != nil {
		return fmt.Errorf("write the model: %w", err)
	}
	defer os.RemoveAll(tmp)
	fresh, old := filepath.Join(tmp, "new"), filepath.Join(tmp, "old")
	if err := write(fresh); err != nil {
		return err
	}
	if err := os.Rename(out, old); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("put the old model aside: %w", err)
	}
	if err := os.Rename(fresh, out); err != nil {
		return fmt.Errorf("put the new model in place: %w", err)
	}
	return nil
}

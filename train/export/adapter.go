package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/internal/folder"
	"parley/model/weights"
	"parley/model/weights/peft"
)

// writeAdapter copies what other tools need of an adapter, and adds the name of its base, by which peft finds that.
func (x *Export) writeAdapter(policy, to string) error {
	text, err := os.ReadFile(filepath.Join(x.saved(policy), peft.ConfigFile))
	if err != nil {
		return err
	}
	var config map[string]json.RawMessage // raw: the order of patterns counts
	if err := json.Unmarshal(text, &config); err != nil {
		return fmt.Errorf("%s: %w", peft.ConfigFile, err)
	}
	if config["base_model_name_or_path"], err = json.Marshal(x.baseName(policy)); err != nil {
		return err
	}
	if text, err = json.MarshalIndent(config, "", "  "); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(x.saved(policy), peft.WeightsFile))
	if err != nil {
		return err
	}
	return errors.Join(folder.WriteFile(filepath.Join(to, peft.ConfigFile), append(text, '\n')), folder.WriteFile(filepath.Join(to, peft.WeightsFile), data))
}

// baseName is what an adapter calls its base: nil where nothing is known that peft could load.
func (x *Export) baseName(policy string) any {
	name := x.Base(policy)
	switch {
	case x.BaseName != "":
		return x.BaseName
	case !isGGUF(name):
		return name
	}
	example := "Qwen/Qwen3-0.6B"
	if made := madeFrom(name); made != "" {
		x.Note(fmt.Sprintf("policy %s was trained over the file %s, which peft cannot load; the file says that it was made from %s, so the adapter names that. "+
			"--base-name ID gives it another name", policy, name, made))
		return made
	}
	x.Note(fmt.Sprintf("policy %s was trained over the file %s, which peft cannot load, so the adapter names no base. "+
		"--base-name ID gives it the name of the model on the Hugging Face Hub, such as %s", policy, name, example))
	return nil
}

func isGGUF(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".gguf") }

// madeFrom is the model on the Hugging Face Hub that a GGUF file says it was made from; empty: it does not say.
func madeFrom(file string) string {
	meta, err := weights.GGUFMetadata(file)
	if err != nil {
		return ""
	}
	for _, key := range []string{"general.source.huggingface.repository", "general.source.repo_url", "general.base_model.0.repo_url", "general.source.url"} {
		text, _ := meta[key].(string)
		if id := strings.TrimPrefix(text, "https://huggingface.co/"); strings.Count(id, "/") == 1 && !strings.Contains(id, ":") {
			return id
		}
	}
	return ""
}

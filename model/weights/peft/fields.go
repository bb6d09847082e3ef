package peft

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// mergeIt is the remedy for adapters that are more than low-rank products.
const mergeIt = "in peft, merge it into its base (merge_and_unload), save that, and use the merged checkpoint"

// refused names fields under which an adapter computes something else than low-rank products in the projections of the
// layers, each with the value (beside those that [isEmpty] knows) under which it does not.
var refused = map[string]string{
	"bias": `"none"`, "fan_in_fan_out": "false", "use_dora": "false", "lora_bias": "false", "use_qalora": "false",
	"use_bdlora": "", "layer_replication": "", "modules_to_save": "", "trainable_token_indices": "", "target_parameters": "",
	"alora_invocation_tokens": "", "arrow_config": "", "kasa_config": "", "monteclora_config": "", "velora_config": "",
	"megatron_config": "",
}

// ignored are fields that change training, or how an adapter began, or nothing.
var ignored = []string{
	"auto_mapping", "corda_config", "ensure_weight_tying", "eva_config", "inference_mode", "lora_dropout", "lora_ga_config", "loftq_config",
	"megatron_core", "peft_type", "peft_version", "qalora_group_size", "revision", "runtime_config", "task_type",
}

// beginnings are the values of init_lora_weights that leave the base's weights as they are.
var beginnings = []string{"null", "true", "false", `"gaussian"`, `"eva"`, `"orthogonal"`, `"mica"`}

// Parse reads an adapter_config.json. A field that would change numbers in a way that is not known here is an error that
// names it.
func Parse(text []byte) (Config, error) {
	c := Config{Rank: 8, Alpha: 8} // peft's defaults
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return c, err
	}
	if err := checkKind(all); err != nil {
		return c, err
	}
	read := map[string]any{
		"r": &c.Rank, "lora_alpha": &c.Alpha, "use_rslora": &c.RSLoRA, "target_modules": &c.Targets, "exclude_modules": &c.Exclude,
		"layers_to_transform": &c.Layers, "layers_pattern": &c.LayersPattern, "rank_pattern": &c.RankPattern,
		"alpha_pattern": &c.AlphaPattern, "base_model_name_or_path": &c.Base,
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		var err error
		if to, ok := read[key]; ok {
			err = json.Unmarshal(all[key], to)
		} else {
			err = checkField(key, all[key])
		}
		if err != nil {
			return c, fmt.Errorf("%s: %w", key, err)
		}
	}
	return c, c.check()
}

// checkKind reports other methods than LoRA, and other tasks than generating text.
func checkKind(all map[string]json.RawMessage) error {
	if kind := string(all["peft_type"]); kind != `"LORA"` {
		if kind == "" {
			kind = "missing"
		}
		return fmt.Errorf("peft_type is %.80s; only \"LORA\" can be read: %s", kind, mergeIt)
	}
	if task := string(all["task_type"]); task != "" && task != "null" && task != `"CAUSAL_LM"` {
		return fmt.Errorf("task_type is %.80s; only \"CAUSAL_LM\" can be read", task)
	}
	return nil
}

// checkField reports a field that makes the adapter something else.
func checkField(key string, value json.RawMessage) error {
	text := string(value)
	neutral, known := refused[key]
	switch {
	case slices.Contains(ignored, key):
		return nil
	case key == "init_lora_weights":
		if slices.Contains(beginnings, text) {
			return nil
		}
		return fmt.Errorf("%.80s changed the weights of the base; in peft, save the adapter with path_initial_model_for_weight_conversion, "+
			"which makes it one for the plain base", text)
	case isEmpty(value), text == neutral, !known && text == "false":
		return nil
	case known:
		return fmt.Errorf("%.80s cannot be read: %s", text, mergeIt)
	}
	return fmt.Errorf("this field is not known, and it is set to %.80s: %s", text, mergeIt)
}

// isEmpty reports what peft writes for "none".
func isEmpty(value json.RawMessage) bool {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return false
	}
	return slices.Contains([]string{"null", "[]", "{}", `""`}, b.String())
}

// check reports what peft refuses as well.
func (c *Config) check() error {
	switch {
	case c.Targets.Pattern == "" && len(c.Targets.List) == 0:
		return fmt.Errorf("target_modules is missing or empty: write the list of projections that the adapter is for")
	case len(c.Layers) > 0 && c.Targets.Pattern != "":
		return fmt.Errorf("layers_to_transform needs target_modules to be a list, not the pattern %.80q", c.Targets.Pattern)
	case len(c.LayersPattern) > 0 && len(c.Layers) == 0:
		return fmt.Errorf("layers_pattern needs layers_to_transform")
	}
	return nil
}

package native

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// peftNeutral names fields of an adapter_config.json under which an adapter computes something else than low-rank products
// in the named projections, each with the value (beside null) under which it does not.
var peftNeutral = map[string]any{
	"bias": "none", "fan_in_fan_out": false, "use_dora": false, "lora_bias": false, "use_qalora": false, "use_bdlora": false,
	"layers_to_transform": nil, "layer_replication": nil, "modules_to_save": nil, "exclude_modules": nil,
	"trainable_token_indices": nil, "target_parameters": nil, "alora_invocation_tokens": nil, "arrow_config": nil,
}

// parseAdapterConfig reads PEFT's adapter_config.json. A field that would change numbers in a way the engine does not know is
// an error that names it.
func parseAdapterConfig(text []byte) (adapterConfig, error) {
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return adapterConfig{}, err
	}
	if kind := all["peft_type"]; kind != "LORA" {
		return adapterConfig{}, fmt.Errorf("peft_type is %v; only LORA is supported", kind)
	}
	for _, key := range slices.Sorted(maps.Keys(peftNeutral)) {
		if v := all[key]; v != nil && !isEmpty(v) && v != peftNeutral[key] {
			return adapterConfig{}, fmt.Errorf("%s = %v is not supported", key, v)
		}
	}
	if _, text := all["target_modules"].(string); text {
		return adapterConfig{}, fmt.Errorf("target_modules is the text %q; write a list of projections", all["target_modules"])
	}
	var a adapterConfig
	if err := json.Unmarshal(text, &a); err != nil {
		return a, err
	}
	slices.Sort(a.Targets)
	return a, nil
}

// isEmpty reports an empty list or object, which PEFT writes for "none". It also keeps values that cannot be compared away
// from ==.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

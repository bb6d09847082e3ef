package config

import (
	"encoding/json"
	"fmt"
)

// quantizers are methods of quantization as config.json names them, and as their authors do.
var quantizers = map[string]string{
	"gptq": "GPTQ", "awq": "AWQ", "bitsandbytes": "bitsandbytes", "fp8": "fp8", "fbgemm_fp8": "fp8 (FBGEMM)", "compressed-tensors": "compressed-tensors",
	"mxfp4": "MXFP4", "aqlm": "AQLM", "hqq": "HQQ", "quanto": "Quanto", "eetq": "EETQ", "higgs": "HIGGS", "torchao": "torchao", "bitnet": "BitNet",
	"vptq": "VPTQ", "spqr": "SpQR", "auto-round": "AutoRound", "modelopt": "ModelOpt", "quark": "Quark", "fp_quant": "FP-Quant",
}

// CheckQuantization refuses a config.json whose weights are stored by a method of quantization, and names it.
func CheckQuantization(data []byte) error {
	var all map[string]json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		return nil // whoever reads it says what is wrong
	}
	for _, key := range []string{"quantization_config", "compression_config", "quantization"} {
		raw, there := all[key]
		if !there || string(raw) == "null" || string(raw) == "false" {
			continue
		}
		var q struct {
			Method string `json:"quant_method"`
			Bits   any    `json:"bits"`
		}
		_ = json.Unmarshal(raw, &q) // what cannot be read is not named more closely
		method := quantizers[q.Method]
		if method == "" {
			method = fmt.Sprintf("a method that is not known (%.60q)", q.Method)
		}
		if q.Bits != nil {
			method = fmt.Sprintf("%s (%v bits)", method, q.Bits)
		}
		return fmt.Errorf("config.json: %s: the weights are quantised by %s, which is not read; get the model in BF16, F16 or F32, or as GGUF: it can be held in int8 and nf4",
			key, method)
	}
	return nil
}

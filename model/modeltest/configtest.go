package modeltest

// This file holds shapes of models for tests: small ones that differ in everything that engines branch on.

import "parley/model/config"

// Tiny is the shape that tests make models of: 29 tokens, grouped queries, tied embeddings.
func Tiny() config.Config {
	return config.Config{
		ModelType: "llama", Vocab: 29, Hidden: 16, Intermediate: 24, Layers: 2, Heads: 4, KVHeads: 2, HeadDim: 4,
		Context: 64, NormEps: 1e-5, Rope: config.Rope{Theta: 10000}, Tied: true,
	}
}

// Shapes returns models that differ from [Tiny] in everything that an engine branches on, by names of families or of what differs.
func Shapes() map[string]config.Config {
	llama, untied, qwen3, window, bias := Tiny(), Tiny(), Tiny(), Tiny(), Tiny()
	untied.Tied, untied.Vocab = false, 37
	qwen3.ModelType, qwen3.HeadDim = "qwen3", 6
	window.ModelType, window.Window = "ministral", []int{3, 0}
	bias.ModelType, bias.QKVBias, bias.KVHeads = "qwen2", true, 1
	noRope, dynamic, phi3, phi4, gemma3 := Tiny(), Tiny(), Tiny(), Tiny(), Tiny()
	noRope.ModelType, noRope.NoRope = "smollm3", []bool{true, false}
	dynamic.Context, dynamic.Rope = 48, config.Rope{Theta: 10000, Type: "dynamic", Factor: 4, Original: 12}
	phi3.ModelType, phi3.Window, phi3.Tied = "phi3", []int{3, 3}, false
	phi4.ModelType, phi4.HeadDim = "phi3", 6
	phi4.Rope = config.Rope{
		Theta: 100, Partial: 0.7, Type: "longrope", Short: []float64{1, 1.5}, Long: []float64{1.2, 4}, Original: 12,
		AttentionFactor: 1.1,
	}
	gemma3.ModelType, gemma3.HeadDim, gemma3.QueryScalar, gemma3.Window = "gemma3_text", 6, 5, []int{3, 0}
	gemma3.Rope, gemma3.Local = config.Rope{Theta: 1000, Type: "linear", Factor: 2}, &config.Rope{Theta: 100}
	yarn, gemma2, olmo2, granite := Tiny(), Tiny(), Tiny(), Tiny()
	yarn.HeadDim, yarn.Rope = 8, config.Rope{
		Theta: 100, Type: "yarn", Factor: 4, Original: 12, AttentionFactor: 1.2, BetaFast: 1.5, BetaSlow: 0.2, Smooth: true,
	}
	gemma2.ModelType, gemma2.HeadDim, gemma2.QueryScalar, gemma2.Window = "gemma2", 6, 5, []int{3, 0}
	gemma2.Caps = config.Caps{Attention: 1.5, Logits: 2.5}
	olmo2.ModelType, olmo2.HeadDim, olmo2.Tied = "olmo2", 6, false
	granite.ModelType = "granite"
	granite.Scales = config.Scales{Embedding: 3, Attention: 0.3, Residual: 0.6, Logits: 0.7}
	return map[string]config.Config{
		"yarn": yarn, "gemma2": gemma2, "olmo2": olmo2, "granite": granite,
		"llama": llama, "untied": untied, "qwen3": qwen3, "window": window, "bias": bias, "nope": noRope,
		"dynamic": dynamic, "phi3": phi3, "phi4": phi4, "gemma3": gemma3,
	}
}

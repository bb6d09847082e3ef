package tokenizer

// A ggufSplit is what a value of tokenizer.ggml.pre stands for.
type ggufSplit struct {
	patterns     []string // one split after another; the matches are isolated
	nfc          bool     // the text is normalised first
	ignoreMerges bool     // a word that is a token is not merged
	bos          bool     // a BOS is added where the metadata don't say
}

// The patterns that stand in tokenizer.ggml.pre only by name, and have no scanner.
const (
	digitPattern  = `\p{N}`
	tekkenPattern = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	gpt4oPattern  = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// More of them. Where llama.cpp writes a model's own expression in another way, this is the model's own.
const (
	contractions     = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
	falconPattern    = "[\\p{P}\\$\\+<=>\\^~\\|`]+"
	bloomPattern     = ` ?[^(\s|.,!?…。，、।۔،)]+`
	lettersPattern   = `[^\r\n\p{L}\p{N}]?\p{L}+`
	tailPattern      = ` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	bailingPattern   = `'(?i:[sdmt]|ll|ve|re)|` + lettersPattern + `|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`
	seedCoderPattern = contractions + `|` + lettersPattern + `|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen35Pattern    = contractions + `|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	exaoneMoEPattern = contractions + `|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+`
	miniCPM5Pattern  = contractions + `|` + lettersPattern + `|\p{N}+|` + tailPattern
	jais2Pattern     = contractions + `|` + lettersPattern + `|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}`
	sparkPattern     = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+|[\\r\\n]|\\s+(?!\\S)|\\s+"
	thousandsPattern = `\d{1,3}(?=(?:\d{3})*\b)`
	linesPattern     = `[^\n]+|[\n]+`
	scriptsPattern   = `[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+`
	youtuPattern     = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+` + contractions + `?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*` + contractions + `?|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

var (
	splitFalcon    = ggufSplit{patterns: []string{falconPattern, gpt2Pattern, `[0-9][0-9][0-9]`}}
	splitBloom     = ggufSplit{patterns: []string{bloomPattern}}
	splitViking    = ggufSplit{patterns: []string{bloomPattern, digitPattern}}
	splitBailing   = ggufSplit{patterns: []string{bailingPattern}}
	splitSeedCoder = ggufSplit{patterns: []string{seedCoderPattern}}
	splitUfakzeka  = ggufSplit{patterns: []string{lettersPattern + `|\p{N}|` + tailPattern}}
	splitQwen35    = ggufSplit{patterns: []string{qwen35Pattern}, nfc: true}
	splitExaoneMoE = ggufSplit{patterns: []string{exaoneMoEPattern}}
	splitMiniCPM5  = ggufSplit{patterns: []string{number3Pattern, miniCPM5Pattern}, ignoreMerges: true}
	splitJais2     = ggufSplit{patterns: []string{jais2Pattern}}
	splitSpark     = ggufSplit{patterns: []string{number3Pattern, cjkPattern, sparkPattern, digitPattern}}
	splitAya       = ggufSplit{patterns: []string{thousandsPattern, gpt4oPattern}}
	splitLaguna    = ggufSplit{patterns: []string{linesPattern, qwen2Pattern}}
	splitYoutu     = ggufSplit{patterns: []string{scriptsPattern, youtuPattern}, ignoreMerges: true}
)

var (
	splitGPT2 = ggufSplit{patterns: []string{gpt2Pattern}}
	// llama.cpp's for files that do not say: punctuation first, and digits by threes.
	splitDefault  = ggufSplit{patterns: []string{`[\p{P}\$\+<=>\^~\|]+`, gpt2Pattern, `\p{N}+`, `[0-9][0-9][0-9]`}}
	splitDBRX     = ggufSplit{patterns: []string{llama3Pattern}}
	splitHunyuan  = ggufSplit{patterns: []string{qwen2Pattern}}
	splitSmolLM   = ggufSplit{patterns: []string{digitPattern, gpt2Pattern}}
	splitQwen2    = ggufSplit{patterns: []string{qwen2Pattern}, nfc: true}
	splitLlama3   = ggufSplit{patterns: []string{llama3Pattern}, ignoreMerges: true, bos: true}
	splitDeepseek = ggufSplit{patterns: []string{number3Pattern, cjkPattern, deepseekPattern}}
	splitCoder    = ggufSplit{patterns: []string{"[\r\n]", `\s?\p{L}+`, `\s?\p{P}+`, "[一-龥ࠀ-一가-\uD7FF]+", digitPattern}}
	splitTekken   = ggufSplit{patterns: []string{tekkenPattern}, ignoreMerges: true, bos: true}
	splitGPT4o    = ggufSplit{patterns: []string{gpt4oPattern}}
)

// ggufSplits holds the values of tokenizer.ggml.pre that are known.
var ggufSplits = map[string]ggufSplit{
	"default": splitDefault, "gpt-2": splitGPT2, "phi-2": splitGPT2, "mpt": splitGPT2, "olmo": splitGPT2, "jais": splitGPT2,
	"jina-es": splitGPT2, "jina-de": splitGPT2, "jina-v2-es": splitGPT2, "jina-v2-de": splitGPT2, "gigachat": splitGPT2, "a.x-4.0": splitGPT2,
	"mellum": splitGPT2, "modern-bert": splitGPT2, "exaone4": splitGPT2, "trillion": splitGPT2, "granite-docling": splitGPT2,
	"exaone": splitSmolLM, "minerva-7b": splitSmolLM, "mellum2": splitSmolLM,
	"kormo": splitQwen2, "f2llmv2": splitQwen2, "megrez": splitQwen2, "hunyuan": splitHunyuan, "solar-open": splitHunyuan, "grok-2": splitHunyuan,
	"falcon-h1": splitLlama3, "pixtral": splitLlama3, "midm-2.0": splitLlama3, "jina-v5-nano": splitLlama3, "smaug-bpe": splitLlama3,
	"dbrx": splitDBRX, "glm4": splitDBRX, "chatglm-bpe": splitDBRX, "kanana2": splitGPT4o, "talkie": splitGPT4o, "minimax-m2": splitGPT4o,
	"hunyuan-dense": splitDeepseek, "joyai-llm": splitDeepseek, "hy_v4": splitDeepseek,
	"smollm": splitSmolLM, "starcoder": splitSmolLM, "refact": splitSmolLM, "command-r": splitSmolLM, "codeshell": splitSmolLM,
	"qwen2": splitQwen2, "stablelm2": splitQwen2, "deepseek-r1-qwen": splitQwen2,
	"llama3": splitLlama3, "llama-v3": splitLlama3, "llama-bpe": splitLlama3, "falcon3": splitLlama3, "lfm2": splitLlama3,
	"deepseek-v3": splitDeepseek, "deepseek-coder": splitCoder,
	"falcon": splitFalcon, "bloom": splitBloom, "poro-chat": splitBloom, "gpt3-finnish": splitBloom, "viking": splitViking,
	"bailingmoe": splitBailing, "bailingmoe2": splitBailing, "llada-moe": splitBailing, "seed-coder": splitSeedCoder, "ufakzeka": splitUfakzeka,
	"qwen35": splitQwen35, "exaone-moe": splitExaoneMoE, "minicpm5": splitMiniCPM5, "jais-2": splitJais2, "spark2_5": splitSpark,
	"tiny_aya": splitAya, "cohere2moe": splitAya, "laguna": splitLaguna, "youtu": splitYoutu,
	"tekken": splitTekken, "gpt-4o": splitGPT4o, "llama4": splitGPT4o,
	"superbpe": splitSuperBPE, "deepseek-llm": splitDeepseekLLM, "afmoe": splitAFMoE, "chameleon": splitChameleon, "kimi-k2": splitKimi,
}

// preTokenizer returns the splits one after another, and the bytes last.
func (s ggufSplit) preTokenizer() (preTokenizer, error) {
	var all preTokenizers
	for _, expr := range s.patterns {
		var p pattern
		if err := p.compile(expr); err != nil {
			return nil, err
		}
		if p.scan != nil {
			all = append(all, scanned{p.scan})
		} else {
			all = append(all, &splitter{find: p.find, behavior: isolated})
		}
	}
	return append(all, &byteLevel{}), nil
}

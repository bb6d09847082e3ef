package tokenizer

// Splits with long lists of characters, and those that group digits from their right end.
const (
	// Letters of the scripts that have two cases, as the expression of DeepSeek's first models lists them.
	casedLetters = "" +
		"A-Za-z\u00B5\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u01BA\u01BC-\u01BF\u01C4-\u0293\u0295-\u02AF\u0370-\u0373\u0376\u0377\u037B-" +
		"\u037D\u037F\u0386\u0388-\u038A\u038C\u038E-\u03A1\u03A3-\u03F5\u03F7-\u0481\u048A-\u052F\u0531-\u0556\u10A0-\u10C5\u13A0-" +
		"\u13F5\u13F8-\u13FD\u1C90-\u1CBA\u1CBD-\u1CBF\u1D00-\u1D2B\u1D6B-\u1D77\u1D79-\u1D9A\u1E00-\u1F15\u1F18-\u1F1D\u1F20-\u1F45" +
		"\u1F48-\u1F4D\u1F50-\u1F57\u1F59\u1F5B\u1F5D\u1F5F-\u1F7D\u1F80-\u1FB4\u1FB6-\u1FBC\u1FBE\u1FC2-\u1FC4\u1FC6-\u1FCC\u1FD0-" +
		"\u1FD3\u1FD6-\u1FDB\u1FE0-\u1FEC\u1FF2-\u1FF4\u1FF6-\u1FFC\u2102\u2107\u210A-\u2113\u2115\u2119-\u211D\u2124\u2126\u2128" +
		"\u212A-\u212D\u212F-\u2134\u2139\u213C-\u213F\u2145-\u2149\u214E\u2183\u2184\u2C00-\u2C7B\u2C7E-\u2CE4\u2CEB-\u2CEE\u2CF2" +
		"\u2CF3\uA640-\uA66D\uA680-\uA69B\uA722-\uA76F\uA771-\uA787\uA78B-\uA78E\uAB70-\uABBF\uFB00-\uFB06\uFB13-\uFB17\uFF21-\uFF3A" +
		"\uFF41-\uFF5A\U00010400-\U0001044F\U000104B0-\U000104D3\U000104D8-\U000104FB\U00010C80-\U00010CB2\U00010CC0-\U00010CF2" +
		"\U000118A0-\U000118DF\U0001E900-\U0001E943"
	deepseekLettersPattern = `\s?[` + casedLetters + `]+`
	deepseekMarksPattern   = `\s?[!-/:-~` + "\uFF01-\uFF0F\uFF1A-\uFF5E\u2018-\u201F\u3000-\u3002" + `]+`

	// Digits in threes from the right end: 1|234|567.
	rightThreesPattern = `\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))`
	// The same without a match for other characters: what is before three, six, … last digits.
	beforeThreesPattern = `[\s\S]+?(?=(?:\d{3})+(?!\d))|[\s\S]+`

	afmoeScriptsPattern = "[\u4E00-\u9FFF\u3400-\u4DBF\uF900-\uFAFF\u3040-\u309F\u30A0-\u30FF\uFF65-\uFF9F\u2F00-\u2FDF\u0E40-\u0E7F\u0E80-\u0EFF" +
		"\u1780-\u17FF\u1000-\u109F\uAA60-\uAA7F\uA9E0-\uA9FF\uAC00-\uD7AF\u1100-\u11FF]+"

	kimiPattern = `\p{Han}+|` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+` + contractions + `?|` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*` + contractions + `?|` +
		number3Pattern + `|` + tailPattern
)

var (
	splitSuperBPE    = ggufSplit{patterns: []string{`\p{N}+`, beforeThreesPattern}}
	splitDeepseekLLM = ggufSplit{patterns: []string{"[\r\n]", deepseekLettersPattern, deepseekMarksPattern, `\s+$`, "[一-龥ࠀ-一가-\uD7FF]+", `\p{N}+`}}
	splitAFMoE       = ggufSplit{patterns: []string{rightThreesPattern, afmoeScriptsPattern, deepseekPattern}}
	splitChameleon   = ggufSplit{patterns: []string{
		`<sentinel:[0-9]+>`, `IMGIMG[A-I]{1,4}Z`, `[\t\n]|    |  `, digitPattern, "[\\p{P}!-/:-@\\[-`{-~]", gpt2Pattern,
	}}
	splitKimi = ggufSplit{patterns: []string{kimiPattern}}
)

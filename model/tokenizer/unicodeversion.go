package tokenizer

import (
	"strconv"
	"strings"
	"unicode"
)

// The reference's parts follow different versions of Unicode: its regular expressions a newer one than Go (16), its
// normalizers and BERT's rules older ones (8 and 9). A text with a character from between would get other ids, so the sets
// below say where they differ from Go's tables (15). They were found by running the reference on every character.
var (
	// Characters that Go's tables do not have yet.
	newLetters = ranges("1C89-1C8A A7CB-A7CD A7DA-A7DC 105C0-105F3 10D4A-10D65 10D6F-10D85 10EC2-10EC4 11380-11389 1138B 1138E " +
		"11390-113B5 113B7 113D1 113D3 11BC0-11BE0 13460-143FA 16100-1611D 16D40-16D6C 18CFF 1E5D0-1E5ED 1E5F0 2EBF0-2EE5D")
	newNumbers = ranges("10D40-10D49 116D0-116E3 11BF0-11BF9 16130-16139 16D70-16D79 1CCF0-1CCF9 1E5F1-1E5FA")
	newMarks   = ranges("0897 10D69-10D6D 10EFC 113B8-113C0 113C2 113C5 113C7-113CA 113CC-113D0 113D2 113E1-113E2 11F5A " +
		"1611E-1612F 1E5EE-1E5EF")
	newPunct   = ranges("1B4E-1B4F 1B7F 10D6E 113D4-113D5 113D7-113D8 11BE1 16D6D-16D6F 1E5FF")
	newSymbols = ranges("2427-2429 2FFC-2FFF 31E4-31E5 31EF 10D8E-10D8F 1CC00-1CCEF 1CD00-1CEB3 1F8B2-1F8BB 1F8C0-1F8C1 1FA89 1FA8F " +
		"1FABE 1FAC6 1FADC 1FADF 1FAE9 1FBCB-1FBEF")
	// newDigits are numbers for the Digits pre-tokenizer, whose tables are newer still.
	newDigits = ranges("11DE0-11DE9 16FF4-16FF6")

	// lateNormal are characters that Unicode 9 did not have and that normalisation would touch: the reference passes them.
	lateNormal = ranges("07FD 0898-089F 08CA-08D3 09FE 0C3C 0D3B-0D3C 0EBA 1715 1ABF-1ACE 1DF6-1DFA 32FF A7F2-A7F4 A82C AB69 " +
		"10781-10785 10787-107B0 107B2-107BA 10D24-10D27 10EAB-10EAC 10EFD-10EFF 10F46-10F50 10F82-10F85 11070 1133B 1145E " +
		"11839-1183A 11930 11935 11938 1193D-1193E 11943 119E0 11A34 11A47 11A99 11D42 11D44-11D45 11D97 11F41-11F42 16FF0-16FF1 " +
		"1E030-1E06D 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF 1F16C 1FBF0-1FBF9")
	// lateAccents are marks that StripAccents keeps, and earlyAccents what it took for marks.
	lateAccents = ranges("07FD 0898-089F 08CA-08D3 09FE 0AFA-0AFF 0B55 0C04 0C3C 0CF3 0D00 0D3B-0D3C 0D81 0EBA 0ECE 1715 180F " +
		"1ABF-1ACE 1CF7 1DF6-1DFA A82C A8FF 10D24-10D27 10EAB-10EAC 10EFD-10EFF 10F46-10F50 10F82-10F85 11070 11073-11074 110C2 " +
		"11145-11146 111C9 111CE-111CF 11241 1133B 1145E 1182C-1183A 11930-11935 11937-11938 1193B-1193E 11940 11942-11943 " +
		"119D1-119D7 119DA-119E0 119E4 11A01-11A0A 11A33-11A39 11A3B-11A3E 11A47 11A51-11A5B 11A8A-11A99 11D31-11D36 11D3A " +
		"11D3C-11D3D 11D3F-11D45 11D47 11D8A-11D8E 11D90-11D91 11D93-11D97 11EF3-11EF6 11F00-11F01 11F03 11F34-11F3A 11F3E-11F42 " +
		"13440 13447-13455 16F4F 16F7F-16F87 16FE4 16FF0-16FF1 1CF00-1CF2D 1CF30-1CF46 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF")
	earlyAccents = ranges("1CF2-1CF3")
	// lateBertMarks are marks that BERT's normalizer keeps, and earlyBertMarks what it took for marks.
	lateBertMarks = ranges("07FD 0898-089F 08CA-08E1 09FE 0AFA-0AFF 0B55 0C04 0C3C 0D00 0D3B-0D3C 0D81 0EBA 0ECE 180F 1885-1886 " +
		"1ABF-1ACE 1DF6-1DFB A82C A8C5 A8FF A9BD 10D24-10D27 10EAB-10EAC 10EFD-10EFF 10F46-10F50 10F82-10F85 11070 11073-11074 " +
		"110C2 111C9 111CF 1123E 11241 1133B 11438-1143F 11442-11444 11446 1145E 1182F-11837 11839-1183A 1193B-1193C 1193E 11943 " +
		"119D4-119D7 119DA-119DB 119E0 11A01-11A0A 11A33-11A38 11A3B-11A3E 11A47 11A51-11A56 11A59-11A5B 11A8A-11A96 11A98-11A99 " +
		"11C30-11C36 11C38-11C3D 11C3F 11C92-11CA7 11CAA-11CB0 11CB2-11CB3 11CB5-11CB6 11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45 " +
		"11D47 11D90-11D91 11D95 11D97 11EF3-11EF4 11F00-11F01 11F36-11F3A 11F40 11F42 13440 13447-13455 16F4F 16FE4 1CF00-1CF2D " +
		"1CF30-1CF46 1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024 1E026-1E02A 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF " +
		"1E944-1E94A")
	earlyBertMarks = ranges("1734")
	// lateFormats are control characters that BERT's normalizer keeps.
	lateFormats = ranges("0890-0891 08E2 110CD 13430-1343F")
	// latePunct are punctuation that Punctuation and BERT do not know, and earlyPunct what they took for it.
	latePunct = ranges("061D 09FD 0A76 0C77 0C84 1B7D-1B7E 2E43-2E4F 2E52-2E5D 10EAD 10F55-10F59 10F86-10F89 1144B-1144F 1145A-1145B " +
		"1145D 11660-1166C 116B9 1183B 11944-11946 119E2 11A3F-11A46 11A9A-11A9C 11A9E-11AA2 11B00-11B09 11C41-11C45 11C70-11C71 " +
		"11EF7-11EF8 11F43-11F4F 11FFF 12FF1-12FF2 16E97-16E9A 16FE2 1E95E-1E95F")
	earlyPunct = ranges("166D 111C9")
)

// ranges reads a set of characters.
func ranges(list string) *unicode.RangeTable {
	t := &unicode.RangeTable{}
	for part := range strings.FieldsSeq(list) {
		low, high, ok := strings.Cut(part, "-")
		if !ok {
			high = low
		}
		lo, hi := hexadecimal(low), hexadecimal(high)
		if hi < 1<<16 {
			t.R16 = append(t.R16, unicode.Range16{Lo: uint16(lo), Hi: uint16(hi), Stride: 1})
		} else {
			t.R32 = append(t.R32, unicode.Range32{Lo: lo, Hi: hi, Stride: 1})
		}
	}
	return t
}

func hexadecimal(s string) uint32 {
	n, err := strconv.ParseUint(s, 16, 32)
	if err != nil {
		panic(err)
	}
	return uint32(n)
}

// newLower maps characters whose lower case Go's tables do not have yet: a range and the distance.
var newLower = []struct{ lo, hi, delta rune }{
	{0x1C89, 0x1C89, 1},
	{0xA7CB, 0xA7CB, 0x264 - 0xA7CB},
	{0xA7CC, 0xA7CC, 1},
	{0xA7CE, 0xA7CE, 1},
	{0xA7D2, 0xA7D2, 1},
	{0xA7D4, 0xA7D4, 1},
	{0xA7DA, 0xA7DA, 1},
	{0xA7DC, 0xA7DC, 0x19B - 0xA7DC},
	{0x10D50, 0x10D65, 0x20},
	{0x16EA0, 0x16EB8, 0x1B},
}

// isNumber is the class N.
func isNumber(r rune) bool {
	return unicode.IsNumber(r) || r > 0x10000 && unicode.In(r, newNumbers, newDigits)
}

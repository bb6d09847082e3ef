// Package answer reads the final answer of a text. It is pure: texts in, canonical forms out.
//
//	answer.go      an answer, the parsers of maths and of natural-language inference
//	boxed.go       the boxes of a text, \boxed{…}: the last one holds the answer
//	number.go      a number and nothing else, as a reduced fraction
//	lastnumber.go  the last number of a text, for models that put nothing in a box
//	visible.go     the text that other agents are shown, with one box at its end
//
// Section numbers without a name are those of docs/maporl.md.
package answer

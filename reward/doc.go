// Package reward turns scores of texts into the rewards that agents are trained with. It is pure: numbers and texts in,
// numbers out. What the scores are, a verifier's probabilities or a task's joint reward, is decided elsewhere.
//
// MAPoRL rewards every answer of a debate in four steps (section numbers are those of docs/maporl.md; [Scheme] takes all of them):
//
//	flags.go       which answers earn a penalty: no box, too short, repetitive, text after the box (§2.1)
//	penalty.go     the penalty replaces the score, before or after the design (§2.1)
//	design.go      how later scores reach back to earlier answers: immediate, cumulative, influence-aware (§2.2)
//	incentive.go   bonuses for changing one's mind, and others' minds, for the better (§2.3)
//
// Beside these stand feedback.go, what a prompt tells an agent about a score (§1.2), consensus.go, when a question ends
// early (§1.2), and processor.go, the transformations of a joint reward that MAGRPO's recipes use (MAGRPO §17).
//
// A debate is a list of [Turn]s, and each of them a list of [Answer]s with their agents named: an agent that did not speak in a turn has no
// answer there. What is returned for it is indexed alike, [turn][speaker]. No function keeps or changes its arguments.
package reward

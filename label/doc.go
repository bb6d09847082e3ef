// Package label chooses what is learned from out of what was scored: rows for supervised training, pairs for DPO, tasks that are neither too easy
// nor too hard. All of it is done on numbers, by index; whoever calls holds the texts.
//
//	trajectories.go  rewards of whole trajectories → rows, pairs      SWEET-RL's baselines: RFT and multi-turn DPO
//	candidates.go    scores of candidates at one history → pairs      SWEET-RL, stage 3
//	proposals.go     verdicts on proposals of peers → tasks, rows     MLPO, phase 2
//
// Rewards that differ by rounding are equal ([parley/internal/tie]), and of equals the first one wins. Chance is given, never drawn here.
//
// Pairs out of trees of alternatives are those of [parley/credit/siblings], pairs of joint responses those of [parley/loss.PreferencePairs].
package label

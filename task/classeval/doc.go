// Package classeval holds the reward arithmetic of MAGRPO's class-writing task (§8): several agents write the methods of one
// class. It scores what was found out about their programs elsewhere: which methods came from whom, whether the merged class
// compiles, how many unit tests passed. Two generations of the published reward are here, [Score] and [ScoreOctober2025].
package classeval

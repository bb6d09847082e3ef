// Package blocks is MAGRPO's block-building games (§8): a team draws a short string with blocks of every agent's own palette
// ([Drawings], StrBuild), or builds a house under attack ([Houses], HouseBuild).
//
//	t := build.NewDrawings(2)
//	problems, err := t.Problems(task.Train, 8)
//	score, err := t.Score(problems[0], []string{"/setblock 0 4 0 stone", "/setblock 1 4 0 obsidian"})
//
// Agents write commands, one a line; lines that are none, or that an agent may not give, are skipped. [ScoreString] and
// [ScoreHouse] are the rewards as pure functions. The glyphs, the strings and the houses are ours.
package blocks

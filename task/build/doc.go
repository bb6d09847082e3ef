// Package build scores the block-building games of MAGRPO (§8): drawing a short string with two agents' blocks
// ([ScoreString]), and building a house under attack ([ScoreHouse]). Both are pure functions of what the agents wrote.
package build

// Package study reads files that ask one question of many runs: recipes, crossed with factors, seeds and budgets.
//
//	name: roles-sharing
//	question: Do agents that share a policy learn more than agents with one of their own?
//	recipes: {chain: chain-tiny, leader: leader-tiny}
//	factors:
//	  sharing: {own: [policies.sharing=per-agent], shared: [policies.sharing=shared]}
//	seeds: [1, 2, 3, 4, 5]
//	tokens: [150000]
//	pairs: {sharing: own}
//
// A cell is one recipe with one level of each factor, and one budget; each cell is run once with every seed. [Study.Plan] lists the runs. Where
// a study names a budget, every run trains until it has generated so many tokens, however many updates that takes.
//
//	study.go     what a file says, key by key
//	trees.go     the keys that map names to something
//	read.go      files and shipped studies; everything that is wrong is told at once
//	plan.go      cells, and the recipe of each run
//	shipped.go   the studies in the binary, shipped/*.yaml
//
// [parley/cmd/parley/internal/studycmd] does the runs, [parley/study/results] says what came of them.
package study

package reference

// ReturnPercent returns a reward as a percentage of its nominal maximum (3 in writing tasks, 4 in code tasks; MAGRPO §10).
func ReturnPercent(reward, maximum float64) float64 { return 100 * reward / maximum }

// EpisodeReturnPercent returns the return of a multi-turn episode, the mean over its turns, in percent of the maximum.
func EpisodeReturnPercent(turnRewards []float64, maximum float64) float64 {
	sum := 0.0
	for _, r := range turnRewards {
		sum += r
	}
	return ReturnPercent(sum/float64(len(turnRewards)), maximum)
}

// WritingPercents breaks the parts of a writing reward down: structure is the first three levels of at most 2, coherence
// the transition part of at most 0.4, consistency the Jaccard part of at most 0.6.
func WritingPercents(parts map[string]float64) map[string]float64 {
	return map[string]float64{
		"structure":   ReturnPercent(parts["structure"]+parts["length_ratio"]+parts["vocabulary"], 2),
		"coherence":   ReturnPercent(parts["transition"], 0.4),
		"consistency": ReturnPercent(parts["jaccard"], 0.6),
	}
}

// CodePercents breaks the parts of a code reward down: structure of at most 1, syntax 0.5, tests 1, cooperation 1.5.
func CodePercents(parts map[string]float64) map[string]float64 {
	return map[string]float64{
		"structure":   ReturnPercent(parts["aux_defined"]+parts["main_defined"], 1),
		"syntax":      ReturnPercent(parts["syntax"], 0.5),
		"tests":       ReturnPercent(parts["tests"], 1),
		"cooperation": ReturnPercent(parts["use"]+parts["non_wrapper"]+parts["ignored"], 1.5),
	}
}

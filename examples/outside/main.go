// Command outside is a module that is not parley's and imports it: it trains a pair on a task and a reward of its own. It builds where parley
// has a path that can be fetched: see `make rehome`.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"parley"
	"parley/task"
)

// ask makes n problems from a number on.
func ask(from, n int) []task.Problem {
	out := make([]task.Problem, n)
	for i := range out {
		out[i] = task.Problem{ID: fmt.Sprint(from + i), Question: fmt.Sprintf("What is %d + %d?", from+i, from+i), Truth: fmt.Sprint(2 * (from + i))}
	}
	return out
}

// pay is half a point for each answer that names the truth.
func pay(_ context.Context, p task.Problem, responses []string) (float64, error) {
	sum := 0.0
	for _, text := range responses {
		if strings.Contains(text, p.Truth) {
			sum += 0.5
		}
	}
	return sum, nil
}

func main() {
	ctx := context.Background()
	team, err := parley.Open(ctx, "magrpo-tiny", parley.WithTask(parley.NewTask("double", ask(10, 30), ask(40, 10), pay, 0, 1)),
		parley.Set("training.problems=4"))
	if err != nil {
		log.Fatal(err)
	}
	defer team.Close()
	for update := range 2 {
		episodes, err := team.Rollout(ctx, update, team.Problems(update))
		if err != nil {
			log.Fatal(err)
		}
		stats, err := team.Learn(ctx, update, episodes)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("update %d: reward %.3f, %d optimizer steps\n", update+1, parley.MeanReward(episodes), stats.OptimizerSteps)
	}
	if err := team.Save(ctx, "adapters"); err != nil {
		log.Fatal(err)
	}
}

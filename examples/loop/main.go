// Command loop is the whole loop of multi-agent reinforcement learning in one file to copy: a team of two, a reward of its own, one update
// after another, and the trained adapters at the end.
//
//	go run ./examples/loop
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"strings"

	"parley"
	"parley/task"
)

// reward pays a pair for two answers that agree with the truth, half of it for one, and a little less for long ones.
func reward(_ context.Context, p task.Problem, responses []string) (float64, error) {
	sum := 0.0
	for _, text := range responses {
		if strings.Contains(text, `\boxed{`+p.Truth+"}") {
			sum += 0.5 - 0.001*float64(min(len(text), 200))
		}
	}
	return sum, nil
}

func main() {
	updates := flag.Int("updates", 20, "updates to train")
	out := flag.String("out", "adapters", "folder of the trained adapters; it must be new")
	flag.Parse()
	ctx := context.Background()

	team, err := parley.Open(ctx, "magrpo-tiny", parley.WithReward(reward, 0, 1),
		parley.Set("group.size=8", "training.problems=8", "optimizer.lr=0.002"))
	if err != nil {
		log.Fatal(err)
	}
	defer team.Close()

	for update := range *updates {
		episodes, err := team.Rollout(ctx, update, team.Problems(update))
		if err != nil {
			log.Fatal(err)
		}
		stats, err := team.Learn(ctx, update, episodes)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("update %2d  reward %.3f  steps %d\n", update+1, parley.MeanReward(episodes), stats.OptimizerSteps)
	}
	if err := team.Save(ctx, *out); err != nil {
		log.Fatal(err)
	}
}

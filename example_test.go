package parley_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley"
	"parley/task"
)

// A loop of one's own: the team works, learns and is saved.
func Example() {
	ctx := context.Background()
	team, err := parley.Open(ctx, "magrpo-tiny", parley.Set("training.problems=2", "eval.problems=2"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer team.Close()
	for update := range 2 {
		episodes, err := team.Rollout(ctx, update, team.Problems(update))
		if err != nil {
			fmt.Println(err)
			return
		}
		stats, err := team.Learn(ctx, update, episodes)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(len(episodes), "episodes,", stats.OptimizerSteps, "optimizer steps")
	}
	dir, err := os.MkdirTemp("", "adapters")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := team.Save(ctx, filepath.Join(dir, "new")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2 episodes, 2 optimizer steps
	// 2 episodes, 2 optimizer steps
}

// A reward of one's own takes the place of the recipe's: here a pair is paid for saying "so" both times.
func ExampleWithReward() {
	reward := func(_ context.Context, _ task.Problem, responses []string) (float64, error) {
		said := 0.0
		for _, text := range responses {
			if strings.Contains(text, "so") {
				said += 0.5
			}
		}
		return said, nil
	}
	ctx := context.Background()
	team, err := parley.Open(ctx, "magrpo-tiny", parley.WithReward(reward, 0, 1), parley.Set("eval.problems=1"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer team.Close()
	episodes, err := team.Rollout(ctx, 0, team.Problems(0)[:1])
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range episodes[0].Nodes[0].Rewards {
		fmt.Println(r >= 0 && r <= 1)
	}
	// Output:
	// true
	// true
	// true
	// true
}

// A task of one's own needs problems and a reward. Run trains on it like on any other, and leaves a run folder.
func ExampleNewTask() {
	problems := func(from, n int) []task.Problem {
		out := make([]task.Problem, n)
		for i := range out {
			out[i] = task.Problem{ID: fmt.Sprint(from + i), Question: fmt.Sprintf("Write the number %d twice.", from+i)}
		}
		return out
	}
	reward := func(_ context.Context, p task.Problem, responses []string) (float64, error) {
		sum := 0
		for _, text := range responses {
			sum += min(strings.Count(text, p.ID), 2)
		}
		return float64(sum), nil
	}
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	result, err := parley.Run(context.Background(), "magrpo-tiny",
		parley.WithTask(parley.NewTask("twice", problems(0, 50), problems(50, 10), reward, 0, 4)),
		parley.WithDir(filepath.Join(dir, "run")),
		parley.Set("training.updates=1", "training.problems=2", "eval.problems=4", "eval.baselines=[]"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Report.Task, result.Report.Updates, len(result.Report.Rows))
	// Output: twice 1 2
}

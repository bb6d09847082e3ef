package askcmd

// This file lets the first agent of a run's team play with the others of another run's team, of every pair of some runs: zero-shot coordination.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/recipe/schema"
	"parley/runs"
	"parley/runs/store"
	"parley/runs/verify"
	"parley/train/lineup"
	"parley/train/measure"
	"parley/train/provenance"
	"parley/viewer/ask"
)

// across say which runs play, and how many games where there are no exact numbers.
type across struct {
	Dirs     []string
	Language *recipe.Language
	Backend  lineup.Backend
	Trust    bool     // runs were made elsewhere, and may do what their recipes ask for
	Moved    []string // where files are now that their recipes name: changes key=value
	Update   int      // after which; 0: as they are now
	Games    int      // 0: as many as the first recipe says
	Seed     int
	Tell     func(line string)
}

// A player is a run that plays.
type player struct {
	ask.CrossRun
	dir, sum string
	recipe   *recipe.Recipe
	game     string
	games    int       // that its recipe measures
	open     *ask.Team // nil: it is not
	guest    *measure.Guest
}

// play lets every pair play that is not kept with the first of both. A result that cannot be kept is returned beside a [folder.KeepError].
func play(ctx context.Context, o across) (*ask.CrossPlay, error) {
	list, err := o.players()
	if err != nil {
		return nil, err
	}
	defer shut(list)
	if o.Games == 0 {
		o.Games = list[0].games
	}
	var met []ask.CrossRun
	var unkept error
	pairs := make([][]*ask.PlayedPair, len(list))
	for i, first := range list {
		met = append(met, first.CrossRun)
		for _, other := range list {
			p, err := o.pair(ctx, list, first, other)
			if p == nil {
				return nil, fmt.Errorf("%s with %s: %w", first.Run, other.Run, err)
			}
			unkept = cmp.Or(unkept, err)
			pairs[i] = append(pairs[i], p)
		}
	}
	out := ask.NewCrossPlay(met, pairs)
	out.Game, out.Agents = list[0].game, list[0].recipe.Team.Agents.Names()
	return out, unkept
}

// players reads who plays, and refuses whose numbers would say nothing.
func (o across) players() (list []*player, err error) {
	if len(o.Dirs) < 2 {
		return nil, usererror.Errorf("cross-play takes two runs or more: name another run of the same game, such as one with another seed")
	}
	for _, dir := range o.Dirs {
		p, err := o.player(dir)
		if err != nil {
			return nil, err
		}
		for _, q := range list {
			switch {
			case q.game != p.game:
				return nil, usererror.Errorf("%s plays %s, and %s plays %s: name runs of one game", q.dir, q.game, p.dir, p.game)
			case !slices.Equal(q.recipe.Team.Agents.Names(), p.recipe.Team.Agents.Names()):
				return nil, usererror.Errorf("the agents of %s are %s, and those of %s are %s: name runs whose agents have the same names in the same order",
					q.dir, strings.Join(q.recipe.Team.Agents.Names(), ", "), p.dir, strings.Join(p.recipe.Team.Agents.Names(), ", "))
			case q.sum == p.sum:
				return nil, usererror.Errorf("%s and %s have the same weights, so that both together are self-play: name each run once, or train one with another --seed", q.dir, p.dir)
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// player reads one of them.
func (o across) player(dir string) (*player, error) {
	r, meta, err := ask.RecipeOf(o.Language, dir)
	if err != nil {
		return nil, err
	}
	s, acts := r.Task.Settings.(interface {
		Match() (game string, games int)
	})
	switch {
	case r.Experiment.Active():
		return nil, usererror.Errorf("%s is an experiment of several runs: name the folders in it", dir)
	case !acts:
		return nil, usererror.Errorf("%s is a run of task %s: cross-play is about games and other environments (task environment)", dir, r.Task.Name)
	case r.OneModel() || r.Team.Agents.N < 2 || r.Harnessed():
		return nil, usererror.Errorf("the team of %s has no two agents that could play with others: one model or one program speaks for all", dir)
	}
	p := &player{dir: dir, recipe: r, CrossRun: ask.CrossRun{Run: filepath.Base(dir)}}
	p.game, p.games = s.Match()
	h := sha256.New()
	for _, b := range meta.Bases {
		fmt.Fprintln(h, b.SHA256)
	}
	if o.Update != 0 || !r.AlgorithmType().Untrained() {
		from, err := verify.PoliciesOf(dir, o.Update)
		if none := new(*verify.NoCheckpointError); errors.As(err, none) {
			return nil, usererror.Errorf("%w: its policies are not there to play; name another update, or train it on with: %s", err, runs.Again(dir))
		}
		if err != nil {
			return nil, err
		}
		sums, err := store.SumsOf(from.Dir)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(sums)) {
			if base := path.Base(name); strings.HasSuffix(base, ".safetensors") && base != "optimizer.safetensors" {
				fmt.Fprintln(h, name, sums[name])
			}
		}
		p.Update = from.Update
	}
	p.sum = hex.EncodeToString(h.Sum(nil))
	return p, nil
}

// way is how agents are asked and draw, which is the first one's where they play: a difference would be another player.
func (p *player) way() string {
	t, s := p.recipe.Team, p.recipe.Sampling
	t.Agents = keys.Agents{}
	return strings.Join(append(append(schema.Lines(&t, ""), schema.Lines(&s, "")...), fmt.Sprint(p.recipe.Eval.Temperature)), "\n")
}

// pair is what is kept of two players, or plays it and keeps it. Where it cannot be kept it is returned beside a [folder.KeepError].
func (o across) pair(ctx context.Context, list []*player, first, other *player) (*ask.PlayedPair, error) {
	key := ask.PairKey{First: first.sum, Other: other.sum, PairWay: ask.PairWay{Games: o.Games, Seed: o.Seed, Kernels: provenance.OfRecipe(first.recipe, o.Backend, "").Kernels}}
	kept, err := ask.ReadPairs(first.dir)
	if err != nil && o.Tell != nil {
		o.Tell(fmt.Sprintf("%v: its pairs play again", err))
	}
	if p := kept.Of(key); p != nil {
		return p, nil
	}
	for _, p := range list {
		if p != first && p != other {
			p.shut() // at most two are open at a time
		}
	}
	for _, p := range []*player{first, other} {
		if err := o.sit(ctx, p); err != nil {
			return nil, err
		}
	}
	p := ask.PlayedPair{PairKey: key, With: other.Run, Update: first.Update}
	if p.Scores, p.Numbers, p.Exact, err = measure.Pair(ctx, first.guest, other.guest); err != nil {
		return nil, err
	}
	if !p.Exact && first.way() != other.way() {
		return nil, usererror.Errorf("both are asked or draw in different ways (team, sampling or eval.temperature of their recipes), and a game is played in one way: name runs of one recipe")
	}
	if o.Tell != nil {
		o.Tell(fmt.Sprintf("%s with %s: %s %.3f", first.Run, other.Run, p.Scores[0], p.Numbers[p.Scores[0]]))
	}
	return &p, ask.KeepPair(ctx, first.dir, p)
}

// sit opens a player's team where somebody of it has to speak.
func (o across) sit(ctx context.Context, p *player) error {
	if p.open != nil || p.guest != nil && p.guest.Told() {
		return nil
	}
	t, err := ask.OpenTeam(ctx, ask.TeamOptions{Dir: p.dir, Language: o.Language, Backend: o.Backend, Trust: o.Trust, Moved: o.Moved, Problems: true, Update: o.Update})
	if err == nil {
		p.open, p.guest = &t, measure.NewGuest(t.Lineup, t.Trained, o.Games, uint64(o.Seed))
	}
	return err
}

func (p *player) shut() {
	if p.open != nil {
		_ = p.open.Close() // nothing was written
		p.open = nil
	}
}

func shut(list []*player) {
	for _, p := range list {
		p.shut()
	}
}

package askcmd

// This file lets the first agent of a run's team play with the others of another run's team, of every pair of some runs: zero-shot coordination.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/recipe/schema"
	"parley/rl/eval"
	"parley/runs"
	"parley/runs/store"
	"parley/runs/verify"
	"parley/train/lineup"
	"parley/train/measure"
	"parley/train/provenance"
	"parley/viewer/ask"
)

// pairsFile is where a run keeps how its first agent plays with others, the newest pairs. Who writes there holds the lock.
const (
	pairsFile = "crossplay.json"
	pairsLock = "crossplay.lock"
	mostPairs = 256
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

// A crossPlay is how the agents of some runs play together.
type crossPlay struct {
	Game   string       `json:"game"`
	Agents []string     `json:"agents"`
	Runs   []crossRun   `json:"runs"`
	Exact  bool         `json:"exact"` // computed from probabilities; else an estimate from games
	Games  int          `json:"games"` // of every pair; 0: exact
	Seed   int          `json:"seed"`
	Scores []crossScore `json:"scores"` // the first is the game's own
}

// A crossRun is a run, and after which update its agents are what they are.
type crossRun struct {
	Run    string `json:"run"`
	Update int    `json:"update"`
}

// A crossScore is one number of every pair, by the run of the first agent and that of the others.
type crossScore struct {
	Score  string      `json:"score"`
	Values [][]float64 `json:"values"`
	eval.CrossPlay
}

// A pairKey is what the numbers of a pair depend on.
type pairKey struct {
	First   string `json:"first_sha256"`
	Other   string `json:"other_sha256"`
	Games   int    `json:"games"`
	Seed    int    `json:"seed"`
	Kernels string `json:"kernels"`
}

// A playedPair is a result as it is kept.
type playedPair struct {
	pairKey
	With    string             `json:"with"` // the other run
	Exact   bool               `json:"exact"`
	Scores  []string           `json:"scores"` // their order
	Numbers map[string]float64 `json:"numbers"`
}

type keptPairs struct {
	Pairs []playedPair `json:"pairs"` // oldest first
}

// A player is a run that plays.
type player struct {
	crossRun
	dir, sum string
	recipe   *recipe.Recipe
	game     string
	games    int       // that its recipe measures
	open     *ask.Team // nil: it is not
	guest    *measure.Guest
}

// play lets every pair play that is not kept with the first of both. A result that cannot be kept is returned beside a [folder.KeepError].
func play(ctx context.Context, o across) (*crossPlay, error) {
	list, err := o.players()
	if err != nil {
		return nil, err
	}
	defer shut(list)
	if o.Games == 0 {
		o.Games = list[0].games
	}
	out := &crossPlay{Game: list[0].game, Agents: list[0].recipe.Team.Agents.Names(), Seed: o.Seed, Exact: true}
	var unkept error
	for i, first := range list {
		out.Runs = append(out.Runs, first.crossRun)
		for j, other := range list {
			p, err := o.pair(ctx, list, first, other)
			if p == nil {
				return nil, fmt.Errorf("%s with %s: %w", first.Run, other.Run, err)
			}
			unkept = cmp.Or(unkept, err)
			out.Exact = out.Exact && p.Exact
			for k, name := range p.Scores {
				if len(out.Scores) <= k {
					out.Scores = append(out.Scores, crossScore{Score: name})
				}
				if len(out.Scores[k].Values) <= i {
					out.Scores[k].Values = append(out.Scores[k].Values, make([]float64, len(list)))
				}
				out.Scores[k].Values[i][j] = p.Numbers[name]
			}
		}
	}
	if out.Scores[0].Score == measure.TeamPaid { // who is never paid has no score, if somebody else is
		paid := slices.DeleteFunc(slices.Clone(out.Scores), func(s crossScore) bool {
			return !slices.ContainsFunc(slices.Concat(s.Values...), func(x float64) bool { return x != 0 })
		})
		out.Scores = append(paid, out.Scores[:1]...)[:max(1, len(paid))]
	}
	for k, s := range out.Scores {
		out.Scores[k].CrossPlay = eval.NewCrossPlay(s.Values)
	}
	if !out.Exact {
		out.Games = o.Games
	}
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
	p := &player{dir: dir, recipe: r, crossRun: crossRun{Run: filepath.Base(dir)}}
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
func (o across) pair(ctx context.Context, list []*player, first, other *player) (*playedPair, error) {
	key := pairKey{first.sum, other.sum, o.Games, o.Seed, provenance.OfRecipe(first.recipe, o.Backend, "").Kernels}
	kept, err := readPairs(first.dir)
	if err != nil && o.Tell != nil {
		o.Tell(fmt.Sprintf("%v: its pairs play again", err))
	}
	if i := slices.IndexFunc(kept.Pairs, func(p playedPair) bool { return p.pairKey == key }); i >= 0 {
		return &kept.Pairs[i], nil
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
	p := playedPair{pairKey: key, With: other.Run}
	if p.Scores, p.Numbers, p.Exact, err = measure.Pair(ctx, first.guest, other.guest); err != nil {
		return nil, err
	}
	if !p.Exact && first.way() != other.way() {
		return nil, usererror.Errorf("both are asked or draw in different ways (team, sampling or eval.temperature of their recipes), and a game is played in one way: name runs of one recipe")
	}
	if o.Tell != nil {
		o.Tell(fmt.Sprintf("%s with %s: %s %.3f", first.Run, other.Run, p.Scores[0], p.Numbers[p.Scores[0]]))
	}
	return &p, ask.Rewrite(ctx, first.dir, pairsFile, pairsLock, func() any {
		k, _ := readPairs(first.dir) // a damaged one is made again
		k.Pairs = append(k.Pairs, p)
		k.Pairs = k.Pairs[max(0, len(k.Pairs)-mostPairs):]
		return k
	})
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

// readPairs reads what a run keeps; a file that there is not, or that is damaged, is empty.
func readPairs(dir string) (k keptPairs, err error) {
	if err = runs.ReadSealed(dir, pairsFile, &k); err != nil {
		k = keptPairs{}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	k.Pairs = slices.DeleteFunc(k.Pairs, func(p playedPair) bool {
		return len(p.Scores) == 0 || slices.ContainsFunc(p.Scores, func(name string) bool { _, has := p.Numbers[name]; return !has })
	})
	return k, err
}

package task

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// An Asked is what is asked, as keys: of a question, and of the question with what is shown beside it.
type Asked struct{ Question, Whole string }

// AskedKeys are the keys by which the problems of several files are one or not. A question says by itself what is asked, unless a file asks
// it about several things: then what is shown beside it counts too.
func AskedKeys(files ...[]Asked) [][]string {
	generic := map[string]bool{}
	out := make([][]string, len(files))
	for i, file := range files {
		wholes := map[string]string{} // by question
		for _, a := range file {
			if first, known := wholes[a.Question]; known && first != a.Whole {
				generic[a.Question] = true
			}
			wholes[a.Question] = a.Whole
			out[i] = append(out[i], a.Question)
		}
	}
	for i, file := range files {
		for j, a := range file {
			if generic[out[i][j]] {
				out[i][j] = a.Whole
			}
		}
	}
	return out
}

// Whole is the question of a problem with fields that are shown beside it, all as [Normal] has them. The id of a row tells nothing.
func Whole(p Problem, shown []string) string {
	text := p.chat() + Normal(p.Question)
	for _, field := range shown {
		if field != "id" {
			text += "\n\n" + Normal(p.Fields[field])
		}
	}
	return text
}

// Said is the same for problems of which everything is the same that somebody may read, but the right answer: the question as [Key] has it, and
// all fields exactly, among which is the row's own id.
func Said(p Problem) string {
	hash := sha256.New()
	hash.Write([]byte(Key(p.chat() + p.Question)))
	for _, name := range slices.Sorted(maps.Keys(p.Fields)) {
		fmt.Fprintf(hash, "%d %s %d %s", len(name), name, len(p.Fields[name]), p.Fields[name])
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// OneAsked says that all problems ask the same.
func OneAsked(keys ...[]string) bool {
	all := slices.Concat(keys...)
	return len(all) > 0 && !slices.ContainsFunc(all, func(key string) bool { return key != all[0] })
}

// chat is what stands before the question; empty: nothing.
func (p Problem) chat() string {
	text := ""
	for _, m := range p.Before {
		text += m.Role + ": " + Normal(m.Content) + "\n\n"
	}
	return text
}

// ApartBeside is [Apart] for problems whose fields are known to the data alone, some of which prompts show.
func ApartBeside(train, held []Problem, shown []string) (kept []Problem, overlap int) {
	list := func(problems []Problem) (out []Asked) {
		for _, p := range problems {
			out = append(out, Asked{Key(p.Question), Key(Whole(p, shown))})
		}
		return out
	}
	keys := AskedKeys(list(train), list(held))
	measured := map[string]bool{}
	for _, key := range keys[1] {
		measured[key] = true
	}
	for i, p := range train {
		if !measured[keys[0][i]] {
			kept = append(kept, p)
		}
	}
	return kept, len(train) - len(kept)
}

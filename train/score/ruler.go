package score

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	"parley/recipe"
	"parley/task"
)

// Fingerprint is the SHA-256 of held-out problems in their order: what two measurements have to share to be compared problem by problem.
func Fingerprint(problems []task.Problem) string {
	data, _ := json.Marshal(problems) // texts only
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Ruler says by what the recipe's scores are measured, beside the problems: what two measurements have to share to be compared at all.
func Ruler(r *recipe.Recipe) string {
	parts := []string{"eval.invalid " + r.Eval.Invalid, fmt.Sprintf("eval.extract %d", r.Eval.Extract)}
	if r.Reward.Joint() {
		parts = []string{"joint reward"}
	}
	if u := r.Reward.User; r.Reward.Source == "user" {
		parts = append(parts, fmt.Sprintf("min %v, max %v", u.Min, u.Max))
		for _, s := range []struct{ word, text string }{
			{"python", fileSum(u.Python)}, {"command", strings.Join(u.Command, " ")}, {"expression", u.Expression}, {"url", u.URL},
		} {
			if s.text != "" {
				parts = append(parts, "reward.user."+s.word+" "+s.text)
			}
		}
	}
	return strings.Join(append(parts, scoring(r.Measured().Settings)...), "; ")
}

// fileSum stands for the content of a file, or for its name where it cannot be read any more.
func fileSum(name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		return name
	}
	sum := sha256.Sum256(data)
	return "sha256 " + hex.EncodeToString(sum[:8])
}

// scoring lists the settings of a task that decide what an answer scores.
func scoring(settings any) []string {
	v := reflect.Indirect(reflect.ValueOf(settings))
	if v.Kind() != reflect.Struct {
		return nil
	}
	var out []string
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Tag.Get("scores") == "yes" {
			out = append(out, fmt.Sprintf("task.%s %v", f.Tag.Get("yaml"), v.Field(i)))
		}
	}
	return out
}

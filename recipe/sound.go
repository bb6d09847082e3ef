package recipe

import "strings"

// pivotal are keys that most rules depend on, whether they name them or not.
var pivotal = []string{"preset", "algorithm", "models", "task.name", "team.protocol", "team.agents", "team.turns", "reward.source", "eval.task.name"}

// failed remembers a key whose value could not be read, or a section with an unknown key, which may have been meant for any key of it.
func (d *decoder) failed(path string) { d.broken = append(d.broken, path) }

// sound says that the values of keys could be read, so that a rule about them can be asked.
func (d *decoder) sound(keys []string) bool {
	for _, broken := range d.broken {
		for _, key := range keys {
			if broken == "" || key == broken || strings.HasPrefix(key, broken+".") || strings.HasPrefix(broken, key+".") {
				return false
			}
		}
	}
	return true
}

// partly asks the rules of a recipe of which some values could not be read, as far as they are about the others: so all mistakes are told
// at once. Rules of a recipe that is no mapping, or whose pivotal keys are wrong, are not asked.
func (d *decoder) partly(r *Recipe) {
	if len(d.broken) == 0 || !d.sound(pivotal) {
		return
	}
	for _, rule := range rules {
		if !d.sound(rule.keys) {
			continue
		}
		if message := rule.broken(r); message != "" {
			d.fail(d.origin(rule.keys), message, rule.hint)
		}
	}
	d.repeatedItems(r)
}

// longestError bounds the message of an error: values that it quotes may be of any length.
const longestError = 600

// brief cuts a message that is too long to read.
func brief(message string) string {
	if len(message) <= longestError {
		return message
	}
	return strings.ToValidUTF8(message[:longestError], "") + "…"
}

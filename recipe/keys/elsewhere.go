package keys

// This file knows what the keys of recipes and the names of algorithms are called elsewhere: in earlier releases, and in TRL, verl,
// prime-rl and their like. Recipes give hints by it.

import (
	"cmp"
	"fmt"
	"strings"
)

// Key says what a key is called here: an earlier release's, with a message, or another tool's, with a hint alone. Both are empty where nothing is
// known.
func Key(path string) (message, hint string) {
	if now, ok := renamed[path]; ok {
		return fmt.Sprintf("%s%s%s", path, renamedTo, now), write(now)
	}
	for old, now := range renamed {
		if rest, ok := strings.CutPrefix(path, old+"."); ok {
			now += "." + rest
			if further, again := renamed[now]; again {
				now = further
			}
			return fmt.Sprintf("%s%s%s", path, renamedTo, now), "write " + now
		}
	}
	if why, ok := absent[path]; ok {
		return path + " is not there: " + why, "leave it out"
	}
	if ours, ok := foreign[path[strings.LastIndexByte(path, '.')+1:]]; ok {
		return "", ours + " is what it is called here"
	}
	return "", ""
}

// Written says, behind a colon, what a change such as learning_rate=1e-3 or algorithm=grpo is called here; nothing where nothing is known.
func Written(change string) string {
	key, value, _ := strings.Cut(change, "=")
	_, hint := Key(key)
	hint = cmp.Or(words[key][value], hint)
	if hint == "" {
		return ""
	}
	return ": " + hint
}

// renamedTo stands between the old and the new name of a key in the message of an error.
const renamedTo = " has been renamed to "

// Renamed says that a message is one of [Key] about an earlier release.
func Renamed(message string) bool { return strings.Contains(message, renamedTo) }

// write says to write a key in its section.
func write(key string) string {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		return "write " + key[i+1:] + " in " + key[:i]
	}
	return "write " + key
}

// Words says, by keys, what to write for values that other tools or earlier releases have.
func Words() map[string]map[string]string { return words }

// renamed is the present key for each key of the releases before 0.2. The old ones are errors; this table goes with the next release.
var renamed = map[string]string{
	"optimiser":            "optimizer",
	"training.questions":   "training.problems",
	"reward.verifier":      "reward.source",
	"reward.user.least":    "reward.user.min",
	"reward.user.most":     "reward.user.max",
	"reward.model.items":   "reward.model.problems",
	"task.verifier":        "task.verifier_problems",
	"task.era":             "task.reward_version",
	"task.damaged":         "task.broken_items",
	"task.most":            "task.max_number",
	"task.form":            "task.style",
	"task.question_tokens": "task.max_question_tokens",
	"task.filter.least":    "task.filter.min_pass_rate",
	"task.filter.most":     "task.filter.max_pass_rate",
	"team.memory":          "team.chat_memory",
	"team.normalise_shown": "team.normalize_visible",
	"group.rows":           "group.padding",
	"group.span":           "group.buffer_across_updates",
	"group.logprobs":       "group.logprobs_at",
	"group.normalise":      "group.normalize",
	"eval.on":              "eval.task",
	"eval.task.task":       "eval.task.name",
	"preference.back":      "preference.checkpoint_age",
}

// absent says of keys of published codes why there are none here.
var absent = map[string]string{
	"group.variant": "algorithm c3 compares messages by the rewards behind them (reward_only); value_only and value_assisted of the published code need a critic of whole transcripts, " +
		"which no algorithm with alternatives trains (iac and maac train critics of single turns)",
}

// foreign names our key for keys that users of TRL, verl, prime-rl and their like type. Only the last part of a key is looked up.
var foreign = map[string]string{
	"learning_rate":               "optimizer.lr",
	"lr":                          "optimizer.lr",
	"weight_decay":                "optimizer.weight_decay",
	"max_grad_norm":               "optimizer.clip_norm",
	"grad_clip":                   "optimizer.clip_norm",
	"warmup_steps":                "optimizer.warmup",
	"lr_scheduler_type":           "optimizer.decay",
	"kl_coef":                     "ppo.kl, or group.kl for group-relative algorithms,",
	"kl_loss_coef":                "ppo.kl, or group.kl for group-relative algorithms,",
	"init_kl_coef":                "ppo.kl, or group.kl for group-relative algorithms,",
	"cliprange":                   "ppo.clip",
	"clip_ratio":                  "ppo.clip",
	"cliprange_value":             "ppo.value_clip",
	"vf_coef":                     "ppo.value_coef",
	"lam":                         "ppo.lambda",
	"num_ppo_epochs":              "ppo.epochs",
	"ppo_epochs":                  "ppo.epochs",
	"max_new_tokens":              "sampling.max_tokens",
	"max_completion_length":       "sampling.max_tokens",
	"response_length":             "sampling.max_tokens",
	"max_response_length":         "sampling.max_tokens",
	"num_generations":             "group.size",
	"group_size":                  "group.size",
	"rollouts_per_example":        "group.size",
	"batch_size":                  "training.problems",
	"train_batch_size":            "training.problems",
	"per_device_train_batch_size": "training.problems",
	"gradient_accumulation_steps": "training.problems",
	"max_steps":                   "training.updates",
	"total_training_steps":        "training.updates",
	"num_train_epochs":            "training.updates",
	"save_steps":                  "training.checkpoint",
	"model_name_or_path":          "model",
	"model_name":                  "model",
	"dataset":                     "task.path",
	"dataset_name":                "task.path",
	"lora_r":                      "policies.rank",
	"lora_rank":                   "policies.rank",
	"lora_alpha":                  "policies.alpha",
	"lora_dropout":                "policies.dropout",
	"lora_target_modules":         "policies.targets",
	"target_modules":              "policies.targets",
	"load_in_8bit":                "engine.dtype",
	"load_in_4bit":                "engine.dtype",
	"torch_dtype":                 "engine.dtype",
	"num_agents":                  "team.agents",
	"num_turns":                   "team.turns",
	"reward_funcs":                "reward.source",
	"system_prompt":               "team.prompts.system",
}

var words = map[string]map[string]string{
	"algorithm": {
		"grpo":      "write magrpo: with team.protocol single, or with one agent, it is GRPO",
		"ppo":       "write mappo: with team.protocol single it is PPO of one agent",
		"maporl":    "write mappo",
		"reinforce": "write mareinforce",
		"rloo":      "write marloo",
		"dpo":       "write madpo, which learns from pairs of joint responses",
	},
	// These were words for the algorithms that play so.
	"group.rollout": {
		"atgrpo": "write algorithm: atgrpo, or with algorithm sweet rollout: chain",
		"c3":     "write algorithm: c3",
	},
	"credit.rule": {
		"atgrpo": "write algorithm: atgrpo, with credit: {std: sample, divide: add}",
		"c3":     "write algorithm: c3, with group: {fanout: [4, 2]}",
	},
}

package datacmd

import (
	"reflect"

	"parley/recipe/keys"
	"parley/recipe/schema"
	"parley/task"
)

// scoringSettings returns the settings of a task with changes of the form key=value, such as scorer=robust. Only what changes how single
// responses are scored can be changed. An error is an [*schema.Errors].
func scoringSettings(t *task.Type, sets []string) (settings any, err error) {
	of := reflect.TypeOf(t.Settings)
	root := schema.Of(of)
	var keys []string
	for _, f := range root.Fields {
		if f.Tag.Get("scores") == "yes" {
			keys = append(keys, f.Name)
		}
	}
	settings = reflect.New(of).Interface()
	return settings, schema.Change("task "+t.Name, root, settings, keys, sets)
}

// changedUser returns the settings of a user's own reward with changes of the form key=value. names are the keys that can be changed.
func changedUser(names, sets []string) (u keys.User, err error) {
	err = schema.Change("the reward", schema.Of(reflect.TypeFor[keys.User]()), &u, names, sets)
	return u, err
}

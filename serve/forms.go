package serve

import (
	"sync"

	"parley/model/form"
	"parley/model/form/lexicon"
)

// AnyObject is the schema of any object of JSON.
const AnyObject = `{"type":"object"}`

// SchemaForm is the form of a JSON schema, as [Question] has it.
func SchemaForm(schema []byte) (string, error) {
	text, err := form.OfSchema(schema)
	if err == nil {
		_, err = form.Parse(text)
	}
	return text, err
}

// ChoiceForm is the form of one of several texts.
func ChoiceForm(texts []string) (string, error) {
	var all [][]lexicon.Part
	for _, text := range texts {
		all = append(all, []lexicon.Part{{Text: text}}[:min(len(text), 1)]) // no part is empty
	}
	return lexicon.OfParts(all)
}

// formed says which forms a model's answers can have. It is safe for concurrent use.
type formed struct {
	mu     sync.Mutex
	tokens *lexicon.Lexicon // made when the first form comes
}

// CheckForm implements [Writer].
func (w writer) CheckForm(text string) error {
	w.formed.mu.Lock()
	defer w.formed.mu.Unlock()
	if w.formed.tokens == nil {
		tokens, err := w.speaker.Model.Lexicon()
		if err != nil {
			return err
		}
		w.formed.tokens = tokens
	}
	_, err := w.formed.tokens.Open(text)
	return err
}

// Hold puts a form into a question to a model, for the field that asks for it.
func (q *Question) Hold(m *Model, field, text string) *Failure {
	w, writes := m.Answerer.(Writer)
	if !writes {
		why := "calls tools of its own, which have another form"
		if _, several := m.Answerer.(*Team); several {
			why = "is a team, whose agents have forms of their own: ask one of its agents"
		}
		return Bad(field, "%s %s", m.ID, why).Coded("unsupported_parameter")
	}
	if own := w.Settings().Form; own != "" && own != text {
		return Bad(field, "%s answers in the form of its recipe: leave %s out", m.ID, field).Coded("unsupported_parameter")
	}
	if err := w.CheckForm(text); err != nil {
		return Bad(field, "%s: %v", field, err).Coded("invalid_schema")
	}
	q.Form, q.field = text, field
	return nil
}

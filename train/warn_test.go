package train

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/model"
	"parley/train/lineup"
)

// A team of several turns over a model whose template drops reasoning from earlier turns is told so once; a team of one turn is not.
func TestWarnOfRewritingTemplates(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "model", "shipped", "model"))); err != nil {
		t.Fatal(err)
	}
	template := `{% for m in messages %}{{ m.role }}: {{ m.content.split('</think>')[-1] }}
{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}`
	if err := os.WriteFile(filepath.Join(dir, "chat_template.jinja"), []byte(template), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model string
		turns string
		want  int
	}{{dir, "2", 1}, {dir, "1", 0}, {model.Shipped, "2", 0}} {
		r, err := lang.Load("debate-sums", []string{"model=" + c.model, "team.turns=" + c.turns})
		if err != nil {
			t.Fatal(err)
		}
		s, err := lineup.Open(t.Context(), r, native.Backend{})
		if err != nil {
			t.Fatal(err)
		}
		notes := s.TemplateNotes()
		s.Close()
		if len(notes) != c.want || c.want > 0 && !strings.Contains(notes[0], "reasoning") {
			t.Errorf("%s, %s turns: %q", c.model, c.turns, notes)
		}
	}
}

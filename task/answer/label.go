package answer

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What models write before an answer, in lower case: nouns that a colon follows, and beginnings of sentences. Words of one language each.
const (
	nouns = `(?:(?:my |our |the |your )?(?:final |correct |right |overall |short |numerical |numeric |exact )*(?:answer|ans|result|solution|conclusion|output)` +
		`(?: (?:to|for) (?:the|this|your) (?:question|problem|exercise))?` +
		`|(?:la |ma |votre )?(?:bonne )?(?:r[ée]ponse|solution)(?: (?:finale|correcte|exacte))?|(?:le )?(?:résultat|resultat)(?: final)?` +
		`|(?:die |meine )?(?:endgültige |richtige |korrekte |finale )?(?:antwort|lösung|endantwort|schlussantwort)|(?:das )?(?:endergebnis|ergebnis)` +
		`|(?:la |mi )?(?:respuesta|solución|solucion)(?: (?:final|correcta))?|(?:el )?resultado(?: final)?` +
		`|(?:a |minha )?(?:resposta|solução)(?: (?:final|correta|correcta))?|(?:o )?resultado final` +
		`|(?:la |mia )?(?:risposta|soluzione)(?: (?:finale|corretta|esatta))?|(?:il )?risultato(?: finale)?` +
		`|(?:het |mijn )?(?:juiste |uiteindelijke )?(?:antwoord|eindantwoord)|(?:(?:det|mitt|mit) )?(?:endelige |slutliga |riktiga )?(?:svaret|svar|slutsvar)` +
		`|(?:lopullinen )?vastaus|(?:окончательный |правильный |итоговый )?ответ|(?:остаточна |правильна )?відповідь|(?:краен |правилен )?отговор` +
		`|(?:ostateczna |poprawna |prawidłowa )?odpowiedź|(?:konečná |správná )?odpověď|(?:a )?(?:végső |helyes )?válasz|răspuns(?:ul)?(?: (?:final|corect))?` +
		`|(?:η )?(?:τελική |σωστή )?απάντηση|(?:son |doğru |nihai )?(?:cevap|yanıt)|(?:jawaban|jawapan)(?:nya)?(?: (?:akhir|akhirnya|yang benar))?|(?:đáp án|đáp số|câu trả lời)(?: (?:cuối cùng|đúng))?` +
		`|(?:ال)?(?:إجابة|اجابة|جواب)(?: (?:النهائية|الصحيحة|النهائي))?|התשובה(?: הסופית)?|תשובה(?: סופית)?|(?:پاسخ|جواب)(?: نهایی)?` +
		`|(?:अंतिम )?उत्तर|(?:चूड़ांत |চূড়ান্ত )?উত্তর|คำตอบ(?:สุดท้าย)?(?:คือ)?|(?:இறுதி )?பதில்` +
		`|(?:最终|最後|最后|正确|正確|标准)?(?:的)?(?:答案|答|结果|結果|答え|解答|回答|答复)|(?:最終的な|最終)(?:答え|解答|回答|結論)|(?:최종 ?|정 ?)?(?:답변|정답|답|해답))`
	verbs = `(?:is|are|was|would be|should be|will be|must be|is thus|is therefore|equals|comes to|est|vaut|ist|lautet|sei|es|será|é|è|is dus|är|er|on|jest|je|to|este|είναι|adalah|ialah|là|هو|هي|היא|הוא|है|是|为|為|は|：|은|는|이|가)`
	intro = `(?:(?:so|thus|therefore|hence|then|finally|in conclusion|in summary|overall|and|consequently|accordingly|as a result|i think|i believe|we get|also|somit|daher|also ist|donc|ainsi|por lo tanto|por tanto|así que|entonces|portanto|logo|quindi|dunque|dus|итак|таким образом|значит|поэтому|所以|因此|综上所述|综上|故|よって|したがって|ゆえに|따라서|그러므로|즉)(?: that)?[,:，、]?\s*)*`
)

var (
	labelHead = longest("(?i)^(\\*{1,3}|_{1,2}|`|~~|\"|“|【|\\[|「|『)?[\\s\\x{2600}-\\x{27BF}\\x{1F000}-\\x{1FAFF}\\x{FE0F}]*(?:" + intro + nouns + ")(?:\\s*\\([^()]{0,40}\\))?([*_`~\"”】\\]」』]{0,3})")
	colon     = longest(`(?i)^\s*` + verbs + `?\s*(?:[:：=＝∶﹕|→⇒➜➡⟹]|-->|->|=>)`)
	verb      = longest(`(?i)^\s*` + verbs)
	dash      = regexp.MustCompile(`^\s*(?:[-–—―]+\s|[—―]+|–)|^-`)
	marked    = regexp.MustCompile("^\\s+[*_`$\\\\]|^\\s+[-−+]?[$€£¥₹]?\\p{Nd}")
	copula    = regexp.MustCompile(`^(.*[^\s])\s*(?:です|だ|である|となります|になります|입니다|이다|예요|이에요)[。.．]?$`)
	inside    = regexp.MustCompile(`[.!?。！？;；,，:]\s*|\*\*\s*`) // where a sentence may begin
)

func longest(expression string) *regexp.Regexp {
	r := regexp.MustCompile(expression)
	r.Longest()
	return r
}

// closings are what may close an opening mark.
var closings = map[string]string{"“": "”", "【": "】", "[": "]", "「": "」", "『": "』"}

// labelOff takes the label off, and what closes the emphasis that began with it. A sentence may stand before it.
func labelOff(s string) string {
	if rest, ok := behindLabel(s); ok {
		return rest
	}
	starts := inside.FindAllStringIndex(s, -1)
	for i := len(starts) - 1; i >= max(0, len(starts)-mostStarts); i-- {
		if rest, ok := behindLabel(s[starts[i][1]:]); ok && trim(rest) != "" {
			return rest
		}
	}
	return s
}

// mostStarts is in how many places of a line a label is looked for.
const mostStarts = 32

func behindLabel(s string) (rest string, ok bool) {
	m := labelHead.FindStringSubmatchIndex(s)
	if m == nil {
		return s, false
	}
	width, ok := separator(s[m[1]:])
	if !ok {
		return s, false
	}
	rest = s[m[1]+width:]
	if m[2] >= 0 && m[4] == m[5] {
		rest = closed(rest, s[m[2]:m[3]])
	}
	if rest = trim(rest); copula.MatchString(rest) {
		rest = trim(copula.FindStringSubmatch(rest)[1])
	}
	return rest, true
}

// separator is how many bytes stand between a label and its answer. A dash between spaces, or a long one, stands for a colon; in "Answer -7" it
// is the sign of the number.
func separator(s string) (width int, ok bool) {
	if m := colon.FindString(s); m != "" {
		return len(m), true
	}
	if m := verb.FindString(s); m != "" {
		next, _ := utf8.DecodeRuneInString(s[len(m):])
		last, _ := utf8.DecodeLastRuneInString(m)
		if len(m) == len(s) || !unicode.IsLetter(next) || unicode.In(last, unicode.Han, unicode.Hiragana, unicode.Hangul) {
			return len(m), true
		}
	}
	if m := dash.FindString(s); m != "" {
		return len(m), true
	}
	return 0, marked.MatchString(s)
}

// closed takes the first mark out of a text that closes what was opened before the label.
func closed(rest, opening string) string {
	closing := closings[opening]
	if closing == "" {
		closing = opening
	}
	if at := strings.Index(rest, closing); at >= 0 {
		return rest[:at] + rest[at+len(closing):]
	}
	return rest
}

// isLabel says whether a cell is a label alone.
func isLabel(cell string) bool {
	rest, ok := behindLabel(strings.Trim(cell, "*_`: ：") + ": x")
	return ok && rest == "x"
}

package picture

import "fmt"

// A picture of more asks than most leaves out the middle: it shows the first and the last ones.
const most, first, final = 18, 11, 6

// short is a table without the middle of a long workflow: one row and one column stand for what is left out.
func (t table) short() table {
	asks := 0
	for _, r := range t.rows {
		if r.kind == ask {
			asks++
		}
	}
	if asks <= most {
		return t
	}
	from, to := t.at(first), t.at(asks-final)
	place, columns := t.withoutColumns(from, to)
	gap := row{kind: left, label: fmt.Sprintf("… %d more asks", asks-first-final), agent: nobody}
	rows := append(append([]row{}, t.rows[:from]...), gap)
	rows = append(rows, t.rows[to:]...)
	for i, r := range rows {
		rows[i].marks = moved(r.marks, place)
	}
	return table{title: t.title, columns: columns, rows: rows, notes: t.notes}
}

// at is the row of the n-th ask.
func (t table) at(n int) int {
	for i, r := range t.rows {
		if r.kind != ask {
			continue
		}
		if n--; n < 0 {
			return i
		}
	}
	return len(t.rows)
}

// withoutColumns leaves out the columns of what rows from the one number to the other made. place is where each column now stands.
func (t table) withoutColumns(from, to int) (place []int, columns []column) {
	gap := -1
	for i, c := range t.columns {
		if c.row < from || c.row >= to {
			place, columns = append(place, len(columns)), append(columns, t.columns[i])
			continue
		}
		if gap < 0 {
			gap = len(columns)
			columns = append(columns, column{"…", nobody, nobody})
		}
		place = append(place, gap)
	}
	return place, columns
}

// moved are marks in the columns where they now stand. One stands for all that a prompt shows of what is left out.
func moved(marks map[int][]mark, place []int) map[int][]mark {
	shared := map[int]int{} // how many columns stand in one place
	for _, to := range place {
		shared[to]++
	}
	out := map[int][]mark{}
	for at, list := range marks {
		if shared[place[at]] > 1 {
			list = []mark{some}
		}
		out[place[at]] = list
	}
	return out
}

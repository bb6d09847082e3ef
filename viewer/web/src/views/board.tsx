// Boards: the field of a game, drawn from an observation. The game says how it is found there; an environment of the user's own says it in its info.
import type { Board } from '../types'
import { visible } from '../text'

// fieldOf is the field that an observation has, row by row; null: it has none.
export function fieldOf({ side, text }: Board, seen: string | undefined): string[][] | null {
  const found = new RegExp(text).exec(seen ?? '')
  if (!found) return null
  if (!found.groups) return found.slice(1).map((row) => [...row])
  const field = Array.from({ length: side }, () => Array.from({ length: side }, () => ''))
  for (const [piece, at] of Object.entries(found.groups)) {
    const row = field[Number(at[0]) - 1]
    const column = Number(at[1]) - 1
    if (row?.[column] !== undefined) row[column] += (row[column] && ' ') + piece
  }
  return field
}

// most is how many rows and columns of a field are drawn.
const most = 40

// fieldIn is the field that an info names: its member board is a list of rows of equal width.
export function fieldIn(info: unknown): string[][] | null {
  const board = typeof info === 'object' && info !== null && 'board' in info ? info.board : null
  if (!Array.isArray(board) || board.length === 0 || board.length > most) return null
  const rows = board.map((row: unknown) => (typeof row === 'string' ? [...row] : []))
  const width = rows[0]!.length
  return width > 0 && width <= most && rows.every((row) => row.length === width) ? rows : null
}

// Field draws it; marked are cells that changed since the field before and are not free.
export function Field({ of: field, before }: { of: string[][]; before?: string[][] | null | undefined }) {
  const moved = (row: number, column: number) => Boolean(before?.[row]) && before![row]![column] !== field[row]![column] && !free(field[row]![column]!)
  const changes = field.flatMap((cells, r) => cells.flatMap((cell, c) => (moved(r, c) ? [`${cell} at row ${r + 1}, column ${c + 1}`] : [])))
  const said = field.map((cells) => cells.map((cell) => cell || '·').join(' ')).join(' / ')
  return (
    <div class="board" role="img" aria-label={`board: ${said}${changes.length > 0 ? `; new: ${changes.join('; ')}` : ''}`} style={{ '--columns': String(field[0]!.length) }}>
      {field.flatMap((cells, r) => cells.map((cell, c) => <span key={`${r}:${c}`} class={moved(r, c) ? 'moved' : free(cell) ? 'dim' : ''}>{visible(cell)}</span>))}
    </div>
  )
}

// A free cell is empty, or has a dot, or the number of its move.
const free = (cell: string) => /^[\s.\d_]*$/.test(cell)

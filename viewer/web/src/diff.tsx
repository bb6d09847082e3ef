// Differences between two texts, word by word, marked with more than color: what is new is underlined, what is gone is struck out.
import { cutAt, visible } from './text'

export interface Piece {
  kind: 'same' | 'new' | 'gone'
  text: string
}

const most = 1200

const words = (text: string) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []

// diff compares by the longest common subsequence of words. Long texts are compared as wholes: that many words would take too long.
export function diff(before: string, after: string): Piece[] {
  const [a, b] = [words(before), words(after)]
  if (before === after) return [{ kind: 'same', text: after }]
  if (a.length > most || b.length > most) return [{ kind: 'gone', text: before }, { kind: 'new', text: after }]
  const width = b.length + 1
  const common = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j] ? common[(i + 1) * width + j + 1]! + 1 : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
    }
  }
  const out: Piece[] = []
  const add = (kind: Piece['kind'], text: string) => (out.at(-1)?.kind === kind ? (out.at(-1)!.text += text) : out.push({ kind, text }))
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) add('same', (i++, b[j++]!))
    else if (i < a.length && (j === b.length || common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) add('gone', a[i++]!)
    else add('new', b[j++]!)
  }
  return out
}

export function Difference({ before, after, limit = 6000 }: { before: string; after: string; limit?: number }) {
  const pieces = diff(cutAt(before, limit), cutAt(after, limit))
  return (
    <div class="said" dir="auto">
      {pieces.map((p, i) => (p.kind === 'same' ? <span key={i}>{visible(p.text)}</span> : p.kind === 'new' ? <ins key={i}>{visible(p.text)}</ins> : <del key={i}>{visible(p.text)}</del>))}
      {after.length > limit && <span class="cut"> … {(after.length - limit).toLocaleString('en')} more characters</span>}
    </div>
  )
}

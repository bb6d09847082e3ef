// Texts that models, problems and strangers wrote. They are only ever set as text. Marks that turn the direction of writing or that nobody can see
// are shown by their names, every text is isolated from what stands around it, and long texts are cut until the reader asks for all.
import { useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'

const names: Record<number, string> = {
  0x00ad: 'SHY', 0x061c: 'ALM', 0x200b: 'ZWSP', 0x200c: 'ZWNJ', 0x200d: 'ZWJ', 0x200e: 'LRM', 0x200f: 'RLM', 0x2028: 'LS', 0x2029: 'PS', 0x202a: 'LRE', 0x202b: 'RLE',
  0x202c: 'PDF', 0x202d: 'LRO', 0x202e: 'RLO', 0x2060: 'WJ', 0x2066: 'LRI', 0x2067: 'RLI', 0x2068: 'FSI', 0x2069: 'PDI', 0xfeff: 'BOM',
}

const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

function nameOf(mark: string): string {
  const code = mark.codePointAt(0)!
  return names[code] ?? (code < 0x20 ? String.fromCodePoint(0x2400 + code) : 'U+' + code.toString(16).toUpperCase().padStart(4, '0'))
}

// visible puts names in the place of marks that cannot be seen.
export function visible(text: string): ComponentChildren[] {
  const out: ComponentChildren[] = []
  let from = 0
  for (const found of text.matchAll(hidden)) {
    // A joiner between emoji is part of them.
    if (found[0] === '\u200d' && /\p{Extended_Pictographic}\ufe0f?$/u.test(text.slice(Math.max(0, found.index - 4), found.index))) continue
    if (found.index > from) out.push(text.slice(from, found.index))
    out.push(<span class="mark" title={'a character that cannot be seen: ' + nameOf(found[0])}>{nameOf(found[0])}</span>)
    from = found.index + found[0].length
  }
  if (from < text.length) out.push(text.slice(from))
  return out
}

// The texts of a page together may be long; one is cut at so many characters, without splitting a surrogate pair.
export function cutAt(text: string, length: number): string {
  if (text.length <= length) return text
  const code = text.charCodeAt(length - 1)
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? length - 1 : length)
}

// What code is made of, in the languages that agents write: comments, strings, words of the language, numbers.
const code = /(#[^\n]*|\/\/[^\n]*)|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\b(def|return|if|elif|else|for|while|in|is|not|and|or|import|from|class|try|except|finally|with|as|lambda|None|True|False|yield|raise|pass|break|continue|assert|func|var|let|const|function|new|null|true|false)\b|\b(\d+(?:\.\d+)?)\b/g
const kinds = ['comment', 'string', 'word', 'number']

function highlighted(text: string): ComponentChildren[] {
  const out: ComponentChildren[] = []
  let from = 0
  for (const found of text.matchAll(code)) {
    out.push(...visible(text.slice(from, found.index)), <span class={'code-' + kinds[found.slice(1).findIndex((part) => part !== undefined)]}>{visible(found[0])}</span>)
    from = found.index + found[0].length
  }
  return [...out, ...visible(text.slice(from))]
}

// linesOf is the beginning of a text: so many of its lines.
function linesOf(text: string, lines: number): string {
  let end = -1
  for (let n = 0; n < lines; n++) {
    end = text.indexOf('\n', end + 1)
    if (end < 0) return text
  }
  return text.slice(0, end)
}

// Code is code within a line.
export function Code({ text, limit }: { text: string; limit: number }) {
  const shown = cutAt(text, limit)
  return <code class="short">{highlighted(shown)}{shown.length < text.length && '…'}</code>
}

// A program begins so in some line.
const begins = /^\s*(def|class|import|from|@\w+)\b/m

// written is a text in which what stands between three backquotes is code; where a program was asked for, all of it is, if a line begins one.
function written(text: string, program = false): ComponentChildren[] {
  if (!text.includes('```')) return program && begins.test(text) ? highlighted(text) : visible(text)
  return text.split(/(^```\w*\n[^]*?(?:^```$|(?![^])))/m).flatMap((part) => (part.startsWith('```') ? [<span class="fenced">{highlighted(part)}</span>] : visible(part)))
}

interface SaidProps {
  text: string
  limit?: number
  lines?: number // shown at first
  // Characters that the server left out, and how to get them.
  more?: number
  program?: boolean // a program was asked for
  whole?: () => Promise<string>
  class?: string
}

// Said is a text of several lines.
export function Said({ text, limit = 4000, lines, more = 0, program, whole, class: name = '' }: SaidProps) {
  const [all, setAll] = useState<string | null>(null)
  const [why, setWhy] = useState('')
  const full = all ?? text
  const begun = cutAt(lines ? linesOf(full, lines) : full, limit)
  const shown = all === null ? begun : full
  const missing = full.length - shown.length + (all === null ? more : 0)
  const showAll = async () => {
    try {
      setAll(more > 0 && whole ? await whole() : text)
    } catch (e) {
      setWhy(e instanceof Error ? e.message : String(e))
    }
  }
  return (
    <div class={'said ' + name} dir="auto">
      {written(shown, program)}
      {missing > 0 && (
        <span class="cut" dir="ltr">
          … <button type="button" class="plain" onClick={(e) => (e.stopPropagation(), void showAll())}>show all, {missing.toLocaleString('en')} more characters</button> {why}
        </span>
      )}
      {lines && all !== null && <span class="cut" dir="ltr"> <button type="button" class="plain" onClick={(e) => (e.stopPropagation(), setAll(null))}>show less</button></span>}
      {shown === '' && missing === 0 && <span class="nothing">(nothing)</span>}
    </div>
  )
}

// treeOf is the object or list that a text is, such as an answer of a form or the arguments of a call; null: it is none, or too long to be shown so.
export function treeOf(text: string): object | null {
  const begin = text.trimStart()[0]
  if ((begin !== '{' && begin !== '[') || text.length > 20_000) return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

// Tree shows an object by its keys. What lies deep, or is long, opens at a press.
export function Tree({ of, depth = 0 }: { of: unknown; depth?: number }) {
  if (typeof of !== 'object' || of === null) return <span class={'leaf ' + typeof of}><Short text={typeof of === 'string' ? of : JSON.stringify(of)} limit={600} /></span>
  const entries = Object.entries(of)
  if (entries.length === 0) return <span class="leaf">{Array.isArray(of) ? '[]' : '{}'}</span>
  const rows = entries.slice(0, 200).map(([key, value]) => <div key={key}><span class="key"><Short text={key} limit={60} /></span> <Tree of={value} depth={depth + 1} /></div>)
  if (depth === 0 || (depth < 3 && entries.length <= 8)) return <div class="tree">{rows}</div>
  return <details class="tree"><summary onClick={(e) => e.stopPropagation()}>{entries.length} {Array.isArray(of) ? 'items' : 'keys'}</summary>{rows}</details>
}

// Answer is what an agent said: as an object where it is one, and as it was written at a press.
export function Answer(props: SaidProps) {
  const [raw, setRaw] = useState(false)
  const tree = (props.more ?? 0) > 0 ? null : treeOf(props.text)
  if (!tree) return <Said {...props} />
  return (
    <div class="answer">
      {raw ? <Said {...props} /> : <Tree of={tree} />}
      <button type="button" class="plain small" onClick={(e) => (e.stopPropagation(), setRaw(!raw))}>{raw ? 'as an object' : 'as it was written'}</button>
    </div>
  )
}

// Short is a text within a line.
export function Short({ text, limit = 200 }: { text: string; limit?: number }) {
  const shown = cutAt(text, limit)
  return <bdi class="short">{visible(shown.replaceAll('\n', ' '))}{shown.length < text.length && '…'}</bdi>
}

// Why an answer was punished or rewarded: the formulas with their numbers, its siblings, what it was asked, its tokens.
import { num, shownZero, signed } from '../format'
import { Scroll, Signed, Verdict } from '../parts'
import { Said, Short } from '../text'
import { nameOf, weighed, type Cell, type Completion, type Formula, type Node } from '../types'
import type { Answer } from './path'
import { TokenStrip } from './tokens'

interface Props {
  cell: Cell
  completion: number
  at: Answer
  siblings: Answer[]
  nodes: Node[]
  pick: (answer: Answer) => void
  note: string
  critic: boolean
  tokens: boolean
  setTokens: (open: boolean) => void
  path: string
  query: Record<string, string | number | undefined>
}

export function Why({ cell, completion, at, siblings, nodes, pick, note, critic, tokens, setTokens, path, query }: Props) {
  const one = cell.completions.find((c) => c.completion === completion) ?? cell.completions[0]
  if (!one) return null
  return (
    <section class="why" aria-label="why">
      <p><b>{sentence(one, cell, critic)}</b> {one.formula.length > 0 && <span class="dim">{note}</span>}</p>
      {one.formula.map((f) => <FormulaView key={f.name} f={f} />)}
      {siblings.length > 1 && <Siblings list={siblings} nodes={nodes} at={at} pick={pick} />}
      <details>
        <summary>what <Short text={cell.name} /> was asked ({cell.prompt_tokens} tokens{cell.dropped > 0 && `, ${cell.dropped} dropped at the beginning`})</summary>
        {cell.messages.map((m, i) => <div class="message" key={i}><b><Short text={m.role} /></b><Said text={m.content} limit={3000} /></div>)}
        <p class="dim">temperature {num(cell.sampling.temperature)}{cell.sampling.top_k > 0 && `, top-k ${cell.sampling.top_k}`}, top-p {num(cell.sampling.top_p)}</p>
      </details>
      {one.visible !== null && <details><summary>what others see of it</summary><Said text={one.visible} limit={3000} /></details>}
      <details open={tokens} onToggle={(e) => setTokens(e.currentTarget.open)}>
        <summary title="t">tokens</summary>
        {tokens && <TokenStrip path={path} query={query} />}
      </details>
    </section>
  )
}

function sentence(one: Completion, cell: Cell, critic: boolean): string {
  if (cell.speaker) return `${cell.name} is a ${cell.speaker}: nothing is learned from what it says.`
  if (cell.opponent) return 'An earlier policy said this: nothing is learned from it.'
  if (one.masked) return 'This answer has no part in a loss: it is masked.'
  if (!weighed(one)) return `The return of this answer is ${num(one.reward)}.${critic ? ' Whether that is more or less than was expected, a critic says token by token.' : ''}`
  if (shownZero(one.advantage)) return `The advantage of this answer is ${signed(one.advantage)}: it becomes neither more nor less probable.`
  if (one.advantage < 0) return `This answer was punished: its advantage is ${signed(one.advantage)}, so it becomes less probable.`
  return `This answer was rewarded: its advantage is ${signed(one.advantage)}, so it becomes more probable.`
}

function FormulaView({ f }: { f: Formula }) {
  return (
    <div class="formula">
      <div><b>{nameOf(f.name)}</b> <span class="dim mono"><Short text={f.formula} limit={400} /></span></div>
      <div class="big"><Short text={f.filled} limit={600} />{!f.exact && <span class="dim"> (not all terms were recorded)</span>}</div>
      {f.terms.length > 0 && (
        <Scroll label={'terms of the ' + nameOf(f.name)}>
          <table>
            <tbody>{f.terms.map((t, i) => <tr key={i}><td class="mono"><Short text={t.symbol} /></td><td class="num">{num(t.value)}</td><td class="dim"><Short text={t.what} limit={300} /></td></tr>)}</tbody>
          </table>
        </Scroll>
      )}
      {f.note && <p class="dim">{f.note}</p>}
    </div>
  )
}

function Siblings({ list, nodes, at, pick }: { list: Answer[]; nodes: Node[]; at: Answer; pick: (answer: Answer) => void }) {
  return (
    <details>
      <summary title="[ and ]">{list.length} siblings: the same agent at the same place</summary>
      <Scroll label="siblings">
        <table>
          <thead><tr><th>no.</th><th>answer</th><th></th><th class="num">return</th><th class="num">advantage</th><th>text</th></tr></thead>
          <tbody>
            {list.slice(0, 64).map((a, i) => {
              const node = nodes.find((n) => n.node === a.node)!
              const one = node.cells[a.cell]!.completions.find((c) => c.completion === a.completion)!
              const here = a.node === at.node && a.cell === at.cell && a.completion === at.completion
              return (
                <tr key={`${a.node}:${a.cell}:${a.completion}`}>
                  <td><button type="button" class="small" aria-current={here ? 'true' : undefined} onClick={() => pick(a)}>{i + 1}</button></td>
                  <td>{one.answer !== null && <Short text={one.answer} limit={40} />}</td><td><Verdict correct={one.correct} /></td>
                  <td class="num">{num(one.reward)}</td><td class="num"><Signed x={one.advantage} /></td><td class="text dim"><Short text={one.text} limit={90} /></td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </Scroll>
    </details>
  )
}

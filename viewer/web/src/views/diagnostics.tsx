// What was looked for in training, what was found, and where: evidence leads to its episode.
import { useEffect } from 'preact/hooks'
import { ofRun, useGet } from '../api'
import { num } from '../format'
import { Scroll, Wait } from '../parts'
import { link } from '../route'
import { Said, Short } from '../text'
import type { Diagnostics, Evidence, Finding } from '../types'

const name = (kind: string) => kind.replaceAll('_', ' ')

export function DiagnosticsTab({ id, version }: { id: string; version: number }) {
  const found = useGet<Diagnostics>(ofRun(id, '/diagnostics'), undefined, true)
  useEffect(() => {
    if (version > 0) found.again()
  }, [version])
  return (
    <Wait of={found}>
      {(data) => {
        const checked = data.checked ?? []
        return <>
          {data.update > 0 && <p class="dim">After update {data.update}. The page docs/diagnostics.md says what each rule means.</p>}
          <h2>Found</h2>
          {data.diagnostics.length === 0 && <p>{checked.length > 0 ? 'Nothing fired.' : 'Nothing was looked for: no update has been looked at, or nothing is trained.'}</p>}
          {data.diagnostics.map((d) => <One key={d.kind + d.rule + d.agent} id={id} d={d} />)}
          {checked.length > 0 && <><h2>Looked at</h2>
          <Scroll label="what was looked at">
            <table>
              <thead><tr><th>kind</th><th>rule</th><th>agent</th><th class="num">value</th><th>fires at</th><th>result</th></tr></thead>
              <tbody>
                {checked.map((c) => (
                  <tr key={c.kind + c.rule + c.agent}>
                    <th scope="row">{name(c.kind)}</th><td>{name(c.rule)}</td><td>{c.name ?? (c.agent || '')}</td>
                    <td class="num">{num(c.value)}</td><td class="n">{c.sense} {num(c.threshold)}</td><td>{c.fired ? <span class="flag">⚑ fired</span> : c.moot ? 'moot' : 'quiet'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll></>}
          {(data.unchecked ?? []).length > 0 && (
            <details>
              <summary>{data.unchecked.length} rules do not apply</summary>
              {data.unchecked.map((u) => <p key={u.rule}><b>{name(u.rule)}</b>: <Short text={u.why} limit={400} /></p>)}
            </details>
          )}
        </>
      }}
    </Wait>
  )
}

function One({ id, d }: { id: string; d: Finding }) {
  return (
    <article class="panel">
      <h3><span class="flag"><span aria-hidden="true">⚑</span> {name(d.kind)}</span> <span class="dim">{name(d.rule)} {d.name ?? (d.agent ? `agent ${d.agent}` : '')}</span></h3>
      <p class="n">{num(d.value)} {d.sense} {num(d.threshold)} <span class="dim">updates {d.first_update} to {d.last_update}</span></p>
      {d.remedy && <Said text={d.remedy} />}
      {(d.evidence ?? []).length > 0 && (
        <p>
          evidence: {d.evidence!.map((e, i) => <span key={i}>{i > 0 && ', '}{e.held_out ? <span>held-out problem <Short text={e.problem} /></span> : <a href={where(id, e)}>update {e.update}, episode {e.index}</a>}</span>)}
        </p>
      )}
    </article>
  )
}

const where = (id: string, e: Evidence) => link(['runs', id, 'episodes', e.update, e.index], { node: e.node, action: e.action, agent: e.agent ? e.agent - 1 : undefined })

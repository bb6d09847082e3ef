// A study: its question, a table of what each cell came to, what differs, and what is still to be run.
import { useState } from 'preact/hooks'
import { useEvents, useGet } from '../api'
import { num, overSeeds, plural, pValue, score, signedInterval } from '../format'
import { Scroll, Signed, StateOf, Wait } from '../parts'
import { go, link, toCompare } from '../route'
import { Short } from '../text'
import type { RunRow, Study, StudyCell, StudyMean } from '../types'

export function StudyView({ id }: { id: string }) {
  return <Wait of={useStudy(id)}>{(data) => <><h1><Short text={data.results?.study ?? data.id} limit={90} /></h1><Whole study={data} /></>}</Wait>
}

// Variants are those of an experiment: what each changes, and what came of it.
export function Variants({ id }: { id: string }) {
  return <Wait of={useStudy(id)}>{(data) => <Whole study={data} />}</Wait>
}

function useStudy(id: string) {
  const study = useGet<Study>('/studies/' + encodeURIComponent(id), undefined, true)
  useEvents('/events', { runs: (news: { changed: RunRow[] | null }) => (news.changed ?? []).some((r) => r.id === id || r.id.startsWith(id + '/')) && study.again() }, study.again)
  return study
}

const doneOf = (study: Study) => study.results?.cells.reduce((n, cell) => n + cell.seeds.length, 0) ?? 0

function Whole({ study }: { study: Study }) {
  const [chosen, setMetric] = useState('')
  const [first, setFirst] = useState('')
  const { results } = study
  const choose = (cell: StudyCell) => {
    const other = study.cells.find((c) => c.name === first)
    if (!other || other === cell) setFirst(other === cell ? '' : cell.name)
    else go(toCompare([...begunOf(other), ...begunOf(cell)]))
  }
  const metric = study.metrics.includes(chosen) ? chosen : (study.metrics[0] ?? '')
  return (
    <>
      {study.problem && <p class="trouble">The {study.experiment ? 'experiment' : 'study'} cannot be read: <Short text={study.problem} limit={600} /></p>}
      {results && (
        <>
          <p><Short text={results.question} limit={600} /></p>
          <p class="dim">{doneOf(study)} of {plural(study.runs, 'run')} {doneOf(study) === 1 ? 'is' : 'are'} done{results.failed.length > 0 && `, ${results.failed.length} failed`}. Means are over seeds, with Student's 95 % intervals.</p>
          <div class="tools">
            <label>
              number
              <select value={metric} onChange={(e) => setMetric(e.currentTarget.value)}>{study.metrics.map((m) => <option key={m}>{m}</option>)}</select>
            </label>
          </div>
          <Grid study={study} metric={metric} first={first} choose={choose} />
          <Differences study={study} metric={metric} />
          <Runs study={study} />
          {results.left_out.length > 0 && (
            <section>
              <h2>Left out</h2>
              <table><tbody>{results.left_out.map((r) => <tr key={r.Cells}><th scope="row"><Short text={r.Cells} /></th><td><Short text={r.Why} limit={300} /></td></tr>)}</tbody></table>
            </section>
          )}
        </>
      )}
    </>
  )
}

const meanOf = (study: Study, cell: StudyCell, metric: string): StudyMean | undefined => study.results?.cells.find((c) => c.cell === cell.name)?.metrics?.[metric]

const seedsOf = (study: Study, cell: StudyCell) => study.results?.cells.find((c) => c.cell === cell.name)?.seeds.length ?? 0

// Grid is a table of levels: those of the last dimension across, all others down. One dimension stands down.
interface GridProps {
  study: Study
  metric: string
  first: string // the cell that was chosen to be compared with another one
  choose: (cell: StudyCell) => void
}

function Grid({ study, metric, first, choose }: GridProps) {
  const across = study.dimensions.length > 1 && !study.experiment ? study.dimensions.length - 1 : -1
  const columns = across < 0 ? [''] : [...new Set(study.cells.map((c) => c.levels[across] ?? ''))]
  const downOf = (c: StudyCell) => c.levels.filter((_, i) => i !== across)
  const rows = [...new Map(study.cells.map((c) => [downOf(c).join('\u0000'), downOf(c)])).values()]
  const at = (down: string[], column: string) => study.cells.find((c) => downOf(c).join('\u0000') === down.join('\u0000') && (across < 0 || c.levels[across] === column))
  return (
    <section>
      <h2><Short text={metric} /> of every {study.experiment ? 'variant' : 'cell'}</h2>
      {first !== '' && <p role="status">Choose the {study.experiment ? 'variant' : 'cell'} that <b><Short text={first} /></b> is compared with.</p>}
      <Scroll label={metric + ' of every cell'}>
        <table class="grid">
          <thead>
            <tr>
              {study.dimensions.filter((_, i) => i !== across).map((d) => <th key={d} scope="col">{d}</th>)}
              {columns.map((c) => <th key={c} scope="col">{across < 0 ? metric : <><span class="dim">{study.dimensions[across]}</span> <Short text={c} /></>}</th>)}
            </tr>
          </thead>
          <tbody>
            {rows.map((down) => (
              <tr key={down.join('/')}>
                {down.map((level, i) => (study.experiment && i > 0 ? <td key={i} class="n"><Short text={level || '–'} limit={60} /></td> : <th key={i} scope="row"><Short text={level} /></th>))}
                {columns.map((column) => {
                  const cell = at(down, column)
                  return <td key={column}>{cell ? <Value study={study} cell={cell} metric={metric} first={first} choose={() => choose(cell)} /> : <span class="dim">–</span>}</td>
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}

const begunOf = (cell: StudyCell) => cell.runs.filter((r) => r.state !== '').map((r) => r.id)

function Value({ study, cell, metric, first, choose }: { study: Study; cell: StudyCell; metric: string; first: string; choose: () => void }) {
  const mean = meanOf(study, cell, metric)
  const begun = begunOf(cell)
  const seeds = `${seedsOf(study, cell)} of ${plural(cell.runs.length, 'seed')}`
  const lack = cell.runs.filter((r) => r.state !== 'finished')
  return (
    <>
      <b class="n">{mean ? (metric === 'score' || metric === 'gain' || metric === 'return' ? score(mean.mean) : num(mean.mean)) : '–'}</b>
      {mean && seedsOf(study, cell) > 1 && <div class="n dim">{overSeeds(mean.ci95, seedsOf(study, cell))}</div>}
      <div class="dim">{begun.length > 0 ? <a href={toCompare(begun)}>{seeds}</a> : seeds}{begun.length > 0 && lack.length > 0 && `; missing: ${lack.map((r) => `${r.seed} (${r.state || 'not begun'})`).join(', ')}`}</div>
      {begun.length > 0 && study.cells.length > 1 && <button type="button" class="small" aria-pressed={first === cell.name} title={`compare ${cell.name} with another ${study.experiment ? 'variant' : 'cell'}`} onClick={choose}>{first === '' ? 'compare' : first === cell.name ? 'chosen' : 'with this'}</button>}
    </>
  )
}

function Differences({ study, metric }: { study: Study; metric: string }) {
  const list = (study.results?.differences ?? []).filter((d) => d.metric === metric)
  if (list.length === 0) return null
  return (
    <section>
      <h2>Differences, seed by seed</h2>
      <Scroll label="differences">
        <table>
          <thead><tr><th>of</th><th>less</th><th class="num">seeds</th><th class="num">difference</th><th>95 % interval</th><th class="num">p</th><th class="num">p (Holm)</th></tr></thead>
          <tbody>
            {list.map((d) => (
              <tr key={d.a + ' ' + d.b}>
                <th scope="row"><Short text={d.a} /></th><td><Short text={d.b} /></td><td class="num">{d.seeds}</td><td class="num"><Signed x={d.difference} ci={d.ci95 ?? null} /></td>
                <td class="n dim">{d.ci95 && d.ci95[0] === d.ci95[1] && d.seeds > 1 ? `${d.seeds} equal` : signedInterval(d.ci95)}</td><td class="num">{pValue(d.p)}</td><td class="num">{pValue(d.p_holm)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}

function Runs({ study }: { study: Study }) {
  return (
    <section>
      <h2>Runs</h2>
      <Scroll label={`runs of the ${study.experiment ? 'experiment' : 'study'}`}>
        <table>
          <thead><tr><th>{study.experiment ? 'variant' : 'cell'}</th><th>runs</th></tr></thead>
          <tbody>
            {study.cells.map((cell) => (
              <tr key={cell.name}>
                <th scope="row"><Short text={cell.name} /></th>
                <td>{cell.runs.map((r) => <span key={r.seed} class="seed">{r.state === '' ? <span class="dim">seed {r.seed}: not begun</span> : <><a href={link(['runs', r.id])}>seed {r.seed}</a> <StateOf state={r.state} /></>}</span>)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}

// Studies lists those of the folder, above its runs.
export function Studies() {
  const studies = useGet<{ studies: Study[] }>('/studies')
  const list = studies.data?.studies ?? []
  if (list.length === 0) return null
  return (
    <section>
      <h2>Studies</h2>
      <Scroll label="studies">
        <table>
          <thead><tr><th>study</th><th>question</th><th class="num">cells</th><th class="num">runs done</th></tr></thead>
          <tbody>
            {list.map((s) => (
              <tr key={s.id}>
                <th scope="row"><a href={link(['studies', s.id])}><Short text={s.id} limit={60} /></a></th>
                <td class="dim">{s.problem ? <span class="wrong"><Short text={s.problem} limit={120} /></span> : <Short text={s.results?.question ?? ''} limit={120} />}</td>
                <td class="num">{s.cells.length}</td>
                <td class="num">{doneOf(s)} of {s.runs}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <h2>All runs</h2>
    </section>
  )
}

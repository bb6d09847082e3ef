// What scoring found out about programs, beside them: what each agent was told, the tests that failed with their errors, and what each part paid.
// Only what a run recorded is shown: no test is run again here.
import { num } from '../format'
import { Code, Short } from '../text'
import type { Joint } from '../types'

// What the parts of scores of programs pay for.
const words: Record<string, string> = {
  aux_defined: 'the helper is there', main_defined: 'the asked function is there', syntax: 'both parse as one program', tests: 'share of the tests that pass', use: 'the helper is used',
  non_wrapper: 'more than a call of the helper', ignored: 'what the helper returns is dropped',
}

// programs says whether a joint action was scored as programs: its parts are those of such a score.
export const programs = (joint: Joint | undefined) => Boolean(joint && ('main_defined' in joint.parts || 'lv3' in joint.parts))

// Results are what one agent was told about its part of a joint action. A line of the report names a test that failed, and how.
export function Results({ joint, agent }: { joint: Joint; agent: number }) {
  const lines = (joint.report?.[agent] ?? '').split('\n').filter(Boolean)
  return (
    <div class="results">
      {lines.slice(0, 60).map((line, i) => {
        const failed = /^(.*) failed: (.*)$/s.exec(line)
        return failed ? <div key={i}><span class="wrong">✗</span> <Code text={failed[1]!} limit={300} /><div class="dim"><Short text={failed[2]!} limit={300} /></div></div> : <div key={i}><Short text={line} limit={400} /></div>
      })}
      {lines.length > 60 && <div class="dim">and {lines.length - 60} lines more</div>}
      {lines.length === 0 && <div class="dim">Which tests passed is not recorded: a run records it where <code>team.feedback</code> tells agents of it.</div>}
    </div>
  )
}

// Parts are the numbers that a reward is made of, in words where the page knows what they pay for.
export function Parts({ of: joint }: { of: Joint }) {
  if (!programs(joint)) return <>{Object.entries(joint.parts).map(([name, x]) => <span key={name}><span class="dim"><Short text={name} /></span> {num(x)}</span>)}</>
  return (
    <table class="parts">
      <thead><tr><th>part</th><th class="num">paid</th><th>for</th></tr></thead>
      <tbody>
        {Object.entries(joint.parts).map(([name, x]) => <tr key={name}><td class="mono"><Short text={name} /></td><td class="num">{num(x)}</td><td class="dim">{words[name] ?? ''}</td></tr>)}
      </tbody>
    </table>
  )
}

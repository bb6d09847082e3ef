// Who contributes: what the team scores without each agent and with each one untrained, Shapley's value, and what training recorded of each.
import { useState } from 'preact/hooks'
import { exported, ofRun, useGet } from '../api'
import { num, percent, plural, score, signedInterval } from '../format'
import { useSession } from '../page'
import { Copy, Scroll, Signed, Wait } from '../parts'
import { Plot } from '../plot'
import { Short } from '../text'
import type { Contribution, Contributed, Lacking, RunDetail, TrainingOf } from '../types'
import { JobState, useJob } from './job'

export function WhoContributes({ run }: { run: RunDetail }) {
  const [all, setAll] = useState(false)
  const known = useGet<Contributed>(ofRun(run.id, '/contribution'), all ? { all: 1 } : undefined, true)
  if (run.agents.length < 2) return <p class="dim">The team has one agent, who contributes all.</p>
  return (
    <section class="contribution">
      <h2>Who contributes</h2>
      <Wait of={known}>
        {(data) => (
          <>
            <Played of={data.contribution} />
            <Start run={run} known={data} again={known.again} />
            <Trained of={data.contribution} />
            <HowMany read={data.contribution.training.updates.length} of={run.updates} all={all && !known.loading} waits={known.loading} more={() => setAll(true)} />
            <Notes of={data.contribution} />
          </>
        )}
      </Wait>
    </section>
  )
}

// HowMany says of how many updates the table is, and reads the rest of them.
function HowMany({ read, of, all, waits, more }: { read: number; of: number; all: boolean; waits: boolean; more: () => void }) {
  if (of === 0 || (read === 0 && !waits)) return null
  if (read >= of) return <p class="dim">{of === 1 ? 'The only update was' : `All ${of} updates were`} read.</p>
  if (all) return <p class="dim">{read} of {plural(of, 'update')} were read: the others have no episodes that can be.</p>
  return (
    <p>
      <span role="status">{read} of {plural(of, 'update')} were read, spread over all, in the time that a page waits for.</span>{' '}
      {!exported && <button type="button" disabled={waits} onClick={more}>{waits ? 'reading …' : `read the other ${of - read}`}</button>}
    </p>
  )
}

// Played is what held-out problems have shown, the sentences first.
function Played({ of }: { of: Contribution }) {
  if (of.score === null) return null
  const drawn = of.orders > 0
  return (
    <>
      <p class="dim">After update {of.update}: {of.measure} <b class="n">{score(of.score)}</b> on {plural(of.problems, 'held-out problem')}; all ways to play have the same random numbers.</p>
      {of.agents.map((a) => <p class="sentence" key={a.agent}><Short text={a.sentence} limit={400} /></p>)}
      <Scroll label="what each agent is worth">
        <table>
          <thead>
            <tr>
              <th>agent</th><th class="num" title="the team without it, less the team">left out</th><th>95 % interval</th><th class="num" title="the team with its untrained base in its place, less the team">untrained</th><th>95 % interval</th>
              <th class="num" title="its part in what the team scores more than nobody">Shapley value</th><th>95 % interval</th>{drawn && <th class="num">standard error</th>}
            </tr>
          </thead>
          <tbody>
            {of.agents.map((a) => (
              <tr key={a.agent}>
                <th scope="row"><Short text={a.agent} /></th>
                <Less of={a.left_out} as="left-out" /><Less of={a.untrained} as="untrained" />
                <td class="num"><Signed x={a.shapley} ci={a.shapley_ci95} /></td><td class="n dim">{signedInterval(a.shapley_ci95)}</td>
                {drawn && <td class="num">{score(a.shapley_error)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {of.nobody !== null && <p class="dim">The values add up to what the team scores less <span class="n">{score(of.nobody)}</span>, the score without all whom it can lack{drawn && `; they are from ${plural(of.orders, 'drawn order')}`}.</p>}
    </>
  )
}

// Less is a difference. An agent that cannot be left out is absent as its untrained base, whose number stands beside it.
function Less({ of, as }: { of: Lacking | null; as: Lacking['how'] }) {
  if (of && of.how !== as) return <><td class="num n dim">as {of.how}</td><td /></>
  return <><td class="num"><Signed x={of?.difference} ci={of?.ci95} /></td><td class="n dim">{signedInterval(of?.ci95)}</td></>
}

// Start has the command to copy and, where the page may start something, the same at a press.
function Start({ run, known, again }: { run: RunDetail; known: Contributed; again: () => void }) {
  const session = useSession()
  const asked = useJob(again)
  const [problems, setProblems] = useState('')
  const played = known.contribution.score !== null
  if (known.refused) return <p class="dim"><Short text={known.refused} limit={600} /></p>
  const command = known.command + (problems ? ` --problems ${problems}` : '')
  const start = (e: Event) => {
    e.preventDefault()
    void asked.ask(ofRun(run.id, '/contribution'), problems ? { problems: Number(problems) } : {})
  }
  return (
    <>
      {!played && <p>What the team scores without each agent has not been played yet. The held-out problems are played again, some minutes long:</p>}
      <p><code><Short text={command} limit={400} /></code> <Copy text={command} /></p>
      {!exported && !session.read_only && session.can_run && (
        <form class="tools" onSubmit={start}>
          <label>problems <input type="number" min="1" max={run.report?.problems} placeholder="100" value={problems} onInput={(e) => setProblems(e.currentTarget.value)} /></label>
          <button disabled={asked.waits}>{played ? 'play others' : 'play'}</button>
          <JobState {...asked} />
        </form>
      )}
    </>
  )
}

// Trained is what training recorded.
function Trained({ of: { agents, training } }: { of: Contribution }) {
  const { updates } = training
  if (updates.length === 0) return null
  const last = updates.at(-1)
  return (
    <>
      <h3>In training</h3>
      <Scroll label="what training recorded of each agent">
        <table>
          <thead>
            <tr>
              <th>agent</th><th class="num" title="of its answers, those that are right">right</th><th class="num" title="of its answers behind which a teammate was asked, those that stood in a teammate's prompt">read</th>
              <th class="num" title="of its readers who had answered before, those whose wrong answer became right">set right</th><th class="num" title="the same, whose right answer became wrong">set wrong</th><th class="num">of readers</th>
              <th class="num" title={training.gradient_of}>gradient</th><th class="num" title="share of the loss">loss</th>
            </tr>
          </thead>
          <tbody>
            {agents.map((a) => (
              <tr key={a.agent}>
                <th scope="row"><Short text={a.agent} /></th>
                {[a.share_right, a.share_read, a.help, a.harm].map((x, i) => <td key={i} class="num n">{percent(x)}</td>)}
                <td class="num">{num(a.heard)}</td><td class="num n">{percent(a.share_gradient)}</td><td class="num n">{percent(a.share_loss)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="dim">Means of updates {training.from} to {last}. Readers are answers of teammates who had read it since they last answered.</p>
      {updates.length > 1 && (
        <div class="plots">
          <Share name="right answers" about="share of an agent's answers that are right" training={training} of="right" agents={agents} />
          <Share name="answers that were read" about="of the answers behind which a teammate was asked, the share that stood in a teammate's prompt" training={training} of="read" agents={agents} />
        </div>
      )}
    </>
  )
}

function Share({ name, about, training, of, agents }: { name: string; about: string; training: TrainingOf; of: 'right' | 'read'; agents: Contribution['agents'] }) {
  const curves = training.agents.map((a, i) => ({ label: agents[i]?.agent ?? '', values: a[of] })).filter((c) => c.values.some((x) => x !== null))
  if (curves.length === 0) return null
  return (
    <section class="metric" aria-label={name}>
      <h3>{name}</h3>
      <p>{about}</p>
      <Plot x={training.updates} xName="update" curves={curves} title={name} bounds={[0, 1]} />
    </section>
  )
}

function Notes({ of }: { of: Contribution }) {
  const notes = [...of.notes, ...of.agents.flatMap((a) => a.notes), ...(of.training.updates.length > 0 ? ['Gradient: ' + of.training.gradient_of] : [])]
  return (
    <>
      {notes.map((note) => <p class="dim" key={note}><Short text={note} limit={600} /></p>)}
      {of.training.damaged.map((what) => <p class="trouble" key={what}>Left out, as it is damaged: <Short text={what} limit={300} /></p>)}
    </>
  )
}

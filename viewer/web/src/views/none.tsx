// What a run says where it has no updates, or updates without episodes: systems that are only measured, and learners that are no dialogues.
import { link } from '../route'
import type { RunRow } from '../types'

export function NoUpdates({ run }: { run: RunRow }) {
  if (run.state !== 'finished') return <p>No update is done yet.</p>
  return <p>This run has no updates: nothing is trained in it. <Overview id={run.id} /> has what its systems scored on held-out problems, and sample dialogues in its report.</p>
}

export function NoEpisodes({ run }: { run: RunRow }) {
  if (run.updates === 0) return <NoUpdates run={run} />
  return (
    <p>
      No episodes were recorded: what algorithm {run.algorithm} learns from are not answers of the team that were compared. <a href={link(['runs', run.id, 'curves'])}>Curves</a> have what was
      measured at each update. <Overview id={run.id} /> has what the systems scored on held-out problems, and sample dialogues in its report.
    </p>
  )
}

const Overview = ({ id }: { id: string }) => <a href={link(['runs', id])}>The overview</a>

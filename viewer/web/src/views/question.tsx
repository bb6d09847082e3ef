// A problem as it was asked, or as the recipe's task.view shows it. Long ones are folded.
import { Said, Short } from '../text'
import type { Episode } from '../types'

// A long question is folded to so much of it.
const fold = { limit: 600, lines: 8 }

export const Question = ({ text }: { text: string }) => <Said text={text} {...fold} />

export function Asked({ episode: { problem, view, view_trouble } }: { episode: Episode }) {
  if (!view) return <>{view_trouble && <p class="trouble">task.view cannot be filled: <Short text={view_trouble} limit={400} /></p>}<Question text={problem.question} /></>
  return (
    <>
      <Question text={view} />
      <details><summary>the question as it is</summary><Said text={problem.question} /></details>
    </>
  )
}

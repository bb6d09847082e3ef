// A problem as it was asked, or as the recipe's task.view shows it. Long ones are folded.
import { Said, Short } from '../text'
import type { Viewed } from '../types'

// A long question is folded to so much of it.
const fold = { limit: 600, lines: 8 }

const Question = ({ text }: { text: string }) => <Said text={text} {...fold} />

export function Asked({ question, of: { view, view_trouble } }: { question: string; of: Viewed }) {
  if (!view) return <>{view_trouble && <p class="trouble">task.view cannot be filled: <Short text={view_trouble} limit={400} /></p>}<Question text={question} /></>
  return (
    <>
      <Question text={view} />
      <details><summary>the question as it is</summary><Said text={question} /></details>
    </>
  )
}

// A job that a view has asked for: its state, until it has ended.
import { useEffect, useState } from 'preact/hooks'
import { asRefused, get, send, useEvents } from '../api'
import { Short } from '../text'
import type { Job } from '../types'

export interface Asked {
  job: Job | null
  waits: boolean
  why: string
  ask: (path: string, body: unknown) => Promise<void>
}

// useJob asks the server to do something, and calls done when that has ended.
export function useJob(done: () => void): Asked {
  const [job, setJob] = useState<Job | null>(null)
  const [why, setWhy] = useState('')
  const hear = ({ jobs }: { jobs: Job[] | null }) => {
    const now = job && jobs?.find((j) => j.job === job.job)
    if (!now || now.state === job.state) return
    setJob(now)
    if (now.state === 'done' || now.state === 'failed') done()
  }
  useEvents('/events', { queue: hear })
  // An event may have come before the answer that names the job.
  const waits = job?.state === 'waiting' || job?.state === 'running'
  useEffect(() => {
    if (!waits) return
    const timer = setInterval(() => void get<{ jobs: Job[] }>('/queue').then(hear, () => undefined), 2000)
    return () => clearInterval(timer)
  }, [waits, job])
  const ask = async (path: string, body: unknown) => {
    setWhy('')
    try {
      setJob((await send<{ job: Job }>('POST', path, body)).job)
    } catch (error) {
      setWhy(asRefused(error).message)
    }
  }
  return { job, waits, why, ask }
}

export function JobState({ job, why }: Asked) {
  return (
    <>
      {job && <span role="status">{job.state}{job.message && ': '}<Short text={job.message} limit={400} /></span>}
      {why && <span class="wrong" role="alert"><Short text={why} limit={400} /></span>}
    </>
  )
}

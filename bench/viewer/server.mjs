// The program's page over a folder of runs.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

export async function serve(out, token) {
  const child = spawn(process.env.PARLEY, ['ui', out, '--addr', '127.0.0.1:0', '--read-only'], { env: { ...process.env, PARLEY_TOKEN: token } })
  const url = await new Promise((found) => {
    let said = ''
    const hear = (data) => (said += data) && /http:\/\/127[^\s?]*:\d+/.test(said) && found(said.match(/http:\/\/127[^\s?]*:\d+/)[0])
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
  })
  const memory = () => Number(readFileSync(`/proc/${child.pid}/status`, 'utf8').match(/VmHWM:\s*(\d+)/)[1]) / 1024
  // Processor time so far, in ms: a tick is 10 ms.
  const worked = () => 10 * readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13).reduce((a, b) => a + Number(b), 0)
  return { url, memory, worked, stop: () => child.kill('SIGINT') }
}

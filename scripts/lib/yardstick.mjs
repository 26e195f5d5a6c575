/** A bare HTTP server, whose processor time for an answer is the unit of other figures of the same run. */
import { spawn } from 'node:child_process'
import { freePort } from './free-port.mjs'

/** Starts a server that answers 2 KB of JSON and does nothing else. */
export async function startYardstick() {
  const port = await freePort()
  const program = `require('node:http').createServer((q, r) => { r.setHeader('content-type', 'application/json'); r.end(JSON.stringify({ text: 'x'.repeat(2000) })) }).listen(${port}, '127.0.0.1')`
  const child = spawn(process.execPath, ['--eval', program], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    const isUp = await fetch(url).then(
      (reply) => reply.text().then(() => true),
      () => false,
    )
    if (isUp) return { url, pid: child.pid, stop: () => child.kill() }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

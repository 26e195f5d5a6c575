/** An S3-compatible server as a process of its own, which a test may kill and start again. */
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { onInterrupt } from './cleanup.mjs'
import { fail, fromRoot } from './project.mjs'

const readyTimeoutMs = 20_000

/** The bucket and the keys of the server. */
export const s3Account = { bucket: 'forge', key: 'S3RVER', secret: 'S3RVER' }

/** Serves the objects of a folder at a port of loopback. */
export async function startS3(folder, port) {
  mkdirSync(folder, { recursive: true })
  const program = fromRoot('node_modules/s3rver/bin/s3rver.js')
  const child = spawn(
    process.execPath,
    [
      ...['--import', fromRoot('scripts/lib/whole-objects.mjs')],
      program,
      ...['--address', '127.0.0.1', '--port', String(port), '--directory', folder, '--silent'],
      ...['--configure-bucket', s3Account.bucket],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const stop = onInterrupt(async () => {
    if (isRunning()) child.kill('SIGKILL')
    await ended
  })
  for (const endMs = performance.now() + readyTimeoutMs; performance.now() < endMs && isRunning();) {
    if (
      await fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
    ) {
      return { stop }
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await stop()
  return fail('the S3 server did not start')
}

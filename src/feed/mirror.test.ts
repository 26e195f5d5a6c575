import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'node:test'
import { startProgram } from '../testing/serving-program.ts'
import { until } from '../testing/until.ts'

/** Number of rounds that kill the server. */
const rounds = 4

const env = { INGOT__log__LEVEL: 'none', INGOT__cron__ENABLED: 'false' }

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Returns the members of issues on which mirror and forge must agree. */
const summary = (issues: readonly { number: number; title: string; state: string; updated_at: string }[]): string[] =>
  issues.map(({ number, title, state, updated_at }) => `${number} ${title} ${state} ${updated_at}`).sort()

test('the example of the change feed keeps an issue mirror correct when either side is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-mirror-'))
  const file = join(folder, 'mirror.json')
  let server = await startProgram(folder, { env })
  const { url, root: client } = server
  const scopes = ['read:issue', 'read:repository']
  const { json: token } = await client.must('POST', '/users/root/tokens', { name: 'mirror', scopes })
  await client.must('POST', '/user/repos', { name: 'r' })
  const startMirror = (): ChildProcess =>
    spawn(process.execPath, [resolve('docs/examples/mirror-issues.mjs'), url, 'root/r', file], {
      stdio: 'ignore',
      env: { ...process.env, FORGE_TOKEN: token.sha1 },
    })
  const isOver = new AbortController()

  /** Opens, changes, closes and deletes issues until `isOver`. Does not retry a request that fails. */
  async function write(): Promise<void> {
    for (let count = 1; !isOver.signal.aborted; count++) {
      try {
        const { json: issue } = await client.must('POST', '/repos/root/r/issues', { title: `issue ${count}` })
        const path = `/repos/root/r/issues/${issue.number}`
        if (count % 2 === 0) await client.must('PATCH', path, { title: `renamed ${count}` })
        if (count % 3 === 0) await client.must('POST', `${path}/comments`, { body: 'hello' })
        if (count % 3 === 1) await client.must('PATCH', path, { state: 'closed' })
        if (count % 5 === 0) await client.must('DELETE', path)
      } catch {
        await wait(100)
      }
      await wait(20)
    }
  }

  let mirror = startMirror()
  const writing = write()
  try {
    for (let round = 0; round < rounds; round++) {
      await wait(400)
      if (round % 2 === 0) await kill(mirror)
      await wait(150)
      await server.kill()
      if (round % 2 === 1) await kill(mirror)
      server = await startProgram(folder, { port: new URL(url).port, env })
      if (mirror.exitCode !== null || mirror.signalCode !== null) mirror = startMirror()
    }
    // The act under way may delete one.
    await until(
      async () => (await client.must('GET', '/repos/root/r/issues?state=all&limit=50')).json.length > 4,
      'a few issues are written',
    )
    isOver.abort()
    await writing
    const { json: issues } = await client.must('GET', '/repos/root/r/issues?state=all&limit=50')
    assert.ok(issues.length > 3, `${issues.length} issues`)
    await until(async () => {
      if (!existsSync(file)) return false
      const all: Parameters<typeof summary>[0][number][] = []
      for (let page = 1, some = issues; some.length > 0; page++) {
        some = (await client.must('GET', `/repos/root/r/issues?state=all&limit=50&page=${page}`)).json
        all.push(...some)
      }
      const copy = JSON.parse(readFileSync(file, 'utf8')) as { issues: Record<string, (typeof all)[number]> }
      return summary(Object.values(copy.issues)).join('\n') === summary(all).join('\n')
    }, 'the mirror equals the forge')
  } finally {
    isOver.abort()
    await writing
    await kill(mirror)
    await server.kill()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
})

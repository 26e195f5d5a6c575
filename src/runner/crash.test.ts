import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { builtFile } from '../lib/assets.ts'
import { ForgeClient } from '../testing/client.ts'
import { until } from '../testing/until.ts'

const password = 'a password of the crash test'
const settings = `[log]\nLEVEL = none\n[cron]\nENABLED = false\n[ingot]\nJOB_LEASE = 1s\n[actions]\nZOMBIE_TASK_TIMEOUT = 2s\n`

interface Program {
  readonly child: ChildProcess
  readonly ended: Promise<unknown>
}

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
  const child = spawn(process.execPath, [builtFile('ingot.js'), ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  })
  child.stdout?.resume()
  return { child, ended: once(child, 'exit') }
}

/** Waits for the first match in the output of a program. */
const printed = (child: ChildProcess, pattern: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const found = pattern.exec(text)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', () => reject(new Error(`the program ended: ${text}`)))
  })

async function kill({ child, ended }: Program): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

const workflow = (file: string) => `on: workflow_dispatch
jobs:
  count:
    runs-on: host
    steps: [{ run: 'echo "$GITHUB_RUN_ID $GITHUB_RUN_ATTEMPT" >> ${file}; sleep 0.1' }]
`

test('server and runner are killed under load: no run is lost, and none is executed twice as one attempt', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-actions-crash-'))
  const file = join(folder, 'executed')
  writeFileSync(file, '')
  writeFileSync(join(folder, 'app.ini'), settings)
  const admin = { INGOT_ADMIN_LOGIN: 'root', INGOT_ADMIN_PASSWORD: password, INGOT_ADMIN_EMAIL: 'root@example.com' }
  const serve = async (port: string): Promise<Program & { readonly url: string }> => {
    const args = ['serve', '--config', join(folder, 'app.ini'), '--data', join(folder, 'data'), '--host', '127.0.0.1']
    const program = start([...args, '--port', port, '--ssh-port', '0'], admin)
    return { ...program, url: await printed(program.child, /serves (http:\S+)\/\n/) }
  }
  let server = await serve('0')
  const { url } = server
  const { port } = new URL(url)
  const root = new ForgeClient(url, async () => ({ basic: { login: 'root', password } }))
  let runner: Program | undefined
  try {
    await root.must('POST', '/user/repos', { name: 'killed', auto_init: true, default_branch: 'main' })
    const content = Buffer.from(workflow(file)).toString('base64')
    await root.must('POST', '/repos/root/killed/contents/.forgejo/workflows/w.yml', { content })
    const { token } = (await root.must('GET', '/admin/runners/registration-token')).json
    const run = (): Program =>
      start(['runner', '--url', url, '--folder', join(folder, 'runner'), '--capacity', '3'], {
        INGOT_RUNNER_TOKEN: token,
      })
    runner = run()
    let taken = 0
    const dispatch = async (): Promise<void> => {
      const reply = await root
        .post('/repos/root/killed/actions/workflows/w.yml/dispatches', { ref: 'main' })
        .catch(() => undefined)
      if (reply?.status === 204) taken++
    }
    const executed = (): string[] =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    for (let round = 0; round < 3; round++) {
      const before = executed().length
      for (let at = 0; at < 6; at++) await dispatch()
      await until(() => executed().length > before, 'a job begins')
      const late = Array.from({ length: 4 }, dispatch)
      await (round % 2 === 0 ? kill(runner) : kill(server))
      await Promise.all(late)
      if (round % 2 === 0) runner = run()
      else server = await serve(port)
    }
    const open = async (): Promise<number> => {
      await root.must('POST', '/admin/cron/stop_zombie_tasks')
      const { workflow_runs: runs } = (await root.must('GET', '/repos/root/killed/actions/runs?limit=50')).json
      return runs.filter((each: { status: string }) => ['waiting', 'running', 'blocked'].includes(each.status)).length
    }
    for (let look = 0; (await open()) > 0; look++) {
      assert.ok(look < 300, 'some runs do not come to an end')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const { workflow_runs: runs, total_count: total } = (
      await root.must('GET', '/repos/root/killed/actions/runs?limit=50')
    ).json
    assert.ok(total >= taken, `${taken} dispatches were acknowledged, ${total} runs are there`)
    const lines = executed()
    assert.deepEqual(
      lines.filter((line, at) => lines.indexOf(line) !== at),
      [],
      'executed twice',
    )
    const ran = new Set(lines.map((line) => Number(line.split(' ')[0])))
    const succeeded = runs.filter((each: { status: string }) => each.status === 'success')
    assert.ok(succeeded.length > 0)
    assert.deepEqual(
      succeeded.filter((each: { id: number }) => !ran.has(each.id)),
      [],
      'what succeeded was executed',
    )
    runner.child.kill('SIGTERM')
    await runner.ended
    const tasks = join(folder, 'runner', 'tasks')
    assert.deepEqual(existsSync(tasks) ? readdirSync(tasks) : [], [], 'nothing is left of jobs')
  } finally {
    if (runner) await kill(runner)
    await kill(server)
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
})

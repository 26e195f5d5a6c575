#!/usr/bin/env node
/**
 * Measures workflows: the time from a push to the task, the cost of idle runners, log lines, long lists of runs, and the
 * cost of a push to a repository with many workflows.
 *
 *     npm run bench:actions [-- [--runners 200] [--runs 100000] [--only tasks,idle,lists,pushes]]
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import { apiOf, quantile } from '../lib/api-client.mjs'
import { administrator, buildForge, startForge } from '../lib/forge.mjs'
import { ensureReady, fromRoot } from '../lib/project.mjs'

await ensureReady()
const { values: options } = parseArgs({
  options: {
    runners: { type: 'string', default: '200' },
    runs: { type: 'string', default: '100000' },
    only: { type: 'string', default: 'tasks,idle,lists,pushes' },
  },
})
const program = await buildForge()
const data = mkdtempSync(join(tmpdir(), 'ingot-actions-data-'))
const forge = await startForge({
  program,
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'bench-actions',
  kept: data,
})
const folder = mkdtempSync(join(tmpdir(), 'ingot-actions-'))
const ask = await apiOf(forge.url)

async function call(method, body, runner, signal, headers = {}) {
  const response = await fetch(`${forge.url}/api/actions/runner.v1.RunnerService/${method}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...headers,
      ...(runner ? { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token } : {}),
    },
    body: JSON.stringify(body),
    signal,
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}

async function register(address, labels) {
  const { token } = await ask('GET', `${address}/registration-token`)
  return (await call('Register', { name: 'bench', token, labels })).runner
}

const median = (values) => quantile(values, 0.5)

const git = (cwd, ...args) =>
  new Promise((resolve, reject) => {
    const child = spawn('git', args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (piece) => (said += piece))
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(said))))
  })

/** A repository with files and a clone of it. */
async function repository(name, files) {
  await ask('POST', '/user/repos', { name, auto_init: true, default_branch: 'main' })
  const url = new URL(`${forge.url}/${administrator.login}/${name}.git`)
  url.username = administrator.login
  url.password = administrator.password
  const clone = join(folder, name)
  await git(folder, 'clone', '--quiet', url.href, clone)
  await git(clone, 'config', 'user.email', administrator.email)
  await git(clone, 'config', 'user.name', administrator.login)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(clone, path, '..'), { recursive: true })
    writeFileSync(join(clone, path), text)
  }
  await git(clone, 'add', '-A')
  await git(clone, 'commit', '--quiet', '--allow-empty', '-m', 'begin')
  await git(clone, 'push', '--quiet', 'origin', 'main')
  return { clone, api: `/repos/${administrator.login}/${name}` }
}

/** Pushes an empty commit. @returns its duration in milliseconds */
async function push({ clone }, message = 'more') {
  await git(clone, 'commit', '--quiet', '--allow-empty', '-m', message)
  const begun = performance.now()
  await git(clone, 'push', '--quiet', 'origin', 'main')
  return performance.now() - begun
}

/** CPU time of the server so far, in seconds. */
function cpuOfServer() {
  const fields = readFileSync(`/proc/${forge.pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const print = (name, text) => console.log(`${name.padEnd(52)} ${text}`)
const workflow = (on, label) => `on: ${on}\njobs: { a: { runs-on: ${label}, steps: [{ run: x }] } }\n`

async function pushToTask() {
  const repo = await repository('offered', { '.forgejo/workflows/a.yml': workflow('push', 'x') })
  const runner = await register(`${repo.api}/actions/runners`, ['x'])
  let { task, tasksVersion = '0' } = await call('FetchTask', { tasksVersion: '0' }, runner)
  const taken = []
  for (let round = 0; round < 30; round++) {
    if (task) await call('UpdateTask', { state: { id: task.id, result: 'RESULT_SUCCESS' } }, runner)
    ;({ tasksVersion } = await call('FetchTask', { tasksVersion: '0' }, runner))
    const offered = (async () => {
      for (;;) {
        const reply = await call('FetchTask', { tasksVersion }, runner)
        if (reply.task) return { task: reply.task, at: performance.now() }
        tasksVersion = reply.tasksVersion
      }
    })()
    await sleep(50)
    await push(repo)
    const pushed = performance.now()
    const found = await offered
    task = found.task
    taken.push(Math.max(0, found.at - pushed))
  }
  print(
    'from the end of a push to the task, median',
    `${median(taken).toFixed(0)} ms (most ${Math.max(...taken).toFixed(0)})`,
  )
  return { runner, task }
}

/** Idle runners: they pass their wait time, and pause before they poll again. */
async function idleRunners(who, { patienceMs, pauseMs, measuredMs }) {
  const count = Number(options.runners)
  const runners = []
  for (let index = 0; index < count; index++) runners.push(await register('/admin/runners', [`idle-${index}`]))
  const stop = new AbortController()
  const patience = { 'connect-timeout-ms': String(patienceMs) }
  let polls = 0
  const loops = runners.map(async (runner) => {
    let tasksVersion = '0'
    while (!stop.signal.aborted) {
      try {
        tasksVersion = (await call('FetchTask', { tasksVersion }, runner, stop.signal, patience)).tasksVersion
        polls++
        await sleep(pauseMs, undefined, { signal: stop.signal })
      } catch (error) {
        if (!stop.signal.aborted) throw error
      }
    }
  })
  await sleep(5000)
  const [cpu, begun, before] = [cpuOfServer(), performance.now(), polls]
  await sleep(measuredMs)
  const seconds = (performance.now() - begun) / 1000
  const share = ((cpuOfServer() - cpu) / seconds) * 100
  print(
    `${count} idle runners, as ${who}`,
    `${share.toFixed(2)} % of a core, ${((polls - before) / seconds).toFixed(0)} polls / s`,
  )
  stop.abort()
  await Promise.all(loops)
}

async function logLines({ runner, task }) {
  const rows = Array.from({ length: 1000 }, (_, at) => ({
    time: '2026-01-01T00:00:00Z',
    content: `line ${at} of a log that is about as long as lines of builds are, with some more words`,
  }))
  let index = 0
  const [begun, cpu] = [performance.now(), cpuOfServer()]
  while (performance.now() - begun < 5000) {
    const reply = await call('UpdateLog', { taskId: task.id, index: String(index), rows, noMore: false }, runner)
    index = Number(reply.ackIndex)
  }
  const seconds = (performance.now() - begun) / 1000
  print(
    'lines of logs, one runner',
    `${(index / seconds).toFixed(0)} / s at ${(((cpuOfServer() - cpu) / seconds) * 100).toFixed(0)} % of a core`,
  )
}

async function longLists() {
  const few = await repository('few', { '.forgejo/workflows/a.yml': workflow('push', 'none') })
  const many = await repository('many', { '.forgejo/workflows/a.yml': workflow('push', 'none') })
  for (let round = 0; round < 20; round++) await push(few)
  await sleep(2000)
  const count = Number(options.runs)
  const { id } = await ask('GET', many.api)
  const db = new Database(join(data, 'ingot.db'), { timeout: 20_000 })
  const columns = db
    .prepare('pragma table_info(action_run)')
    .all()
    .map(({ name }) => name)
    .filter((name) => name !== 'id')
  const picked = columns.map((name) => (name === 'number' ? 'run.number + series.value' : `run.${name}`))
  db.prepare(
    `insert into action_run (${columns.join(', ')})
     with recursive series(value) as (select 1 union all select value + 1 from series where value < ?)
     select ${picked.join(', ')} from series, (select * from action_run where repo_id = ? limit 1) run`,
  ).run(count, id)
  db.prepare(
    'update action_run_counter set last_number = last_number + ?, num_runs = num_runs + ? where repo_id = ?',
  ).run(count, count, id)
  db.close()
  const time = async (path) => {
    const taken = []
    for (let round = 0; round < 60; round++) {
      const begun = performance.now()
      await ask('GET', path)
      taken.push(performance.now() - begun)
    }
    return median(taken)
  }
  const list = '/actions/runs?limit=20'
  await time(few.api + list)
  const [short, long, filtered] = [
    await time(few.api + list),
    await time(many.api + list),
    await time(`${many.api}${list}&run_number=${count}`),
  ]
  print(`20 runs of 20, of ${count}, by number`, `${short.toFixed(1)}, ${long.toFixed(1)}, ${filtered.toFixed(1)} ms`)
}

async function manyWorkflows() {
  const files = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`.forgejo/workflows/${at}.yml`, workflow('issues', `none-${at}`)]),
  )
  const pushed = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`.forgejo/workflows/${at}.yml`, workflow('push', `none-${at}`)]),
  )
  const repos = [await repository('none', {}), await repository('fifty', files), await repository('started', pushed)]
  const taken = repos.map(() => [])
  for (let round = 0; round < 25; round++) {
    for (const [index, repo] of repos.entries()) taken[index].push(await push(repo))
  }
  const [none, fifty, started] = taken.map(median)
  const ratio = (value) => `${value.toFixed(0)} ms (${(value / none).toFixed(2)}×)`
  print('a push: no workflow, 50, 50 that it starts', `${none.toFixed(0)} ms, ${ratio(fifty)}, ${ratio(started)}`)
}

try {
  const parts = options.only.split(',')
  if (parts.includes('tasks')) await logLines(await pushToTask())
  if (parts.includes('idle')) {
    const cpu = cpuOfServer()
    await sleep(10_000)
    print('nobody, meanwhile', `${((cpuOfServer() - cpu) * 10).toFixed(2)} % of a core`)
    await idleRunners('the family asks', { patienceMs: 5000, pauseMs: 2000, measuredMs: 24_000 })
    await idleRunners('the runner of the package asks', { patienceMs: 60_000, pauseMs: 0, measuredMs: 50_000 })
  }
  if (parts.includes('lists')) await longLists()
  if (parts.includes('pushes')) await manyWorkflows()
} finally {
  await forge.stop()
  rmSync(folder, { recursive: true, force: true })
  rmSync(data, { recursive: true, force: true })
}

#!/usr/bin/env node
/**
 * Drives a fresh server with real git from the first account to a merged pull request and prints each step. It fails at
 * the first unexpected result.
 *
 *     npm run smoke [-- [--postgres] [--quick]]      --quick omits the large repository
 */
import { spawn } from 'node:child_process'
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { administrator, buildForge, startForge } from './lib/forge.mjs'
import { ensureReady, fail, fromRoot, root } from './lib/project.mjs'

await ensureReady()
const { values: options } = parseArgs({
  options: { postgres: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
})
const gitTimeoutMs = 300_000
const replyTimeoutMs = 60_000

const program = await buildForge()
let database
if (options.postgres) database = await (await import('./postgres.mjs')).startPostgres()
const forge = await startForge({
  program,
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'smoke',
  database,
})
const work = mkdtempSync(join(tmpdir(), 'ingot-smoke-'))
const startedMs = performance.now()

const say = (text) => console.log(`${((performance.now() - startedMs) / 1000).toFixed(1).padStart(6)} s  ${text}`)

/** Runs a program to its end. Returns its output, or throws with its error output. */
function run(command, args, { cwd = work, env = {} } = {}) {
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: gitTimeoutMs,
    env: {
      ...process.env,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: join(work, 'gitconfig'),
      GIT_TERMINAL_PROMPT: '0',
      ...env,
    },
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (output[name] += text))
  return new Promise((done, failed) => {
    child.once('error', failed)
    child.once('close', (status, signal) => {
      if (status === 0) return done(output.stdout.trim())
      const text = `${command} ${args.join(' ')}: ${signal ?? `status ${status}`}\n${output.stderr}`
      // Addresses hold the token; people paste errors elsewhere.
      failed(new Error(text.replaceAll(/:\/\/[^@\s/]+@/g, '://')))
    })
  })
}
const git = (...args) => run('git', args)
const gitIn = (folder, ...args) => run('git', ['-C', folder, ...args])

/** An API client with one credential. A status other than the expected one is an error. */
const client =
  (authorization) =>
  async (method, path, { body, expect = 200 } = {}) => {
    const reply = await fetch(`${forge.url}/api/v1${path}`, {
      method,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(replyTimeoutMs),
    })
    const text = await reply.text()
    assert.equal(reply.status, expect, `${method} ${path}: ${text.slice(0, 500)}`)
    return reply.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text
  }
const basic = (login, password) => `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`

/** Waits until a delayed effect of a change appears. */
async function eventually(what, condition) {
  const deadline = Date.now() + 15_000
  while (Date.now() < deadline) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  assert.fail(`${what}: not within 15 s`)
}

async function smokeTest() {
  say(`server ${forge.url}, ready in ${Math.round(forge.startMs)} ms, log ${forge.logFile}`)
  writeFileSync(
    join(work, 'gitconfig'),
    '[user]\n\tname = Ada Example\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n',
  )

  const asAdministrator = client(basic(administrator.login, administrator.password))
  const { version } = await asAdministrator('GET', '/version')
  say(`API version ${version}, signed in as ${(await asAdministrator('GET', '/user')).login}`)

  const password = 'Tour-Passw0rd!'
  const newUser = { username: 'ada', email: 'ada@example.com', password, must_change_password: false }
  const user = await asAdministrator('POST', '/admin/users', { body: newUser, expect: 201 })
  const token = await client(basic('ada', password))('POST', '/users/ada/tokens', {
    body: { name: 'smoke', scopes: ['all'] },
    expect: 201,
  })
  const asAda = client(`token ${token.sha1}`)
  assert.equal((await asAda('GET', '/user')).id, user.id)
  say(`user ${user.html_url ?? `${forge.url}/ada`} with a token`)

  const remoteOf = (name) => `${forge.url.replace('://', `://ada:${token.sha1}@`)}/ada/${name}.git`
  const newRepository = (name, more = {}) =>
    asAda('POST', '/user/repos', { body: { name, default_branch: 'main', ...more }, expect: 201 })

  await pushOwnHistory()
  if (!options.quick) await pushBenchmark()

  const repository = await newRepository('smoke', { auto_init: true, description: 'made by the smoke test' })
  say(`repository ${repository.html_url}`)
  const R = '/repos/ada/smoke'

  const text = `# Notes\n\nWritten through the API at ${new Date().toISOString()}.\n`
  const file = await asAda('POST', `${R}/contents/docs/notes.md`, {
    body: { content: Buffer.from(text).toString('base64'), message: 'docs: notes', branch: 'main' },
    expect: 201,
  })
  const read = await asAda('GET', `${R}/contents/docs/notes.md`)
  assert.equal(Buffer.from(read.content, 'base64').toString(), text)
  assert.equal(await asAda('GET', `${R}/raw/docs/notes.md`), text)
  assert.equal((await asAda('GET', `${R}/branches/main`)).commit.id, file.commit.sha)
  say(`file ${file.content.html_url}, commit ${file.commit.sha.slice(0, 10)}`)

  const issue = await asAda('POST', `${R}/issues`, {
    body: { title: 'The notes need a date', body: 'A *short* one.' },
    expect: 201,
  })
  await asAda('POST', `${R}/issues/${issue.number}/comments`, { body: { body: 'On it.' }, expect: 201 })
  assert.equal((await asAda('GET', `${R}/issues/${issue.number}`)).comments, 1)
  say(`issue ${issue.html_url} with a comment`)

  const clone = join(work, 'clone')
  await git('clone', '-q', remoteOf('smoke'), clone)
  assert.equal(readFileSync(join(clone, 'docs/notes.md'), 'utf8'), text)
  await gitIn(clone, 'checkout', '-q', '-b', 'dated')
  writeFileSync(join(clone, 'docs/date.md'), 'today\n')
  await gitIn(clone, 'add', '.')
  await gitIn(clone, 'commit', '-q', '-m', 'docs: the date')
  await gitIn(clone, 'push', '-q', 'origin', 'dated')
  const head = await gitIn(clone, 'rev-parse', 'HEAD')
  assert.equal(
    (await asAda('GET', `${R}/branches/dated`)).commit.id,
    head,
    'the branch is readable when the push returns',
  )
  say(`branch dated at ${head.slice(0, 10)}, pushed`)

  const pull = await asAda('POST', `${R}/pulls`, {
    body: { title: 'Date the notes', body: `closes #${issue.number}`, head: 'dated', base: 'main' },
    expect: 201,
  })
  assert.equal(pull.head.sha, head)
  assert.equal(pull.mergeable, true, 'a 201 means usable: mergeability is known')
  say(`pull request ${pull.html_url}`)
  await asAda('POST', `${R}/pulls/${pull.number}/merge`, { body: { Do: 'merge' } })
  const merged = await asAda('GET', `${R}/pulls/${pull.number}`)
  assert.equal(merged.merged, true)
  assert.equal(merged.state, 'closed')
  const main = (await asAda('GET', `${R}/branches/main`)).commit.id
  assert.equal(main, merged.merge_commit_sha)
  await eventually(
    'the issue is closed by the merge',
    async () => (await asAda('GET', `${R}/issues/${issue.number}`)).state === 'closed',
  )
  say(`merged as ${main.slice(0, 10)}, issue #${issue.number} is closed`)

  await checkClone('smoke', remoteOf('smoke'), main)
  if (forge.ssh !== undefined) await cloneOverSsh(main)

  async function pushOwnHistory() {
    const isOwn = await run('git', ['rev-parse', '--is-shallow-repository'], { cwd: root }).catch(() => undefined)
    if (isOwn !== 'false') {
      say('this folder has no whole git history of its own: its push is left out')
      return
    }
    const own = await newRepository('ingot')
    const tip = await run('git', ['rev-parse', 'HEAD'], { cwd: root })
    await run('git', ['push', '-q', remoteOf('ingot'), `${tip}:refs/heads/main`], { cwd: root })
    const count = await run('git', ['rev-list', '--count', tip], { cwd: root })
    assert.equal((await asAda('GET', '/repos/ada/ingot/branches/main')).commit.id, tip)
    say(`this project, ${count} commits: ${own.html_url}`)
    await checkClone('ingot', remoteOf('ingot'), tip)
  }

  async function pushBenchmark() {
    const { synthesise } = await import('./bench/kit/synth.mjs')
    const bare = join(work, 'synth.git')
    await synthesise(bare)
    const large = await newRepository('synth')
    await gitIn(bare, 'push', '-q', '--mirror', remoteOf('synth'))
    const tip = await gitIn(bare, 'rev-parse', 'refs/heads/main')
    assert.equal((await asAda('GET', '/repos/ada/synth/branches/main')).commit.id, tip)
    const count = await gitIn(bare, 'rev-list', '--count', tip)
    say(`the benchmark's repository, ${count} commits: ${large.html_url}`)
    await checkClone('synth', remoteOf('synth'), tip)
  }
}

/** Clones a repository and verifies every object. */
async function checkClone(name, remote, tip) {
  const folder = join(work, `${name}-check`)
  await git('clone', '-q', remote, folder)
  assert.equal(await gitIn(folder, 'rev-parse', 'HEAD'), tip)
  assert.equal(await gitIn(folder, 'status', '--porcelain'), '')
  await gitIn(folder, 'fsck', '--full', '--strict')
  say(`cloned ${name} and checked it (git fsck)`)
}

async function cloneOverSsh(tip) {
  const hasSsh = await run('sh', ['-c', 'command -v ssh && command -v ssh-keygen']).then(
    () => true,
    () => false,
  )
  if (!hasSsh) return say('there is no ssh client here: git over SSH is left out')
  const key = join(work, 'key')
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'smoke', '-f', key])
  const asAda = client(basic('ada', 'Tour-Passw0rd!'))
  await asAda('POST', '/user/keys', {
    body: { title: 'smoke', key: readFileSync(`${key}.pub`, 'utf8').trim() },
    expect: 201,
  })
  const folder = join(work, 'over-ssh')
  mkdirSync(folder)
  const env = {
    GIT_SSH_COMMAND: `ssh -F none -i ${key} -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=${work}/hosts -o LogLevel=ERROR`,
  }
  await run('git', ['clone', '-q', `ssh://git@${forge.ssh}/ada/smoke.git`, folder], { env })
  assert.equal(await gitIn(folder, 'rev-parse', 'HEAD'), tip)
  writeFileSync(join(folder, 'ssh.md'), 'pushed over SSH\n')
  await gitIn(folder, 'add', '.')
  await gitIn(folder, 'commit', '-q', '-m', 'docs: over SSH')
  await run('git', ['-C', folder, 'push', '-q', 'origin', 'main'], { env })
  const head = await gitIn(folder, 'rev-parse', 'HEAD')
  assert.equal((await asAda('GET', '/repos/ada/smoke/branches/main')).commit.id, head)
  say(`cloned and pushed over SSH, ssh://git@${forge.ssh}/ada/smoke.git`)
}

let problem
try {
  await smokeTest()
} catch (error) {
  problem = error
} finally {
  await forge.stop()
  await database?.stop()
  rmSync(work, { recursive: true, force: true })
}
if (problem !== undefined) {
  fail(`the smoke test failed: ${problem.stack ?? problem}\nthe server's log is ${forge.logFile}`)
}
say('the smoke test passed')

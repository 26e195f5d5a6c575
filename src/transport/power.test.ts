import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { createApp } from '../app.ts'
import { loadConfig } from '../config/load-config.ts'
import { manyReferences } from '../git/files/flush.ts'
import { builtFile } from '../lib/assets.ts'
import { ForgeClient } from '../testing/client.ts'
import { removeCopies } from '../testing/copies.ts'
import { examined } from '../testing/doctor.ts'
import { readPowerLog, acknowledgedRecord, writeWhatLasts } from '../testing/power-log.ts'
import { runProgram } from '../testing/program.ts'
import { base64 } from '../testing/samples.ts'
import { until } from '../testing/until.ts'
import { Acknowledged, writeOnce } from './acknowledged.test-support.ts'

/** Number of power failures; `INGOT_POWER_CUTS` raises it. */
const cuts = Number(process.env['INGOT_POWER_CUTS'] ?? 5)
/** Rounds of recorded writes; more failures need more. */
const rounds = Math.min(20, 2 + Math.floor(cuts / 10))

const password = 'a password of the power test'

/** The source folder, from which the recorder is compiled. */
const recorderSource = resolve('test/power/record.c')

interface AcknowledgedWrites {
  readonly refs: [string, string][]
  readonly marks: Partial<Record<'issues' | 'comments' | 'pulls' | 'merges' | 'uploads' | 'revoked', unknown[]>>
}

/** Makes changes of all kinds, and logs each one when it is acknowledged. */
async function writeEverything(url: string, base: string, log: string): Promise<void> {
  const client = new ForgeClient(url, async () => ({ basic: { login: 'root', password } }))
  const api = '/repos/root/crash'
  await client.must('POST', '/user/repos', { name: 'crash', auto_init: true, default_branch: 'main' })
  const noteAcknowledged = (refs: AcknowledgedWrites['refs'], acknowledged = new Acknowledged()): void => {
    const marks = Object.fromEntries(
      Object.entries(acknowledged).map(([name, values]) => [name, [...(values as Set<unknown>)]]),
    )
    appendFileSync(log, acknowledgedRecord({ refs, marks }))
  }
  noteAcknowledged([])
  const remote = new URL(`${url}/root/crash.git`)
  Object.assign(remote, { username: 'root', password })
  const clone = join(base, 'clone')
  const git = async (...args: string[]): Promise<string> => {
    const ended = await runProgram('git', ['-C', clone, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args])
    assert.equal(ended.code, 0, ended.err)
    return ended.out.trim()
  }
  mkdirSync(clone)
  await git('clone', '-q', remote.href, '.')
  const pushes = async (): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      writeFileSync(join(clone, `pushed-${round}`), `${round}\n`)
      await git('add', '.')
      await git('commit', '-q', '-m', `push ${round}`)
      const refs = [`refs/heads/pushed/${round}`, `refs/tags/v${round}`]
      await git('push', '-q', 'origin', ...refs.map((ref) => `HEAD:${ref}`))
      const head = await git('rev-parse', 'HEAD')
      noteAcknowledged(refs.map((ref) => [ref, head]))
    }
    // Enough references to be synced together.
    const names = Array.from({ length: manyReferences + 20 }, (_, index) => `refs/heads/many/${index % 7}/${index}`)
    for (const round of [0, 1]) {
      await git('commit', '-q', '--allow-empty', '-m', `many ${round}`)
      await git('push', '-q', 'origin', ...names.map((ref) => `HEAD:${ref}`))
      const head = await git('rev-parse', 'HEAD')
      noteAcknowledged(names.map((ref) => [ref, head]))
    }
  }
  const merges = async (): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      const branch = `edit-${round}`
      const content = base64(branch)
      const made = await client.must('POST', `${api}/contents/${branch}`, {
        branch: 'main',
        new_branch: branch,
        content,
      })
      noteAcknowledged([[`refs/heads/${branch}`, made.json.commit.sha]])
      const mark = new Acknowledged()
      const pull = await client.must('POST', `${api}/pulls`, { base: 'main', head: branch, title: branch })
      mark.pulls.add(pull.json.number)
      noteAcknowledged([], mark)
      await client.must('POST', `${api}/pulls/${pull.json.number}/merge`, { Do: 'merge' })
      mark.merges.add(pull.json.number)
      noteAcknowledged([], mark)
    }
  }
  const records = async (name: string): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      const mark = new Acknowledged()
      await writeOnce(client, api, `${name}-${round}`, mark)
      noteAcknowledged([], mark)
    }
  }
  await Promise.all([pushes(), merges(), records('one'), records('two')])
}

/**
 * Acknowledged changes that are lost or wrong in a data folder. A reference may have its next value, because it moves
 * before the answer.
 */
async function inspect(
  folder: string,
  writes: readonly AcknowledgedWrites[],
  next: readonly AcknowledgedWrites[],
  storage: string,
): Promise<string[]> {
  const { config } = loadConfig({
    env: { INGOT__repository__STORAGE: storage },
    cwd: folder,
    overrides: { dataFolder: folder, host: '127.0.0.1', port: 0, sshPort: 0 },
  })
  // What a copy has, and the storage lacks, is lost.
  if (config.packStorage && existsSync(config.paths.repositories)) removeCopies(config.paths.repositories)
  await using app = await createApp({ config, log: () => undefined })
  await app.listen()
  await app.workers.settle()
  const { services } = app
  const repo = await services.db.selectFrom('repo').selectAll().where('name', '=', 'crash').executeTakeFirst()
  if (writes.length > 0 && !repo) return ['the repository is lost']
  const acknowledged = new Acknowledged()
  const refs = new Map(writes.flatMap((each) => each.refs))
  for (const { marks } of writes) {
    for (const [name, values] of Object.entries(marks)) {
      const into = acknowledged[name as keyof AcknowledgedWrites['marks']] as Set<unknown>
      for (const value of values) into.add(value)
    }
  }
  const problems = await examined(services)
  if (repo) {
    const found = new Map((await services.git.readRefs(repo.git_key)).map(({ name, oid }) => [name, String(oid)]))
    const coming = new Map(next.flatMap((each) => each.refs).toReversed())
    for (const [ref, oid] of refs) {
      const is = found.get(ref)
      if (is === undefined || (is !== oid && is !== coming.get(ref))) {
        problems.push(`${ref} is ${is}, acknowledged ${oid}`)
      }
    }
    problems.push(...(await acknowledged.missing(services, repo)))
    const fsck = await services.git.fsck(repo.git_key)
    if (!fsck.ok) problems.push(...fsck.problems)
  }
  return problems
}

for (const [where, storage] of [
  ['', 'local'],
  ['with packs in a storage, ', 'blobs'],
] as const) {
  test(
    `power: ${where}acknowledged changes survive a power failure at any moment`,
    { timeout: 120_000 + cuts * 10_000 },
    async (t) => {
      const base = mkdtempSync(join(tmpdir(), 'ingot-power-'))
      const recorder = join(base, 'record.so')
      const flags = ['-shared', '-fPIC', '-O1', '-D_LARGEFILE64_SOURCE', '-o', recorder, recorderSource]
      if (process.platform !== 'linux' || spawnSync('cc', [...flags, '-ldl', '-lpthread']).status !== 0) {
        rmSync(base, { recursive: true })
        return t.skip('what a program writes is recorded with a C compiler on Linux')
      }
      const root = join(base, 'disk')
      const log = join(base, 'log')
      const recording = { LD_PRELOAD: recorder, POWER_ROOT: root, POWER_LOG: log }
      try {
        mkdirSync(root)
        writeFileSync(log, '')
        // git inherits no environment from the program.
        const git = join(base, 'git')
        const lines = Object.entries(recording).map(([name, value]) => `export ${name}='${value}'`)
        writeFileSync(git, `#!/bin/sh\n${lines.join('\n')}\nexec git "$@"\n`, { mode: 0o755 })
        writeFileSync(
          join(base, 'app.ini'),
          `[log]\nLEVEL = none\n[cron]\nENABLED = false\n[git]\nPATH = ${git}\n[repository]\nSTORAGE = ${storage}\n`,
        )
        const data = join(root, 'data')
        const args = ['--data', data, '--config', join(base, 'app.ini'), '--host', '127.0.0.1', '--port', '0']
        const child = spawn(process.execPath, [builtFile('ingot.js'), 'serve', ...args, '--ssh-port', '0'], {
          stdio: ['ignore', 'pipe', 'inherit'],
          env: {
            ...process.env,
            ...recording,
            INGOT_ADMIN_LOGIN: 'root',
            INGOT_ADMIN_PASSWORD: password,
            INGOT_ADMIN_EMAIL: 'root@example.com',
          },
        })
        const ended = once(child, 'exit')
        try {
          let output = ''
          child.stdout.setEncoding('utf8').on('data', (piece: string) => (output += piece))
          await until(() => /Ingot serves (\S+)\/\n/.test(output))
          await writeEverything(/Ingot serves (\S+)\/\n/.exec(output)?.[1] as string, base, log)
        } finally {
          child.kill('SIGKILL')
          await ended
        }

        const records = readPowerLog(log)
        const acknowledgedAt = records.flatMap(({ kind }, index) => (kind === 'acknowledged' ? [index] : []))
        const syncedAt = records.flatMap(({ kind }, index) => (kind === 'syncEnded' ? [index] : []))
        assert.ok(acknowledgedAt.length > rounds && syncedAt.length > acknowledgedAt.length)
        const after = syncedAt.filter((index) => index > (acknowledgedAt[0] as number))
        const cutPoints = Array.from({ length: cuts }, (_, index) => {
          const syncAt = after[Math.floor(((index + Math.random()) / cuts) * after.length)] as number
          // Right after a sync, or right after an answer.
          return index % 2 === 0 ? syncAt + 1 : (acknowledgedAt.find((at) => at > syncAt) ?? syncAt) + 1
        })
        for (const cut of cutPoints) {
          const folder = join(base, 'after')
          writeWhatLasts(records, cut, root, folder)
          const [acknowledged, next] = [records.slice(0, cut), records.slice(cut)].map((some) =>
            some.flatMap(({ kind, path }) => (kind === 'acknowledged' ? [JSON.parse(path) as AcknowledgedWrites] : [])),
          ) as [AcknowledgedWrites[], AcknowledgedWrites[]]
          assert.deepEqual(
            await inspect(join(folder, 'data'), acknowledged, next, storage),
            [],
            `cut behind record ${cut} of ${records.length}`,
          )
          rmSync(folder, { recursive: true, maxRetries: 5 })
        }
        t.diagnostic(
          `${cuts} cuts among ${records.length} records, ${syncedAt.length} syncs and ${acknowledgedAt.length} answers`,
        )
      } finally {
        if (process.env['INGOT_POWER_KEEP'] === undefined) rmSync(base, { recursive: true, force: true, maxRetries: 5 })
      }
    },
  )
}

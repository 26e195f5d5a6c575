import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { Clone, packetLine } from '../testing/clone.ts'
import { codeOf } from '../refs/git-repository.ts'
import { moveRefs } from '../refs/changes/ref-door.service.ts'
import { examined } from '../testing/doctor.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { givenPull } from '../testing/given-pull.ts'
import { until } from '../testing/until.ts'

/** The folder of a forge's only repository. */
async function folderOf({ services }: Forge): Promise<string> {
  const { git_key: key } = await services.db.selectFrom('repo').select('git_key').executeTakeFirstOrThrow()
  return join(services.config.paths.repositories, key.slice(0, 2), `${key}.git`)
}

/** Files of a git that was killed a minute ago. */
function leave(folder: string, name: string): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '')
  const unix = Date.now() / 1000 - 60
  utimesSync(path, unix, unix)
  return path
}

test('a branch locked by a killed git accepts pushes and commits', async () => {
  await using forge = await startForge({ users: ['ann'] })
  const repo = await forge.given.repo({ owner: 'ann', name: 'notes' })
  const folder = await folderOf(forge)
  using clone = await Clone.of(forge, 'ann', 'ann/notes')
  await clone.commit('a')
  leave(folder, 'refs/heads/main.lock')
  await clone.must('push', '-q', 'origin', 'main')
  leave(folder, 'refs/heads/other.lock')
  await forge.as('ann').must('POST', `${repo.api}/branches`, { new_branch_name: 'other' })
  leave(folder, 'packed-refs.lock')
  await forge.as('ann').must('DELETE', `${repo.api}/branches/other`)
})

test('locks and unfinished objects of dead processes are reported by the doctor and removed at a start and on schedule', async () => {
  await using forge = await startForge({ users: ['ann'] })
  await forge.given.repo({ owner: 'ann', name: 'notes' })
  await forge.settle()
  const folder = await folderOf(forge)
  const paths = ['refs/heads/main.lock', 'objects/tmp_objdir-incoming-x/pack/tmp_pack_y'].map((name) =>
    leave(folder, name),
  )
  const expected = (state: string): string[] => [
    `git-leftovers: repository 1 (notes): a dead process left refs/heads/main.lock (${state})`,
    `git-leftovers: repository 1 (notes): a dead process left objects/tmp_objdir-incoming-x (${state})`,
  ]
  assert.deepEqual(await examined(forge.services), expected('fixable'))
  assert.deepEqual(await examined(forge.services, { fix: true }), expected('fixed'))
  assert.deepEqual(paths.map(existsSync), [false, false])
  for (const name of ['refs/heads/main.lock', 'objects/tmp_objdir-incoming-x/pack/tmp_pack_y']) leave(folder, name)
  await forge.services.tasks.runNow('remove_git_leftovers')
  await forge.settle()
  assert.deepEqual(paths.map(existsSync), [false, false])
  assert.deepEqual(await examined(forge.services), [])
})

/** Names of git's temporary files in a repository. */
function temporaries(folder: string): string[] {
  try {
    const names = readdirSync(join(folder, 'objects'), { recursive: true, encoding: 'utf8' })
    return names.filter((name) => /tmp_|\.tmp-/.test(name))
  } catch (error) {
    // A folder went while its parent was read.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return temporaries(folder)
    throw error
  }
}

/** Begins a push of a large pack over HTTP and sends half of it. */
async function beginPush(forge: Forge, user: string, path: string): Promise<Socket> {
  const { token } = await forge.account(user)
  using clone = await Clone.begin(user)
  const tip = await clone.commit(`random-${randomBytes(4).toString('hex')}`, randomBytes(3 << 20))
  const pack = await packOf(clone.path, tip)
  const head = Buffer.from(`${packetLine(`${'0'.repeat(40)} ${tip} refs/heads/b${tip}\0report-status`)}0000`)
  const socket = connect({ port: Number(new URL(forge.url).port), host: '127.0.0.1' })
  socket.on('error', () => undefined).resume()
  socket.write(
    `POST /${path}.git/git-receive-pack HTTP/1.1\r\nhost: x\r\nauthorization: token ${token}\r\n` +
      `content-type: application/x-git-receive-pack-request\r\ncontent-length: ${head.length + pack.length}\r\n\r\n`,
  )
  socket.write(head)
  socket.write(pack.subarray(0, pack.length / 2))
  return socket
}

async function packOf(path: string, tip: string): Promise<Buffer> {
  const git = spawn('git', ['-C', path, 'pack-objects', '--revs', '--stdout', '-q'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  git.stdin.end(`${tip}\n`)
  const chunks: Buffer[] = []
  for await (const chunk of git.stdout) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** The git commands that work in a folder, and whether each is the child of another one. */
const gitsIn = (folder: string): { readonly pid: number; readonly isChild: boolean }[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const isInside = readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return isInside && /receive-pack|index-pack|unpack-objects/.test(command)
          ? [{ pid: Number(pid), isChild: command.includes('index-pack') }]
          : []
      } catch {
        // The process has ended, or belongs to another user.
        return []
      }
    })

test('gitReceivePack: the quarantine of a push ends with it, when the client leaves and when git is killed', async () => {
  await using forge = await startForge({ users: ['ann'] })
  await forge.given.repo({ owner: 'ann', name: 'notes' })
  await forge.settle()
  const folder = await folderOf(forge)
  for (const end of ['client', 'git', 'index-pack'] as const) {
    const pushes = await Promise.all([1, 2].map(() => beginPush(forge, 'ann', 'ann/notes')))
    await until(() => temporaries(folder).filter((name) => /pack\/tmp_pack/.test(name)).length === pushes.length)
    if (end !== 'client') {
      // Before any is killed: its child ends by itself then.
      const killed = gitsIn(folder).filter(({ isChild }) => isChild === (end === 'index-pack'))
      for (const { pid } of killed) process.kill(pid, 'SIGKILL')
    } else for (const socket of pushes) socket.destroy()
    await until(() => temporaries(folder).length === 0)
    for (const socket of pushes) socket.destroy()
  }
})

test('gitReceivePack: the end of one push keeps the quarantine of another that is under way', async () => {
  await using forge = await startForge({ users: ['ann'] })
  await forge.given.repo({ owner: 'ann', name: 'notes' })
  await forge.settle()
  const folder = await folderOf(forge)
  const quarantines = () => readdirSync(join(folder, 'objects')).filter((name) => name.startsWith('tmp_objdir-'))
  const ending = await beginPush(forge, 'ann', 'ann/notes')
  await until(() => temporaries(folder).some((name) => name.includes('tmp_pack')))
  const [first] = quarantines()
  const staying = await beginPush(forge, 'ann', 'ann/notes')
  await until(() => temporaries(folder).filter((name) => name.includes('tmp_pack')).length === 2)
  ending.destroy()
  await until(() => quarantines().length === 1)
  assert.notEqual(quarantines()[0], first)
  assert.equal(temporaries(folder).filter((name) => name.includes('tmp_pack')).length, 1)
  staying.destroy()
  await until(() => quarantines().length === 0)
})

test('every kind of temporary file of git is found when its process is dead', async () => {
  await using forge = await startForge({ users: ['ann'] })
  await forge.given.repo({ owner: 'ann', name: 'notes' })
  await forge.settle()
  const folder = await folderOf(forge)
  const paths = [
    'objects/tmp_objdir-incoming-x/pack/tmp_pack_y',
    'objects/tmp_objdir-bulk-fsync-x/aa/tmp_obj_y',
    'objects/aa/tmp_obj_x',
    'objects/pack/tmp_idx_x',
    'objects/pack/tmp_rev_x',
    'objects/pack/.tmp-1-pack-x.pack',
    'objects/info/commit-graphs/tmp_graph_x',
    'objects/pack/multi-pack-index.lock',
  ].map((name) => leave(folder, name))
  await forge.services.tasks.runNow('remove_git_leftovers')
  await forge.settle()
  assert.deepEqual(
    paths.map(existsSync),
    paths.map(() => false),
  )
})

test('what the server makes for git goes when it is old, and stays while a command may use it', async () => {
  await using forge = await startForge({ users: ['ann'] })
  await forge.given.repo({ owner: 'ann', name: 'notes' })
  await forge.settle()
  const folder = await folderOf(forge)
  const names = ['objects/tmp_objdir-merge-x', 'tmp_index-x', 'objects/tmp_obj_x']
  const paths = names.map((name) => leave(folder, name))
  await forge.services.tasks.runNow('remove_git_leftovers')
  await forge.settle()
  assert.deepEqual(paths.map(existsSync), [true, true, true])
  for (const path of paths) utimesSync(path, 1, 1)
  await forge.services.tasks.runNow('remove_git_leftovers')
  await forge.settle()
  assert.deepEqual(paths.map(existsSync), [false, false, false])
})

test('repoGetPullRequest: a missing pull request reference is restored by the next check', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  await forge.settle()
  const { git, db } = forge.services
  const row = await db.selectFrom('repo').selectAll().executeTakeFirstOrThrow()
  const key = row.git_key
  const [ref] = await git.readRefs(key, 'refs/pull/')
  assert.ok(ref)
  const change = { ref: ref.name, old: ref.oid, new: '0'.repeat(40) as never }
  await moveRefs(forge.services, codeOf(row), [change], { doerId: row.owner_id, via: 'internal' })
  assert.equal(await git.readRef(key, ref.name), undefined)
  using clone = await Clone.of(forge, pull.repo.owner, `${pull.repo.owner}/${pull.repo.name}`)
  await clone.commit('another')
  await clone.must('push', '-q', 'origin', 'main')
  await forge.settle()
  assert.equal(await git.readRef(key, ref.name), ref.oid)
})

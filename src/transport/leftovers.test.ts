import assert from 'node:assert/strict'
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { Clone } from '../testing/clone.ts'
import { examined } from '../testing/doctor.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { givenPull } from '../testing/given-pull.ts'

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

test('repoGetPullRequest: a missing pull request reference is restored by the next check', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  await forge.settle()
  const { git, db } = forge.services
  const { git_key: key } = await db.selectFrom('repo').select('git_key').executeTakeFirstOrThrow()
  const [ref] = await git.readRefs(key, 'refs/pull/')
  assert.ok(ref)
  await git.updateRefs(key, [{ ref: ref.name, old: ref.oid, new: '0'.repeat(40) as never }])
  using clone = await Clone.of(forge, pull.repo.owner, `${pull.repo.owner}/${pull.repo.name}`)
  await clone.commit('another')
  await clone.must('push', '-q', 'origin', 'main')
  await forge.settle()
  assert.equal(await git.readRef(key, ref.name), ref.oid)
})

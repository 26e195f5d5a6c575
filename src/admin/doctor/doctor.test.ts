import assert from 'node:assert/strict'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { transaction, type Db } from '../../db/database.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { repositoryPath } from '../../git/git-key.ts'
import type { GitKey } from '../../lib/ids.ts'
import { codeOf } from '../../refs/git-repository.ts'
import { moveRefs } from '../../refs/changes/ref-door.service.ts'
import { examined } from '../../testing/doctor.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { givenPull } from '../../testing/given-pull.ts'

const allRepos = (db: Db): Promise<RepoRow[]> => db.selectFrom('repo').selectAll().orderBy('id').execute()

test('doctor: finds references that were moved on the disk, and moves them back or takes them over', async () => {
  for (const takeReferences of [false, true]) {
    await using forge = await startForge({ users: ['alice'] })
    const given = await forge.given.repo({ owner: 'alice', name: 'notes' })
    await forge.settle()
    assert.deepEqual(await examined(forge.services), [])
    const [repo] = await allRepos(forge.services.db)
    assert.ok(repo)
    const head = await forge.services.git.readRef(repo.git_key, 'refs/heads/main')
    assert.ok(head)
    const zeros = '0'.repeat(40)
    const moved = await forge.services.git.updateRefs(repo.git_key, [
      { ref: 'refs/heads/unheard', old: zeros as never, new: head },
      { ref: 'refs/tags/v1', old: zeros as never, new: head },
    ])
    assert.deepEqual(moved, { ok: true })
    const expected = (state: string): string[] => [
      `references: repository ${repo.id} (notes): refs/heads/unheard is ${zeros}, and ${head} on the disk (${state})`,
      `references: repository ${repo.id} (notes): refs/tags/v1 is ${zeros}, and ${head} on the disk (${state})`,
    ]
    assert.deepEqual(await examined(forge.services), expected('fixable'))
    assert.deepEqual(await examined(forge.services, { fix: true, takeReferences }), expected('fixed'))
    assert.deepEqual(await examined(forge.services), [])
    const branches = await forge.as('alice').get(`${given.api}/branches`)
    assert.deepEqual(
      branches.json.map((branch: { name: string }) => branch.name),
      takeReferences ? ['main', 'unheard'] : ['main'],
    )
    const tag = await forge.services.git.readRef(repo.git_key, 'refs/tags/v1')
    assert.equal(tag, takeReferences ? head : undefined)
  }
})

test('doctor: finds lists of branches and tags that do not agree with the references', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const given = await forge.given.repo({ owner: 'alice', name: 'notes' })
  await forge.as('alice').must('POST', `${given.api}/tags`, { tag_name: 'v1' })
  await forge.settle()
  const [repo] = await allRepos(forge.services.db)
  assert.ok(repo)
  const head = await forge.services.git.readRef(repo.git_key, 'refs/heads/main')
  const zeros = '0'.repeat(40)
  await transaction(forge.services.db, async (tx) => {
    await tx.updateTable('branch').set({ name: 'other' }).execute()
    await tx.deleteFrom('tag').execute()
  })
  const expected = (state: string): string[] => [
    `references: repository ${repo.id} (notes): refs/heads/other is ${zeros} and listed as ${head} (${state})`,
    `references: repository ${repo.id} (notes): refs/heads/main is ${head} and listed as ${zeros} (${state})`,
    `references: repository ${repo.id} (notes): refs/tags/v1 is ${head} and listed as ${zeros} (${state})`,
  ]
  assert.deepEqual(await examined(forge.services), expected('fixable'))
  assert.deepEqual(await examined(forge.services, { fix: true }), expected('fixed'))
  assert.deepEqual(await examined(forge.services), [])
})

test('doctor: restores the missing reference of a pull request', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { number } = await givenPull(forge, { repo: await forge.given.repo({ owner: 'alice', name: 'notes' }) })
  await forge.settle()
  assert.deepEqual(await examined(forge.services), [])
  const [repo] = await allRepos(forge.services.db)
  assert.ok(repo)
  const ref = `refs/pull/${number}/head`
  const { git } = forge.services
  const head = await git.readRef(repo.git_key, ref)
  assert.ok(head)
  const none = '0'.repeat(40)
  await git.updateRefs(repo.git_key, [{ ref, old: head, new: none as never }])
  const gone = `references: repository ${repo.id} (notes): ${ref} is ${head}, and ${none} on the disk`
  const missing = `pull-requests: repository ${repo.id} (notes): ${ref} is missing`
  assert.deepEqual(await examined(forge.services), [`${gone} (fixable)`, `${missing} (fixable)`])
  assert.deepEqual(await examined(forge.services, { fix: true }), [`${gone} (fixed)`])
  const change = { ref, old: head, new: none as never }
  await moveRefs(forge.services, codeOf(repo), [change], { doerId: repo.owner_id, via: 'internal' })
  assert.deepEqual(await examined(forge.services), [`${missing} (fixable)`])
  assert.deepEqual(await examined(forge.services, { fix: true }), [`${missing} (fixed)`])
  assert.equal(await git.readRef(repo.git_key, ref), head)
  assert.deepEqual(await examined(forge.services), [])
})

test('tasks: find missing git data, report it, and recreate or delete the repository', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await forge.given.repo({ owner: 'alice', name: 'kept' })
  await forge.given.repo({ owner: 'alice', name: 'lost' })
  await forge.settle()
  const lost = (await allRepos(forge.services.db)).find((repo) => repo.name === 'lost')
  assert.ok(lost)
  await forge.services.git.remove(lost.git_key)
  assert.match(
    (await examined(forge.services)).join(),
    /repository \d+ \(lost\): its git repository [0-9a-f]+ is missing \(report\)/,
  )

  const run = async (task: string): Promise<{ exec_times: number; prev: string }> => {
    assert.equal((await forge.as('root').post(`/admin/cron/${task}`)).status, 204)
    await forge.settle()
    const { json } = await forge.as('root').get('/admin/cron')
    return json.find((each: { name: string }) => each.name === task)
  }
  const { exec_times: times, prev } = await run('reinit_missing_repos')
  assert.equal(times, 1)
  assert.ok(Math.abs(Date.parse(prev) - Date.now()) < 60_000)
  assert.equal(await forge.services.git.exists(lost.git_key), true)

  await forge.services.git.remove(lost.git_key)
  await run('delete_missing_repos')
  assert.equal((await forge.as('alice').get('/repos/alice/lost')).status, 404)
  assert.equal((await forge.as('alice').get('/repos/alice/kept')).status, 200)

  for (const task of ['git_gc_repos', 'repo_health_check', 'deleted_branches_cleanup', 'check_repo_stats']) {
    await run(task)
  }
  const errors = (await forge.services.tasks.list()).map((task) => task.lastError)
  assert.deepEqual(
    errors.filter((error) => error !== ''),
    [],
  )
})

test('check_repo_stats: corrects stored counts', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await forge.given.repo({ owner: 'alice', name: 'notes' })
  await transaction(forge.services.db, (tx) => tx.updateTable('repo').set({ num_stars: 5, num_issues: 2 }).execute())
  assert.equal((await forge.as('alice').get('/repos/alice/notes')).json.stars_count, 5)
  await forge.as('root').post('/admin/cron/check_repo_stats')
  await forge.settle()
  assert.equal((await forge.as('alice').get('/repos/alice/notes')).json.stars_count, 0)
  assert.deepEqual(await examined(forge.services), [])
})

/** Makes a git repository look as if it was made yesterday. */
function makeOld({ services: { config } }: Forge, key: GitKey): void {
  const yesterday = Date.now() / 1000 - 86_400
  utimesSync(join(repositoryPath(config.paths.repositories, key), 'HEAD'), yesterday, yesterday)
}

test('doctor: finds git repositories without a row and missing files', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await forge.given.repo({ owner: 'alice', name: 'notes' })
  const { git, db } = forge.services
  const [empty, full] = ['0'.repeat(24), '1'.repeat(24)] as GitKey[]
  assert.ok(empty && full)
  await git.create(empty)
  const [repo] = await allRepos(db)
  assert.ok(repo)
  await git.fork(repo.git_key, full)
  // They may be in the making.
  assert.deepEqual(await examined(forge.services), [])
  for (const key of [empty, full]) makeOld(forge, key)
  await transaction(db, (tx) => tx.updateTable('repo').set({ avatar_key: 'no-such-picture' }).execute())
  const kept = [
    `orphans: the git repository ${full} belongs to nothing (report)`,
    `files: repo ${repo.id}: its file no-such-picture is missing from repoAvatars (report)`,
  ]
  const ofEmpty = (state: string): string =>
    `orphans: the git repository ${empty}, which is empty, belongs to nothing (${state})`
  assert.deepEqual((await examined(forge.services)).sort(), [...kept, ofEmpty('fixable')].sort())
  assert.deepEqual((await examined(forge.services, { fix: true })).sort(), [...kept, ofEmpty('fixed')].sort())
  assert.deepEqual((await examined(forge.services)).sort(), kept.toSorted())
})

test('doctor: reports stuck jobs, and leaves git data that a job will delete', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { db, git } = forge.services
  const give = (name: string, more: object): Promise<unknown> =>
    transaction(db, (tx) =>
      tx
        .insertInto('job')
        .values({
          ...{ name, input: '{}', max_attempts: 5, priority: 50, run_at_ms: forge.clock.nowMs() + 3_600_000 },
          ...{ created_unix: 0, updated_unix: Math.floor(forge.clock.nowMs() / 1000), last_error: 'no' },
          ...more,
        } as never)
        .execute(),
    )
  await give('sendThing', { state: 'failed', attempt: 1, problem: 'permanent' })
  await give('sendThing', { state: 'failed', attempt: 5, problem: 'exhausted' })
  await give('sendThing', { problem: 'unreadable' })
  assert.deepEqual(
    (await examined(forge.services)).map((found) => found.replace(/job \d+/, 'job N')),
    [
      'jobs: job N (sendThing) failed after 5 attempts: no (report)',
      'jobs: job N (sendThing) failed for good, since another attempt would not help: no (report)',
      'jobs: job N (sendThing) waits for a release that can read it: no (report)',
    ],
  )

  await transaction(db, (tx) => tx.deleteFrom('job').execute())
  const key = 'fffffffffffffffffffffff0' as GitKey
  await git.create(key)
  makeOld(forge, key)
  assert.match((await examined(forge.services)).join(), /belongs to nothing/)
  const event = await transaction(db, (tx) =>
    tx
      .insertInto('event')
      .values({
        ...{ name: 'repo.deleted', version: 1, actor_id: null, owner_id: null, repo_id: null, issue_id: null },
        ...{ data: JSON.stringify({ gitKeys: [key] }), at_ms: 0 },
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  await give('removeRepoFiles', { event_id: event.id })
  assert.deepEqual(await examined(forge.services), [])
})

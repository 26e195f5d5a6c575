import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { resealSecrets } from '../../admin/reseal-secrets.job.ts'
import { transaction } from '../../db/database.ts'
import { GiveUp, type JobProgress } from '../../jobs/job.ts'
import { createSecrets } from '../../secrets/secrets.ts'
import { startForge } from '../../testing/forge.ts'
import { secretPurpose } from './secret.service.ts'

test('updateRepoSecret, deleteRepoSecret: refusals in their order', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  const secrets = `${repo.api}/actions/secrets`
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'admin' })
  assert.equal((await forge.guest.put(`${secrets}/1`, {})).status, 401)
  assert.equal(
    (await forge.as('bob').put(`${secrets}/1`, {})).status,
    403,
    'an administrator of the repository is not its owner',
  )
  const alice = forge.as('alice')
  assert.equal((await alice.put(`${secrets}/1`, {})).status, 422, 'the body is checked before the name')
  assert.equal((await alice.put(`${secrets}/1`, { data: 'x' })).status, 400)
  assert.equal((await alice.put(`${secrets}/GITHUB_X`, { data: 'x' })).status, 400)
  assert.equal((await alice.put(`${secrets}/X`, { data: 'x'.repeat(65_537) })).status, 422)
  assert.equal((await alice.delete(`${secrets}/1`)).status, 400)
  assert.equal((await alice.delete(`${secrets}/X`)).status, 404)
  assert.deepEqual((await alice.get(secrets)).json, [])
})

test('repoListActionsSecrets: all names and times without a page parameter, and no values', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const secrets = `${repo.api}/actions/secrets`
  const alice = forge.as('alice')
  assert.equal((await alice.put(`${secrets}/deploy_key`, { data: 'one\r\ntwo' })).status, 201)
  assert.equal((await alice.put(`${secrets}/DEPLOY_KEY`, { data: 'three\r\n' })).status, 204)
  assert.equal((await alice.put(`${secrets}/_other`, { data: 'x' })).status, 201)
  const list = await alice.get(secrets)
  assert.deepEqual(
    list.json.map((each: { name: string }) => each.name),
    ['DEPLOY_KEY', '_OTHER'],
  )
  assert.deepEqual(Object.keys(list.json[0]), ['name', 'created_at'])
  assert.deepEqual([list.headers.get('x-total-count'), list.headers.get('link')], ['2', null])
  assert.equal((await alice.get(`${secrets}?limit=1`)).json.length, 1)
  const second = await alice.get(`${secrets}?limit=1&page=2`)
  assert.equal(second.json[0].name, '_OTHER')

  const stored = await forge.services.db.selectFrom('action_secret').selectAll().orderBy('id').execute()
  assert.equal(JSON.stringify(stored).includes('three'), false)
  assert.equal(forge.services.secrets.open(secretPurpose, stored[0]?.sealed ?? ''), 'three\r\n', 'byte for byte')
})

test('updateUserSecret, deleteUserSecret, updateOrgSecret, deleteOrgSecret, orgListActionsSecrets: each owner has its own', async () => {
  await using forge = await startForge()
  const alice = forge.as('alice')
  const org = await forge.given.org()
  assert.equal((await alice.put('/user/actions/secrets/token', { data: 'mine' })).status, 201)
  assert.equal((await alice.put(`/orgs/${org}/actions/secrets/token`, { data: 'ours' })).status, 201)
  assert.equal((await forge.as('bob').get(`/orgs/${org}/actions/secrets`)).status, 403)
  assert.equal((await alice.get(`/orgs/${org}/actions/secrets`)).json.length, 1)
  assert.equal((await alice.delete('/user/actions/secrets/TOKEN')).status, 204)
  assert.equal((await alice.delete('/user/actions/secrets/TOKEN')).status, 404)
  assert.equal((await alice.get(`/orgs/${org}/actions/secrets`)).json.length, 1)
  assert.equal((await alice.delete(`/orgs/${org}/actions/secrets/token`)).status, 204)
})

test('updateUserSecret: one of several concurrent requests creates the secret, and the limit holds', async () => {
  await using forge = await startForge({ settings: { ingot: { MAX_ACTIONS_VALUES: 2 } } })
  const alice = forge.as('alice')
  await forge.account('alice')
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) => alice.put('/user/actions/secrets/same', { data: `value ${index}` })),
  )
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 204, 204, 204, 204, 204, 204, 204],
  )
  assert.equal((await alice.put('/user/actions/secrets/second', { data: 'x' })).status, 201)
  assert.equal((await alice.put('/user/actions/secrets/third', { data: 'x' })).status, 422)
  assert.equal(
    (await alice.put('/user/actions/secrets/second', { data: 'y' })).status,
    204,
    'a new value does not count',
  )
})

test('resealSecrets: after a change of the key all secrets are sealed with the new key', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'ingot-reseal-'))
  const start = (key: string, old = '') =>
    startForge({ dataFolder, settings: { security: { SECRET_KEY: key }, ingot: { OLD_SECRET_KEYS: old } } })
  try {
    {
      await using forge = await start('first key')
      for (const name of ['A', 'B', 'C']) {
        await forge.as('alice').must('PUT', `/user/actions/secrets/${name}`, { data: `value of ${name}` })
      }
    }
    {
      await using forge = await start('second key', 'first key')
      await forge.settle()
    }
    await using forge = await start('third key', 'second key')
    await forge.settle()
    const { db, secrets } = forge.services
    const rows = await db.selectFrom('action_secret').select(['name', 'sealed']).orderBy('name').execute()
    assert.deepEqual(
      rows.map((row) => secrets.open(secretPurpose, row.sealed)),
      ['value of A', 'value of B', 'value of C'],
    )
    assert.ok(rows.every((row) => secrets.reseal(secretPurpose, row.sealed) === undefined))
    const failed = await forge.as('root').get('/admin/jobs?state=failed')
    assert.deepEqual(failed.json, [])
  } finally {
    rmSync(dataFolder, { recursive: true, force: true })
  }
})

test('resealSecrets: it reports progress, names secrets that cannot be opened, and reseals the others', async () => {
  await using forge = await startForge()
  const { services } = forge
  const { db } = services
  for (const name of ['A', 'B']) await forge.as('alice').must('PUT', `/user/actions/secrets/${name}`, { data: name })
  const before = createSecrets({ current: 'earlier', previous: [], isNew: false })
  const secrets = createSecrets({ current: 'now', previous: ['earlier'], isNew: false })
  const sealed = before.seal(secretPurpose, 'B')
  await transaction(db, (tx) => tx.updateTable('action_secret').set({ sealed }).where('name', '=', 'B').execute())
  const lost = await db.selectFrom('action_secret').selectAll().where('name', '=', 'A').executeTakeFirstOrThrow()

  const reported: JobProgress[] = []
  const run = {
    db,
    signal: new AbortController().signal,
    attempt: 1,
    isLastAttempt: true,
    progress: (progress: JobProgress) => void reported.push(progress),
  }
  await assert.rejects(resealSecrets.run({ ...services, secrets }, {}, run), (error) => {
    assert.ok(error instanceof GiveUp)
    assert.match(error.message, new RegExp(`^1 stored secrets .*: action_secret\\.sealed ${lost.id}$`))
    return true
  })
  assert.deepEqual(reported, [{ done: 2, total: 2, note: 'action_secret.sealed' }])
  const after = await db.selectFrom('action_secret').select('sealed').orderBy('name').execute()
  assert.equal(after[0]?.sealed, lost.sealed)
  assert.equal(secrets.open(secretPurpose, after[1]?.sealed ?? ''), 'B')
  assert.equal(secrets.reseal(secretPurpose, after[1]?.sealed ?? ''), undefined)
})

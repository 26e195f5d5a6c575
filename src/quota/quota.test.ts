import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quotaSubjects } from '../access/quota/quota.rules.ts'
import { startForge } from '../testing/forge.ts'

const check = (subject: string) => `/user/quota/check?subject=${subject}`

test('userCheckQuota: 404 while quotas are off, for guests too', async () => {
  await using forge = await startForge()
  assert.equal((await forge.as('alice').get(check('size:all'))).status, 404)
  assert.equal((await forge.guest.get(check('size:all'))).status, 404)
})

test('userCheckQuota: guests are 401, a missing or unknown subject is 422', async () => {
  await using forge = await startForge({ settings: { quota: { ENABLED: true } } })
  const alice = forge.as('alice')
  assert.equal((await forge.guest.get(check('size:moon'))).status, 401)
  assert.equal((await alice.get('/user/quota/check')).status, 422)
  for (const subject of ['', 'size:moon', 'SIZE:ALL', 'size:all,size:wiki']) {
    const { status, json } = await alice.get(check(subject))
    assert.deepEqual([status, json.code], [422, 'quota_subject_invalid'], subject)
  }
})

test('userCheckQuota: without a limit each subject is within quota at any usage', async () => {
  await using forge = await startForge({ settings: { quota: { ENABLED: true } } })
  await forge.given.repo()
  await forge.settle()
  for (const subject of quotaSubjects) {
    const { status, json } = await forge.as('alice').get(check(subject))
    assert.deepEqual([status, json], [200, true], subject)
  }
})

test('userCheckQuota: false only for a caller over the limit of the instance, and never for wikis', async () => {
  await using forge = await startForge({
    users: ['bob'],
    settings: { quota: { ENABLED: true }, 'quota.default': { TOTAL: 0 } },
  })
  const ask = async (login: string, subject: string) => (await forge.as(login).get(check(subject))).json
  assert.equal(await ask('alice', 'size:all'), true, 'nothing is used')
  await forge.given.repo()
  await forge.settle()
  assert.equal(await ask('alice', 'size:all'), false)
  assert.equal(await ask('alice', 'size:repos:all'), false)
  assert.equal(await ask('alice', 'size:wiki'), true)
  assert.equal(await ask('alice', 'size:assets:wiki'), true)
  assert.equal(await ask('bob', 'size:all'), true)
})

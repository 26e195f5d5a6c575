import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge, type Forge } from '../../testing/forge.ts'

async function offered(forge: Forge) {
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('POST', `${repo.api}/transfer`, { new_owner: 'bob' })
  return { repo, home: `/${repo.fullName}` }
}

test('acceptTransferSubmit: the recipient accepts an offered repository, and nobody else can', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { repo, home } = await offered(forge)
  const carol = await Browser.of(forge, 'carol')
  assert.doesNotMatch((await carol.get(home)).text, /accept_transfer"/)
  const csrf = await carol.csrf('/user/settings')
  assert.equal((await carol.post(`${home}/action/accept_transfer`, { _csrf: csrf })).status, 403)
  const bob = await Browser.of(forge, 'bob')
  const accepted = await bob.submit(home, 'accept_transfer')
  assert.deepEqual([accepted.status, accepted.headers.get('location')], [303, `/bob/${repo.name}`])
  assert.equal((await forge.as('bob').must('GET', `/repos/bob/${repo.name}`)).json.owner.login, 'bob')
})

test('rejectTransferSubmit, cancelTransferSubmit: the recipient rejects, an administrator of the repository takes back', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, home } = await offered(forge)
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const csrf = await bob.csrf('/user/settings')
  assert.equal((await bob.post(`${home}/settings/transfer/cancel`, { _csrf: csrf })).status, 403)
  assert.equal((await bob.submit(home, 'reject_transfer')).status, 303)
  assert.equal((await bob.post(`${home}/action/accept_transfer`, { _csrf: csrf })).status, 404)
  await forge.as('alice').must('POST', `${repo.api}/transfer`, { new_owner: 'bob' })
  assert.equal((await alice.submit(home, 'transfer/cancel')).status, 303)
  assert.doesNotMatch((await bob.get(home)).text, /accept_transfer"/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, type Forge } from '../testing/forge.ts'
import { federationSettings, repoIdOf } from './peer.test-support.ts'

const start = (user: string) => startForge({ users: [user], settings: { federation: federationSettings } })

/** Lets both do what they have to until neither has anything left. */
async function settle(...forges: readonly Forge[]): Promise<void> {
  for (let round = 0; round < 4; round++) for (const forge of forges) await forge.settle()
}

const suffix = (forge: Forge) => new URL(forge.url).host.replace(':', '-')
const logins = (users: readonly { login: string }[]) => users.map(({ login }) => login)

test('userFollowElsewhere, userListFederatedFeed: two instances follow each other and exchange public acts', async () => {
  await using alpha = await start('ada')
  await using beta = await start('ben')
  const ben = `ben-${suffix(beta)}`
  const ada = `ada-${suffix(alpha)}`
  const followed = await alpha
    .as('ada')
    .post('/user/federation/following', { account: `@ben@${new URL(beta.url).host}` })
  assert.deepEqual([followed.status, followed.json.login], [200, ben])
  await settle(alpha, beta)
  assert.deepEqual(logins((await beta.as('ben').get('/users/ben/followers')).json), [ada])
  assert.deepEqual(await alpha.services.db.selectFrom('federated_follow').select('is_accepted').execute(), [
    { is_accepted: true },
  ])

  const open = await beta.given.repo({ owner: 'ben', name: 'open' })
  const secret = await beta.given.repo({ owner: 'ben', name: 'secret', private: true })
  await beta.as('ben').must('POST', `${open.api}/issues`, { title: 'crash <b>now</b>' })
  await beta.as('ben').must('POST', `${secret.api}/issues`, { title: 'nobody knows' })
  await beta.as('ben').must('POST', `${open.api}/contents/a.txt`, { content: 'YQ==', message: 'add a' })
  await settle(beta, alpha)
  const feed = await alpha.as('ada').get('/user/federation/feed')
  const contents: string[] = feed.json.map((entry: { content: string }) => entry.content)
  assert.ok(
    contents.some((html) => html.includes('ben opened the issue ben/open#1') && html.includes('crash &lt;b&gt;now')),
  )
  assert.ok(contents.some((html) => html.includes('pushed to main of ben/open') && html.includes('add a')))
  assert.ok(!feed.text.includes('nobody knows') && !feed.text.includes('secret'), 'private acts are not sent')
  assert.ok(feed.json.every((entry: { actor: { login: string } }) => entry.actor.login === ben))
  assert.equal(Number(feed.headers.get('x-total-count')), contents.length)
  assert.deepEqual((await alpha.as('root').get('/user/federation/feed')).json, [], 'others do not follow')
  const count = contents.length
  await settle(beta, alpha)
  assert.equal((await alpha.as('ada').get('/user/federation/feed')).json.length, count, 'each act is sent once')

  await alpha.as('ada').must('DELETE', `/user/following/${ben}`)
  await settle(alpha, beta)
  assert.deepEqual((await beta.as('ben').get('/users/ben/followers')).json, [])
  await alpha.as('ada').must('PUT', `/user/following/${ben}`)
  await settle(alpha, beta)
  assert.deepEqual(
    logins((await beta.as('ben').get('/users/ben/followers')).json),
    [ada],
    'known accounts as any other',
  )
  await beta.as('ben').must('PUT', `/user/block/${ada}`)
  await alpha.as('ada').must('DELETE', `/user/following/${ben}`)
  await alpha.as('ada').must('PUT', `/user/following/${ben}`)
  await settle(alpha, beta)
  assert.deepEqual((await beta.as('ben').get('/users/ben/followers')).json, [])
  assert.deepEqual((await alpha.as('ada').get('/users/ada/following')).json, [], 'a refusal is heard')
})

test('repoSetFollowedRepositories, repoListFollowedRepositories: a star is sent as a like, and its removal as Undo', async () => {
  await using alpha = await start('ada')
  await using beta = await start('ben')
  const here = await alpha.given.repo({ owner: 'ada', name: 'here' })
  const there = await beta.given.repo({ owner: 'ben', name: 'there' })
  const secret = await beta.given.repo({ owner: 'ben', name: 'secret', private: true })
  const path = `${here.api}/federation/following`
  const actor = async (api: string) => `${beta.url}/api/v1/activitypub/repository-id/${await repoIdOf(beta, api)}`
  assert.equal((await alpha.guest.get(path)).status, 401)
  const person = `${beta.url}/api/v1/activitypub/user-id/${(await beta.account('ben')).user.id}`
  for (const [wrong, status] of [
    [person, 406],
    [await actor(secret.api), 406],
    ['nowhere', 406],
    [`${alpha.url}/api/v1/activitypub/repository-id/1`, 406],
    ['http://127.0.0.1:1/x', 503],
  ] as const) {
    assert.equal((await alpha.as('ada').put(path, { repositories: [wrong] })).status, status, wrong)
  }
  assert.equal(
    (await alpha.as('ada').put(path, { repositories: Array.from({ length: 21 }, (_, n) => `x${n}`) })).status,
    422,
  )
  const url = await actor(there.api)
  const set = await alpha.as('ada').put(path, { repositories: [url, url] })
  assert.deepEqual([set.status, set.json.map((row: { url: string }) => row.url)], [200, [url]])
  assert.deepEqual((await alpha.as('ada').get(path)).json, set.json)
  assert.equal((await alpha.as('eve').get(path)).status, 403)

  const stars = async () => logins((await beta.as('ben').get(`${there.api}/stargazers`)).json)
  const people = ['ada', 'eve', 'root']
  await Promise.all(people.map((name) => alpha.as(name).must('PUT', '/user/starred/ada/here')))
  await settle(alpha, beta)
  assert.deepEqual((await stars()).toSorted(), people.map((name) => `${name}-${suffix(alpha)}`).toSorted())
  await alpha.as('eve').must('DELETE', '/user/starred/ada/here')
  await settle(alpha, beta)
  assert.deepEqual((await stars()).toSorted(), ['ada', 'root'].map((name) => `${name}-${suffix(alpha)}`).toSorted())
  await alpha.as('eve').must('PUT', '/user/starred/ada/here')
  await settle(alpha, beta)
  assert.equal((await stars()).length, 3)
  assert.deepEqual((await alpha.as('ada').put(path, { repositories: [] })).json, [])
  const forms = await alpha.services.db.selectFrom('federated_server').select(['software', 'signature_form']).execute()
  assert.deepEqual(forms, [{ software: 'ingot', signature_form: 'rfc9421' }], 'RFC 9421 between two that know it')
})

test('userFollowElsewhere: an account that cannot be followed is refused with a reason', async () => {
  await using alpha = await start('ada')
  const follow = (account: unknown) => alpha.as('ada').post('/user/federation/following', { account })
  const host = new URL(alpha.url).host
  for (const [account, status] of [
    ['', 422],
    [7, 422],
    ['ben', 422],
    [`root@${host}`, 422],
    [`nobody@${host}`, 422],
    ['ben@127.0.0.1:1', 503],
    ['ben@169.254.169.254', 422],
    ['http://[::ffff:169.254.169.254]/ben', 422],
    ['file:///etc/passwd', 422],
    [`${alpha.url}/api/v1/activitypub/user-id/1`, 422],
  ] as const) {
    assert.equal((await follow(account)).status, status, String(account))
  }
  assert.equal((await alpha.guest.post('/user/federation/following', { account: 'x' })).status, 401)
})

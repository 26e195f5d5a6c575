import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { publicKey } from '../../testing/samples.ts'
import { eventsNamed } from '../../testing/events.ts'
import { startForge } from '../../testing/forge.ts'
import { givenPull } from '../../testing/given-pull.ts'
import { upload } from '../../testing/upload.ts'

test('adminEditUser: refused parts leave everything as it was; the address becomes primary', async () => {
  await using forge = await startForge({ users: ['ann', 'bob'] })
  const root = forge.as('root')
  const patch = async (body: object) => (await root.patch('/admin/users/ann', body)).status
  assert.equal((await forge.as('ann').patch('/admin/users/bob', {})).status, 403)
  assert.equal((await root.patch('/admin/users/nobody', {})).status, 404)
  assert.equal(await patch({ full_name: 'Ann', email: 'bob@example.com' }), 400)
  assert.equal(await patch({ full_name: 'Ann', password: 'short' }), 400)
  assert.equal(await patch({ full_name: 'Ann', login_name: 'x' }), 422)
  assert.equal(await patch({ full_name: 'Ann', source_id: 7, login_name: 'x' }), 422)
  assert.equal((await root.get('/users/ann')).json.full_name, '')
  assert.equal(await patch({ full_name: 'Ann', email: 'new@example.org', visibility: 'limited' }), 200)
  const emails = (await forge.as('ann').get('/user/emails')).json
  assert.deepEqual(
    emails.map((row: { email: string; primary: boolean }) => [row.email, row.primary]),
    [
      ['ann@example.com', false],
      ['new@example.org', true],
    ],
  )
  assert.equal((await forge.guest.get('/users/ann')).status, 404)
})

test('adminEditUser: the last administrator cannot be demoted, not even by concurrent demotions', async () => {
  await using forge = await startForge({ users: ['ann'] })
  assert.equal((await forge.as('root').patch('/admin/users/root', { admin: false })).status, 400)
  await forge.as('root').must('PATCH', '/admin/users/ann', { admin: true })
  const replies = await Promise.all([
    forge.as('root').patch('/admin/users/ann', { admin: false }),
    forge.as('ann').patch('/admin/users/root', { admin: false }),
  ])
  assert.ok(replies.some(({ status }) => status === 200))
  const left = await forge.services.db.selectFrom('user').select('name').where('is_admin', '=', true).execute()
  assert.equal(left.length, 1)
})

test('adminRenameUser: the old name redirects with 307, organizations are refused', async () => {
  await using forge = await startForge({ users: ['ann', 'bob'] })
  const org = await forge.given.org()
  const root = forge.as('root')
  assert.equal((await root.post('/admin/users/ann/rename', { new_username: 'BOB' })).status, 422)
  assert.equal((await root.post(`/admin/users/${org}/rename`, { new_username: 'x' })).status, 422)
  assert.equal((await root.post('/admin/users/ann/rename', { new_username: 'anna' })).status, 204)
  const moved = await forge.guest.get('/users/ann?x=1')
  assert.deepEqual([moved.status, moved.headers.get('location')], [307, '/api/v1/users/anna?x=1'])
  await root.must('POST', '/admin/users/anna/rename', { new_username: 'ann' })
  assert.equal((await forge.guest.get('/users/ann')).status, 200)
  assert.equal((await forge.guest.get('/users/anna')).status, 307)
})

test('adminDeleteUser: refused while it owns something; purge deletes that too; counters follow', async () => {
  await using forge = await startForge({ users: ['ann', 'bob'] })
  const root = forge.as('root')
  const repo = await forge.given.repo({ owner: 'ann' })
  const theirs = await forge.given.repo({ owner: 'bob' })
  const org = await forge.given.org({ owner: 'ann' })
  await forge.as('ann').must('POST', `/orgs/${org}/repos`, { name: 'inner' })
  await forge.as('ann').must('PUT', `/user/starred/${theirs.fullName}`)
  await forge.as('ann').must('PUT', `${theirs.api}/subscription`)
  await forge.as('ann').must('PUT', '/user/following/bob')
  assert.equal((await root.delete('/admin/users/ann')).status, 422)
  assert.equal((await root.delete(`/admin/users/${org}`)).status, 422)
  assert.equal((await root.delete('/admin/users/root')).status, 422)
  assert.equal((await root.delete('/admin/users/ann?purge=true')).status, 204)
  assert.equal((await root.get('/users/ann')).status, 404)
  assert.equal((await root.get(repo.api)).status, 404)
  assert.equal((await root.get(`/orgs/${org}`)).status, 404)
  assert.equal((await forge.as('ann').get('/user')).status, 401)
  const left = (await root.get(theirs.api)).json
  assert.deepEqual([left.stars_count, left.watchers_count], [0, 1])
  assert.equal((await forge.as('bob').get('/user')).json.followers_count, 0)
  await forge.settle()
  const keys: string[] = []
  for await (const key of forge.services.git.listKeys()) keys.push(key)
  assert.equal(keys.length, 1)
})

test('adminDeleteUser: a purge deletes what the account wrote elsewhere, and counts stay right', async () => {
  await using forge = await startForge({ users: ['ann', 'bob'] })
  const [root, ann, bob] = [forge.as('root'), forge.as('ann'), forge.as('bob')]
  const pull = await givenPull(forge, { repo: await forge.given.repo({ owner: 'bob' }) })
  const { repo } = pull
  const byBob = await forge.given.issue({ repo, title: 'by bob' })
  const byAnn = (await ann.must('POST', `${repo.api}/issues`, { title: 'by ann', body: `see #${byBob.number}` })).json
  await ann.must('POST', `${repo.api}/issues/${byAnn.number}/assets`, undefined, upload('a.txt', 'of ann'))
  await bob.must('POST', `${byBob.api}/dependencies`, { index: byAnn.number, owner: 'bob', repo: repo.name })
  await bob.must('POST', `${byBob.api}/comments`, { body: 'words of bob' })
  await ann.must('POST', `${byBob.api}/comments`, { body: 'words of ann' })
  await ann.must('POST', `${pull.api}/reviews`, {
    event: 'APPROVED',
    body: 'fine',
    comments: [{ path: `${pull.branch}.txt`, body: 'this line', new_position: 1 }],
  })
  const before = (await bob.must('GET', byBob.api)).json
  assert.equal(before.comments, 2)
  assert.equal((await bob.must('GET', `${pull.api}/reviews`)).json.length, 1)
  const types = async () =>
    (await bob.must('GET', `${byBob.api}/timeline`)).json.map((entry: { type: string }) => entry.type)
  assert.deepEqual(await types(), ['issue_ref', 'add_dependency', 'comment', 'comment'])

  await root.must('DELETE', '/admin/users/ann?purge=true')
  assert.equal((await bob.get(`${repo.api}/issues/${byAnn.number}`)).status, 404)
  const left = (await bob.must('GET', `${byBob.api}/comments`)).json
  assert.deepEqual(
    left.map((comment: { body: string }) => comment.body),
    ['words of bob'],
  )
  assert.equal((await bob.must('GET', byBob.api)).json.comments, 1)
  assert.deepEqual(await types(), ['comment'], 'nothing is left about what is gone')
  assert.deepEqual((await bob.must('GET', `${pull.api}/reviews`)).json, [])
  assert.equal((await forge.given.issue({ repo })).number, byAnn.number + 1, 'its number is not given again')
  await forge.settle()
  assert.deepEqual(await examined(forge.services), [])
})

test('repoDelete: labels of the organization stop counting issues of the deleted repository', async () => {
  await using forge = await startForge()
  const org = await forge.given.org()
  const alice = forge.as('alice')
  const label = (await alice.must('POST', `/orgs/${org}/labels`, { name: 'bug', color: '#ff0000' })).json
  for (const name of ['kept', 'gone']) {
    await alice.must('POST', `/orgs/${org}/repos`, { name, auto_init: true })
    for (const closed of [false, true]) {
      await alice.must('POST', `/repos/${org}/${name}/issues`, { title: 'x', labels: [label.id], closed })
    }
  }
  const other = (await alice.must('POST', `/repos/${org}/kept/issues`, { title: 'needs another' })).json
  await alice.must('POST', `/repos/${org}/kept/issues/${other.number}/dependencies`, {
    index: 1,
    owner: org,
    repo: 'gone',
  })
  await forge.settle()
  assert.deepEqual(await examined(forge.services), [])
  await alice.must('DELETE', `/repos/${org}/gone`)
  await forge.settle()
  assert.deepEqual(await examined(forge.services), [])
  // An empty timeline is answered as null (observed).
  assert.equal((await alice.must('GET', `/repos/${org}/kept/issues/${other.number}/timeline`)).json, null)
})

test('orgDelete: the deletion of an organization ends transfers offered to it', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const org = await forge.given.org({ owner: 'bob' })
  const repo = await forge.given.repo()
  const offered = await forge.as('alice').must('POST', `${repo.api}/transfer`, { new_owner: org })
  assert.equal(offered.status, 201)
  const { services } = forge
  const isOffered = async () =>
    (await services.db.selectFrom('repo').select('has_transfer').executeTakeFirstOrThrow()).has_transfer
  assert.equal(await isOffered(), true)
  await forge.as('bob').must('DELETE', `/orgs/${org}`)
  assert.equal(await isOffered(), false)
})

test('adminSearchUsers, adminGetAllEmails, adminSearchEmails: orders and filters', async () => {
  await using forge = await startForge({ users: ['ann', 'bob'] })
  const root = forge.as('root')
  const names = async (query: string) =>
    (await root.get(`/admin/users?${query}`)).json.map((user: { login: string }) => user.login)
  assert.deepEqual(await names(''), ['ann', 'bob', 'root'])
  assert.deepEqual(await names('sort=reversealphabetically'), ['root', 'bob', 'ann'])
  assert.deepEqual(await names('sort=sideways'), ['ann', 'bob', 'root'])
  // Equal values are ordered by id, in the direction of the order.
  for (const order of ['alphabetically', 'oldest', 'leastupdate', 'lastlogin', 'reverselastlogin', 'newest']) {
    const pages = await Promise.all([1, 2, 3].map((page) => names(`sort=${order}&limit=1&page=${page}`)))
    assert.deepEqual(pages.flat(), await names(`sort=${order}`), order)
  }
  assert.deepEqual(await names('sort=newest'), (await names('sort=oldest')).toReversed())
  assert.deepEqual(await names('sort=alphabetically&limit=1&page=4'), [])
  assert.deepEqual(await names('login_name=nobody'), [])
  assert.equal((await root.get('/admin/emails')).json.length, 3)
  const [found] = (await root.get('/admin/emails/search?q=ANN@')).json
  assert.deepEqual([found.email, found.username], ['ann@example.com', 'ann'])
  // From both ends, with and without a text.
  for (const list of ['/admin/emails?', '/admin/emails/search?q=example&']) {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => root.get(`${list}limit=1&page=${page}`)))
    assert.deepEqual(
      pages.map(({ json, headers }) => [json[0]?.username, headers.get('x-total-count')]),
      ['ann', 'bob', 'root', undefined].map((name) => [name, '3']),
    )
  }
})

test('adminCreatePublicKey, adminDeleteUserPublicKey: administrators manage keys of others; a key of another account is 403', async () => {
  await using forge = await startForge({ users: ['ann', 'bob'] })
  const root = forge.as('root')
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK0wmN/Cr3JXqmLW7u+g9pTh+wyqDHpSQEIQczXkVx9q'
  const made = (await root.must('POST', '/admin/users/ann/keys', { title: 'given', key })).json
  assert.equal((await root.delete(`/admin/users/bob/keys/${made.id}`)).status, 403)
  assert.equal((await root.delete(`/admin/users/ann/keys/${made.id}`)).status, 204)
  assert.equal((await root.delete(`/admin/users/ann/keys/${made.id}`)).status, 404)
})

test('adminCronRun: deletes only old accounts that were never used', async () => {
  await using forge = await startForge({ standAt: Date.now(), users: ['signed'] })
  const root = forge.as('root')
  const password = 'some-Passw0rd'
  const add = (username: string) =>
    root.must('POST', '/admin/users', {
      username,
      email: `${username}@x.example`,
      password,
      must_change_password: false,
    })
  for (const name of ['idle', 'owner', 'keyed', 'active']) await add(name)
  await root.must('POST', '/admin/users/owner/repos', { name: 'kept' })
  await root.must('POST', '/admin/users/keyed/keys', { title: 'laptop', key: publicKey })
  await forge.account('signed')
  for (const name of ['idle', 'owner', 'keyed', 'signed']) {
    await root.must('PATCH', `/admin/users/${name}`, { source_id: 0, login_name: name, active: false })
  }
  const left = async (): Promise<string[]> => {
    assert.equal((await root.post('/admin/cron/delete_inactive_accounts')).status, 204)
    await forge.settle()
    return (await root.must('GET', '/admin/users')).json.map((user: { login: string }) => user.login).sort()
  }
  const all = ['active', 'idle', 'keyed', 'owner', 'root', 'signed']
  assert.deepEqual(await left(), all, 'they are young')
  forge.clock.advance(169 * 3_600_000)
  await add('fresh')
  await root.must('PATCH', '/admin/users/fresh', { source_id: 0, login_name: 'fresh', active: false })
  assert.deepEqual(await left(), ['active', 'fresh', ...all.slice(2)])
  const { name, doerId, userId, purged } = (await eventsNamed(forge, 'user.deleted'))[0] ?? {}
  assert.deepEqual([name, doerId === userId, purged], ['idle', true, false])
  const failed = (await root.must('GET', '/admin/jobs?state=failed')).json
  assert.deepEqual(failed, [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../testing/forge.ts'

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

test('adminEditUser: the last administrator is not demoted, also not by two who demote each other', async () => {
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

test('adminDeleteUser: refused while it owns something; purge takes that along; counters follow', async () => {
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

test('adminSearchUsers, adminGetAllEmails, adminSearchEmails: orders and filters', async () => {
  await using forge = await startForge({ users: ['ann', 'bob'] })
  const root = forge.as('root')
  const names = async (query: string) =>
    (await root.get(`/admin/users?${query}`)).json.map((user: { login: string }) => user.login)
  assert.deepEqual(await names(''), ['ann', 'bob', 'root'])
  assert.deepEqual(await names('sort=reversealphabetically'), ['root', 'bob', 'ann'])
  assert.deepEqual(await names('sort=sideways'), ['ann', 'bob', 'root'])
  assert.deepEqual(await names('login_name=nobody'), [])
  assert.equal((await root.get('/admin/emails')).json.length, 3)
  const [found] = (await root.get('/admin/emails/search?q=ANN@')).json
  assert.deepEqual([found.email, found.username], ['ann@example.com', 'ann'])
})

test('adminCreatePublicKey, adminDeleteUserPublicKey: for others, and through the wrong account 403', async () => {
  await using forge = await startForge({ users: ['ann', 'bob'] })
  const root = forge.as('root')
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK0wmN/Cr3JXqmLW7u+g9pTh+wyqDHpSQEIQczXkVx9q'
  const made = (await root.must('POST', '/admin/users/ann/keys', { title: 'given', key })).json
  assert.equal((await root.delete(`/admin/users/bob/keys/${made.id}`)).status, 403)
  assert.equal((await root.delete(`/admin/users/ann/keys/${made.id}`)).status, 204)
  assert.equal((await root.delete(`/admin/users/ann/keys/${made.id}`)).status, 404)
})

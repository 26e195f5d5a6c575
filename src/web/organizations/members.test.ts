import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge, type Forge } from '../../testing/forge.ts'

/** An organization of alice with bob on the team `makers`. */
async function smiths(forge: Forge): Promise<number> {
  await forge.given.org({ owner: 'alice', name: 'smiths' })
  const { json } = await forge
    .as('alice')
    .must('POST', '/orgs/smiths/teams', { name: 'makers', permission: 'write', units: ['repo.code'] })
  await forge.as('alice').must('PUT', `/teams/${json.id}/members/bob`)
  return json.id
}

test('membersPage: guests see public members only, members see all with roles, and nobody outside a private organization', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  await smiths(forge)
  const [guest, bob, carol] = [new Browser(forge), await Browser.of(forge, 'bob'), await Browser.of(forge, 'carol')]
  assert.ok(!(await guest.get('/org/smiths/members')).text.includes('href="/alice"'))
  const seen = (await bob.get('/org/smiths/members')).text
  assert.match(seen, /href="\/alice"[\s\S]*Owner/)
  assert.ok(!seen.includes('/members/alice/remove') && !seen.includes('/members/add'), 'bob owns nothing')
  await forge.as('alice').must('PUT', '/orgs/smiths/public_members/alice')
  const open = (await guest.get('/org/smiths/members')).text
  assert.ok(open.includes('href="/alice"') && !open.includes('href="/bob"') && !open.includes('makers'))
  await forge.as('alice').must('PATCH', '/orgs/smiths', { visibility: 'private' })
  assert.equal((await guest.get('/org/smiths/members')).status, 404)
  assert.equal((await carol.get('/org/smiths/members')).status, 404)
  assert.equal((await bob.get('/org/smiths/members')).status, 200)
})

test('addMemberSubmit, removeMemberSubmit: owners add to a team and remove, others are refused', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const team = await smiths(forge)
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const csrf = await bob.csrf('/org/smiths/members')
  const add = { _csrf: csrf, username: 'carol', team: String(team) }
  assert.equal((await bob.post('/org/smiths/members/add', add)).status, 403)
  assert.equal((await bob.post('/org/smiths/members/alice/remove', { _csrf: csrf })).status, 403)
  const guest = new Browser(forge)
  const away = await guest.post('/org/smiths/members/bob/remove', { _csrf: await guest.csrf() })
  assert.deepEqual([away.status, away.headers.get('location')?.split('?')[0]], [303, '/user/login'])

  const list = '/org/smiths/members'
  const unknown = await alice.submit(list, '/members/add', { username: 'nobody', team: String(team) })
  assert.equal(unknown.status, 422)
  assert.match(unknown.text, /value="nobody"[\s\S]*Nobody here has this name/)
  await forge.given.org({ owner: 'bob', name: 'bakers' })
  const { json: others } = await forge.as('bob').must('GET', '/orgs/bakers/teams')
  const foreign = await alice.submit(list, '/members/add', { username: 'carol', team: String(others[0].id) })
  assert.equal(foreign.status, 422, 'a team of another organization')
  assert.equal((await alice.submit(list, '/members/add', { username: 'carol', team: String(team) })).status, 303)
  assert.equal((await forge.as('alice').get(`/teams/${team}/members/carol`)).status, 200)

  assert.equal((await alice.submit(list, '/members/carol/remove')).status, 303)
  assert.equal((await forge.as('alice').get('/orgs/smiths/members/carol')).status, 404)
  const last = await alice.post('/org/smiths/members/alice/remove', { _csrf: await alice.csrf(list) })
  assert.equal(last.status, 422)
  assert.match(last.text, /The last owner of an organization cannot be removed/)
})

test('showMembershipSubmit, leaveOrganizationOfPageSubmit: members show themselves only, and leave', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  await smiths(forge)
  const [guest, alice, bob, carol] = [
    new Browser(forge),
    await Browser.of(forge, 'alice'),
    await Browser.of(forge, 'bob'),
    await Browser.of(forge, 'carol'),
  ]
  const list = '/org/smiths/members'
  const form = { _csrf: await alice.csrf(list), is_public: 'true' }
  assert.equal((await alice.post(`${list}/bob/visibility`, form)).status, 403, 'bob decides himself')
  const stranger = { _csrf: await carol.csrf(list), is_public: 'true' }
  assert.equal((await carol.post(`${list}/carol/visibility`, stranger)).status, 403)
  assert.equal((await carol.post(`${list}/leave`, stranger)).status, 403)
  await bob.submit(list, '/members/bob/visibility')
  assert.ok((await guest.get(list)).text.includes('href="/bob"'))
  await bob.submit(list, '/members/bob/visibility')
  assert.equal((await forge.as('carol').get('/orgs/smiths/public_members/bob')).status, 404)

  const last = await alice.submit(list, '/members/leave')
  assert.equal(last.status, 422)
  assert.match(last.text, /The last owner of an organization cannot be removed/)
  const left = await bob.submit(list, '/members/leave')
  assert.deepEqual([left.status, left.headers.get('location')], [303, '/smiths'])
  assert.equal((await forge.as('alice').get('/orgs/smiths/members/bob')).status, 404)
})

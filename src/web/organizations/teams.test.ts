import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge, type Forge } from '../../testing/forge.ts'

/** An organization of alice, where bob is on the team `makers` and carol on `helpers`. */
async function smiths(forge: Forge) {
  await forge.given.org({ owner: 'alice', name: 'smiths' })
  const add = async (name: string, member: string): Promise<number> => {
    const { json } = await forge
      .as('alice')
      .must('POST', '/orgs/smiths/teams', { name, permission: 'write', units: ['repo.code'] })
    await forge.as('alice').must('PUT', `/teams/${json.id}/members/${member}`)
    return json.id
  }
  return { makers: await add('makers', 'bob'), helpers: await add('helpers', 'carol') }
}

test('teamsPage, teamPage, teamReposPage: members see the list and their own teams; strangers and guests nothing', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol', 'mallory'] })
  await smiths(forge)
  const [bob, mallory] = [await Browser.of(forge, 'bob'), await Browser.of(forge, 'mallory')]
  assert.equal((await new Browser(forge).get('/org/smiths/teams')).status, 303)
  assert.equal((await mallory.get('/org/smiths/teams')).status, 403)
  assert.equal((await mallory.get('/org/smiths/teams/makers')).status, 404)
  const { text } = await bob.get('/org/smiths/teams')
  assert.match(text, /href="\/org\/smiths\/teams\/makers"/)
  assert.ok(text.includes('helpers') && !text.includes('href="/org/smiths/teams/helpers"'))
  assert.equal((await bob.get('/org/smiths/teams/helpers')).status, 403)
  assert.equal((await bob.get('/org/smiths/teams/helpers/repositories')).status, 403)
  assert.equal((await bob.get('/org/smiths/teams/nothing')).status, 404)
  const own = await bob.get('/org/smiths/teams/Makers')
  assert.match(own.text, /<h1>makers<\/h1>/)
  assert.ok(!own.text.includes('/members/add') && !own.text.includes('/makers/edit'), 'bob is no owner')
  assert.ok(!(await bob.get('/smiths')).text.includes('/org/smiths/settings'))
})

test('newTeamPage, createTeamSubmit: owners create teams with the access of each part', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  await smiths(forge)
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  assert.equal((await bob.get('/org/smiths/teams/new')).status, 403)
  const csrf = await bob.csrf('/org/smiths/teams')
  assert.equal((await bob.post('/org/smiths/teams/new', { _csrf: csrf, name: 'x' })).status, 403)
  const form = '/org/smiths/teams/new'
  const wrong = await alice.submit(form, form, { name: 'a b', access: 'units', unit_code: 'admin' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /value="a b"/)
  assert.match(wrong.text, /name="unit_code" value="admin" checked/)
  assert.equal((await alice.submit(form, form, { name: 'MAKERS', access: 'units' })).status, 422, 'a used name')
  const made = await alice.submit(form, form, {
    name: 'Testers',
    description: 'They test',
    access: 'units',
    unit_code: 'read',
    unit_issues: 'write',
    repositories: 'all',
    can_create_org_repo: 'true',
  })
  assert.equal(made.headers.get('location'), '/org/smiths/teams/testers')
  const { json } = await forge.as('alice').must('GET', '/orgs/smiths/teams')
  const team = json.find((each: { name: string }) => each.name === 'Testers')
  assert.deepEqual(
    [team.name, team.description, team.permission, team.includes_all_repositories, team.can_create_org_repo],
    ['Testers', 'They test', 'read', true, true],
  )
  assert.equal(team.units_map['repo.issues'], 'write')
  assert.equal(team.units_map['repo.wiki'], 'none')
})

test('editTeamPage, editTeamSubmit, deleteTeamSubmit: owners change and delete a team; its members do not', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { makers } = await smiths(forge)
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const at = '/org/smiths/teams/makers'
  assert.equal((await bob.get(`${at}/edit`)).status, 404)
  const csrf = await bob.csrf(at)
  for (const act of ['edit', 'delete']) assert.equal((await bob.post(`${at}/${act}`, { _csrf: csrf })).status, 404)
  assert.match((await alice.get(`${at}/edit`)).text, /name="unit_code" value="write" checked/)
  const saved = await alice.submit(`${at}/edit`, `${at}/edit`, {
    name: 'Makers2',
    access: 'admin',
    repositories: 'some',
  })
  assert.equal(saved.headers.get('location'), '/org/smiths/teams/makers2')
  const { json } = await forge.as('alice').must('GET', `/teams/${makers}`)
  assert.deepEqual([json.name, json.permission], ['Makers2', 'admin'])

  const now = '/org/smiths/teams/makers2'
  assert.equal((await alice.submit(`${now}/edit`, '/delete', { confirm: 'makers' })).status, 422)
  assert.equal((await alice.submit(`${now}/edit`, '/delete', { confirm: 'Makers2' })).status, 303)
  assert.equal((await forge.as('alice').get(`/teams/${makers}`)).status, 404)
  const owners = await alice.get('/org/smiths/teams/owners/edit')
  assert.ok(owners.status === 200 && !owners.text.includes('/owners/delete') && !owners.text.includes('unit_code'))
  const kept = await alice.submit('/org/smiths/teams/owners/edit', '/edit', { name: 'Owners', description: 'Masters' })
  assert.equal(kept.status, 303)
})

test('addTeamMemberSubmit, removeTeamMemberSubmit, leaveTeamSubmit: owners change the members; everybody may leave', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { makers } = await smiths(forge)
  const [alice, bob, carol] = [
    await Browser.of(forge, 'alice'),
    await Browser.of(forge, 'bob'),
    await Browser.of(forge, 'carol'),
  ]
  const at = '/org/smiths/teams/makers'
  const csrf = await bob.csrf(at)
  assert.equal((await bob.post(`${at}/members/add`, { _csrf: csrf, username: 'carol' })).status, 404)
  assert.equal((await bob.post(`${at}/members/bob/remove`, { _csrf: csrf })).status, 404)
  const other = { _csrf: await carol.csrf('/org/smiths/teams') }
  assert.equal((await carol.post(`${at}/leave`, other)).status, 403)

  assert.equal((await alice.submit(at, '/members/add', { username: 'nobody' })).status, 422)
  assert.equal((await alice.submit(at, '/members/add', { username: '@carol' })).status, 303)
  assert.equal((await forge.as('alice').get(`/teams/${makers}/members/carol`)).status, 200)
  assert.equal((await alice.submit(at, '/members/carol/remove')).status, 303)
  assert.equal((await forge.as('alice').get(`/teams/${makers}/members/carol`)).status, 404)
  assert.equal((await alice.submit('/org/smiths/teams/owners', '/members/alice/remove')).status, 422)
  const left = await bob.submit(at, `${at}/leave`)
  assert.deepEqual([left.status, left.headers.get('location')], [303, '/'])
  assert.equal((await forge.as('alice').get('/orgs/smiths/members/bob')).status, 404)
})

test('addTeamRepoSubmit, addAllTeamReposSubmit, removeTeamRepoSubmit: who administers a repository gives it to the team', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { makers } = await smiths(forge)
  for (const name of ['anvil', 'bellows', 'tongs']) {
    await forge.as('alice').must('POST', '/orgs/smiths/repos', { name, auto_init: false })
  }
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const at = '/org/smiths/teams/makers/repositories'
  const csrf = await bob.csrf(at)
  assert.ok(!(await bob.get(at)).text.includes('/repositories/add'), 'bob administers nothing')
  assert.equal((await bob.post(`${at}/add`, { _csrf: csrf, repository: 'anvil' })).status, 403)
  assert.equal((await bob.post(`${at}/add_all`, { _csrf: csrf })).status, 404)
  const unknown = await alice.submit(at, `${at}/add"`, { repository: 'nothing' })
  assert.equal(unknown.status, 422)
  assert.match(unknown.text, /The organization has no repository with this name/)
  assert.equal((await alice.submit(at, `${at}/add"`, { repository: 'smiths/anvil' })).status, 303)
  const reposOf = async () =>
    (await forge.as('alice').must('GET', `/teams/${makers}/repos`)).json.map((repo: { name: string }) => repo.name)
  assert.deepEqual(await reposOf(), ['anvil'])
  assert.equal((await bob.post(`${at}/remove`, { _csrf: csrf, repository: 'anvil' })).status, 403)
  await alice.submit(at, '/add_all')
  assert.deepEqual(await reposOf(), ['anvil', 'bellows', 'tongs'])
  assert.ok(!(await alice.get(at)).text.includes(`${at}/add"`), 'nothing is left to add')
  assert.equal((await alice.submit(at, '/repositories/remove', { repository: 'anvil' })).status, 303)
  assert.deepEqual(await reposOf(), ['bellows', 'tongs'])
})

test('teamActivityPage: members of the team see what happens in its repositories', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const { makers } = await smiths(forge)
  for (const name of ['anvil', 'tongs']) {
    await forge.as('alice').must('POST', '/orgs/smiths/repos', { name, auto_init: false, private: true })
    await forge.as('alice').must('POST', `/repos/smiths/${name}/issues`, { title: `Cool the ${name}` })
  }
  await forge.as('alice').must('PUT', `/teams/${makers}/repos/smiths/anvil`)
  await forge.settle()
  const at = '/org/smiths/teams/makers/activity'
  assert.equal((await (await Browser.of(forge, 'carol')).get(at)).status, 403)
  const { text } = await (await Browser.of(forge, 'alice')).get(at)
  assert.ok(text.includes('Cool the anvil') && !text.includes('Cool the tongs'))
})

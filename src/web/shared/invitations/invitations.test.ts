import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser, unescaped } from '../../../testing/browser.ts'
import { startForge, testPassword, type Forge } from '../../../testing/forge.ts'
import { collaborator } from '../../../testing/given-pull.ts'
import { decodedMail, linkOf, withMail } from '../../../testing/mail.ts'

const daySeconds = 86_400
const page = '/user/invitation'

/** Returns the path of the link that a page shows once. */
function shownLink(forge: Forge, html: string): string {
  const [, link = ''] = /value="([^"]*)"[^>]*id="new_link"/.exec(html) ?? []
  assert.ok(link.startsWith(`${forge.url}/user/invitation?code=`.replace('//user', '/user')), `no link in ${html}`)
  return unescaped(link).slice(forge.url.length)
}

/** Makes a link by a form, and returns its path. */
async function makeLink(forge: Forge, browser: Browser, at: string, fields = {}): Promise<string> {
  const made = await browser.submit(at, `${at}/invitations"`, fields)
  assert.equal(made.status, 303, made.text)
  return shownLink(forge, (await browser.get(made.headers.get('location') ?? '')).text)
}

/** Sends the form of an invitation. */
const answer = (browser: Browser, link: string, answered: 'accept' | 'decline' = 'accept') =>
  browser.submit(link, 'id="answer"', { answer: answered })

/** Sends the form without its page, as somebody does who has kept it. */
const answerDirectly = async (browser: Browser, link: string, answered = 'accept') =>
  browser.post(page, {
    _csrf: await browser.csrf('/repo/create'),
    code: link.split('code=')[1] ?? '',
    answer: answered,
  })

const permissionOf = async (forge: Forge, api: string, name: string): Promise<string> =>
  (await forge.as('alice').get(`${api}/collaborators/${name}/permission`)).json.permission

/** An organization of alice with the team `makers`, of which bob is a member. */
async function smiths(forge: Forge): Promise<{ readonly team: number; readonly owners: number }> {
  await forge.given.org({ owner: 'alice', name: 'smiths' })
  const alice = forge.as('alice')
  const { json } = await alice.must('POST', '/orgs/smiths/teams', {
    name: 'makers',
    permission: 'write',
    units: ['repo.code'],
  })
  await alice.must('PUT', `/teams/${json.id}/members/bob`)
  const { json: teams } = await alice.must('GET', '/orgs/smiths/teams')
  return { team: json.id, owners: teams.find((each: { name: string }) => each.name === 'Owners').id }
}

test('makeRepositoryLinkSubmit, answerInvitationSubmit: a link gives its access once, to whoever accepts by the form', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol', 'dave'] })
  const repo = await forge.given.repo({ private: true })
  await collaborator(forge, repo, 'bob', 'write')
  const at = `/${repo.fullName}/settings/collaboration`
  const [alice, bob, carol, dave] = [
    await Browser.of(forge, 'alice'),
    await Browser.of(forge, 'bob'),
    await Browser.of(forge, 'carol'),
    await Browser.of(forge, 'dave'),
  ]
  for (const [person, status] of [
    [bob, 403],
    [carol, 404],
  ] as const) {
    const csrf = await person.csrf('/repo/create')
    assert.equal((await person.post(`${at}/invitations`, { _csrf: csrf })).status, status)
    assert.equal((await person.post(`${at}/invitations/revoke`, { _csrf: csrf, invitation: '1' })).status, status)
  }

  const link = await makeLink(forge, alice, at, { link_permission: 'read' })
  assert.doesNotMatch((await alice.get(at)).text, /new_link/, 'shown once')
  const rows = await forge.services.db.selectFrom('invitation').selectAll().execute()
  assert.ok(!JSON.stringify(rows).includes(link.split('code=')[1] ?? ''), 'the token is not stored')

  const guest = new Browser(forge)
  const hidden = await guest.get(link)
  assert.equal(hidden.status, 200)
  assert.doesNotMatch(hidden.text, new RegExp(repo.fullName), 'guests do not learn what it leads to')
  const away = await guest.post(page, {
    _csrf: await guest.csrf(),
    code: link.split('code=')[1] ?? '',
    answer: 'accept',
  })
  assert.match(away.headers.get('location') ?? '', /^\/user\/login/)

  const shown = await carol.get(link)
  assert.equal(shown.headers.get('cache-control'), 'no-store')
  assert.match(shown.text, new RegExp(`${repo.fullName}[\\s\\S]*Read[\\s\\S]*You accept as carol`))
  assert.equal((await forge.as('carol').get(repo.api)).status, 404, 'a look changes nothing')
  const code = link.split('code=')[1] ?? ''
  assert.equal(
    (await carol.post(page, { _csrf: 'x'.repeat(43), code, answer: 'accept' })).status,
    403,
    'no form of this site',
  )
  assert.equal((await answerDirectly(carol, link, 'other')).status, 422)
  assert.equal((await answerDirectly(bob, link)).status, 422, 'bob has more already')
  assert.equal((await answerDirectly(alice, link)).status, 422, 'the owner needs none')

  const accepted = await answer(carol, link)
  assert.deepEqual([accepted.status, accepted.headers.get('location')], [303, `/${repo.fullName}`])
  assert.equal(await permissionOf(forge, repo.api, 'carol'), 'read')
  for (const person of [carol, dave, guest]) {
    const gone = await person.get(link)
    assert.equal(gone.status, 410)
    assert.doesNotMatch(gone.text, new RegExp(repo.fullName))
  }
  assert.equal((await answerDirectly(dave, link)).status, 410)
  assert.equal((await dave.get(`${page}?code=unknown`)).status, 404)
  assert.equal((await dave.get(page)).status, 404)
  assert.match((await alice.get(at)).text, /carol accepted[\s\S]*by a link/)

  const { json: entries } = await forge.as('root').must('GET', '/admin/audit?limit=50')
  const actions = entries.map((each: { action: string }) => each.action)
  assert.ok(actions.includes('invitation.created') && actions.includes('invitation.accepted'))
  assert.ok(actions.includes('collaborator.added'))
})

test('answerInvitationSubmit: of people who accept at the same time, one gets the access', async () => {
  const names = ['bob', 'carol', 'dave', 'erin']
  await using forge = await startForge({ users: ['alice', ...names] })
  const repo = await forge.given.repo({ private: true })
  const alice = await Browser.of(forge, 'alice')
  const link = await makeLink(forge, alice, `/${repo.fullName}/settings/collaboration`)
  const people = await Promise.all(names.map((name) => Browser.of(forge, name)))
  const forms = await Promise.all(people.map(async (person) => ({ person, csrf: await person.csrf('/repo/create') })))
  const code = link.split('code=')[1] ?? ''
  const answers = await Promise.all(
    forms.map(({ person, csrf }) => person.post(page, { _csrf: csrf, code, answer: 'accept' })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [303, 410, 410, 410],
  )
  assert.equal((await forge.as('alice').must('GET', `${repo.api}/collaborators`)).json.length, 1)
})

test('revokeRepositoryInvitationSubmit, answerInvitationSubmit: a revoked, declined or expired invitation gives nothing', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'], standAt: Date.UTC(2030, 0, 1) })
  const repo = await forge.given.repo({ private: true })
  const other = await forge.given.repo({ owner: 'bob' })
  const at = `/${repo.fullName}/settings/collaboration`
  const [alice, bob, carol] = [
    await Browser.of(forge, 'alice'),
    await Browser.of(forge, 'bob'),
    await Browser.of(forge, 'carol'),
  ]
  const revoked = await makeLink(forge, alice, at)
  const { id } = await forge.services.db.selectFrom('invitation').select('id').executeTakeFirstOrThrow()
  const elsewhere = `/${other.fullName}/settings/collaboration`
  const foreign = { _csrf: await bob.csrf(elsewhere), invitation: String(id) }
  assert.equal(
    (await bob.post(`${elsewhere}/invitations/revoke`, foreign)).status,
    404,
    'an invitation of another place',
  )
  assert.equal((await alice.submit(at, 'invitations/revoke')).status, 303)
  assert.equal((await carol.get(revoked)).status, 410)
  assert.equal((await answerDirectly(carol, revoked)).status, 410)
  const again = { _csrf: await alice.csrf(at), invitation: String(id) }
  assert.equal((await alice.post(`${at}/invitations/revoke`, again)).status, 409)

  const declined = await makeLink(forge, alice, at)
  assert.equal((await answer(carol, declined, 'decline')).status, 303)
  assert.equal((await carol.get(declined)).status, 410)
  const after = await alice.get(at)
  assert.match(after.text, /Declined[\s\S]*by a link/)
  assert.doesNotMatch(after.text, /href="\/carol"/, 'the inviter does not learn who declined')

  const late = await makeLink(forge, alice, at)
  assert.equal((await carol.get(late)).status, 200)
  forge.clock.advance(7 * daySeconds * 1000)
  const again2 = await Browser.of(forge, 'carol')
  assert.equal((await again2.get(late)).status, 410)
  assert.equal((await answerDirectly(again2, late)).status, 410)
  assert.equal((await forge.as('carol').get(repo.api)).status, 404)
  forge.clock.advance(31 * daySeconds * 1000)
  await forge.app.scheduler.runNow('delete_old_invitations')
  await forge.settle()
  assert.deepEqual(await forge.services.db.selectFrom('invitation').selectAll().execute(), [])
})

test('answerInvitationSubmit: the inviter must still have the right, and blocks hold', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol', 'dave'] })
  const repo = await forge.given.repo({ private: true })
  await collaborator(forge, repo, 'bob', 'admin')
  const at = `/${repo.fullName}/settings/collaboration`
  const [alice, bob, carol, dave] = [
    await Browser.of(forge, 'alice'),
    await Browser.of(forge, 'bob'),
    await Browser.of(forge, 'carol'),
    await Browser.of(forge, 'dave'),
  ]
  const ofBob = await makeLink(forge, bob, at, { link_permission: 'admin' })
  assert.equal((await carol.get(ofBob)).status, 200)
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  assert.equal((await carol.get(ofBob)).status, 410, 'bob gives no more than he may')
  assert.equal((await answerDirectly(carol, ofBob)).status, 410)
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'admin' })
  await forge.as('root').must('PATCH', '/admin/users/bob', { prohibit_login: true })
  assert.equal((await carol.get(ofBob)).status, 410)

  const ofAlice = await makeLink(forge, alice, at)
  await forge.as('alice').must('PUT', '/user/block/dave')
  assert.equal((await dave.get(ofAlice)).status, 410, 'blocks are private')
  assert.equal((await answerDirectly(dave, ofAlice)).status, 410)
  assert.equal((await forge.as('carol').get(repo.api)).status, 404)

  await forge.as('alice').must('PATCH', repo.api, { name: 'renamed' })
  const accepted = await answer(carol, ofAlice)
  assert.equal(accepted.headers.get('location'), '/alice/renamed', 'a rename keeps invitations')
})

test('invitations are deleted with their repository, team, organization, inviter and invited account', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol', 'dave'] })
  await smiths(forge)
  const repo = await forge.given.repo()
  const shared = await forge.given.repo()
  await collaborator(forge, shared, 'bob', 'admin')
  const [alice, bob, carol] = [
    await Browser.of(forge, 'alice'),
    await Browser.of(forge, 'bob'),
    await Browser.of(forge, 'carol'),
  ]
  const links = [
    await makeLink(forge, alice, `/${repo.fullName}/settings/collaboration`),
    await makeLink(forge, alice, '/org/smiths/teams/makers'),
    await makeLink(forge, alice, '/org/smiths/teams/owners'),
    await makeLink(forge, bob, `/${shared.fullName}/settings/collaboration`),
  ]
  for (const link of links) assert.equal((await carol.get(link)).status, 200)
  const { json: teams } = await forge.as('alice').must('GET', '/orgs/smiths/teams')
  const makers = teams.find((each: { name: string }) => each.name === 'makers').id
  await forge.as('alice').must('DELETE', repo.api)
  await forge.as('alice').must('DELETE', `/teams/${makers}`)
  await forge.as('alice').must('DELETE', '/orgs/smiths')
  await forge.as('root').must('DELETE', '/admin/users/bob')
  const ofAlice = `${shared.api}/invitations`
  await forge.as('alice').must('POST', ofAlice, { email: 'Dave@example.com' })
  await forge.as('root').must('DELETE', '/admin/users/dave')
  assert.deepEqual((await forge.as('alice').must('GET', ofAlice)).json, [], 'the address of a deleted account')
  for (const link of links) assert.equal((await carol.get(link)).status, 404)
  assert.deepEqual(await forge.services.db.selectFrom('invitation').selectAll().execute(), [])
})

test('addMemberSubmit, addTeamMemberSubmit: without a mailer, a mail address gets a link that its owner hands over', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol', 'dave'] })
  const { team } = await smiths(forge)
  const [alice, bob, carol, dave] = [
    await Browser.of(forge, 'alice'),
    await Browser.of(forge, 'bob'),
    await Browser.of(forge, 'carol'),
    await Browser.of(forge, 'dave'),
  ]
  const at = '/org/smiths/teams/makers'
  const csrf = await bob.csrf('/repo/create')
  for (const path of [`${at}/invitations`, `${at}/invitations/revoke`]) {
    assert.equal((await bob.post(path, { _csrf: csrf, invitation: '1' })).status, 404, 'bob owns nothing')
  }
  assert.equal((await bob.post('/org/smiths/invitations/revoke', { _csrf: csrf, invitation: '1' })).status, 403)
  assert.doesNotMatch((await bob.get(at)).text, /id="invitations"/)

  const wrong = await alice.submit('/org/smiths/members', '/members/add', { username: 'not@@here', team: String(team) })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="new_member_problem"/)
  const email = 'Somebody@example.net'
  const added = await alice.submit('/org/smiths/members', '/members/add', { username: email, team: String(team) })
  assert.deepEqual([added.status, added.headers.get('location')], [303, at])
  const link = shownLink(forge, (await alice.get(at)).text)
  const list = await alice.get('/org/smiths/members')
  assert.match(list.text, /Somebody@example\.net[\s\S]*makers[\s\S]*invited by alice/)
  for (const person of [bob, carol]) {
    assert.doesNotMatch((await person.get('/org/smiths/members')).text, /Somebody@example/, 'for owners only')
  }
  const twice = await alice.submit(at, '/members/add', { username: email.toLowerCase() })
  assert.equal(twice.status, 409)
  assert.match(twice.text, /invited already/)

  assert.match((await carol.get(link)).text, /an address that your account has not confirmed/)
  const accepted = await answer(carol, link)
  assert.deepEqual([accepted.status, accepted.headers.get('location')], [303, at])
  assert.equal((await forge.as('alice').get(`/teams/${team}/members/carol`)).status, 200)
  assert.match((await alice.get(at)).text, /carol accepted[\s\S]*sent to Somebody@example\.net/)
  await forge.as('alice').must('PUT', `/teams/${(await smithsOwners(forge)).id}/members/bob`)
  const asBob = await bob.get(at)
  assert.match(asBob.text, /carol accepted[\s\S]*by mail/)
  assert.doesNotMatch(asBob.text, /Somebody@example/, 'the address is for the person who wrote to it')

  const owners = await makeLink(forge, alice, '/org/smiths/teams/owners')
  await forge.as('bob').must('DELETE', '/orgs/smiths/members/alice')
  assert.equal((await dave.get(owners)).status, 410, 'alice owns nothing any more')
})

const smithsOwners = async (forge: Forge): Promise<{ readonly id: number }> =>
  (await forge.as('alice').must('GET', '/orgs/smiths/teams')).json.find(
    (each: { name: string }) => each.name === 'Owners',
  )

test('makeTeamLinkSubmit, revokeTeamInvitationSubmit, revokeOrganizationInvitationSubmit: owners revoke invitations to their teams', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  await smiths(forge)
  await forge.given.org({ owner: 'bob', name: 'bakers' })
  const [alice, bob, carol] = [
    await Browser.of(forge, 'alice'),
    await Browser.of(forge, 'bob'),
    await Browser.of(forge, 'carol'),
  ]
  const [makers, owners] = ['/org/smiths/teams/makers', '/org/smiths/teams/owners']
  const first = await makeLink(forge, alice, makers)
  const second = await makeLink(forge, alice, owners)
  const [one, two] = await forge.services.db.selectFrom('invitation').select('id').orderBy('id').execute()
  const foreign = { _csrf: await bob.csrf('/org/bakers/members'), invitation: String(one?.id) }
  assert.equal((await bob.post('/org/bakers/invitations/revoke', foreign)).status, 404)
  assert.equal((await bob.post('/org/bakers/teams/owners/invitations/revoke', foreign)).status, 404)
  const ofOther = { _csrf: await alice.csrf(makers), invitation: String(two?.id) }
  assert.equal((await alice.post(`${makers}/invitations/revoke`, ofOther)).status, 404, 'an invitation to another team')
  assert.match((await carol.get(second)).text, /team <strong>Owners<\/strong>/)

  const revoked = await alice.submit(makers, `${makers}/invitations/revoke`)
  assert.deepEqual([revoked.status, revoked.headers.get('location')], [303, makers])
  assert.equal((await carol.get(first)).status, 410)
  const members = '/org/smiths/members'
  const last = await alice.submit(members, '/org/smiths/invitations/revoke')
  assert.deepEqual([last.status, last.headers.get('location')], [303, members])
  assert.equal((await carol.get(second)).status, 410)
  assert.match((await alice.get(members)).text, /No open invitations/)
})

test('putCollaboratorSubmit, mailInvitations: a mail address gets a mail, whose link leads through sign-in', async () => {
  await withMail(
    () => 0,
    async (forge, caught) => {
      const repo = await forge.given.repo({ private: true })
      const at = `/${repo.fullName}/settings/collaboration`
      const alice = await Browser.of(forge, 'alice')
      const add = { collaborator: 'bob@example.com', permission: 'read' }
      assert.equal((await alice.submit(at, 'id="add_collaborator"', add)).status, 303)
      assert.equal((await alice.submit(at, 'id="add_collaborator"', add)).status, 409)
      await forge.settle()
      const [mail] = caught.splice(0)
      assert.deepEqual(mail?.to, ['bob@example.com'])
      assert.match(decodedMail(mail), new RegExp(`Subject: alice invites you to ${repo.fullName}`))
      assert.doesNotMatch((await alice.get(at)).text, /new_link/, 'the link goes to the address alone')
      const link = linkOf(forge, mail, page)

      const bob = new Browser(forge)
      const { text } = await bob.get(link)
      const target = unescaped(/href="(\/user\/login\?redirect_to=[^"]*)"/.exec(text)?.[1] ?? '')
      const signedIn = await bob.submit(target, 'action="/user/login"', { user_name: 'bob', password: testPassword })
      assert.equal(signedIn.headers.get('location'), link, 'sign-in leads back')
      const shown = await bob.get(link)
      assert.doesNotMatch(shown.text, /has not confirmed/)
      assert.match((await (await Browser.of(forge, 'carol')).get(link)).text, /has not confirmed/)
      assert.equal((await answer(bob, link)).status, 303)
      assert.equal(await permissionOf(forge, repo.api, 'bob'), 'read')
      await forge.settle()
      const told = caught.splice(0).find(({ to }) => to[0] === 'alice@example.com')
      assert.match(decodedMail(told), /bob accepted the invitation[\s\S]*bob@example\.com/)

      // A blocked person gets no mail, and the inviter does not learn it.
      await forge.as('carol').must('PUT', '/user/block/alice')
      const blocked = { collaborator: 'carol@example.com', permission: 'read' }
      assert.equal((await alice.submit(at, 'id="add_collaborator"', blocked)).status, 303)
      await forge.settle()
      assert.deepEqual(caught.splice(0), [])
    },
    { users: ['alice', 'bob', 'carol'] },
  )
})

test('invite: an account makes 50 invitations an hour, a repository has 100 open ones, an address gets five mails an hour', async () => {
  await withMail(
    () => 0,
    async (forge, caught) => {
      const alice = await Browser.of(forge, 'alice')
      const repos = []
      for (let number = 0; number < 6; number += 1) repos.push(await forge.given.repo())
      const to = async (fullName: string, collaborator: string) => {
        const at = `/${fullName}/settings/collaboration`
        return alice.post(at, { _csrf: await alice.csrf(at), collaborator, permission: 'read' })
      }
      for (const { fullName } of repos) assert.equal((await to(fullName, 'many@example.net')).status, 303)
      await forge.settle()
      assert.equal(caught.splice(0).length, 5)
      const { fullName } = repos[0] as { fullName: string }
      for (let number = 0; number < 44; number += 1) {
        assert.equal((await to(fullName, `n${number}@example.net`)).status, 303)
      }
      assert.equal((await to(fullName, 'last@example.net')).status, 429)
      forge.clock.advance(3_600_000)
      for (let number = 44; number < 94; number += 1) {
        assert.equal((await to(fullName, `n${number}@example.net`)).status, 303)
      }
      forge.clock.advance(3_600_000)
      const last = []
      for (let number = 94; number < 101; number += 1) last.push((await to(fullName, `n${number}@example.net`)).status)
      assert.deepEqual(last, [303, 303, 303, 303, 303, 409, 409])
    },
    { users: ['alice'] },
  )
})

test('invitationPage, signUpSubmit: an invited person signs up as the settings allow, and comes back', async () => {
  {
    await using forge = await startForge({ users: ['alice'], settings: { service: { DISABLE_REGISTRATION: true } } })
    const repo = await forge.given.repo()
    const link = await makeLink(forge, await Browser.of(forge, 'alice'), `/${repo.fullName}/settings/collaboration`)
    const { text } = await new Browser(forge).get(link)
    assert.match(text, /Nobody can sign up here/)
    assert.doesNotMatch(text, /sign_up/)
  }
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ private: true })
  const link = await makeLink(forge, await Browser.of(forge, 'alice'), `/${repo.fullName}/settings/collaboration`)
  const erin = new Browser(forge)
  const { text } = await erin.get(link)
  const target = unescaped(/href="(\/user\/sign_up\?redirect_to=[^"]*)"/.exec(text)?.[1] ?? '')
  const fields = { user_name: 'erin', email: 'erin@example.net', password: testPassword }
  const made = await erin.submit(target, 'action="/user/sign_up"', fields)
  assert.equal(made.headers.get('location'), link)
  assert.equal((await answer(erin, link)).status, 303)
  assert.equal(await permissionOf(forge, repo.api, 'erin'), 'write')
})

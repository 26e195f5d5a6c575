import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listJobs } from '../jobs/queue.ts'
import { eventsNamed } from '../testing/events.ts'
import type { Forge, ForgeOptions } from '../testing/forge.ts'
import { givenPull } from '../testing/given-pull.ts'
import { decodedMail, withMail, type CaughtMail } from '../testing/mail.ts'

const notifying = (more: NonNullable<ForgeOptions['settings']> = {}): ForgeOptions => ({
  users: ['alice', 'bob', 'carol'],
  settings: { ...more, service: { ENABLE_NOTIFY_MAIL: true } },
})

/** A header as it was sent, with its lines joined. */
const header = (mail: CaughtMail | undefined, name: string): string | undefined =>
  new RegExp(`^${name}:(.*(?:\\r\\n[ \\t].*)*)\\r$`, 'im')
    .exec(mail?.source.split('\r\n\r\n', 1)[0]?.concat('\r\n') ?? '')?.[1]
    ?.replaceAll('\r\n', '')
    .trim()

/** Who got what since the last look, by recipient. */
async function arrived(forge: Forge, caught: CaughtMail[]): Promise<string[]> {
  await forge.settle()
  return caught
    .splice(0)
    .map((mail) => `${mail.to[0]?.split('@')[0]}: ${header(mail, 'Subject')}`)
    .sort()
}

const wants = (forge: Forge, name: string, what: string) =>
  forge.as(name).must('PATCH', '/user/settings', { email_notifications: what })

test('updateUserSettings: people concerned with an issue get mail according to their preference', () =>
  withMail(
    () => 0,
    async (forge, caught) => {
      const repo = await forge.given.repo({ owner: 'alice', name: 'r' })
      const issue = await forge.given.issue({ repo, poster: 'bob', title: 'Broken' })
      assert.deepEqual(await arrived(forge, caught), ['alice: [alice/r] Broken (Issue #1)'])
      const say = (who: string, body: string) => forge.as(who).must('POST', `${issue.api}/comments`, { body })
      await say('carol', 'me too')
      assert.deepEqual(await arrived(forge, caught), [
        'alice: Re: [alice/r] Broken (Issue #1)',
        'bob: Re: [alice/r] Broken (Issue #1)',
      ])
      await wants(forge, 'alice', 'onmention')
      await wants(forge, 'bob', 'disabled')
      await wants(forge, 'carol', 'andyourown')
      assert.equal((await forge.as('carol').get('/user/settings')).json.email_notifications, 'andyourown')
      await say('carol', 'again')
      assert.deepEqual(await arrived(forge, caught), ['carol: Re: [alice/r] Broken (Issue #1)'])
      await say('carol', 'for @alice and @bob')
      assert.deepEqual(await arrived(forge, caught), [
        'alice: Re: [alice/r] Broken (Issue #1)',
        'carol: Re: [alice/r] Broken (Issue #1)',
      ])
      await forge.as('alice').must('PATCH', issue.api, { assignees: ['bob'], title: 'Broken "ü"' })
      assert.deepEqual(await arrived(forge, caught), [], 'bob wants none')
      await wants(forge, 'bob', 'enabled')
      await forge.as('alice').must('PATCH', issue.api, { assignees: [] })
      await forge.as('alice').must('PATCH', issue.api, { assignees: ['bob', 'alice'], state: 'closed' })
      await forge.settle()
      // Closing also reaches participants; a self-assignment sends no mail.
      assert.deepEqual(
        caught.map((mail) => `${mail.to[0]} ${header(mail, 'Message-ID')?.replace(/\d{10,}/, '…')}`).sort(),
        [
          'bob@example.com <repositories/1/issues/1/assign/2/…@localhost>',
          'bob@example.com <repositories/1/issues/1/close/…@localhost>',
          'carol@example.com <repositories/1/issues/1/close/…@localhost>',
        ].map((line) => line.replace('assign/2', `assign/${bobId}`)),
      )
    },
    notifying(),
  ))

/** The third account of a forge with these users: root, alice, bob. */
const bobId = 3

test('mail of an issue has threading, list and prefixed headers, two parts, and escaped texts and names', () =>
  withMail(
    () => 0,
    async (forge, caught) => {
      await forge.as('carol').must('PATCH', '/user/settings', {
        full_name: 'Carol <b>\r\nBcc: eve@example.com\r\n',
        language: 'de-DE',
      })
      await forge.as('alice').must('PATCH', '/user/settings', { language: 'de-AT' })
      const repo = await forge.given.repo({ owner: 'alice', name: 'r' })
      const issue = await forge.given.issue({ repo, poster: 'bob', title: 'One\r\nBcc: eve@example.com' })
      await forge.settle()
      const [opening] = caught.splice(0)
      assert.equal(header(opening, 'Message-ID'), '<repositories/1/issues/1@localhost>')
      assert.equal(header(opening, 'In-Reply-To'), undefined)
      const { json: comment } = await forge.as('carol').must('POST', `${issue.api}/comments`, {
        body: '**bold** <script>alert(1)</script> ![spy](https://evil.example/x.png) <img src="https://evil.example/y" alt="y">',
      })
      await forge.settle()
      const mail = caught.find(({ to }) => to[0] === 'bob@example.com')
      const page = `${forge.url}/alice/r`
      const seen = (name: string): string | undefined => header(mail, name)
      assert.equal(seen('Message-ID'), `<repositories/1/issues/1/comment/${comment.id}@localhost>`)
      assert.deepEqual([seen('In-Reply-To'), seen('References')], Array(2).fill('<repositories/1/issues/1@localhost>'))
      assert.equal(seen('List-ID'), 'alice/r <r.alice.localhost>')
      assert.equal(seen('List-Archive'), `<${page}>`)
      assert.equal(seen('List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click')
      caught.length = 0
      await forge.as('alice').must('PATCH', '/repos/alice/r', { name: 'renamed' })
      await forge.as('carol').must('POST', '/repos/alice/renamed/issues/1/comments', { body: 'still here' })
      await forge.settle()
      const later = caught.find(({ to }) => to[0] === 'bob@example.com')
      assert.equal(header(later, 'In-Reply-To'), '<repositories/1/issues/1@localhost>', 'a conversation stays one')
      for (const family of ['X-SERVICE', 'X-Gitea', 'X-Forgejo']) {
        assert.deepEqual(
          ['Reason', 'Sender', 'Recipient', 'Recipient-Address', 'Repository-Path', 'Issue-ID', 'Issue-Link'].map(
            (name) => seen(`${family}-${name}`),
          ),
          ['issue', 'carol', 'bob', 'bob@example.com', 'alice/r', '1', `${page}/issues/1`],
        )
      }
      assert.equal(seen('From'), '"Carol <b> Bcc: eve@example.com" <forge@example.com>')
      for (const each of [opening, ...caught]) {
        assert.equal(header(each, 'Bcc'), undefined)
        assert.equal(each?.to.length, 1)
      }
      const shown = decodedMail(mail)
      assert.match(shown, /Content-Type: text\/plain/)
      assert.match(shown, /\*\*bold\*\* <script>/, 'the text part has what was written')
      assert.match(shown, /<strong>bold<\/strong>/)
      assert.doesNotMatch(shown.slice(shown.indexOf('text/html')), /<script|<img/, 'the HTML part is safe')
      assert.match(shown, /You get this mail because you take part/)
      const german = decodedMail(caught.find(({ to }) => to[0] === 'alice@example.com'))
      assert.match(german, /hat dieses Issue kommentiert\./)
      assert.match(german, /<html lang="de">/)
    },
    notifying(),
  ))

test('reviews, review requests, merges, offered repositories and new accounts send mail', () =>
  withMail(
    () => 0,
    async (forge, caught) => {
      const repo = await forge.given.repo({ owner: 'alice', name: 'r' })
      for (const name of ['bob', 'carol']) await forge.as('alice').must('PUT', `${repo.api}/collaborators/${name}`, {})
      const pull = await givenPull(forge, { repo, poster: 'bob', title: 'WIP: change' })
      await forge.settle()
      caught.splice(0)
      const mailsOf = async (act: () => Promise<unknown>): Promise<string[]> => {
        await act()
        await forge.settle()
        return caught
          .splice(0)
          .map(
            (mail) =>
              `${mail.to[0]?.split('@')[0]}: ${/\n\r\n?(.*\.)\r\n/.exec(decodedMail(mail).split('text/plain')[1] ?? '')?.[1]}`,
          )
          .sort()
      }
      const asBob = forge.as('bob')
      assert.deepEqual(
        await mailsOf(() => asBob.must('POST', `${repo.api}/issues/${pull.number}/comments`, { body: 'hm' })),
        [],
        'watchers do not hear what is said below a draft',
      )
      assert.deepEqual(
        await mailsOf(() => asBob.must('POST', `${pull.api}/requested_reviewers`, { reviewers: ['carol'] })),
        ['carol: bob asked for your review of this pull request.'],
      )
      assert.deepEqual(await mailsOf(() => asBob.must('PATCH', pull.api, { title: 'change' })), [
        'alice: bob says that this pull request is ready for review.',
      ])
      const review = { event: 'APPROVED', body: 'fine' }
      assert.deepEqual(await mailsOf(() => forge.as('carol').must('POST', `${pull.api}/reviews`, review)), [
        'alice: carol approved this pull request.',
        'bob: carol approved this pull request.',
      ])
      assert.deepEqual(await mailsOf(() => forge.as('alice').must('POST', `${pull.api}/merge`, { Do: 'merge' })), [
        'bob: alice merged this pull request.',
        'carol: alice merged this pull request.',
      ])
      const offer = () => forge.as('alice').must('POST', `${repo.api}/transfer`, { new_owner: 'carol' })
      assert.deepEqual(await mailsOf(offer), [
        'carol: alice wants to hand the repository alice/r over to carol. It can be accepted or rejected.',
      ])
      const account = { username: 'newcomer', email: 'new@example.com', password: 'S3cret-Passw0rd!' }
      assert.deepEqual(await mailsOf(() => forge.as('root').must('POST', '/admin/users', account)), [])
      assert.deepEqual(await mailsOf(() => forge.addUser('other')), [
        'root: There is a new account with the name other.',
      ])
    },
    notifying({ admin: { SEND_NOTIFICATION_EMAIL_ON_NEW_USER: true } }),
  ))

test('unsubscribePage, unsubscribeSubmit: one click ends mail about an issue, or all of it', () =>
  withMail(
    () => 0,
    async (forge, caught) => {
      const repo = await forge.given.repo({ owner: 'alice', private: true })
      const issue = await forge.given.issue({ repo })
      await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
      await forge.as('bob').must('POST', `${issue.api}/comments`, { body: 'hello' })
      await forge.settle()
      caught.splice(0)
      const say = async (body: string): Promise<CaughtMail[]> => {
        await forge.as('alice').must('POST', `${issue.api}/comments`, { body })
        await forge.settle()
        return caught.splice(0)
      }
      const [mail] = await say('one')
      const address = /^<(.*)>$/.exec(header(mail, 'List-Unsubscribe') ?? '')?.[1] ?? ''
      assert.ok(address.startsWith(`${forge.url}/-/unsubscribe/`), address)
      const path = address.slice(forge.url.length)
      const oneClick = (to: string, body = 'List-Unsubscribe=One-Click') =>
        forge.guest.send('POST', to, undefined, {
          site: true,
          raw: body,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
      for (const wrong of [
        path.slice(0, -2) + (path.endsWith('xx') ? 'yy' : 'xx'),
        '/-/unsubscribe/x',
        path.replace(/\.[^.]*$/, ''),
      ]) {
        assert.equal((await forge.guest.get(wrong, { site: true })).status, 404)
        assert.equal((await oneClick(wrong)).status, 404)
      }
      const page = await forge.guest.get(path, { site: true })
      assert.deepEqual(
        [page.status, page.text.includes(repo.name)],
        [200, false],
        'and tells nothing of the repository',
      )
      assert.equal((await say('two')).length, 1, 'looking changes nothing')
      assert.equal((await oneClick(path)).status, 200)
      assert.equal((await oneClick(path)).status, 200, 'and again')
      assert.deepEqual(await say('three'), [])
      assert.equal((await say('@bob')).length, 1)
      assert.equal((await oneClick(path, 'all=true')).status, 200)
      assert.deepEqual(await say('@bob'), [])
      assert.equal((await forge.as('bob').get('/user/settings')).json.email_notifications, 'disabled')
    },
    notifying(),
  ))

test('releases send mail to watchers who may read them, drafts and pre-releases do not; one click unwatches', () =>
  withMail(
    () => 0,
    async (forge, caught) => {
      const repo = await forge.given.repo({ owner: 'alice', name: 'r', private: true })
      for (const name of ['bob', 'carol']) {
        await forge.as('alice').must('PUT', `${repo.api}/collaborators/${name}`, { permission: 'read' })
        await forge.as(name).must('PUT', `${repo.api}/subscription`)
      }
      const publish = (tag: string, more: object = {}) =>
        forge.as('alice').must('POST', `${repo.api}/releases`, { tag_name: tag, body: 'what is *new*', ...more })
      const { json: draft } = await publish('v0', { draft: true })
      await publish('v1', { prerelease: true })
      assert.deepEqual(await arrived(forge, caught), [])
      await forge.as('alice').must('PATCH', `${repo.api}/releases/${draft.id}`, { draft: false, name: 'The first' })
      await forge.settle()
      const mail = caught.find(({ to }) => to[0] === 'bob@example.com')
      assert.equal(header(mail, 'Message-ID'), `<repositories/1/releases/${draft.id}@localhost>`)
      assert.match(decodedMail(mail), /alice published v0 of alice\/r\.[\s\S]*what is \*new\*[\s\S]*releases\/tag\/v0/)
      assert.deepEqual(await arrived(forge, caught), ['bob: [alice/r] The first', 'carol: [alice/r] The first'])
      const path = new URL(/^<([^>]*)>/.exec(header(mail, 'List-Unsubscribe') ?? '')?.[1] ?? '').pathname
      assert.match((await forge.guest.get(path, { site: true })).text, /Watch this repository no longer/)
      const oneClick = { site: true, raw: 'List-Unsubscribe=One-Click' }
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      assert.equal((await forge.guest.send('POST', path, undefined, { ...oneClick, headers })).status, 200)
      assert.equal((await forge.as('bob').get(`${repo.api}/subscription`)).status, 404)
      await forge.as('alice').must('PATCH', repo.api, { has_releases: false })
      await forge.as('alice').must('PATCH', repo.api, { has_releases: true })
      await publish('v2')
      assert.deepEqual(await arrived(forge, caught), ['carol: [alice/r] v2'])
      await forge.as('alice').must('DELETE', `${repo.api}/collaborators/carol`)
      await publish('v3')
      assert.deepEqual(await arrived(forge, caught), [])
    },
    notifying(),
  ))

test('failed mail is retried for the remaining recipients or given up; nothing is sent after access ended', () => {
  let status = (_to: string): number => 0
  return withMail(
    (to) => status(to),
    async (forge, caught) => {
      const repo = await forge.given.repo({ owner: 'alice', private: true })
      for (const name of ['bob', 'carol']) {
        await forge.as('alice').must('PUT', `${repo.api}/collaborators/${name}`, { permission: 'read' })
        await forge.as(name).must('PUT', `${repo.api}/subscription`)
      }
      status = (to) => (to.startsWith('bob') ? 451 : 0)
      await forge.given.issue({ repo })
      await forge.settle()
      assert.deepEqual(
        caught.splice(0).map(({ to }) => to[0]),
        ['carol@example.com'],
      )
      const [waiting] = await listJobs(forge.services.db, { state: 'waiting', offset: 0, limit: 10 })
      assert.deepEqual([waiting?.name, waiting?.attempt], ['sendMails', 1])
      assert.doesNotMatch(JSON.stringify(waiting), /bob|carol/)
      status = () => 0
      forge.clock.advance(60_000)
      await forge.settle()
      assert.deepEqual(
        caught.splice(0).map(({ to }) => to[0]),
        ['bob@example.com'],
        'and carol got it once',
      )

      // A recipient loses access while the mail server is down.
      status = () => 451
      await forge.given.issue({ repo })
      await forge.settle()
      await forge.as('alice').must('DELETE', `${repo.api}/collaborators/bob`)
      status = () => 0
      forge.clock.advance(60_000)
      await forge.settle()
      assert.deepEqual(
        caught.splice(0).map(({ to }) => to[0]),
        ['carol@example.com'],
      )

      status = () => 550
      await forge.given.issue({ repo })
      await forge.settle()
      const failed = await forge.as('root').get('/admin/jobs?state=failed')
      assert.deepEqual(
        failed.json.map((job: { name: string; attempt: number }) => [job.name, job.attempt]),
        [['sendMails', 1]],
      )
      assert.match(String(forge.defects.pop()), /^GiveUp: the mail server refused 1 of 1 mails/)
    },
    notifying(),
  )
})

test('mail to one person within an hour is limited, and the last mail says so', () =>
  withMail(
    () => 0,
    async (forge, caught) => {
      const repo = await forge.given.repo({ owner: 'alice' })
      const issue = await forge.given.issue({ repo })
      const say = async (): Promise<string[]> => {
        await forge.as('bob').must('POST', `${issue.api}/comments`, { body: 'hello' })
        await forge.settle()
        return caught.splice(0).map(decodedMail)
      }
      assert.doesNotMatch((await say()).join(), /the last one/)
      assert.match((await say()).join(), /This is mail 2 to you within the hour, and the last one/)
      assert.deepEqual(await say(), [])
      forge.clock.advance(3_600_000)
      assert.equal((await say()).length, 1)
    },
    { ...notifying({ ingot: { MAX_MAILS_PER_HOUR: 2 } }), standAt: Date.parse('2026-01-01T10:00:00Z') },
  ))

test('no jobs are created when mail is switched off', () =>
  withMail(
    () => 0,
    async (forge, caught) => {
      const repo = await forge.given.repo({ owner: 'alice' })
      await forge.given.issue({ repo, poster: 'bob' })
      await forge.settle()
      assert.deepEqual(caught, [])
      assert.equal((await eventsNamed(forge, 'issue.opened')).length, 1)
    },
    { users: ['alice', 'bob'] },
  ))

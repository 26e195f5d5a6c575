import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Forge } from '../../testing/forge.ts'
import type { GivenIssue } from '../../testing/given.ts'
import { withMail, type CaughtMail } from '../../testing/mail.ts'
import { Mailbox, whyNoDovecot } from './dovecot.test-support.ts'

interface MailWorld {
  readonly forge: Forge
  readonly caught: CaughtMail[]
  readonly mailbox: Mailbox
}

/** A forge that sends mails to a catcher and reads answers from a mailbox. */
async function withMailbox(
  context: TestContext,
  use: (world: MailWorld) => Promise<void>,
  settings: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>> = {},
): Promise<void> {
  const why = await whyNoDovecot()
  if (why !== undefined) return context.skip(why)
  await using mailbox = await Mailbox.start()
  await withMail(
    () => 0,
    (forge, caught) => use({ forge, caught, mailbox }),
    {
      users: ['alice', 'bob'],
      settings: {
        ...settings,
        service: { ENABLE_NOTIFY_MAIL: true },
        'email.incoming': { ...mailbox.settings, ...settings['email.incoming'] },
      },
    },
  )
}

const headerOf = (mail: CaughtMail | undefined, name: string): string =>
  new RegExp(`^${name}:(.*(?:\\r\\n[ \\t].*)*)\\r$`, 'im')
    .exec(mail?.source ?? '')?.[1]
    ?.replaceAll('\r\n', '')
    .trim() ?? ''

/** Has the forge look at its mailbox, and whatever follows from it. */
async function look({ forge }: MailWorld): Promise<void> {
  await forge.as('root').must('POST', '/admin/cron/read_incoming_mail')
  await forge.settle()
}

/** An issue of bob's in alice's repository, and the mail that alice got of it. */
async function givenMail({ forge, caught }: MailWorld, options: { readonly private?: boolean } = {}) {
  const repo = await forge.given.repo({ owner: 'alice', ...options })
  if (options.private) await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'read' })
  const issue = await forge.given.issue({ repo, poster: 'bob', title: 'Broken' })
  await forge.settle()
  caught.length = 0
  await forge.as('alice').must('POST', `${issue.api}/comments`, { body: 'what is?' })
  await forge.settle()
  const mail = caught.splice(0).find(({ to }) => to[0] === 'bob@example.com')
  return { repo, issue, mail, address: headerOf(mail, 'Reply-To').replaceAll(/[<>]/g, '') }
}

let count = 0

/** A mail of bob's. */
const mailTo = (address: string, text: string, headers: readonly string[] = []): string =>
  [
    'From: Bob <bob@home.example>',
    ...(address === '' ? [] : [`To: "The forge" <${address}>`]),
    'Subject: Re: Broken',
    'Date: Thu, 01 Jan 2026 10:00:00 +0000',
    ...(headers.some((header) => header.startsWith('Message-ID:')) ? [] : [`Message-ID: <${++count}@home.example>`]),
    ...headers,
    '',
    text,
  ].join('\n')

const commentsOf = async (forge: Forge, issue: GivenIssue): Promise<string[]> =>
  (await forge.as('alice').must('GET', `${issue.api}/comments`)).json.map(
    (comment: { body: string; user: { login: string } }) => `${comment.user.login}: ${comment.body}`,
  )

test('issueCreateComment by mail: a reply becomes one comment without its quotation', (context) =>
  withMailbox(context, async (world) => {
    const { forge, mailbox, caught } = world
    const { issue, mail, address } = await givenMail(world)
    assert.match(address, /^answers\+[0-9a-v]{44}@forge\.example$/)
    assert.equal(headerOf(mail, 'List-Post'), `<mailto:${address}>`)
    const quoted =
      'The whole of it.\n\nAll > of it: 3 > 2.\n\nOn Thu, 1 Jan 2026 at 09:00, Alice <answers@forge.example> wrote:\n> what is?\n>\n> -- \n> Ingot\n'
    const answer = mailTo(address.toUpperCase().replace('FORGE', 'forge'), quoted, ['Message-ID: <one@home.example>'])
    mailbox.deliver(answer)
    await look(world)
    const once = ['alice: what is?', 'bob: The whole of it.\n\nAll > of it: 3 > 2.']
    assert.deepEqual(await commentsOf(forge, issue), once)
    assert.equal(mailbox.content.mails, 0, 'it is deleted')
    assert.deepEqual(
      caught.map(({ to }) => to[0]),
      ['alice@example.com'],
      'who takes part hears of it',
    )
    // It did not leave the mailbox: a crash in between, or a server that sends it twice.
    mailbox.deliver(answer)
    await look(world)
    assert.deepEqual(await commentsOf(forge, issue), once)

    const { id } = (await forge.as('alice').must('GET', `${issue.api}/comments`)).json[1]
    const part = (type: string, name: string, content: string): string =>
      `--x\nContent-Type: ${type}\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename="${name}"\n\n${Buffer.from(content).toString('base64')}`
    const body = [
      '--x\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nSch=F6n, see =\nhere',
    ]
    body.push(part('text/plain', '../log.txt', 'a log'), part('application/x-msdownload', 'evil.exe', 'MZ'))
    body.push(part('application/pgp-signature', 'signature.asc', 'sig'), '--x--')
    mailbox.deliver(
      mailTo(address, body.join('\n'), ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=x']),
    )
    const html = '<style>p{}</style><p>Only &lt;b&gt; <b>this</b>&#33;</p><blockquote>what is?</blockquote>'
    mailbox.deliver(mailTo(address, html, ['MIME-Version: 1.0', 'Content-Type: text/html']))
    await look(world)
    assert.deepEqual((await commentsOf(forge, issue)).slice(2), ['bob: Schön, see here', 'bob: Only <b> this!'])
    const comments = (await forge.as('alice').must('GET', `${issue.api}/comments`)).json
    const names = comments[2].assets.map((asset: { name: string; size: number }) => `${asset.name} ${asset.size}`)
    assert.deepEqual([comments[1].id, names], [id, ['log.txt 5']])
  }))

test('issueCreateComment by mail: replies of accounts that may not comment and automatic mails are refused', (context) =>
  withMailbox(
    context,
    async (world) => {
      const { forge, mailbox } = world
      const { repo, issue, address, mail } = await givenMail(world, { private: true })
      const other = await givenMail(world)
      const alice = forge.as('alice')
      const nothing = async (why: string, ...mails: string[]): Promise<void> => {
        for (const source of mails) mailbox.deliver(source)
        await look(world)
        assert.deepEqual(await commentsOf(forge, issue), ['alice: what is?'], why)
        assert.deepEqual(mailbox.content, { mails: mails.length + before, read: mails.length + before }, why)
        before += mails.length
      }
      let before = 0
      const forged = address.replace(/\+(.)/, (_, first: string) => `+${first === '0' ? '1' : '0'}`)
      const unsubscribing = /mailto:([^>]+)>/.exec(headerOf(mail, 'List-Unsubscribe'))?.[1] ?? ''
      assert.notEqual(unsubscribing, '')
      await nothing(
        'tokens are not made by others',
        mailTo(forged, 'hi'),
        mailTo(address.replace('+', '+0'), 'hi'),
        mailTo(`${address.split('+')[0]}@forge.example`, 'hi'),
        mailTo('', 'hi', ['References: <reply-zzz@localhost>']),
      )
      await nothing(
        'automatic mails are refused',
        mailTo(address, 'away', ['Auto-Submitted: auto-replied']),
        mailTo(address, 'away', ['Precedence: bulk']),
        mailTo(address, 'away', ['X-Autoreply: yes']),
        mailTo(address, 'away', ['Return-Path: <>']),
        mailTo(address, 'away', ['Content-Type: multipart/report; boundary=x']),
        // A mail of ours that comes back.
        (mail as CaughtMail).source.replace(/^To: .*$/m, `To: ${address}`),
      )
      await nothing(
        'nothing is said',
        mailTo(address, '\n> what is?\n'),
        mailTo(address, 'x'.repeat(60_000)),
        mailTo(address, 'bad', ['MIME-Version: 1.0', `Content-Type: multipart/mixed; boundary=${'y'.repeat(10)}`]),
      )
      await alice.must('PATCH', repo.api, { archived: true })
      await nothing('it is archived', mailTo(address, 'hi'))
      await alice.must('PATCH', repo.api, { archived: false })
      await alice.must('DELETE', `${repo.api}/collaborators/bob`)
      await nothing('bob may not read it any more', mailTo(address, 'hi'))
      await alice.must('PUT', `${repo.api}/collaborators/bob`, { permission: 'read' })
      const root = forge.as('root')
      const change = { source_id: 0, login_name: 'bob' }
      await root.must('PATCH', '/admin/users/bob', { ...change, prohibit_login: true })
      await nothing('bob may not sign in', mailTo(address, 'hi'))
      await root.must('PATCH', '/admin/users/bob', { ...change, prohibit_login: false })
      await alice.must('PUT', '/user/block/bob')
      await nothing('alice blocks bob', mailTo(address, 'hi'))
      await alice.must('PUT', '/user/unblock/bob')
      await alice.must('PUT', `${repo.api}/collaborators/bob`, { permission: 'read' })
      mailbox.deliver(mailTo(address, 'now'))
      mailbox.deliver(mailTo(other.address, 'there'))
      mailbox.deliver(mailTo(other.address, 'and more'))
      await look(world)
      assert.deepEqual(await commentsOf(forge, issue), ['alice: what is?', 'bob: now'])
      assert.deepEqual(await commentsOf(forge, other.issue), ['alice: what is?', 'bob: there'], 'two within the hour')
      // It is good for a year.
      forge.clock.advance(400 * 86_400_000)
      mailbox.deliver(mailTo(other.address, 'late'))
      await look(world)
      assert.deepEqual(await commentsOf(forge, other.issue), ['alice: what is?', 'bob: there'])
    },
    {
      'email.incoming': { MAXIMUM_MESSAGE_SIZE: 50_000 },
      ingot: { MAX_MAIL_COMMENTS_PER_HOUR: 2 },
    },
  ))

test('a reply is recognised by its references; unsubscription works by mail; handled mails may stay', (context) =>
  withMailbox(
    context,
    async (world) => {
      const { forge, mailbox, caught } = world
      const { issue, mail } = await givenMail(world)
      const references = headerOf(mail, 'References')
      mailbox.deliver(mailTo('forge@example.com', 'by another way', [`References: ${references} <x@y>`]))
      await look(world)
      assert.deepEqual(await commentsOf(forge, issue), ['alice: what is?', 'bob: by another way'])
      assert.deepEqual(mailbox.content, { mails: 1, read: 1 })
      const [, unsubscribing = ''] = /mailto:([^>]+)>/.exec(headerOf(mail, 'List-Unsubscribe')) ?? []
      mailbox.deliver(mailTo(unsubscribing, 'unsubscribe', ['Auto-Submitted: auto-generated']))
      await look(world)
      assert.equal((await commentsOf(forge, issue)).length, 2)
      caught.length = 0
      await forge.as('alice').must('POST', `${issue.api}/comments`, { body: 'still there?' })
      await forge.settle()
      assert.deepEqual(caught, [])
    },
    { 'email.incoming': { DELETE_HANDLED_MESSAGE: false } },
  ))

test('a mailbox that is unavailable is read again later, and no mail is lost', (context) =>
  withMailbox(
    context,
    async (world) => {
      const { forge, mailbox } = world
      const { issue, address } = await givenMail(world)
      await mailbox.stop()
      await look(world)
      const [task] = (await forge.services.tasks.list()).filter(({ name }) => name === 'read_incoming_mail')
      assert.match(task?.lastError ?? '', /cannot open the mailbox/)
      mailbox.deliver(mailTo(address, 'first'))
      await mailbox.serve()
      // A malformed mail does not block the others.
      mailbox.deliver('\0\u0001')
      mailbox.deliver(mailTo(address, 'second'))
      await look(world)
      assert.deepEqual((await commentsOf(forge, issue)).toSorted(), ['alice: what is?', 'bob: first', 'bob: second'])
    },
    { ingot: { MAIL_TIMEOUT: '2s' } },
  ))

import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import { Unavailable } from '../lib/errors.ts'
import { createMailer, MailError, type Mailer, type MailerOptions } from './mailer.ts'

const usual: MailerOptions = {
  enabled: true,
  protocol: 'smtp',
  smtpAddr: '127.0.0.1',
  smtpPort: 0,
  from: '"Our Forge" <noreply@forge.example>',
  envelopeFrom: '',
  user: '',
  passwd: '',
  subjectPrefix: '',
  sendAsPlainText: false,
  sendBufferLen: 10,
  enableHelo: true,
  heloHostname: 'forge.example',
  forceTrustServerCert: false,
  useClientCert: false,
  clientCertFile: '',
  clientKeyFile: '',
  sendmailPath: 'sendmail',
  sendmailTimeout: 5000,
  overrideHeaders: {},
  maxConnections: 2,
  timeoutMs: 2000,
}

interface Caught {
  readonly from: string
  readonly to: string[]
  readonly secure: boolean
  readonly user: string | undefined
  readonly helo: string
  readonly source: string
}

interface Surroundings {
  readonly mailer: Mailer
  readonly caught: Caught[]
  readonly port: number
  /** Connections that were made to the server. */
  readonly connections: () => number
}

async function withCatcher(
  server: SMTPServerOptions & { readonly path?: string },
  options: Partial<MailerOptions>,
  use: (surroundings: Surroundings) => Promise<void>,
): Promise<void> {
  const caught: Caught[] = []
  let connections = 0
  async function keep(stream: Readable, session: SMTPServerSession, done: () => void): Promise<void> {
    const source = await text(stream)
    const { mailFrom, rcptTo } = session.envelope
    caught.push({
      from: mailFrom === false ? '' : mailFrom.address,
      to: rcptTo.map(({ address }) => address),
      secure: session.secure,
      user: session.user,
      helo: session.hostNameAppearsAs,
      source,
    })
    done()
  }
  const catcher = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    closeTimeout: 100,
    onConnect: (_, done) => {
      connections++
      done()
    },
    onData: (stream, session, done) => {
      void keep(stream, session, done)
    },
    ...server,
  })
  // A client that refuses our certificate ends the connection; the server would treat that as its own failure.
  catcher.on('error', () => {})
  await new Promise<void>((resolve) => {
    if (server.path === undefined) catcher.listen(0, '127.0.0.1', resolve)
    else catcher.server.listen(server.path, resolve)
  })
  const address = catcher.server.address()
  const port = typeof address === 'string' || address === null ? 0 : (address satisfies AddressInfo).port
  const mailer = await createMailer({ ...usual, smtpPort: port, ...options }, () => {})
  try {
    await use({ mailer, caught, port, connections: () => connections })
  } finally {
    mailer.close()
    await new Promise<void>((resolve) => catcher.close(() => resolve()))
  }
}

const mail = { to: 'ann@example.com', subject: 'Grüße', text: 'hello\n', html: '<p>hello</p>' }

test('a mail has its envelope, sender, subject, both parts and headers', () =>
  withCatcher({}, { subjectPrefix: '[Forge]', overrideHeaders: { 'X-Place': 'here' } }, async ({ mailer, caught }) => {
    assert.equal(mailer.isEnabled, true)
    await mailer.sendMail({
      ...mail,
      fromName: 'Bob, the "builder"',
      replyTo: 'reply+1@forge.example',
      headers: { 'Message-ID': '<1@forge.example>', 'List-Id': 'bob/repo <repo.bob.forge.example>' },
    })
    const [got] = caught
    assert.deepEqual([got?.from, got?.to, got?.helo], ['noreply@forge.example', ['ann@example.com'], 'forge.example'])
    const source = got?.source ?? ''
    assert.match(source, /^From: "Bob, the \\"builder\\"" <noreply@forge\.example>\r$/m)
    assert.match(source, /^To: ann@example\.com\r$/m)
    assert.match(source, /^Reply-To: reply\+1@forge\.example\r$/m)
    assert.match(source, /^Subject: =\?UTF-8\?[QB]\?.*\r$/m)
    assert.match(source, /^Message-ID: <1@forge\.example>\r$/m)
    assert.match(source, /^List-Id: bob\/repo <repo\.bob\.forge\.example>\r$/im)
    assert.match(source, /^X-Place: here\r$/m)
    assert.match(source, /multipart\/alternative/)
    assert.match(source, /<p>hello<\/p>/)
  }))

test('settings choose plain text and the envelope sender; texts cannot inject headers', () =>
  withCatcher({}, { sendAsPlainText: true, envelopeFrom: '<>' }, async ({ mailer, caught }) => {
    await mailer.sendMail({ ...mail, subject: 'a\r\nBcc: eve@example.com', fromName: 'x\r\nX-Bad: 1' })
    assert.deepEqual(caught[0]?.to, ['ann@example.com'])
    assert.equal(caught[0]?.from, '')
    assert.doesNotMatch(caught[0]?.source ?? '', /text\/html|^Bcc:|^X-Bad:/m)
    const recipients = ['', 'nobody', 'a@b, c@d', 'a@b\r\nBcc: c@d', 'Name <a@b>', 'a b@c', 'a@b;c@d']
    for (const to of recipients) {
      await assert.rejects(mailer.sendMail({ ...mail, to }), (error) => error instanceof MailError && error.isPermanent)
    }
    assert.equal(caught.length, 1)
  }))

test('connections are reused and limited; further mails wait, and beyond the buffer are refused', () =>
  withCatcher({}, { maxConnections: 2, sendBufferLen: 5 }, async ({ mailer, caught, connections }) => {
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => mailer.sendMail(mail)))
    assert.equal(caught.length, 7)
    const refused = results.filter((result) => result.status === 'rejected').map((result) => result.reason)
    assert.ok(refused.length === 3 && refused.every((error) => error instanceof Unavailable))
    assert.ok(connections() <= 2)
  }))

test('the mailer signs in over TLS and STARTTLS and refuses untrusted certificates', async () => {
  const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, _, done) =>
    username === 'forge' && password === 'pw' ? done(null, { user: 'forge' }) : done(new Error('no'))
  const signedIn = { user: 'forge', passwd: 'pw' }
  const starttls: SMTPServerOptions = { authOptional: false, disabledCommands: [], onAuth }
  const trusting = { ...signedIn, forceTrustServerCert: true }
  await withCatcher(starttls, { ...trusting, protocol: 'smtp+starttls' }, async ({ mailer, caught }) => {
    await mailer.sendMail(mail)
    assert.deepEqual([caught[0]?.secure, caught[0]?.user], [true, 'forge'])
  })
  await withCatcher({ ...starttls, secure: true }, { ...trusting, protocol: 'smtps' }, async ({ mailer, caught }) => {
    await mailer.sendMail(mail)
    assert.deepEqual([caught[0]?.secure, caught[0]?.user], [true, 'forge'])
  })
  await withCatcher(starttls, { ...signedIn, protocol: 'smtp+starttls' }, async ({ mailer, caught }) => {
    await assert.rejects(mailer.sendMail(mail), (error) => error instanceof MailError && !error.isPermanent)
    assert.deepEqual(caught, [])
  })
  await withCatcher({ authOptional: true }, { protocol: 'smtp+starttls' }, async ({ mailer, caught }) => {
    await assert.rejects(mailer.sendMail(mail), MailError)
    assert.deepEqual(caught, [])
  })
  await withCatcher(starttls, { ...trusting, passwd: 'wrong' }, async ({ mailer }) => {
    await assert.rejects(mailer.sendMail(mail), (error) => error instanceof MailError && !error.isPermanent)
  })
})

test('permanent and temporary refusals and a missing server are distinguished', async () => {
  const refuse = (code: number): SMTPServerOptions => ({
    onRcptTo: (_, __, done) => done(Object.assign(new Error('refused'), { responseCode: code })),
  })
  await withCatcher(refuse(550), {}, async ({ mailer }) => {
    await assert.rejects(mailer.sendMail(mail), (error) => error instanceof MailError && error.isPermanent)
  })
  await withCatcher(refuse(451), {}, async ({ mailer }) => {
    await assert.rejects(mailer.sendMail(mail), (error) => error instanceof MailError && !error.isPermanent)
  })
  const unreachable = await createMailer({ ...usual, smtpPort: 1 }, () => {})
  await assert.rejects(unreachable.sendMail(mail), (error) => error instanceof MailError && !error.isPermanent)
  unreachable.close()
  await withCatcher({ onConnect: () => {} }, { timeoutMs: 100 }, async ({ mailer }) => {
    await assert.rejects(mailer.sendMail(mail), (error) => error instanceof MailError && !error.isPermanent)
  })
})

test('mail can be off, only logged, sent over a Unix socket, or through a sendmail program', async () => {
  const off = await createMailer({ ...usual, enabled: false }, () => {})
  assert.equal(off.isEnabled, false)
  await assert.rejects(off.sendMail(mail), Unavailable)
  const lines: unknown[] = []
  const dummy = await createMailer({ ...usual, protocol: 'dummy' }, (_, __, data) => lines.push(data))
  await dummy.sendMail(mail)
  assert.deepEqual(lines, [{ to: 'ann@example.com', subject: 'Grüße' }])

  const folder = await mkdtemp(join(tmpdir(), 'ingot-mail-'))
  try {
    const path = join(folder, 'smtp.sock')
    await withCatcher({ path }, { protocol: 'smtp+unix', smtpAddr: path }, async ({ mailer, caught }) => {
      await mailer.sendMail(mail)
      assert.equal(caught.length, 1)
    })
    const program = join(folder, 'sendmail')
    const output = join(folder, 'out')
    await writeFile(program, `#!/bin/sh\necho "$@" > ${output}\ncat >> ${output}\n`)
    await chmod(program, 0o755)
    const sendmail = await createMailer({ ...usual, protocol: 'sendmail', sendmailPath: program }, () => {})
    await sendmail.sendMail(mail)
    sendmail.close()
    assert.match(await readFile(output, 'utf8'), /^-i -f noreply@forge\.example ann@example\.com\n[^]*<p>hello<\/p>/)
    await writeFile(program, '#!/bin/sh\nexit 75\n')
    await assert.rejects(sendmail.sendMail(mail), (error) => error instanceof MailError && !error.isPermanent)
  } finally {
    await rm(folder, { recursive: true })
  }
})

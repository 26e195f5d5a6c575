import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stepAt, totpAt } from '../auth/totp.ts'
import { nowUnix } from '../lib/time.ts'
import { Browser, hiddenFields } from '../testing/browser.ts'
import { testPassword, type Forge } from '../testing/forge.ts'
import { textOf, withMail, type CaughtMail } from '../testing/mail.ts'
import { basicAuthorization, publicKey } from '../testing/samples.ts'

const others = 'another Passw0rd!'
const security = '/user/settings/security'

/** Changes each kind of credential; the expected recipients with a word of their mail. */
async function changeAll(forge: Forge) {
  const browser = new Browser(forge)
  await browser.signIn('alice', testPassword)
  const send = async (path: string, page: string, fields: Record<string, string>) => {
    const answer = await browser.post(path, { _csrf: await browser.csrf(page), ...fields })
    assert.equal(answer.status, 303, answer.text)
  }
  const account = '/user/settings/account'
  await send(account, account, { old_password: testPassword, password: others })
  await send(`${account}/email`, account, { email: 'new@example.com', password: others })
  // The mail about it goes to the address that is the primary one when it is sent.
  await forge.settle()
  await send(`${account}/email/primary`, account, { email: 'new@example.com', password: others })
  const enrol = `${security}/two_factor/enroll`
  const { text } = await browser.get(enrol)
  const key = /<code>([A-Z2-7]{32})<\/code>/.exec(text)?.[1] ?? ''
  const passcode = totpAt(key, stepAt(nowUnix(forge.clock)))
  await send(enrol, enrol, { ...hiddenFields(text, enrol), passcode })
  await send(`${security}/two_factor/disable`, security, { password: others })
  const headers = { authorization: basicAuthorization('alice', others) }
  const made = await forge.guest.post('/users/alice/tokens', { name: 'robot', scopes: ['read:user'] }, { headers })
  assert.equal(made.status, 201)
  assert.equal((await forge.guest.post('/user/keys', { title: 'laptop', key: publicKey }, { headers })).status, 201)
  await forge.settle()
}

const recipientsOf = (caught: readonly CaughtMail[]): string[] =>
  caught
    .map((mail) => {
      const words = /passwor[^.]*changed|another address|set up|removed|token|SSH key|mail address/.exec(
        textOf(mail),
      )?.[0]
      return `${mail.to[0]}: ${words}`
    })
    .toSorted()

test('changePasswordSubmit, primaryAddressSubmit, enrolTwoFactorSubmit, disableTwoFactorSubmit, userCreateToken, userCurrentPostKey: the owner gets a mail about each changed credential', async () => {
  await withMail(
    () => 0,
    async (forge, caught) => {
      await changeAll(forge)
      assert.deepEqual(recipientsOf(caught), [
        'alice@example.com: another address',
        'alice@example.com: mail address',
        'alice@example.com: password of your account alice at Our <Forge> was changed',
        'new@example.com: SSH key',
        'new@example.com: removed',
        'new@example.com: set up',
        'new@example.com: token',
      ])
      for (const mail of caught) for (const secret of [others, testPassword]) assert.ok(!textOf(mail).includes(secret))
      const headers = { authorization: basicAuthorization('alice', others) }
      for (let count = 0; count < 25; count += 1) {
        await forge.guest.post('/users/alice/tokens', { name: `t${count}`, scopes: ['read:user'] }, { headers })
      }
      await forge.settle()
      assert.equal(caught.length, 6 + 18, 'twenty about tokens and keys within an hour')
      await forge.as('root').must('PATCH', '/admin/users/alice', {
        login_name: 'alice',
        source_id: 0,
        password: testPassword,
      })
      await forge.settle()
      assert.equal(caught.length, 6 + 18 + 1, 'mails about passwords have no limit')
    },
    { users: ['alice'] },
  )
})

test('changePasswordSubmit: no mail is sent when the setting is off', async () => {
  await withMail(
    () => 0,
    async (forge, caught) => {
      await changeAll(forge)
      assert.deepEqual(caught, [])
    },
    { users: ['alice'], settings: { ingot: { SECURITY_MAILS: false } } },
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { onePixel } from '../../../testing/samples.ts'

const path = '/user/settings'

test('settingsPage, profileSubmit: a person changes the profile; a wrong website is shown again', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = await Browser.of(forge, 'alice')
  const save = (fields: Record<string, string>) => alice.submit(path, `action="${path}"`, fields)
  const wrong = await save({ full_name: 'Ada <b>', website: 'nope' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="website_problem"/)
  assert.match(wrong.text, /value="Ada &lt;b/)
  const saved = { full_name: 'Ada', website: 'https://ada.example', location: 'Rome', pronouns: 'she/her' }
  assert.equal((await save({ ...saved, description: 'Hi', hide_activity: 'true', visibility: 'limited' })).status, 303)
  assert.match((await alice.get(path)).text, /role="status">.*The settings are saved/)
  const { json } = await forge.as('alice').get('/user/settings')
  assert.deepEqual(
    [json.full_name, json.website, json.location, json.pronouns, json.description, json.hide_activity],
    ['Ada', 'https://ada.example', 'Rome', 'she/her', 'Hi', true],
  )
  assert.equal((await forge.as('alice').get('/user')).json.visibility, 'limited')
  assert.equal((await save({ ...saved, visibility: 'secret' })).status, 422)
})

test('profileSubmit: a visibility that the site does not allow is refused', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { service: { ALLOWED_USER_VISIBILITY_MODES: 'public' } },
  })
  const alice = await Browser.of(forge, 'alice')
  const reply = await alice.submit(path, `action="${path}"`, { full_name: 'Ada', visibility: 'private' })
  assert.equal(reply.status, 422)
  assert.equal((await forge.as('alice').get('/user')).json.visibility, 'public')
})

test('appearancePage, appearanceSubmit, notificationSettingsPage, notificationSettingsSubmit: preferences are saved', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = await Browser.of(forge, 'alice')
  const at = `${path}/appearance`
  const look = { theme: 'dark', language: 'en-US', diff_view_style: 'split' }
  assert.equal((await alice.submit(at, `action="${at}"`, look)).status, 303)
  assert.match((await alice.get(at)).text, /<html lang="en" data-theme="dark">/)
  const mails = `${path}/notifications`
  assert.equal((await alice.submit(mails, `action="${mails}"`, { email_notifications: 'onmention' })).status, 303)
  assert.equal((await alice.submit(mails, `action="${mails}"`, { email_notifications: 'often' })).status, 422)
  const { json } = await forge.as('alice').get('/user/settings')
  assert.deepEqual(
    [json.theme, json.language, json.diff_view_style, json.enable_repo_unit_hints, json.email_notifications],
    ['dark', 'en-US', 'split', false, 'onmention'],
  )
})

test('avatarSubmit, deleteAvatarSubmit: a person uploads a picture and removes it', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = await Browser.of(forge, 'alice')
  const upload = async (csrf: string, content: Buffer) => {
    const form = new FormData()
    form.set('_csrf', csrf)
    form.set('avatar', new Blob([new Uint8Array(content)]), 'me.png')
    const cookie = [...alice.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return fetch(`${forge.url}/user/settings/avatar`, {
      method: 'POST',
      body: form,
      headers: { cookie },
      redirect: 'manual',
    })
  }
  const csrf = await alice.csrf(path)
  const avatar = async () => (await forge.as('alice').get('/user')).json.avatar_url as string
  const drawn = await avatar()
  assert.equal((await upload(`${csrf}x`, Buffer.from(onePixel, 'base64'))).status, 403)
  assert.equal((await upload(csrf, Buffer.alloc(0))).status, 422)
  const wrong = await upload(csrf, Buffer.from('no picture'))
  assert.equal(wrong.status, 422)
  assert.match(await wrong.text(), /id="avatar_problem"/)
  assert.equal(await avatar(), drawn)
  assert.equal((await upload(csrf, Buffer.from(onePixel, 'base64'))).status, 303)
  assert.notEqual(await avatar(), drawn)
  assert.equal((await alice.submit(path, 'avatar/delete')).status, 303)
  assert.equal(await avatar(), drawn)
})

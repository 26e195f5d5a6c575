import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { givenPull } from '../../testing/given-pull.ts'

test('newIssuePage, openIssueOfPage: a refused form keeps the draft, and readers cannot set labels', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const label = (await forge.as('alice').must('POST', `${repo.api}/labels`, { name: 'bug', color: '#ff0000' })).json.id
  const path = `/${repo.fullName}/issues/new`
  assert.equal((await new Browser(forge).get(path)).status, 303)
  const bob = await Browser.of(forge, 'bob')
  const refused = await bob.submit(path, path, { title: ' ', content: 'my draft' })
  assert.equal(refused.status, 422)
  assert.match(refused.text, />my draft</)
  const made = await bob.submit(path, path, { title: 'One', content: 'text', label: String(label) })
  assert.deepEqual([made.status, made.headers.get('location')], [303, `/${repo.fullName}/issues/1`])
  const { json } = await forge.guest.get(`${repo.api}/issues/1`)
  assert.deepEqual([json.title, json.body, json.labels], ['One', 'text', []])
})

const form = `name: Bug
about: Something is broken
title: "Bug: "
labels: [bug]
body:
  - type: markdown
    attributes: { value: Thank you for **looking**. }
  - type: input
    id: version
    attributes: { label: Version }
    validations: { required: true }
  - type: dropdown
    id: system
    attributes: { label: System, options: [Linux, Other] }
  - type: checkboxes
    id: terms
    attributes: { label: Terms, options: [{ label: I searched, required: true }] }
  - type: dropdown
    id: devices
    attributes: { label: Devices, options: [Linux, macOS], multiple: true }
`

test('chooseIssueTemplate, openIssueOfPage: a form asks its questions and makes the text', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const choose = `/${repo.fullName}/issues/new/choose`
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.get(choose)).headers.get('location'), `/${repo.fullName}/issues/new`)
  await forge.as('alice').must('POST', `${repo.api}/contents/.forgejo/ISSUE_TEMPLATE/bug.yaml`, {
    content: Buffer.from(form).toString('base64'),
  })
  assert.match((await alice.get(choose)).text, /Something is broken/)
  const path = `/${repo.fullName}/issues/new?template=.forgejo%2FISSUE_TEMPLATE%2Fbug.yaml`
  const { text } = await alice.get(path)
  assert.match(text, /Thank you for <strong>looking<\/strong>\./)
  assert.match(text, /name="field-4" value="1"[^>]*>\s*<label[^>]*>macOS/)
  const send = (fields: Record<string, string>) => alice.submit(path, '/issues/new', { title: 'Bug: a', ...fields })
  const refused = await send({ 'field-1': '', 'field-3': '0' })
  assert.equal(refused.status, 422)
  const withText = await send({ 'field-1': 'one or two' })
  assert.deepEqual([withText.status, /name="field-1" value="one or two"/.test(withText.text)], [422, true])
  assert.doesNotMatch(withText.text, /What you typed/)
  assert.match(refused.text, /name="field-3" value="0" checked/)
  assert.equal((await send({ 'field-1': '1.2', 'field-2': '0' })).status, 422)
  assert.equal((await send({ 'field-1': '1.2', 'field-2': '0', 'field-3': '0' })).status, 303)
  const { body } = (await forge.guest.get(`${repo.api}/issues/1`)).json
  assert.match(body, /### Version\n\n1\.2\n\n### System\n\nLinux\n\n### Terms\n\n- \[x\] I searched/)
})

test('labelsPage, addLabelOfPage, changeLabelOfPage, removeLabelOfPage: writers change the labels', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const path = `/${repo.fullName}/labels`
  const bob = await Browser.of(forge, 'bob')
  assert.doesNotMatch((await bob.get(path)).text, /labels\/new/)
  assert.equal((await bob.post(`${path}/new`, { name: 'x', _csrf: await bob.csrf(path) })).status, 403)
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.submit(path, '/labels/new', { name: '' })).status, 422)
  await alice.submit(path, '/labels/new', { name: 'kind/bug', color: '#aa0000', exclusive: 'true' })
  const labels = async () => (await forge.guest.get(`${repo.api}/labels`)).json
  const [label] = await labels()
  assert.deepEqual([label.name, label.color, label.exclusive], ['kind/bug', 'aa0000', true])
  await alice.submit(`${path}?edit=${label.id}`, `/labels/${label.id}/edit`, { name: 'fault', color: '#00aa00' })
  assert.equal((await labels())[0].name, 'fault')
  assert.equal((await alice.submit(path, `/labels/${label.id}/delete`)).status, 303)
  assert.deepEqual(await labels(), [])
})

test('milestonesPage, milestonePage, newMilestonePage, editMilestonePage, addMilestoneOfPage, changeMilestoneOfPage, closeMilestoneOfPage, removeMilestoneOfPage: a milestone through pages', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const list = `/${repo.fullName}/milestones`
  const bob = await Browser.of(forge, 'bob')
  assert.equal((await bob.get(`${list}/new`)).status, 403)
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.submit(`${list}/new`, '/milestones/new', { title: '' })).status, 422)
  const made = await alice.submit(`${list}/new`, '/milestones/new', {
    title: 'v1',
    due: '2030-01-31',
    content: '**big**',
  })
  const path = made.headers.get('location') ?? ''
  const id = Number(path.split('/').at(-1))
  await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'In it', milestone: id })
  const shown = (await bob.get(path)).text
  assert.match(shown, /In it/)
  assert.match(shown, /<strong>big<\/strong>/)
  const inList = (await bob.get(list)).text
  assert.match(inList, /0% done/)
  assert.match(inList, /<p class="muted clamp">big<\/p>/)
  const pull = await givenPull(forge, { repo })
  await forge.as('alice').must('PATCH', `/repos/${repo.fullName}/issues/${pull.number}`, { milestone: id })
  const both = (await bob.get(path)).text
  assert.match(both, /2 open/)
  assert.match(both, new RegExp(`/pulls/${pull.number}"`))
  assert.match((await bob.get(`${path}?state=closed`)).text, /Nothing is closed yet/)
  const edit = await alice.submit(`${list}/${id}/edit`, `/milestones/${id}/edit`, { title: 'v2', content: '', due: '' })
  assert.equal(edit.status, 303)
  await alice.submit(path, `/milestones/${id}/state`)
  const row = async () => (await forge.guest.get(`${repo.api}/milestones/${id}`)).json
  assert.deepEqual([(await row()).title, (await row()).state], ['v2', 'closed'])
  assert.equal((await alice.submit(path, `/milestones/${id}/delete`)).status, 303)
  assert.equal((await forge.guest.get(`${repo.api}/milestones/${id}`)).status, 404)
})

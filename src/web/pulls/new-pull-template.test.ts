import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles } from '../../actions/actions.test-support.ts'
import { collaborator } from '../../testing/given-pull.ts'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import type { Forge } from '../../testing/forge.ts'
import { base64 } from '../../testing/samples.ts'

test('comparePage: the head of a template gives title, labels and assignees of a pull request', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo()
  await collaborator(forge, repo, 'bob', 'write')
  await collaborator(forge, repo, 'carol', 'write')
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/labels`, { name: 'kind', color: '#123456' })
  const template = '---\ntitle: "Change: "\nlabels: kind\nassignees: ["@Bob", nobody]\n---\n\n## Why\n'
  await alice.must('POST', `${repo.api}/contents/.gitea/pull_request_template.md`, { content: base64(template) })
  await alice.must('POST', `${repo.api}/contents/a.txt`, { content: base64('a'), new_branch: 'topic' })
  const { text } = await (await Browser.of(forge, 'alice')).get(`/${repo.fullName}/compare/main...topic`)
  const ticked = [...text.matchAll(/name="(label|assignee)" value="([^"]*)" checked/g)].map(([, , value]) => value)
  assert.deepEqual(ticked.slice(1), ['bob'])
  assert.equal(ticked.length, 2)
  assert.match(text, /value="Change: /)
  assert.match(text, /<textarea[^>]*>## Why/)
})

const form = `name: Change
title: "Change: "
milestone: v1
reviewers: ["@Bob", alice/reviewers]
body:
  - type: markdown
    attributes: { value: Thank you for **changing** it. }
  - type: textarea
    attributes: { label: Why }
    validations: { required: true }
  - type: input
    attributes: { label: Ticket }
    validations: { regex: "[A-Z]+-[0-9]+" }
  - type: checkboxes
    attributes: { label: Checks, options: [{ label: I tested it, required: true }] }
`

/** A repository of alice with a branch `topic`, files on the default branch, and bob as a collaborator. */
async function withFiles(forge: Forge, files: Readonly<Record<string, string>>) {
  const repo = await forge.given.repo()
  await collaborator(forge, repo, 'bob', 'write')
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/contents/a.txt`, { content: base64('a'), new_branch: 'topic' })
  await commitFiles(forge, repo.api, files)
  const path = `/${repo.fullName}/compare/main...topic`
  return { repo, alice, path, browser: await Browser.of(forge, 'alice') }
}

test('comparePage, openNewPull: a form of pull requests asks its questions, keeps the answers of a refused one, and makes the text', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, alice, path, browser } = await withFiles(forge, { '.forgejo/pull_request_template.yaml': form })
  await alice.must('POST', `${repo.api}/milestones`, { title: 'v1 - first' })
  await alice.must('POST', `${repo.api}/milestones`, { title: 'v2' })
  const { text } = await browser.get(path)
  assert.match(text, /Thank you for <strong>changing<\/strong> it\./)
  assert.match(text, /name="title"[^>]*value="Change: /)
  assert.match(text, /name="reviewer" value="bob" checked/)
  assert.match(text, /<option value="1" selected[^>]*>v1 - first/)
  assert.doesNotMatch(text, /name="content"|template-menu/)
  const send = (answers: Record<string, string>) => browser.submit(path, 'new-pull"', { title: 'T', ...answers })
  const refused = await send({ 'field-1': 'because\nof that', 'field-2': 'none yet', 'field-3': '0' })
  assert.equal(refused.status, 422)
  assert.match(refused.text, />because\nof that<\/textarea>/)
  assert.match(refused.text, /name="field-2" value="none yet"/)
  assert.match(refused.text, /name="field-3" value="0" checked/)
  assert.doesNotMatch(refused.text, /What you typed/)
  assert.equal((await send({ 'field-1': 'because', 'field-2': 'A-1' })).status, 422)
  const made = await send({ 'field-1': 'because', 'field-2': 'A-1', 'field-3': '0', reviewer: 'bob' })
  assert.deepEqual([made.status, made.headers.get('location')], [303, `/${repo.fullName}/pulls/1`])
  const pull = (await alice.get(`${repo.api}/pulls/1`)).json
  assert.equal(pull.body, '### Why\n\nbecause\n\n### Ticket\n\nA-1\n\n### Checks\n\n- [x] I tested it')
  assert.deepEqual(
    pull.requested_reviewers.map(({ login }: { login: string }) => login),
    ['bob'],
  )
})

test('comparePage: templates in folders are offered by path and name of the file, and the only one is taken', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const folder = '.github/PULL_REQUEST_TEMPLATE'
  const { repo, alice, path, browser } = await withFiles(forge, {
    [`${folder}/feature.md`]: 'FEATURE',
    'docs/x.md': 'X',
  })
  const areaOf = async (query: string) => {
    const { text } = await browser.get(`${path}?${query}`)
    return [/name="content"[^>]*>([^<]*)</.exec(text)?.[1], /<details class="new-pull-part" open/.test(text)]
  }
  assert.deepEqual(await areaOf(''), ['FEATURE', false])
  assert.deepEqual(await areaOf('template=none'), ['', true])
  const more = {
    [`${folder}/fix.md`]: '---\nname: A fix\nabout: of a fault\n---\nFIX',
    [`${folder}/notes.txt`]: 'NOTES',
  }
  await commitFiles(forge, repo.api, more)
  assert.deepEqual(await areaOf(''), ['', false])
  assert.deepEqual(await areaOf('template=fix.md'), ['FIX', true])
  assert.deepEqual(await areaOf(`template=${folder}/feature.md`), ['FEATURE', true])
  assert.deepEqual(await areaOf('template=absent.md'), ['', true])
  const { text } = await browser.get(path)
  const offered = [...text.matchAll(/template=([^"&]*)&amp;open=1/g)].map(([, name]) => decodeURIComponent(name ?? ''))
  assert.deepEqual(offered, [`${folder}/feature.md`, `${folder}/fix.md`, 'none'])
  assert.match(text, /A fix<span class="muted"> of a fault/)
  await alice.must('POST', `${repo.api}/contents/pull_request_template.md`, { content: base64('USUAL') })
  assert.deepEqual(await areaOf(''), ['USUAL', false])
  assert.deepEqual(await areaOf('template=fix.md'), ['FIX', true])
})

test('comparePage, openNewPull: a broken template is named with its fault, and the pull request can be opened', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { path, repo, alice, browser } = await withFiles(forge, {
    '.gitea/pull_request_template.yml': 'name: A\nbody:\n  - type: slider\n',
    'docs/PULL_REQUEST_TEMPLATE/head.md': '---\nname: [\n---\nTEXT',
    'docs/PULL_REQUEST_TEMPLATE/line.md': '---\nno head\n---\nTEXT',
  })
  const { text } = await browser.get(path)
  assert.match(text, /<code>\.gitea\/pull_request_template\.yml<\/code>: field 1 has an unknown type/)
  assert.match(text, /<code>docs\/PULL_REQUEST_TEMPLATE\/head\.md<\/code>: yaml: /)
  assert.doesNotMatch(text, /line\.md<\/code>/)
  assert.match((await browser.get(`${path}?template=head.md`)).text, /<textarea[^>]*>---\nname: \[\n---\nTEXT</)
  assert.equal((await browser.submit(path, 'new-pull"', { title: 'T', content: 'own text' })).status, 303)
  assert.equal((await alice.get(`${repo.api}/pulls/1`)).json.body, 'own text')
})

test('comparePage: the templates of pull requests have a number and a total size', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const folder = '.gitea/pull_request_template'
  const { path, browser } = await withFiles(forge, {
    ...Object.fromEntries(
      Array.from({ length: 104 }, (_, at) => [`${folder}/t${String(at).padStart(3, '0')}.md`, 'T']),
    ),
    [`${folder}/a.md`]: 'L'.repeat(129 << 10),
  })
  const { text } = await browser.get(path)
  assert.match(text, /a\.md<\/code>: all templates together have at most 128 KiB/)
  assert.match(text, /t099\.md<\/code>: a repository has at most 100 templates/)
  assert.match(text, /and 1 more/)
  assert.doesNotMatch(text, /LLL/)
})

test('openNewPull, openIssueOfPage: answers to a template that changed meanwhile are not sent under other questions, and are shown', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const file = '.gitea/pull_request_template.yaml'
  const issueFile = '.gitea/issue_template/a.yaml'
  const issueForm = `about: A\n${form}`
  const { repo, alice, path, browser } = await withFiles(forge, { [file]: form, [issueFile]: issueForm })
  const forms = { [file]: path, [issueFile]: `/${repo.fullName}/issues/new?template=a.yaml` }
  for (const [template, at] of Object.entries(forms)) {
    const action = at.split('?')[0] as string
    const shown = (await browser.get(at)).text
    const hidden = Object.fromEntries(
      [...shown.matchAll(/<input type="hidden" name="(template\w*|_csrf|ref)" value="([^"]*)"/g)].map(
        ([, name, value]) => [name as string, value as string],
      ),
    )
    const answers = { title: 'T', 'field-1': 'my first answer', 'field-2': 'A-1', 'field-3': '0' }
    const { sha } = (await alice.get(`${repo.api}/contents/${template}`)).json
    const changed = (template === file ? form : issueForm).replace(
      '  - type: markdown',
      '  - type: input\n    attributes: { label: New }\n  - type: markdown',
    )
    await alice.must('PUT', `${repo.api}/contents/${template}`, { content: base64(changed), sha })
    const refused = await browser.post(action, { ...hidden, ...answers })
    assert.equal(refused.status, 409, template)
    assert.match(refused.text, /The template was changed after the form was shown/)
    assert.match(refused.text, /my first answer/)
    const now = (await alice.get(`${repo.api}/contents/${template}`)).json.sha
    await alice.must('DELETE', `${repo.api}/contents/${template}`, { sha: now })
    const gone = await browser.post(action, { ...hidden, ...answers })
    assert.equal(gone.status, 409, template)
    assert.match(gone.text, /What you typed[^]*my first answer/)
  }
  assert.deepEqual((await alice.get(`${repo.api}/issues?state=all&type=all`)).json, [])
})

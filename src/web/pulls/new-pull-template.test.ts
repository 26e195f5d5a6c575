import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collaborator } from '../../testing/given-pull.ts'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxAnswerBytes } from '../../lib/work-budget.ts'
import { startForge } from '../../testing/forge.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

test('sourcePage, blamePage, commitPage: files of many short lines, of one long line and in deep folders stay within the limit of an answer', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  const deep = `${'d/'.repeat(240)}f`
  const contents = {
    'lines.txt': 'a\n'.repeat(500_000),
    'line.js': '<'.repeat(1_000_000),
    'lines.js': `${'"'.repeat(900)}\n`.repeat(4000),
    [deep]: 'a\n',
  }
  const { json } = await alice.must('POST', `${repo.api}/contents`, {
    files: Object.entries(contents).map(([path, text]) => ({ operation: 'create', path, content: base64(text) })),
    message: 'large files',
  })
  const path = `/${repo.fullName}`
  const open = async (address: string): Promise<string> => {
    const reply = await alice.get(`${path}/${address}`, { site: true })
    assert.equal(reply.status, 200, address)
    assert.ok(reply.text.length < maxAnswerBytes, `${address}: ${reply.text.length} characters`)
    return reply.text
  }
  const third = await open('src/branch/main/lines.txt?page=3')
  assert.match(third, /<tr id="L8001"><td class="num"><a href="#L8001">8001<\/a><\/td><td class="text">a<\/td>/)
  assert.doesNotMatch(third, /id="L12001"/)
  assert.match(third, /500[, ]?000 lines/)
  for (const page of ['src', 'blame']) {
    const shown = await open(`${page}/branch/main/line.js`)
    assert.match(shown, /(?:&lt;){50}…/, page)
    assert.match(shown, /A part of it is plain or left out/, page)
  }
  const cut = await open('src/branch/main/lines.js')
  assert.match(cut, /id="L4000"/, 'each line has its row')
  await open('blame/branch/main/lines.txt')
  const crumbs = await open(`src/branch/main/${deep}`)
  assert.match(crumbs, />…<\/a>/)
  assert.ok(crumbs.length < 100_000, `${crumbs.length} characters`)
  const changed = await open(`commit/${json.commit.sha}?file=lines.txt`)
  assert.match(changed, /The rest of this file is too long to show here/)
})

test('repoGetContents, repoGetContentsList: a folder above the limit of an answer is refused, and its tree has pages', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/contents`, {
    files: Array.from({ length: 6000 }, (_, at) => ({
      operation: 'create',
      path: `folder/${'n'.repeat(40)}${at}`,
      content: base64('a'),
    })),
    message: 'many files',
  })
  const refused = await alice.get(`${repo.api}/contents/folder`)
  assert.equal(refused.status, 422, refused.text.slice(0, 300))
  assert.match(refused.text, /work_too_costly/)
  assert.match(refused.text, /git\/trees/)
  const tree = await alice.must('GET', `${repo.api}/git/trees/main?recursive=true&per_page=50`)
  assert.equal(tree.json.tree.length, 50)
  const root = await alice.must('GET', `${repo.api}/contents`)
  assert.ok(root.json.length > 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../../testing/forge.ts'

const maxBytes = 5 << 20
/** The messages take ten times the limit in HTML and JSON. */
const commitCount = 12

test('pages and lists of commits stay small when each message is nearly 1 MB', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  // Each quotation mark takes six bytes in HTML, and each control character six in JSON.
  const message = `${'"<&'.repeat(1000)}\n\n${'"""\u0001'.repeat(225_000)}`
  for (let number = 0; number < commitCount; number++) {
    const made = await alice.post(`${repo.api}/contents/f${number}.txt`, {
      content: Buffer.from(String(number)).toString('base64'),
      message,
      new_branch: `b${number}`,
      ...(number === 0 ? {} : { branch: `b${number - 1}` }),
    })
    assert.equal(made.status, 201, made.text.slice(0, 300))
  }
  const path = `/${repo.fullName}`
  const tip = `b${commitCount - 1}`
  for (const address of [
    `${path}/commits/branch/${tip}`,
    `${path}/src/branch/${tip}`,
    `${path}/branches`,
    `${path}/compare/b0...${tip}`,
    `${path}/blame/branch/${tip}/f3.txt`,
    `${repo.api}/commits?sha=${tip}&limit=50`,
    `${repo.api}/branches?limit=50`,
    `${repo.api}/compare/b0...${tip}`,
    `${repo.api}/contents?ref=${tip}`,
  ]) {
    const reply = await (address.startsWith(repo.api) ? alice.get(address) : alice.get(address, { site: true }))
    assert.equal(reply.status, 200, address)
    assert.ok(reply.text.length < maxBytes, `${address}: ${reply.text.length} characters`)
  }
  const listed = await alice.get(`${repo.api}/commits?sha=${tip}&limit=50`)
  const messages = (listed.json as { commit: { message: string } }[]).map(({ commit }) => commit.message)
  // The last one is the first commit of the repository.
  assert.ok(messages.slice(0, commitCount).every((each) => each.startsWith('"<&')))
  assert.ok(messages[0]!.includes('[the rest of the message is left out]'), 'an early message has its beginning')
  const [{ sha }] = listed.json as [{ sha: string }]
  const one = await alice.get(`${repo.api}/git/commits/${sha}`)
  assert.equal((one.json as { commit: { message: string } }).commit.message.trim(), message.trim(), 'a commit is whole')
  const page = await alice.get(`${path}/commit/${sha}`, { site: true })
  assert.match(page.text, /A part of it is plain or left out/)
})

test('a folder of many files is shown when the subjects of their commits are as long as messages may be', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  for (let commit = 0; commit < 8; commit++) {
    const files = Array.from({ length: 125 }, (_, at) => ({
      operation: 'create',
      path: `${'n'.repeat(180)}${commit}-${at}`,
      content: '',
    }))
    await alice.must('POST', `${repo.api}/contents`, { files, message: `${commit} ${'m'.repeat(60_000)}` })
  }
  for (const path of [`/${repo.fullName}`, `/${repo.fullName}/src/branch/main`]) {
    const page = await alice.get(path, { site: true })
    assert.equal(page.status, 200, path)
    assert.ok(page.text.includes('7-124'), 'the last file is listed')
    assert.ok(page.text.length < 3 << 20, `${page.text.length} characters`)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../src/testing/forge.ts'
import { longestStall } from '../src/testing/loop-stalls.ts'

/**
 * Longest time that the main thread may compute without yielding, in milliseconds of processor time: twice the 200 ms that
 * people may wait, for garbage collection and slow machines.
 */
const maxStallMs = 400

/** Length of each run of characters: a quadratic pattern needs a minute for it. */
const length = 300_000

const run = (characters: string): string => characters.repeat(length / characters.length)
const base64 = (text: string): string => Buffer.from(text).toString('base64')

test('a long run of one character in a text from a stranger delays no other request', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'texts' })
  const alice = forge.as('alice')
  const file = (content: string, more: object = {}) => ({ content: base64(content), message: 'm', ...more })
  const files = `${repo.api}/contents`
  const shaOf = async (path: string) => (await alice.must('GET', path)).json.sha as string
  const { json: hook } = await alice.must('POST', `${repo.api}/hooks`, {
    type: 'telegram',
    config: { url: 'http://127.0.0.1:9/x', content_type: 'json' },
    events: ['push'],
    active: true,
  })
  assert.ok(hook.id > 0)
  const { json: issue } = await alice.must('POST', `${repo.api}/issues`, { title: 'first' })
  const texts: readonly (readonly [what: string, method: string, path: string, body?: object])[] = [
    ['an address with punctuation', 'POST', `${repo.api}/issues`, { title: 't', body: `http://a/${run('!')}b` }],
    [
      'the same in a comment',
      'POST',
      `${issue.url.slice(forge.url.length + 7)}/comments`,
      { body: `http://a/${run('.')}b` },
    ],
    ['comments of a drawing', 'POST', `${files}/drawing.txt`, file('<!---->'.repeat(140))],
    ['its raw bytes', 'GET', `${repo.api}/raw/drawing.txt`],
    ['its media type', 'GET', `${repo.api}/media/drawing.txt`],
    ['blanks in an editorconfig', 'POST', `${files}/.editorconfig`, file(`[*]\na ${run(' ')}b${run(' ')}\u2028=\n`)],
    ['its definitions', 'GET', `${repo.api}/editorconfig/a.txt`],
    ['sections of an editorconfig', 'PUT', `${files}/.editorconfig`, file('[{1..200}*]\n'.repeat(20_000))],
    ['its patterns', 'GET', `${repo.api}/editorconfig/${'1'.repeat(200)}`],
    [
      'braces inside braces',
      'POST',
      `${repo.api}/branch_protections`,
      { rule_name: `${'{'.repeat(100_000)}${'}'.repeat(100_000)}` },
    ],
    ['its branches', 'GET', `${repo.api}/branches`],
    [
      'patterns of files',
      'POST',
      `${repo.api}/branch_protections`,
      { rule_name: 'x', protected_file_patterns: run('*a') },
    ],
    ['a pattern of tags', 'POST', `${repo.api}/tag_protections`, { name_pattern: run('*a') }],
    [
      'blanks of submodules',
      'POST',
      `${files}/.gitmodules`,
      file(`[submodule "a"]\npath = ${' '.repeat(200_000)}\u2028x\n`),
    ],
    ['its submodules', 'GET', files],
    ['blanks of attributes', 'POST', `${files}/.gitattributes`, file(`"a"${run(' ')}\u2028x\n`)],
    ['its languages', 'GET', `${repo.api}/languages`],
    ['an author', 'POST', `${files}/author`, file('x', { author: { name: `a${run('.')}b`, email: 'a@example.com' } })],
    ['a message', 'POST', `${files}/message`, file('x', { message: `a${run('\n')}b` })],
    ['a note', 'POST', `${repo.api}/git/notes/main`, { message: `a${run('.\n')}b${run('\n')}c` }],
    ['an address to import', 'POST', '/repos/migrate', { clone_addr: `https://localhost${run('/')}b`, repo_name: 'x' }],
    ['an SSH key', 'POST', '/user/keys', { title: 'k', key: `ssh-ed25519 AAAA ${run(' ')}\u2028x` }],
    ['an interval', 'PATCH', repo.api, { mirror_interval: `${run('0')}x` }],
  ]
  const slow: string[] = []
  for (const [what, method, path, body] of texts) {
    let status = 0
    const stallMs = await longestStall(async () => {
      const replaced = method === 'PUT' ? { sha: await shaOf(path) } : {}
      ;({ status } = await alice.send(method, path, body && { ...body, ...replaced }))
      await forge.settle()
    })
    const isWrong = status >= 500 || status === 404 || stallMs > maxStallMs
    if (isWrong) slow.push(`${what}: ${status}, ${stallMs.toFixed(0)} ms`)
  }
  assert.deepEqual(slow, [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../../testing/forge.ts'
import { base64 } from '../../../testing/samples.ts'

const files = 60
const edits = 30

/** A file whose changed lines lie apart, so that each has context of its own. */
const textOf = (word: string): string =>
  Array.from({ length: edits * 8 }, (_, index) => (index % 8 === 4 ? `${word} ${index}` : `line ${index}`)).join('\n')

test('commitPage: the rows of a page are limited with their context, and the other files follow in few batches', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const paths = Array.from({ length: files }, (_, index) => `f${String(index).padStart(2, '0')}.txt`)
  const commit = async (operation: 'create' | 'update', word: string, shas: ReadonlyMap<string, string>) => {
    const content = base64(textOf(word))
    const { json } = await forge.as('alice').must('POST', `${repo.api}/contents`, {
      message: word,
      files: paths.map((path) => ({ operation, path, content, sha: shas.get(path) })),
    })
    return json as { commit: { sha: string }; files: { path: string; sha: string }[] }
  }
  const before = await commit('create', 'before', new Map())
  const after = await commit('update', 'after', new Map(before.files.map(({ path, sha }) => [path, sha])))
  const get = async (address: string): Promise<string> =>
    (await forge.guest.must('GET', address, undefined, { site: true })).text
  const page = await get(`/${repo.fullName}/commit/${after.commit.sha}`)
  const rowsOf = (html: string): number => html.match(/<tr/g)?.length ?? 0
  assert.ok(rowsOf(page) > 1000 && rowsOf(page) <= 2000, `${rowsOf(page)} rows`)
  for (const [index] of paths.entries()) assert.ok(page.includes(`id="diff-${index}"`), `file ${index} has a head`)

  const frames = [...page.matchAll(/<turbo-frame id="([^"]+)"[^>]* src="([^"]+)"/g)]
  assert.ok(frames.length >= 2 && frames.length <= 4, `${frames.length} frames`)
  let rows = rowsOf(page)
  for (const [, id, address = ''] of frames) {
    const batch = await get(address.replaceAll('&amp;', '&'))
    assert.ok(batch.includes(`<turbo-frame id="${id}"`), address)
    assert.doesNotMatch(batch, /<turbo-frame[^>]* src=/)
    rows += rowsOf(batch)
  }
  assert.equal(rows, files * edits * 8)
  for (const bad of ['5-2', '900-901', 'x', '-1-5', '1-99999999999']) {
    await get(`/${repo.fullName}/commit/${after.commit.sha}?batch=${bad}`)
  }
})

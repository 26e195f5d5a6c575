import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '../../db/database.ts'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { commitFiles, givenPull } from '../../testing/given-pull.ts'
import { base64 } from '../../testing/samples.ts'

const many = (patternOf: (at: number) => string): string[] => Array.from({ length: 480 }, (_, at) => patternOf(at))

/** Patterns that rules from before may have: some have hundreds of long alternatives, each text has to walk the others. */
const costly = {
  overflowing: many((at) => `${'a'.repeat(3900)}${at}${'{a,b}'.repeat(9)}`),
  walked: many((at) => `**{a,b}**{c,d}**{e,f}**{a,b}**{${at},z}?`),
}
/** The name of a file at the root. */
const name = 'abcdef'.repeat(20)
const path = `${'abcdef/'.repeat(30)}file`

for (const [shape, patterns] of Object.entries(costly)) {
  test(`pushes, writes, merges and pages: ${shape} patterns of files protect`, async () => {
    await using forge = await startForge({ users: ['alice'] })
    const repo = await forge.given.repo({ owner: 'alice' })
    const alice = forge.as('alice')
    await commitFiles(forge, repo, 'topic', { [path]: 'x' })
    const pull = await givenPull(forge, { repo, branch: 'second', base: 'topic' })
    await alice.must('PATCH', pull.api, { base: 'main' })
    await alice.must('POST', `${repo.api}/branch_protections`, { rule_name: 'main', enable_push: true })
    const store = (change: {
      enable_push?: boolean
      protected_file_patterns: string
      unprotected_file_patterns: string
    }) => transaction(forge.services.db, (tx) => tx.updateTable('branch_rule').set(change).execute())
    const write = () => alice.post(`${repo.api}/contents/${path}`, { content: base64('x') })
    const text = patterns.join(';')

    await store({ protected_file_patterns: text, unprotected_file_patterns: '' })
    const refused = await write()
    assert.equal(refused.status, 403)
    assert.match(refused.json.message, /protected_file_patterns of its rule take too long/)
    assert.equal((await alice.post(`${pull.api}/merge`, { Do: 'merge' })).status, 405)
    const guest = new Browser(forge)
    const page = await guest.get(`/${repo.fullName}/pulls/${pull.number}`)
    assert.equal(page.status, 200)

    await store({ enable_push: false, protected_file_patterns: '', unprotected_file_patterns: text })
    assert.equal((await write()).status, 403)
    await store({ enable_push: true, protected_file_patterns: '', unprotected_file_patterns: '' })
    assert.equal((await write()).status, 201)
  })

  test(`pages, writes and tags: ${shape} names of rules close branches and tags`, async () => {
    await using forge = await startForge({ users: ['alice'] })
    const repo = await forge.given.repo({ owner: 'alice' })
    const alice = forge.as('alice')
    const branch = `${'abcdef'.repeat(15)}x`
    await alice.must('POST', `${repo.api}/branches`, { new_branch_name: branch })
    const { json: rule } = await alice.must('POST', `${repo.api}/branch_protections`, {
      rule_name: 'first*',
      enable_push: true,
    })
    assert.equal(rule.rule_name, 'first*')
    await alice.must('POST', `${repo.api}/tag_protections`, { name_pattern: 'first*', whitelist_usernames: ['alice'] })
    await transaction(forge.services.db, async (tx) => {
      const rules = await tx.selectFrom('branch_rule').selectAll().execute()
      const tags = await tx.selectFrom('tag_rule').selectAll().execute()
      const named = <Row extends { id: unknown }>({ id: _id, ...row }: Row) => row
      for (const pattern of patterns) {
        await tx
          .insertInto('branch_rule')
          .values(rules.map((row) => ({ ...named(row), rule_name: pattern })))
          .execute()
        await tx
          .insertInto('tag_rule')
          .values(tags.map((row) => ({ ...named(row), name_pattern: pattern })))
          .execute()
      }
    })
    const write = (onto: string) => alice.post(`${repo.api}/contents/new`, { content: base64('x'), branch: onto })
    const refused = await write(branch)
    assert.deepEqual([refused.status, refused.json.code], [403, 'branch_protected'])
    assert.equal((await alice.post(`${repo.api}/tags`, { tag_name: branch })).status, 422)
    assert.equal((await alice.get(`${repo.api}/branches`)).status, 200)
    assert.equal((await new Browser(forge).get(`/${repo.fullName}/branches`)).status, 200)
  })
}

test('pages and reads: an .editorconfig and .gitattributes with costly patterns are refused or left out', async () => {
  await using forge = await startForge({ users: ['alice'] })
  for (const [shape, patterns] of Object.entries(costly)) {
    const repo = await forge.given.repo({ owner: 'alice' })
    const sections = patterns.map((each) => `[${each}]\nindent_size = 3\n`)
    const lines = patterns.map((each) => `${each} text\n`)
    await commitFiles(forge, repo, 'main', {
      [name]: 'x\n',
      '.editorconfig': sections.join('').slice(0, 250_000),
      '.gitattributes': lines.join('').slice(0, 250_000),
    })
    const alice = await Browser.of(forge, 'alice')
    const answer = await forge.as('alice').get(`${repo.api}/editorconfig/${name}`)
    assert.deepEqual([answer.status, answer.json.code], [422, 'work_too_costly'], shape)
    assert.equal((await alice.get(`/${repo.fullName}/_edit/main/${name}`)).status, 200)
    assert.equal((await alice.get(`/${repo.fullName}/src/branch/main/${name}`)).status, 200)
  }
})

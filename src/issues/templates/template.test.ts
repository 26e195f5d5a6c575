import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { base64 } from '../../testing/samples.ts'

test('repoGetIssueTemplates, repoGetIssueConfig, repoValidateIssueConfig: broken files are omitted, and the validation explains the fault', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  assert.equal((await alice.must('GET', `${repo.api}/issue_templates`)).json, null)
  const folder = '.github/ISSUE_TEMPLATE'
  const files = {
    [`${folder}/bug.yaml`]: 'name: Bug\nabout: broken\nbody:\n  - type: input\n    attributes: {label: Version}\n',
    [`${folder}/none.yaml`]: 'name: None\nabout: no body\n',
    [`${folder}/plain.md`]: 'Just text\n',
    // Nested keys can take a YAML parser exponential time.
    [`${folder}/keys.yaml`]: `name: Keys\nabout: ${'? '.repeat(400)}\n`,
    [`${folder}/lists.md`]: `---\nname: ${'['.repeat(10_000)}\n---\n`,
    [`${folder}/config.yml`]: 'blank_issues_enabled: maybe\n',
  }
  await alice.must('POST', `${repo.api}/contents`, {
    message: 'templates',
    files: Object.entries(files).map(([path, text]) => ({
      operation: 'create',
      path,
      content: base64(text),
    })),
  })
  const templates = (await alice.must('GET', `${repo.api}/issue_templates`)).json
  assert.deepEqual(
    templates.map((template: { name: string }) => template.name),
    ['Bug', 'plain.md'],
  )
  assert.equal(templates[1].about, 'Just text\n')
  assert.equal(templates[0].body[0].id, '0')
  const broken = (await alice.must('GET', `${repo.api}/issue_config/validate`)).json
  assert.deepEqual([broken.valid, broken.message], [false, 'blank_issues_enabled is neither true nor false'])
  assert.equal((await alice.must('GET', `${repo.api}/issue_config`)).json.blank_issues_enabled, true)
})

test('repoGetIssueTemplates: the templates of a repository have a total size; later ones that exceed it are omitted', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const template = (name: string, length: number) => `---\nname: ${name}\nabout: ${name}\n---\n${'x'.repeat(length)}\n`
  const sizes = { a: 60 << 10, b: 100 << 10, c: 60 << 10 }
  for (const [name, length] of Object.entries(sizes)) {
    await forge.as('alice').must('POST', `${repo.api}/contents/.gitea/ISSUE_TEMPLATE/${name}.md`, {
      content: Buffer.from(template(name, length)).toString('base64'),
    })
  }
  // The second time they are known.
  for (const _ of [1, 2]) {
    const { json } = await forge.guest.must('GET', `${repo.api}/issue_templates`)
    assert.deepEqual(
      (json as { name: string }[]).map(({ name }) => name),
      ['a', 'c'],
    )
  }
})

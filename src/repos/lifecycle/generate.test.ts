import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { expandPath, expandVariables, templatePatterns, templateVariables } from './template-variables.rules.ts'

const variables = templateVariables({
  nowMs: Date.UTC(2026, 10, 5),
  repo: { name: 'My_new-Tool', description: '../x', owner: 'ann', link: '/ann/x', httpsUrl: 'h', sshUrl: 's' },
  template: { name: 'seed', description: '', owner: 'bob', link: '/bob/seed', httpsUrl: 'h', sshUrl: 's' },
})

test('generateRepo: variables expand in each notation, unknown ones lose the dollar, paths cannot leave the repository', () => {
  const expand = (text: string) => expandVariables(text, variables)
  assert.equal(
    expand('$REPO_NAME_SNAKE ${REPO_NAME_KEBAB} $REPO_NAME_CAMEL $REPO_NAME_PASCAL'),
    'my_new_tool my-new-tool myNewTool MyNewTool',
  )
  assert.equal(expand('$YEAR-$MONTH-$DAY $MONTH_ENGLISH_UPPER 5$ $X'), '2026-11-05 NOVEMBER 5$ X')
  assert.equal(expandPath('src/$REPO_DESCRIPTION/${REPO_NAME}.txt', variables), 'src/__x/My_new-Tool.txt')
  assert.deepEqual(templatePatterns('# list\n\n *.txt \nsrc/**\n'), ['*.txt', 'src/**'])
})

test('generateRepo: content, topics and labels come from the template; only permitted accounts generate for an owner', async () => {
  await using forge = await startForge({ users: ['ann', 'bob'] })
  const seed = await forge.given.repo({ template: true, issue_labels: 'Default' })
  const alice = forge.as('alice')
  await alice.must('PUT', `${seed.api}/topics`, { topics: ['grain'] })
  const post = async (who: string, body: object) => forge.as(who).post(`${seed.api}/generate`, body)
  const all = { git_content: true, topics: true, labels: true }
  const made = await post('ann', { owner: 'ann', name: 'field', ...all })
  assert.deepEqual([made.status, made.json.empty, made.json.topics], [201, false, ['grain']])
  assert.equal((await forge.as('ann').get('/repos/ann/field/labels')).json.length, 7)
  assert.equal((await forge.as('ann').get('/repos/ann/field/commits')).json.length, 1)
  assert.equal((await post('ann', { owner: 'ann', name: 'field', ...all })).status, 409)
  assert.equal((await post('ann', { owner: 'ann', name: 'none' })).status, 422)
  assert.equal((await post('ann', { owner: 'bob', name: 'x', ...all })).status, 403)
  assert.equal((await post('ann', { owner: 'nobody', name: 'x', ...all })).status, 404)
  assert.equal((await post('root', { owner: 'bob', name: 'x', ...all })).status, 201)
  const plain = await forge.given.repo()
  assert.equal((await alice.post(`${plain.api}/generate`, { owner: 'alice', name: 'y', ...all })).status, 422)
})

test('generateRepo: protections and hooks are copied on request, hooks only where they are allowed', async () => {
  for (const isOff of [true, false]) {
    await using forge = await startForge({
      users: ['ann', 'bob'],
      settings: { security: { DISABLE_GIT_HOOKS: isOff } },
    })
    const seed = await forge.given.repo({ template: true })
    const [ann, root] = [forge.as('ann'), forge.as('root')]
    const rule = {
      rule_name: 'release/*',
      enable_push: false,
      required_approvals: 2,
      protected_file_patterns: '*.lock',
    }
    await forge.as('alice').must('POST', `${seed.api}/branch_protections`, rule)
    const script = '#!/bin/sh\nexit 1\n'
    const written = await root.patch(`${seed.api}/hooks/git/update`, { content: script })
    assert.equal(written.status, isOff ? 403 : 200)
    const generate = (name: string, takes: object) =>
      ann.must('POST', `${seed.api}/generate`, { owner: 'ann', name, ...takes })
    await generate('bare', { git_content: true })
    assert.deepEqual((await ann.get('/repos/ann/bare/branch_protections')).json, [])
    await generate('field', { git_content: true, protected_branch: true, git_hooks: true })
    const [copy, ...more] = (await ann.get('/repos/ann/field/branch_protections')).json
    assert.deepEqual(
      [copy.rule_name, copy.required_approvals, copy.protected_file_patterns],
      ['release/*', 2, '*.lock'],
    )
    assert.equal(more.length, 0)
    if (isOff) continue
    assert.equal((await root.get('/repos/ann/bare/hooks/git/update')).json.is_active, false)
    assert.equal((await root.get('/repos/ann/field/hooks/git/update')).json.content, script)
    assert.equal((await root.get('/repos/ann/field/hooks/git/pre-receive')).json.is_active, false)
  }
})

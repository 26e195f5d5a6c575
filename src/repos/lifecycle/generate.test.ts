import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { expandPath, expandVariables, templatePatterns, templateVariables } from './template-variables.rules.ts'

const variables = templateVariables({
  nowMs: Date.UTC(2026, 10, 5),
  repo: { name: 'My_new-Tool', description: '../x', owner: 'ann', link: '/ann/x', httpsUrl: 'h', sshUrl: 's' },
  template: { name: 'seed', description: '', owner: 'bob', link: '/bob/seed', httpsUrl: 'h', sshUrl: 's' },
})

test('generateRepo: variables in their ways of writing; unknown ones lose the dollar; paths can not lead elsewhere', () => {
  const expand = (text: string) => expandVariables(text, variables)
  assert.equal(
    expand('$REPO_NAME_SNAKE ${REPO_NAME_KEBAB} $REPO_NAME_CAMEL $REPO_NAME_PASCAL'),
    'my_new_tool my-new-tool myNewTool MyNewTool',
  )
  assert.equal(expand('$YEAR-$MONTH-$DAY $MONTH_ENGLISH_UPPER 5$ $X'), '2026-11-05 NOVEMBER 5$ X')
  assert.equal(expandPath('src/$REPO_DESCRIPTION/${REPO_NAME}.txt', variables), 'src/__x/My_new-Tool.txt')
  assert.deepEqual(templatePatterns('# list\n\n *.txt \nsrc/**\n'), ['*.txt', 'src/**'])
})

test('generateRepo: content, topics and labels of a template, and who may make it for whom', async () => {
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

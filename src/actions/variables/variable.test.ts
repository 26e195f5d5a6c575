import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'

test('createRepoVariable, getRepoVariable, updateRepoVariable, deleteRepoVariable: names, line ends and renaming', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const variables = `${repo.api}/actions/variables`
  const alice = forge.as('alice')
  assert.equal((await forge.guest.post(`${variables}/A`, { value: 'x' })).status, 401)
  assert.equal((await forge.as('bob').post(`${variables}/A`, { value: 'x' })).status, 403)
  assert.equal((await alice.post(`${variables}/ci`, {})).status, 422, 'the body is checked before the name')
  assert.equal((await alice.post(`${variables}/ci`, { value: 'x' })).status, 400)
  assert.equal((await alice.post(`${variables}/zone`, { value: ' a\r\nb ' })).status, 204)
  assert.equal((await alice.post(`${variables}/ZONE`, { value: 'x' })).status, 409)
  const { json } = await alice.get(`${variables}/Zone`)
  assert.deepEqual([json.owner_id, json.name, json.data], [0, 'ZONE', ' a\nb '])
  await alice.must('POST', `${variables}/OTHER`, { value: 'x' })
  assert.equal((await alice.put(`${variables}/ZONE`, { name: 'other', value: 'x' })).status, 409)
  assert.equal((await alice.put(`${variables}/ZONE`, { name: 'CI', value: 'x' })).status, 400)
  assert.equal((await alice.put(`${variables}/ZONE`, { name: 'area', value: 'y' })).status, 204)
  assert.equal((await alice.get(`${variables}/ZONE`)).status, 404)
  assert.equal((await alice.get(`${variables}/A-B`)).status, 404, 'a malformed name is not found')
  assert.equal((await alice.put(`${variables}/ZONE`, { value: 'x' })).status, 404)
  assert.equal((await alice.delete(`${variables}/A-B`)).status, 400)
  assert.equal((await alice.delete(`${variables}/AREA`)).status, 204)
  assert.equal((await alice.delete(`${variables}/AREA`)).status, 404)
})

test('getRepoVariablesList, getUserVariablesList, getOrgVariablesList: only lists of accounts contain values', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const org = await forge.given.org()
  const alice = forge.as('alice')
  for (const [base, shown] of [
    [`${repo.api}/actions/variables`, ''],
    [`/orgs/${org}/actions/variables`, 'value'],
    ['/user/actions/variables', 'value'],
  ] as const) {
    await alice.must('POST', `${base}/ONE`, { value: 'value' })
    await alice.must('POST', `${base}/TWO`, { value: 'value' })
    const whole = await alice.get(base)
    assert.deepEqual(
      whole.json.map(({ name, data }: { name: string; data: string }) => [name, data]),
      [
        ['ONE', shown],
        ['TWO', shown],
      ],
      base,
    )
    assert.equal(whole.headers.get('x-total-count'), '2')
    assert.equal((await alice.get(`${base}?limit=1`)).json.length, 1)
    assert.equal((await alice.get(`${base}?limit=1&page=2`)).json[0].name, 'TWO')
  }
})

test('createUserVariable, updateUserVariable, getUserVariable, deleteUserVariable: an account has its own variables', async () => {
  await using forge = await startForge()
  const alice = forge.as('alice')
  await alice.must('POST', '/user/actions/variables/TOOL', { value: 'vim' })
  await alice.must('PUT', '/user/actions/variables/tool', { value: 'ed' })
  assert.equal((await alice.get('/user/actions/variables/tool')).json.data, 'ed')
  assert.equal((await forge.as('bob').get('/user/actions/variables/tool')).status, 404)
  assert.equal((await alice.delete('/user/actions/variables/tool')).status, 204)
})

test('createOrgVariable, updateOrgVariable, getOrgVariable, deleteOrgVariable: only owners of the organization manage its variables', async () => {
  await using forge = await startForge()
  const org = await forge.given.org()
  const variable = `/orgs/${org}/actions/variables/TOOL`
  assert.equal((await forge.as('bob').post(variable, { value: 'x' })).status, 403)
  await forge.as('alice').must('POST', variable, { value: 'x' })
  await forge.as('root').must('PUT', variable, { value: 'y' })
  assert.equal((await forge.as('alice').get(variable)).json.data, 'y')
  assert.equal((await forge.as('bob').delete(variable)).status, 403)
  assert.equal((await forge.as('alice').delete(variable)).status, 204)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { TestRunner, commitFiles, workflow } from '../actions.test-support.ts'

const settings = { actions: { ENABLED: true } }

test('repoTransfer: a runner of the former owner is unregistered, and the registration token is another one', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  await forge.given.org({ owner: 'bob', name: 'guild' })
  const runners = '/actions/runners'
  const runner = await TestRunner.register(forge, `${repo.api}${runners}`)
  const tokenOf = async (login: string, api: string) =>
    (await forge.as(login).must('GET', `${api}${runners}/registration-token`)).json.token as string
  const before = await tokenOf('alice', repo.api)
  await forge.as('alice').must('POST', `${repo.api}/transfer`, { new_owner: 'bob' })
  await forge.as('bob').must('POST', `${repo.api}/transfer/accept`)
  const api = '/repos/bob/tool'
  assert.notEqual(await tokenOf('bob', api), before)
  await commitFiles(forge, api, { '.forgejo/workflows/w.yml': workflow('push') }, { as: 'bob' })
  await assert.rejects(() => runner.must(), /unregistered/)
})

test('orgDeleteMember, orgRemoveTeamMember: the registration tokens that a removed owner knows end', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings })
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const alice = forge.as('alice')
  await alice.must('POST', '/orgs/guild/repos', { name: 'tool', auto_init: true })
  const owners = (await alice.must('GET', '/orgs/guild/teams')).json[0].id
  const paths = ['/orgs/guild', '/repos/guild/tool'].map((each) => `${each}/actions/runners/registration-token`)
  const tokens = async (login: string) =>
    Promise.all(paths.map(async (path) => (await forge.as(login).must('GET', path)).json.token as string))
  for (const end of [`/orgs/guild/members/bob`, `/teams/${owners}/members/bob`]) {
    await alice.must('PUT', `/teams/${owners}/members/bob`)
    const known = await tokens('bob')
    await alice.must('DELETE', end)
    const now = await tokens('alice')
    for (const [index, token] of now.entries()) assert.notEqual(token, known[index], `${paths[index]} after ${end}`)
  }
})

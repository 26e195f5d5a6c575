import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { collaborator } from '../../../testing/given-pull.ts'

test('gitHooksPage, gitHookPage, editGitHookSubmit: whom the instance allows writes the scripts of a repository', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { security: { DISABLE_GIT_HOOKS: false } },
  })
  const repo = await forge.given.repo({ private: true })
  await collaborator(forge, repo, 'bob', 'admin')
  const at = `/${repo.fullName}/settings/hooks/git`
  const [bob, root] = [await Browser.of(forge, 'bob'), await Browser.of(forge, 'root')]
  const hook = `${at}/pre-receive`
  assert.equal((await new Browser(forge).get(at)).status, 303)
  for (const path of [at, hook]) assert.equal((await bob.get(path)).status, 403, path)
  assert.equal((await bob.post(hook, { _csrf: await bob.csrf('/repo/create'), content: 'x' })).status, 403)
  assert.ok(!(await bob.get(`/${repo.fullName}/settings`)).text.includes(at), 'the menu does not offer them')
  assert.ok((await root.get(`/${repo.fullName}/settings`)).text.includes(at))
  assert.equal((await root.get(`${at}/post-everything`)).status, 404)

  const script = '#!/bin/sh\nexit 0\n'
  const written = await root.submit(hook, hook, { content: script.replaceAll('\n', '\r\n') })
  assert.deepEqual([written.status, written.headers.get('location')], [303, at])
  const stored = async () => (await forge.as('root').get(`${repo.api}/hooks/git/pre-receive`)).json
  assert.deepEqual(await stored(), { name: 'pre-receive', is_active: true, content: script })
  assert.match((await root.get(at)).text, /pre-receive<\/a>[^]*?Active/)
  assert.match((await root.get(hook)).text, /exit 0/)
  await root.submit(hook, hook, { content: '' })
  assert.deepEqual(await stored(), { name: 'pre-receive', is_active: false })
})

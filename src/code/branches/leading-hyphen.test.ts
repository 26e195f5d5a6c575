import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { Clone } from '../../testing/clone.ts'
import { startForge } from '../../testing/forge.ts'
import { base64 } from '../../testing/samples.ts'

test('branches and tags that begin with a hyphen work everywhere, and git takes none for an option', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { migrations: { ALLOW_LOCALNETWORKS: true } },
  })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  const branch = '--output=x'
  const encoded = encodeURIComponent(branch)
  await alice.must('POST', `${repo.api}/branches`, { new_branch_name: branch })
  await alice.must('POST', `${repo.api}/branches`, { new_branch_name: '-x', old_branch_name: branch })
  await alice.must('POST', `${repo.api}/tags`, { tag_name: '-v1', target: branch, message: 'said' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.must('push', '-q', 'origin', 'HEAD:refs/heads/--upload-pack=x', 'HEAD:refs/tags/-t')
  const names = (await alice.get(`${repo.api}/branches`)).json.map((each: { name: string }) => each.name)
  assert.deepEqual(names.toSorted(), ['--output=x', '--upload-pack=x', '-x', 'main'])

  await alice.must('POST', `${repo.api}/contents/new.txt`, { content: base64('new\n'), branch })
  for (const path of [
    `raw/new.txt?ref=${encoded}`,
    `contents/new.txt?ref=${encoded}`,
    `commits?sha=${encoded}`,
    `commits?sha=${encoded}&path=new.txt`,
    `commits?sha=${encoded}&not=-x`,
    `git/trees/${encoded}`,
    `git/commits/${encoded}`,
    `compare/-x...${encoded}`,
    `archive/${encoded}.tar.gz`,
    `archive/-v1.zip`,
    `branches/${encoded}`,
    `tags/-v1`,
    `git/refs/heads/${encoded}`,
  ]) {
    assert.equal((await alice.get(`${repo.api}/${path}`)).status, 200, path)
  }
  for (const path of ['src', 'raw', 'commits', 'blame', 'find'].map((kind) => `${kind}/branch/${encoded}`)) {
    const file = /raw|blame/.test(path) ? '/new.txt' : ''
    assert.equal((await alice.get(`/${repo.fullName}/${path}${file}`, { site: true })).status, 200, path)
  }
  assert.equal((await alice.get(`/${repo.fullName}/compare/-x...${encoded}`, { site: true })).status, 200)

  const pull = (await alice.must('POST', `${repo.api}/pulls`, { head: branch, base: '-x', title: 'hyphens' })).json
  for (const kind of ['diff', 'patch']) {
    assert.equal((await alice.get(`${repo.api}/pulls/${pull.number}.${kind}`)).status, 200)
  }
  for (const Do of ['rebase']) {
    assert.equal((await alice.send('POST', `${repo.api}/pulls/${pull.number}/merge`, { Do })).status, 200)
  }
  assert.equal((await alice.get(`${repo.api}/raw/new.txt?ref=-x`)).status, 200)
  const browser = await Browser.of(forge, 'alice')
  const edited = await browser.submit(`/${repo.fullName}/_edit/${encoded}/new.txt`, '_edit/', {
    name: 'new.txt',
    text: 'edited\n',
    target: 'direct',
  })
  assert.equal(edited.status, 303)
  const made = await browser.submit(`/${repo.fullName}/branches`, '/branches"', { name: '-page', from: '-x' })
  assert.equal(made.status, 303)
  await browser.submit(`/${repo.fullName}/branches`, 'branches/rename', { from: '-page', to: '-paged' })
  assert.equal((await alice.get(`${repo.api}/branches/-paged`)).status, 200)
  const file = `on:\n  push:\n    branches: ['-*']\n  workflow_dispatch:\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: 'true'\n`
  const workflow = { content: base64(file), branch: '-paged' }
  await alice.must('POST', `${repo.api}/contents/.gitea/workflows/a.yml`, workflow)
  await alice.must('POST', `${repo.api}/actions/workflows/a.yml/dispatches`, { ref: '-paged' })
  await forge.settle()
  const runs = (await alice.get(`${repo.api}/actions/runs`)).json.workflow_runs
  assert.deepEqual(
    runs.map((run: { event: string; head_branch: string }) => `${run.event} ${run.head_branch}`).toSorted(),
    ['push -paged', 'workflow_dispatch -paged'],
  )
  await alice.must('DELETE', `${repo.api}/branches/-paged`)
  await alice.must('PATCH', `${repo.api}/branches/${encoded}`, { name: '-renamed' })
  await alice.must('PATCH', repo.api, { default_branch: '-renamed' })
  await forge.as('bob').must('POST', `${repo.api}/forks`, {})
  await forge.settle()
  const cloned = await Clone.of(forge, 'bob', repo.fullName.replace('alice', 'bob'))
  using fork = cloned
  assert.equal(await fork.must('rev-parse', '--abbrev-ref', 'HEAD'), '-renamed')
  await forge.as('bob').must('POST', '/repos/migrate', {
    clone_addr: `${forge.url}/${repo.fullName}.git`,
    repo_name: 'mirror',
    mirror: true,
  })
  const mirrored = (await alice.get('/repos/bob/mirror')).json
  assert.equal(mirrored.default_branch, '-renamed')
  await alice.must('DELETE', `${repo.api}/branches/-x`)
  await alice.must('DELETE', `${repo.api}/tags/-v1`)
  await clone.must('push', '-q', 'origin', ':refs/heads/--upload-pack=x', ':refs/tags/-t')
  await forge.as('bob').must('POST', '/repos/bob/mirror/mirror-sync')
  await forge.settle()
  const left = (await alice.get('/repos/bob/mirror/branches')).json.map((each: { name: string }) => each.name)
  assert.deepEqual(left.toSorted(), ['-renamed', 'main'])
  assert.deepEqual(forge.defects, [])
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startForge, type Forge } from '../testing/forge.ts'
import type { GivenRepo } from '../testing/given.ts'
import { givenPull } from '../testing/given-pull.ts'

const run = promisify(execFile)

/** A clone of somebody, in a folder of its own. */
async function clone(forge: Forge, repo: GivenRepo, as: string) {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-pulls-'))
  const environment = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: as,
    GIT_AUTHOR_EMAIL: `${as}@example.com`,
    GIT_COMMITTER_NAME: as,
    GIT_COMMITTER_EMAIL: `${as}@example.com`,
  }
  const git = async (...args: string[]): Promise<{ ok: boolean; text: string }> => {
    try {
      const { stdout, stderr } = await run('git', args, { cwd: folder, env: environment })
      return { ok: true, text: stdout + stderr }
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string }
      return { ok: false, text: stdout + stderr }
    }
  }
  const cloned = await git('clone', '-q', await forge.gitUrl(as, repo.fullName), '.')
  assert.ok(cloned.ok, cloned.text)
  return {
    git,
    async commit(file: string, text: string, message: string): Promise<void> {
      writeFileSync(join(folder, file), text)
      await git('add', '-A')
      await git('commit', '-q', '-m', message)
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

test('a push is told where its pull request is made, or is', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  using work = await clone(forge, pull.repo, 'alice')
  await work.git('checkout', '-q', '-b', 'new')
  await work.commit('a.txt', 'a\n', 'a')
  const made = await work.git('push', 'origin', 'new')
  assert.match(
    made.text,
    new RegExp(`Create a new pull request for 'new':[^]*${pull.repo.fullName}/compare/main\\.\\.\\.new`),
  )
  await work.git('checkout', '-q', pull.branch)
  await work.commit('b.txt', 'b\n', 'b')
  const more = await work.git('push', 'origin', pull.branch)
  assert.match(more.text, new RegExp(`Visit the existing pull request:[^]*/pulls/${pull.number}\\b`))
  await work.git('checkout', '-q', 'main')
  await work.commit('c.txt', 'c\n', 'c')
  assert.doesNotMatch((await work.git('push', 'origin', 'main')).text, /pull request/)
})

test('a rewritten head is told as such', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  using work = await clone(forge, pull.repo, 'alice')
  await work.git('checkout', '-q', pull.branch)
  await work.git('commit', '-q', '--amend', '-m', 'rewritten')
  assert.ok((await work.git('push', '-q', '-f', 'origin', pull.branch)).ok)
  await forge.settle()
  const { json } = await forge.guest.get(`${pull.repo.api}/issues/${pull.number}/timeline`)
  const bodies = json
    .filter((entry: { type: string }) => entry.type === 'pull_push')
    .map((entry: { body: string }) => JSON.parse(entry.body))
  assert.deepEqual(
    bodies.map((body: { is_force_push: boolean }) => body.is_force_push),
    [false, true],
  )
  assert.equal(bodies[1].commit_ids[0], pull.head)
})

test('a push to refs/for opens a pull request, moves it, and needs no right to write', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  using work = await clone(forge, repo, 'bob')
  await work.commit('a.txt', 'a\n', 'First\n\nWhy it is.')
  assert.equal((await work.git('push', 'origin', 'HEAD:main')).ok, false)
  assert.equal((await work.git('push', 'origin', 'HEAD:refs/for/main')).ok, false, 'without a topic')
  assert.equal((await work.git('push', 'origin', 'HEAD:refs/for/none/fix')).ok, false)
  const made = await work.git('push', 'origin', 'HEAD:refs/for/main/fix')
  assert.ok(made.ok, made.text)
  assert.match(made.text, /Visit the new pull request:[^]*\/pulls\/1\b/)
  const first = (await forge.guest.get(`${repo.api}/pulls/1`)).json
  assert.deepEqual(
    [first.title, first.body, first.flow, first.user.login, first.head.label, first.head.ref, first.mergeable],
    ['First', 'Why it is.\n', 1, 'bob', '', 'refs/pull/1/head', true],
  )
  assert.equal((await work.git('push', 'origin', 'HEAD:refs/for/main/fix')).ok, false, 'the same commit')
  await work.commit('b.txt', 'b\n', 'Second')
  const moved = await work.git('push', 'origin', 'HEAD:refs/for/main/fix')
  assert.match(moved.text, /Visit the existing pull request:/)
  assert.equal((await forge.guest.get(`${repo.api}/pulls/1/commits`)).json.length, 2)
  await work.git('commit', '-q', '--amend', '-m', 'Other')
  assert.equal((await work.git('push', 'origin', 'HEAD:refs/for/main/fix')).ok, false, 'rewritten')
  assert.ok((await work.git('push', '-o', 'force-push=true', 'origin', 'HEAD:refs/for/main/fix')).ok)
  assert.equal((await forge.as('alice').post(`${repo.api}/pulls/1/update`)).status, 403)
  assert.equal((await forge.as('alice').post(`${repo.api}/pulls/1/merge`, { Do: 'rebase' })).status, 200)
})

test('who may write the base may push to the head that its author opens to them, and to nothing else', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await forge.as('bob').must('POST', `${repo.api}/forks`, {})
  const fork = { ...repo, owner: 'bob', fullName: `bob/${repo.name}`, api: `/repos/bob/${repo.name}` }
  using bobClone = await clone(forge, fork, 'bob')
  await bobClone.git('checkout', '-q', '-b', 'topic')
  await bobClone.commit('f.txt', 'f\n', 'fork')
  assert.ok((await bobClone.git('push', '-q', 'origin', 'topic')).ok)
  await forge.as('bob').must('POST', `${repo.api}/pulls`, { head: 'bob:topic', base: 'main', title: 'T' })
  using hers = await clone(forge, fork, 'alice')
  await hers.git('checkout', '-q', 'topic')
  await hers.commit('m.txt', 'm\n', 'maintainer')
  assert.equal((await hers.git('push', 'origin', 'topic')).ok, false)
  assert.equal((await forge.as('alice').patch(`${repo.api}/pulls/1`, { allow_maintainer_edit: true })).status, 403)
  await forge.as('bob').must('PATCH', `${repo.api}/pulls/1`, { allow_maintainer_edit: true })
  assert.ok((await hers.git('push', 'origin', 'topic')).ok)
  assert.equal((await hers.git('push', 'origin', 'topic:elsewhere')).ok, false)
  assert.equal((await hers.git('push', 'origin', ':topic')).ok, false)
})

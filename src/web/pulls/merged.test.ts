import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { commitFiles, givenPull } from '../../testing/given-pull.ts'

test('pullPage: a merge is reverted from its page, unless it was rebased as several commits', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = await Browser.of(forge, 'alice')
  const bob = await Browser.of(forge, 'bob')
  const linkTo = /href="([^"]*\/_revert\/[^"]*)"/
  for (const [style, commits, isOffered] of [
    ['merge', 2, true],
    ['squash', 2, true],
    ['rebase', 1, true],
    ['rebase', 2, false],
    ['rebase-merge', 2, true],
  ] as const) {
    const pull = await givenPull(forge, { repo, poster: 'alice' })
    if (commits === 2) await commitFiles(forge, repo, pull.branch, { [`${pull.branch}-2.txt`]: 'more\n' })
    // Otherwise the merge of the second one could be a fast-forward.
    await commitFiles(forge, repo, 'main', { [`main-${pull.number}.txt`]: 'meanwhile\n' })
    await forge.settle()
    await forge.as('alice').must('POST', `${pull.api}/merge`, { Do: style })
    await forge.settle()
    const web = `/${repo.fullName}/pulls/${pull.number}`
    const [, link] = linkTo.exec((await alice.get(web)).text) ?? []
    const { merge_commit_sha: merged } = (await forge.as('alice').get(pull.api)).json
    const wanted = isOffered ? `/${repo.fullName}/_revert/${merged}/main` : undefined
    assert.equal(link, wanted, `${style} of ${commits}`)
    assert.doesNotMatch((await bob.get(web)).text, linkTo)
    if (link === undefined) continue
    assert.equal((await alice.submit(link, '_revert/', { target: 'direct' })).status, 303)
    const { json: tree } = await forge.as('alice').must('GET', `${repo.api}/git/trees/main?recursive=true`)
    const left = tree.tree.map(({ path }: { path: string }) => path)
    const { json: files } = await forge.as('alice').must('GET', `${pull.api}/files`)
    for (const { filename } of files) assert.ok(!left.includes(filename), `${style} of ${commits}: ${filename}`)
  }
})

test('pullPage: a merge into a branch that is gone is not reverted', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await commitFiles(forge, repo, 'base', { 'base.txt': 'base\n' })
  const pull = await givenPull(forge, { repo, poster: 'alice', base: 'base' })
  await forge.as('alice').must('POST', `${pull.api}/merge`, { Do: 'merge' })
  await forge.settle()
  const alice = await Browser.of(forge, 'alice')
  const web = `/${repo.fullName}/pulls/${pull.number}`
  assert.match((await alice.get(web)).text, /\/_revert\//)
  await forge.as('alice').must('DELETE', `${repo.api}/branches/base`)
  const { status, text } = await alice.get(web)
  assert.equal(status, 200)
  assert.doesNotMatch(text, /\/_revert\//)
})

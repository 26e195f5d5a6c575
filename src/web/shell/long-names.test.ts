import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles } from '../../actions/actions.test-support.ts'
import { startForge } from '../../testing/forge.ts'
import { openAs, skip } from './scripts.test-support.ts'

test('names without blanks of the greatest length make no page wider than the window', { skip }, async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = forge.as('alice')
  const long = (letter: string, length = 200) => letter.repeat(length)
  const repo = await forge.given.repo({ name: long('L', 100), description: long('d', 250) })
  const at = `/${repo.fullName}`
  const jobs = `jobs: { a: { runs-on: "${long('o', 100)}", name: "${long('j')}", environment: "${long('v')}", steps: [{ run: x }] } }`
  await commitFiles(forge, repo.api, {
    [long('f', 250)]: long('x', 3000),
    [`.gitea/workflows/${long('w')}.yml`]: `on: push\nname: "${long('n')}"\nrun-name: "${long('r')}"\n${jobs}\n`,
    [`.gitea/PULL_REQUEST_TEMPLATE/a${long('p')}.md`]: `---\nname: "${long('q')}"\nabout: "${long('z')}"\n---\n`,
    [`.gitea/PULL_REQUEST_TEMPLATE/b${long('p')}.yaml`]: 'name: none\n',
  })
  const branch = long('b', 100)
  await commitFiles(forge, repo.api, { 'x.txt': long('x') }, { newBranch: branch, message: long('c') })
  await alice.must('POST', `${repo.api}/pulls`, { title: long('p', 255), head: branch, base: 'main' })
  await alice.must('POST', `${repo.api}/releases`, { tag_name: `v${long('1')}`, name: long('n', 250) })
  const sha = (await alice.must('GET', `${repo.api}/branches/main`)).json.commit.id
  await alice.must('POST', `${repo.api}/statuses/${sha}`, { state: 'failure', context: long('s', 250) })
  await alice.must('POST', `${repo.api}/views`, { title: long('v', 250), layout: 'board' })
  const { page } = await openAs(forge, 'alice')
  const paths = [
    ...['', '/issues', '/pulls/1', '/pulls/1/files', '/pulls/1/commits', '/releases', '/tags', '/branches'],
    ...[`/commit/${sha}`, '/commits/branch/main', '/find/branch/main', `/src/branch/main/${long('f', 250)}`],
    ...['/actions', '/actions/runs/1', '/actions/runs/1/jobs/0', '/actions/environments', '/projects', '/projects/1'],
    `/compare/main...${branch}`,
    `/compare/${branch}...main`,
    `/compare/main...${branch}?template=b${long('p')}.yaml`,
  ]
  const wide: string[] = []
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 860 })
    for (const path of paths) {
      const reply = await page.goto(`${forge.url}${at}${path}`)
      assert.equal(reply?.status(), 200, path)
      const over = Number(
        await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      )
      if (over > 0) wide.push(`${width}: ${path} by ${over}`)
    }
  }
  await page.context().close()
  assert.deepEqual(wide, [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCodeQuery } from '../../../code/search/code-search.rules.ts'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { base64 } from '../../../testing/samples.ts'

test('parseCodeQuery: qualifiers narrow, and the rest stays as it is', () => {
  const none = { paths: [], languages: [], matchesCase: false }
  assert.deepEqual(parseCodeQuery(' a  path b '), { ...none, text: 'a  path b' })
  assert.deepEqual(parseCodeQuery('x.path:y http://a'), { ...none, text: 'x.path:y http://a' })
  assert.deepEqual(parseCodeQuery('lang:"Common Lisp" path:Docs path:src call(a, b) case:yes'), {
    text: 'call(a, b)',
    paths: ['docs', 'src'],
    languages: ['common lisp'],
    matchesCase: true,
  })
  assert.equal(parseCodeQuery('case:no a').matchesCase, false)
  assert.equal(parseCodeQuery('path:docs').text, '')
})

test('repoCodeSearchPage: path, language and letter case narrow the search', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const contents = {
    'src/a.ts': 'const Needle = 1\n',
    'src/[b]*.py': 'needle = 2\n',
    'docs/a.t/guide.md': 'a needle\n',
    Makefile: 'needle: all\n',
    'tools/Makefile': 'needle: tools\n',
  }
  const files = Object.entries(contents).map(([path, text]) => ({ operation: 'create', path, content: base64(text) }))
  await forge.as('alice').must('POST', `${repo.api}/contents`, { message: 'files', files })
  const alice = await Browser.of(forge, 'alice')
  const address = (q: string) => `/${repo.fullName}/search?${new URLSearchParams({ q })}`
  const search = async (q: string) => {
    const { status, text } = await alice.get(address(q))
    assert.equal(status, 200, q)
    const paths = [...text.matchAll(/href="[^"]*\/src\/branch\/[^/]+\/([^"#]*)" class="mono"/g)]
    return paths.map(([, path = '']) => decodeURIComponent(path)).toSorted()
  }
  assert.deepEqual(await search('needle'), Object.keys(contents).toSorted())
  assert.deepEqual(await search('needle path:src'), ['src/[b]*.py', 'src/a.ts'])
  assert.deepEqual(await search('needle path:SRC/[b]*'), ['src/[b]*.py'])
  assert.deepEqual(await search('needle path:docs path:tools'), ['docs/a.t/guide.md', 'tools/Makefile'])
  assert.deepEqual(await search('needle lang:typescript'), ['src/a.ts'])
  assert.deepEqual(await search('lang:ts lang:Python needle'), ['src/[b]*.py', 'src/a.ts'])
  assert.deepEqual(await search('needle lang:makefile'), ['Makefile', 'tools/Makefile'])
  assert.deepEqual(await search('needle lang:makefile path:make'), ['Makefile', 'tools/Makefile'])
  assert.deepEqual(await search('needle lang:makefile path:tools/m'), ['tools/Makefile'])
  // The part of the path and the end overlap.
  assert.deepEqual(await search('needle lang:typescript path:a.t'), ['src/a.ts'])
  assert.deepEqual(await search('needle lang:typescript path:a.ts'), ['src/a.ts'])
  assert.deepEqual(await search('needle path:a.t'), ['docs/a.t/guide.md', 'src/a.ts'])
  assert.deepEqual(await search('Needle case:yes'), ['src/a.ts'])
  assert.deepEqual(await search('needle lang:nothing'), [])
  // Values are parts of paths, not patterns or options of git.
  for (const value of [':(exclude)src', ':!src', '--no-index', '../..', '/etc/*']) {
    assert.deepEqual(await search(`needle path:${value}`), [], value)
  }
  assert.match((await alice.get(address('path:src'))).text, /narrow the search/)
  const bob = await Browser.of(forge, 'bob')
  assert.equal((await bob.get(address('needle path:src'))).status, 404)
})

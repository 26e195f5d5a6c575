import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCodeQuery, requiredTextOf } from '../../../code/search/code-search.rules.ts'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { base64 } from '../../../testing/samples.ts'

test('parseCodeQuery: qualifiers narrow, and the rest stays as it is', () => {
  const none = { isExpression: false, paths: [], languages: [], matchesCase: false }
  assert.deepEqual(parseCodeQuery(' a  path b '), { ...none, text: 'a  path b' })
  assert.deepEqual(parseCodeQuery('x.path:y http://a'), { ...none, text: 'x.path:y http://a' })
  assert.deepEqual(parseCodeQuery('lang:"Common Lisp" path:Docs path:src call(a, b) case:yes'), {
    text: 'call(a, b)',
    isExpression: false,
    paths: ['docs', 'src'],
    languages: ['common lisp'],
    matchesCase: true,
  })
  assert.equal(parseCodeQuery('case:no a').matchesCase, false)
  assert.equal(parseCodeQuery('path:docs').text, '')
  assert.deepEqual(parseCodeQuery('/a b+/ path:docs'), { ...none, text: 'a b+', isExpression: true, paths: ['docs'] })
  assert.deepEqual(parseCodeQuery('//'), { ...none, text: '//' })
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

test('requiredTextOf: each match of an expression contains the text', () => {
  for (const [source, text] of [
    ['needle', 'needle'],
    ['need+le', 'need'],
    ['need?le', 'nee'],
    ['need*le{2}', 'nee'],
    ['a{2,}bcd', 'bcd'],
    ['a{bcd', ''],
    [String.raw`get\w+\(name\)`, '(name)'],
    [String.raw`^\s*export const$`, 'export const'],
    ['(in|out)put', 'put'],
    ['[abc]def', 'def'],
    ['[]x]def', 'def'],
    ['[[:alpha:]]def', 'def'],
    [String.raw`[\]x]def`, 'def'],
    [String.raw`\pLabc`, 'abc'],
    [String.raw`\p{Greek}abc`, 'abc'],
    ['größere', 'ere'],
    ['a|b', ''],
    ['((a)b)c', ''],
    [String.raw`\x41bc`, ''],
    [String.raw`\Qa?\E`, ''],
    ['.*', ''],
    ['', ''],
  ]) {
    assert.equal(requiredTextOf(source as string), text, source)
  }
})

test('repoCodeSearchPage: an expression between slashes finds the lines that match, and a faulty one says why', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const many = Array.from({ length: 60 }, (_, at) => `const value${at} = 0\n`).join('')
  const files = [
    { operation: 'create', path: 'a.ts', content: base64('getName(\ngetName = 1\nGETOTHER (\n') },
    { operation: 'create', path: 'many.ts', content: base64(`${many}const value = last\n`) },
  ]
  await forge.as('alice').must('POST', `${repo.api}/contents`, { message: 'files', files })
  const alice = await Browser.of(forge, 'alice')
  const search = async (q: string) => {
    const { status, text } = await alice.get(`/${repo.fullName}/search?${new URLSearchParams({ q })}`)
    assert.equal(status, 200, q)
    return { text, lines: [...text.matchAll(/#(L\d+)"/g)].map(([, line = '']) => line) }
  }
  assert.deepEqual((await search(String.raw`/get\w+\(/`)).lines, ['L1'])
  assert.deepEqual((await search(String.raw`/get\w+\s?\(/`)).lines, ['L1', 'L3'])
  assert.deepEqual((await search(String.raw`/get\w+\s?\(/ case:yes`)).lines, ['L1'])
  assert.deepEqual((await search(String.raw`/value = [a-z]+$/`)).lines, ['L61'], 'after many lines that do not match')
  assert.match((await search('/[a-z]+/')).text, /too general/)
  assert.match((await search('/get(/')).text, /cannot be read: /)
  const slow = await search('/(v+a+)+value/')
  assert.deepEqual(slow.lines, [], 'nested repetitions take linear time')
})

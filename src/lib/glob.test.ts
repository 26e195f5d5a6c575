import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileGlob, faultOfGlob, globOf } from './glob.ts'
import { WorkBudget, usualWorkLimits } from './work-budget.ts'

const fitting = (pattern: string, texts: readonly string[], separators = '/') =>
  texts.filter((text) => compileGlob(pattern, separators, new WorkBudget()).match(text) === true)

test('glob: one star stops at separators, and two stars cross them', () => {
  assert.deepEqual(fitting('feat/*', ['feat/a', 'feat/b/c', 'feat', 'feat/']), ['feat/a', 'feat/'])
  assert.deepEqual(fitting('feat/**', ['feat/a', 'feat/b/c', 'feat']), ['feat/a', 'feat/b/c'])
  assert.deepEqual(fitting('*.js', ['b.js', 'a.min.js', 'x/y.js'], '/.'), ['b.js'])
  assert.deepEqual(fitting('secret/**', ['secret/deep/s.txt', 'other'], '/.'), ['secret/deep/s.txt'])
  assert.deepEqual(fitting('v*', ['v1', 'v/1'], ''), ['v1', 'v/1'])
})

test('glob: a pattern matches single characters, sets and alternatives', () => {
  assert.deepEqual(fitting('v?', ['v1', 'v10', 'va', 'v']), ['v1', 'va'])
  assert.deepEqual(fitting('v[0-9]', ['v1', 'va', 'v12']), ['v1'])
  assert.deepEqual(fitting('v[!0-9]', ['v1', 'va']), ['va'])
  assert.deepEqual(fitting('{one,tw{o,ice}}-x', ['one-x', 'two-x', 'twice-x', 'tw-x']), ['one-x', 'two-x', 'twice-x'])
  assert.deepEqual(fitting('a\\*b', ['a*b', 'axb']), ['a*b'])
})

test('glob: a malformed pattern is undecided for every text', () => {
  for (const pattern of ['a[b', 'a{b', 'a}b', 'a\\']) {
    const glob = compileGlob(pattern, '/', new WorkBudget())
    assert.deepEqual([glob.isFaulty, glob.match(pattern), glob.match('x')], [true, 'undecided', 'undecided'])
    assert.notEqual(faultOfGlob(pattern), undefined)
  }
})

test('glob: patterns that are decided without an expression match as the others do', () => {
  assert.deepEqual(fitting('**/*.ts', ['a/b.ts', 'a/b/c.ts', 'b.ts', '/b.ts', 'a/b.x.ts'], '/.'), [
    'a/b.ts',
    'a/b/c.ts',
    '/b.ts',
  ])
  assert.deepEqual(fitting('**/.env*', ['a/.env', 'a/.env.x/y', 'a/.env/b/.envs'], '/'), ['a/.env', 'a/.env/b/.envs'])
  assert.deepEqual(fitting('**/part/**', ['a/part/b', 'part/b', 'a/part', 'a/b/part/c/d']), [
    'a/part/b',
    'a/b/part/c/d',
  ])
  assert.deepEqual(fitting('src/**/dir/*.ts', ['src/a/dir/b.ts', 'src/dir/b.ts', 'src/a/dir/b/c.ts']), [
    'src/a/dir/b.ts',
  ])
  assert.deepEqual(fitting('a*bc*d', ['abcd', 'axbcbcd', 'axb/cd', 'abd'], ''), ['abcd', 'axbcbcd'])
  assert.deepEqual(fitting('*-{a,b}-x*', ['1-a-x2', '1-c-x2', '-b-x']), ['1-a-x2', '-b-x'])
  assert.deepEqual(fitting('abc', ['abc', 'abcd', 'ab']), ['abc'])
})

test('glob: ordinary patterns of a large change are decided within half of the budget', () => {
  const names = ['app', 'lib', 'web', 'packages']
  const paths = Array.from(
    { length: 5000 },
    (_, at) =>
      `src/${names[at % 4]}/dir${at % 50}/part${at % 7}/file-name-${at}.${['ts', 'json', 'test.ts', 'md'][at % 4]}`,
  )
  const shapes = [
    ...['**/*.lock', '.github/**', 'package.json', '**/secrets/*.yml', 'src/**/*.gen.ts', 'infra/**/*.tf', '*.key'],
    ...['**/migrations/**', '**/Owners', '{a,b}/**', 'LICENSE*', '**/.env*', 'deploy/*/prod*.yaml', '**/*.pem'],
  ]
  const budget = new WorkBudget({ ...usualWorkLimits, processorUs: usualWorkLimits.processorUs / 2 })
  const globs = Array.from({ length: 50 }, (_, at) => compileGlob(shapes[at % shapes.length] as string, '/.', budget))
  for (const path of paths) for (const glob of globs) assert.equal(glob.match(path), false)
})

test('glob: a pattern with many stars matches quickly', () => {
  const started = performance.now()
  for (const pattern of [`${'*a'.repeat(60)}b`, `${'*a'.repeat(60)}*b*`, `${'**a'.repeat(7)}*b*`]) {
    assert.equal(compileGlob(pattern, '/', new WorkBudget()).match('a'.repeat(2000)), false)
  }
  assert.equal(compileGlob(`${'*a'.repeat(60)}*`, '/', new WorkBudget()).match('a'.repeat(2000)), true)
  assert.ok(performance.now() - started < 2000)
})

test('glob: a pattern of more than 4096 characters is undecided', () => {
  const nested = `${'{'.repeat(100_000)}a${'}'.repeat(100_000)}`
  assert.deepEqual(
    [nested, 'a'].map((text) => compileGlob(nested, '', new WorkBudget()).match(text)),
    ['undecided', 'undecided'],
  )
  assert.match(faultOfGlob(nested) ?? '', /longer than 4096/)
})

test('glob: sets lose separators, and odd sets match as their members say', () => {
  assert.deepEqual(fitting('a[+-9]b', ['a/b', 'a.b', 'a5b'], '/.'), ['a5b'])
  assert.deepEqual(fitting('[z-a]', ['z', 'a', 'm']), [])
  assert.deepEqual(fitting('[!z-a]', ['z', '/', '\u{1f600}']), ['z', '\u{1f600}'])
  assert.deepEqual(fitting('a.b', ['a.b', 'axb']), ['a.b'])
  assert.deepEqual(fitting('*\n?', ['x\ny']), ['x\ny'])
})

test('glob: patterns of every shape stay within the budget of a request', () => {
  const shapes = [
    `${'a'.repeat(3900)}${'{a,b}'.repeat(9)}`,
    '**a**a**a**a**a**a**b*',
    '[a-z]'.repeat(800),
    `*[${'a-z'.repeat(1200)}]x*?`,
    `src/${'{a,b}'.repeat(700)}?`,
    `src/${'{a,'.repeat(800)}b${'}'.repeat(800)}?`,
    '**/'.repeat(1000),
  ]
  const texts = Array.from({ length: 300 }, (_, at) => `src/${'a'.repeat(200)}/${at}x`)
  for (const shape of shapes) {
    const budget = new WorkBudget({ ...usualWorkLimits })
    const beganMs = performance.now()
    const globs = Array.from({ length: 480 }, () => compileGlob(shape, '/', budget))
    const answers = texts.map((text) => globs.every((glob) => glob.match(text) === false))
    assert.ok(answers.length === 300 && performance.now() - beganMs < 1500, shape.slice(0, 40))
  }
})

test('globOf: the pattern matches its text and nothing else', () => {
  const budget = new WorkBudget({ ...usualWorkLimits })
  for (const text of ['ci / build (push)', 'test [18] {a,b}', String.raw`a*b?c\d`]) {
    const { match } = compileGlob(globOf(text), '/', budget)
    assert.deepEqual(
      [match(text), match(`${text}x`), match(text.replace('*', 'y').replace('[18]', '1'))],
      [true, false, !/[*[]/.test(text)],
    )
  }
})

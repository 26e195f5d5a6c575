import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePatch } from './patch.parse.ts'

const patch = (...lines: string[]) => `${lines.join('\n')}\n`

const parse = (text: string) => parsePatch(Buffer.from(text))

test('parsePatch: numbers the lines of both sides and keeps headings', () => {
  const [file, ...others] = parse(
    patch(
      'diff --git a/a.ts b/a.ts',
      'index 1..2 100644',
      '--- a/a.ts',
      '+++ b/a.ts',
      '@@ -3,3 +3,4 @@ function one() {',
      ' kept',
      '-gone',
      '+new',
      '+more',
      ' end',
      '@@ -20 +21 @@',
      '-x',
      '+y',
      '\\ No newline at end of file',
    ),
  )
  assert.equal(others.length, 0)
  assert.equal(file?.path, 'a.ts')
  assert.equal(file.isCut, false)
  assert.deepEqual(
    file.hunks.map(({ heading, lines }) => [heading, lines.map((line) => [line.kind, line.old, line.new, line.text])]),
    [
      [
        'function one() {',
        [
          ['kept', 3, 3, 'kept'],
          ['removed', 4, 0, 'gone'],
          ['added', 0, 4, 'new'],
          ['added', 0, 5, 'more'],
          ['kept', 5, 6, 'end'],
        ],
      ],
      [
        '',
        [
          ['removed', 20, 0, 'x'],
          ['added', 0, 21, 'y'],
        ],
      ],
    ],
  )
  assert.deepEqual(
    file.hunks[1]?.lines.map((line) => line.lacksBreak),
    [false, true],
  )
})

test('parsePatch: content that looks like a header is content', () => {
  const files = parse(
    patch(
      'diff --git a/a b/a',
      '--- a/a',
      '+++ b/a',
      '@@ -1,2 +1,3 @@',
      '--- a/other',
      '+++ b/other',
      '+@@ -1 +1 @@',
      ' diff --git a/x b/x',
      'diff --git a/z b/z',
      '--- /dev/null',
      '+++ b/z',
      '@@ -0,0 +1 @@',
      '+z',
    ),
  )
  assert.deepEqual(
    files.map(({ path, hunks }) => [path, hunks[0]?.lines.map((line) => line.text)]),
    [
      ['a', ['-- a/other', '++ b/other', '@@ -1 +1 @@', 'diff --git a/x b/x']],
      ['z', ['z']],
    ],
  )
  assert.deepEqual([files[1]?.hunks[0]?.lines[0]?.new, files[1]?.hunks[0]?.lines[0]?.old], [1, 0])
})

test('parsePatch: names with spaces, quotes, line breaks and other letters; removed files', () => {
  const names = (...header: string[]) => parse(patch('diff --git x', ...header, '@@ -1 +1 @@', '-a', '+b'))[0]?.path
  assert.equal(names('--- a/a b.txt\t', '+++ b/a b.txt\t'), 'a b.txt')
  assert.equal(names('--- "a/\\303\\274\\n\\"\\\\.txt"', '+++ "b/\\303\\274\\n\\"\\\\.txt"'), 'ü\n"\\.txt')
  assert.equal(names('--- a/gone', '+++ /dev/null'), 'gone')
})

test('parsePatch: a text that ends early is marked', () => {
  const whole = patch('diff --git a/a b/a', '--- a/a', '+++ b/a', '@@ -1,3 +1,3 @@', ' a', ' b', '-c', '+d')
  assert.equal(parse(whole)[0]?.isCut, false)
  assert.equal(parse(whole.slice(0, -6))[0]?.isCut, true)
  assert.deepEqual(parse(''), [])
})

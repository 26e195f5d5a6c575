import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAttributes } from './gitattributes.ts'
import { WorkBudget } from './work-budget.ts'

test('gitattributes: patterns match names, paths and folders, and the last match wins', () => {
  const attributes = parseAttributes(
    new Map([
      [
        '',
        '# words\n*.bin filter=lfs -text\n/top.txt a\ndocs/** b=1\n**/deep/*.c c\n"sp ace.txt" d\n*.md e\n*.md !e\n',
      ],
      ['sub', '*.bin filter=other\n'],
    ]),
    new WorkBudget(),
  )
  const of = (path: string) => Object.fromEntries(attributes.of(path))
  assert.deepEqual(of('x/y.bin'), { filter: 'lfs', text: false })
  assert.deepEqual(of('sub/y.bin'), { filter: 'other', text: false })
  assert.deepEqual([of('top.txt'), of('x/top.txt')], [{ a: true }, {}])
  assert.deepEqual(of('docs/a/b'), { b: '1' })
  assert.deepEqual([of('deep/x.c'), of('a/b/deep/x.c')], [{ c: true }, { c: true }])
  assert.deepEqual([of('sp ace.txt'), of('a.md')], [{ d: true }, {}])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePatch, type Hunk } from '../../../code/commits/patch.parse.ts'
import { CacheBudget } from '../../../lib/cache-budget.ts'
import { usualWorkLimits, WorkBudget } from '../../../lib/work-budget.ts'
import { hunkSections, marksOfHunks, type RowOptions } from './rows.ts'
import { markRanges, wordMarks } from './words.ts'

const marked = (before: string, after: string) => {
  const marks = wordMarks(before, after, new WorkBudget())
  return marks && [markRanges(before, marks.old), markRanges(after, marks.new)]
}

const parse = (text: string) => parsePatch(Buffer.from(text))

test('wordMarks: marks whole words that differ', () => {
  assert.deepEqual(marked('const total = a + b', 'const sum = a + b'), [
    'const <mark>total</mark> = a + b',
    'const <mark>sum</mark> = a + b',
  ])
  assert.deepEqual(marked('call(one)', 'call(one, two)'), ['call(one)', 'call(one<mark>, two</mark>)'])
  assert.deepEqual(marked('  x', 'x'), ['<mark>  </mark>x', 'x'])
})

test('wordMarks: lines that share little or are long have no marks', () => {
  assert.equal(wordMarks('completely different text', 'nothing alike at all 123', new WorkBudget()), undefined)
  assert.equal(wordMarks(`${'a '.repeat(400)}x`, `${'a '.repeat(400)}y`, new WorkBudget()), undefined)
  assert.equal(wordMarks('same', 'same', new WorkBudget()), undefined)
})

test('markRanges: tags stay whole and an entity is one character', () => {
  assert.equal(
    markRanges('<span class="hljs-keyword">if</span> a &lt; b', [{ begin: 1, end: 6 }]),
    '<span class="hljs-keyword">i<mark>f</mark></span><mark> a &lt;</mark> b',
  )
  assert.equal(markRanges('a&amp;b', [{ begin: 1, end: 2 }]), 'a<mark>&amp;</mark>b')
  assert.equal(markRanges('abc', []), 'abc')
})

const hunkOf = (...lines: string[]): Hunk => {
  const count = (sign: string) => lines.filter((line) => line.startsWith(' ') || line.startsWith(sign)).length
  const text = ['--- a/f', '+++ b/f', `@@ -1,${count('-')} +1,${count('+')} @@`, ...lines, ''].join('\n')
  return parse(text)[0]?.hunks[0] as Hunk
}
const sections = (hunk: Hunk, more: Partial<RowOptions> = {}) =>
  hunkSections(hunk, { prefix: 'diff-0-', layout: 'unified', ...more }, new WorkBudget()).sections

test('hunkSections: text of files is escaped', () => {
  const [section] = sections(hunkOf('-<script>alert(1)</script>', '+"quoted" & more'))
  assert.doesNotMatch(section?.html ?? '', /<script/)
  assert.match(section?.html ?? '', /&lt;script&gt;/)
  assert.match(section?.html ?? '', /&#34;quoted&#34; &amp; more/)
})

test('hunkSections: removed lines come before added ones; split puts them beside each other', () => {
  const hunk = hunkOf(' kept', '-one', '-two', '+1', '+2', '+3')
  const ids = (html: string) => [...html.matchAll(/id="diff-0-([LR]\d+)"/g)].map(([, id]) => id)
  assert.deepEqual(ids(sections(hunk)[0]?.html ?? ''), ['R1', 'L2', 'L3', 'R2', 'R3', 'R4'])
  const split = sections(hunk, { layout: 'split' })[0]
  assert.deepEqual(ids(split?.html ?? ''), ['L1', 'R1', 'L2', 'R2', 'L3', 'R3', 'R4'])
  assert.equal(split?.rows, 4)
})

test('hunkSections: sections have at most 100 rows and end where something follows', () => {
  const hunk = hunkOf(...Array.from({ length: 250 }, (_, index) => `+${index}`))
  assert.deepEqual(
    sections(hunk).map(({ rows, after }) => [rows, after]),
    [
      [100, undefined],
      [100, undefined],
      [50, undefined],
    ],
  )
  assert.deepEqual(
    sections(hunk, { breaksAt: new Set(['R20', 'L20']) }).map(({ rows, after }) => [rows, after]),
    [
      [20, 'R20'],
      [100, undefined],
      [100, undefined],
      [30, undefined],
    ],
  )
})

test('hunkSections: highlighted lines are used with their marks; a long line is cut', () => {
  const hunk = hunkOf('-let a = 1', '+let a = 2')
  const highlighted = { old: ['<b>let</b> a = 1'], new: ['<b>let</b> a = 2'] }
  assert.match(sections(hunk, { highlighted })[0]?.html ?? '', /<b>let<\/b> a = <mark>2<\/mark>/)
  const long = sections(hunkOf(`+${'x'.repeat(5000)}`))[0]?.html ?? ''
  assert.ok(long.length < 3000)
  assert.match(long, /x…</)
})

test('wordMarks: pairs that change many words end the marks of the request within its processor time', () => {
  const budget = new WorkBudget()
  const lines = Array.from({ length: 100 }, (_, line) =>
    Array.from({ length: 240 }, (_, at) => String.fromCharCode(97 + ((line * at * at) % 23))).join(' '),
  )
  const before = process.cpuUsage()
  for (let pair = 0; pair < 12_000; pair++) {
    wordMarks(`x${lines[pair % 100]}`, `y${lines[(pair + 1) % 100]}`, budget)
  }
  const { user } = process.cpuUsage(before)
  // Without a budget the comparisons take seconds.
  assert.ok(user < 1_000_000, `${user / 1000} ms`)
  assert.ok(budget.refused.has('processorUs'))
})

test('hunkSections: the marks of two blobs are computed once, unless the budget refused some of them', () => {
  const kept = { marks: marksOfHunks({ caches: new CacheBudget(1 << 20) }), name: 'old new' }
  const options = { prefix: '', layout: 'unified', kept } as const
  const hunk = hunkOf('-let a = 1', '-let b = 1', '+let a = 2', '+let b = 2', ' same', '+more')
  const empty = () => new WorkBudget({ ...usualWorkLimits, processorUs: 0 })
  const marksIn = (budget: WorkBudget) => hunkSections(hunk, options, budget).sections[0]?.html.match(/<mark>/g)?.length
  assert.equal(marksIn(empty()), undefined)
  assert.equal(marksIn(new WorkBudget()), 4)
  assert.equal(marksIn(empty()), 4, 'they are kept')
})

test('hunkSections: rows end where the page has no room', () => {
  const lines = Array.from(
    { length: 10 },
    (_, at) => ({ kind: 'added', old: 0, new: at + 1, text: '<'.repeat(100) }) as const,
  )
  const hunk = { oldBegin: 0, oldCount: 0, newBegin: 1, newCount: 10, heading: '', lines } as unknown as Parameters<
    typeof hunkSections
  >[0]
  const budget = new WorkBudget({ ...usualWorkLimits, outputBytes: 2000 })
  const { sections, isCut } = hunkSections(hunk, { prefix: '', layout: 'unified' }, budget)
  assert.equal(isCut, true)
  assert.ok(sections.reduce((sum, { html }) => sum + html.length, 0) <= 2000)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyQuery, parseIssueQuery, writeIssueQuery } from './query.parse.ts'

test('an issue query has filters, an order and words', () => {
  const query = parseIssueQuery('is:open label:"good first issue" label:bug author:me no:milestone sort:updated crack')
  assert.deepEqual(query, {
    ...emptyQuery,
    state: 'open',
    labels: ['good first issue', 'bug'],
    author: 'me',
    lacks: ['milestone'],
    sort: 'updated-desc',
    words: 'crack',
  })
})

test('an issue query keeps phrases as words and names filters that it does not understand', () => {
  const query = parseIssueQuery('"hot iron" is:blue no:tea updated:<=2026-02-28 http://a.example')
  assert.equal(query.words, '"hot iron"')
  assert.deepEqual(query.unknown, ['is:blue', 'no:tea', 'http://a.example'])
  assert.deepEqual(query.updated, { to: '2026-02-28' })
  assert.equal(query.state, 'all')
})

test('a written issue query parses to the same query', () => {
  for (const text of [
    '',
    'is:closed',
    'label:"a b" no:assignee author:alice assignee:me milestone:"v 1.0" sort:due-desc x "y z"',
    'label:"say \\"hi\\"" -label:"a\\\\b c" milestone:"say \\"hi\\"" author:"x\\"',
    'is:pr is:closed -label:bug created:2026-01-01..2026-01-31 comments:>=3',
    'is:issue created:<2026-03-01 comments:0 updated:2026-01-05',
    'review-requested:me reviewed-by:bob mentions:carol updated:>=2026-01-01',
  ]) {
    const query = parseIssueQuery(text)
    assert.deepEqual(parseIssueQuery(writeIssueQuery(query)), { ...query, unclosed: [] }, text)
  }
})

test('an issue query without an end of a quotation is understood', () => {
  assert.deepEqual(parseIssueQuery('label:"a b').labels, ['a b'])
  assert.equal(parseIssueQuery('label:').words, 'label:')
})

test('an issue query names labels and milestones with quotation marks', () => {
  const query = parseIssueQuery('label:"say \\"hi\\"" -label:"\\"" milestone:"a \\\\ b" x')
  assert.deepEqual(
    [query.labels, query.withoutLabels, query.milestone, query.words],
    [['say "hi"'], ['"'], 'a \\ b', 'x'],
  )
  assert.deepEqual(parseIssueQuery('label:say"hi"').labels, ['say"hi"'])
})

test('an issue query has bounds of days and numbers', () => {
  const bounds = {
    'created:2026-02-03': { from: '2026-02-03', to: '2026-02-03' },
    'created:>2026-02-28': { from: '2026-03-01' },
    'created:<2026-01-01': { to: '2025-12-31' },
    'updated:>=2026-02-03': { from: '2026-02-03' },
    'updated:2026-02-03..*': { from: '2026-02-03', to: undefined },
    'created:*..2026-02-03': { from: undefined, to: '2026-02-03' },
    'comments:>5': { from: 6 },
    'comments:0': { from: 0, to: 0 },
    'comments:1..3': { from: 1, to: 3 },
    'comments:"<=3"': { to: 3 },
  }
  for (const [text, expected] of Object.entries(bounds)) {
    const { created, updated, comments, unknown } = parseIssueQuery(text)
    assert.deepEqual([created ?? updated ?? comments, unknown], [expected, []], text)
  }
  const unknown = [
    'created:2026-02-30',
    'created:soon',
    'updated:0000-00-00',
    'comments:many',
    'comments:1..',
    'comments:*..*',
    'comments:-1',
    '-author:me',
    'is:merged',
    'created:>99999-01-01',
  ]
  for (const text of unknown) assert.deepEqual(parseIssueQuery(text).unknown, [text])
})

test('an issue query names what a list cannot obey', () => {
  const named = (text: string) => {
    const { unknown, unclosed } = parseIssueQuery(text)
    return { unknown, unclosed }
  }
  const unknown = [
    'foo:bar',
    'is:nonsense',
    'created:yesterday',
    '-is:open',
    '-author:bob',
    'no:tea',
    'sort:size',
    '?!',
    '-',
    '+',
  ]
  for (const token of unknown) assert.deepEqual(named(`a ${token} b`), { unknown: [token], unclosed: [] })
  assert.deepEqual(named('is:open is:closed author:a author:b author:a'), {
    unknown: ['is:closed', 'author:b'],
    unclosed: [],
  })
  assert.deepEqual(named('created:2026-01-01 created:2026-01-02').unknown, ['created:2026-01-02'])
  for (const token of ['"a b', 'label:"a b', 'label:say"hi', 'label:"a \\"']) {
    assert.deepEqual(named(`word ${token}`), { unknown: [], unclosed: [token] })
  }
  assert.deepEqual(named('label:"a \\" b" "c d" x"y"z').unclosed, [])
  const many = Array.from({ length: 25 }, (_each, index) => `label:l${index}`)
  assert.deepEqual(named(many.join(' ')).unknown, many.slice(20))
  assert.deepEqual(named(`${'a '.repeat(500)}tail`).unknown, ['…tail'])
})

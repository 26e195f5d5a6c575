import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textRuns } from '../markup/text-runs.ts'
import { durationText } from './time/duration.ts'
import { endOfDay } from './due-date.rules.ts'
import { parseReferences } from './references/reference.parse.ts'
import { parseSearchWords } from './search/words.parse.ts'
import { keptTitle } from './title.rules.ts'

const rules = {
  rootUrl: 'https://forge.example/git/',
  closeKeywords: ['close', 'fixes'],
  reopenKeywords: ['reopens'],
}

/** Returns the issues that a text names, as `repository#index action`. */
const named = (markdown: string): string[] =>
  parseReferences({ markdown: [textRuns(markdown)] }, rules).issues.map(
    ({ repository = '', index, action }) => `${repository}#${index}${action === 'none' ? '' : ` ${action}`}`,
  )

test('parseReferences: finds numbers, other repositories and addresses, but nothing in code, inside words or on other sites', () => {
  assert.deepEqual(named('see #1, !2 and (#03)'), ['#1', '#2', '#3'])
  assert.deepEqual(named('Owner/Repo#4 [x](https://forge.example/git/a/b/issues/5#c) /a/b/pulls/6'), [
    'owner/repo#4',
    'a/b#5',
  ])
  assert.deepEqual(named('`#1` x#2 #3x ##4 #5- <!-- #6 --> https://other.example/git/a/b/issues/7'), [])
  assert.deepEqual(named('```\n#1\n```\n\n    #2\n\n> #3\n\n- **#4**'), ['#3', '#4'])
})

test('parseReferences: a keyword stands directly before its reference, and the last one of several counts', () => {
  assert.deepEqual(named('fixes #1, Close: #2 and reopens a/b#3'), ['#1 closes', '#2 closes', 'a/b#3 reopens'])
  assert.deepEqual(named('closing #1, fixes  #2, unfixes #3, fixes, #4'), ['#1', '#2', '#3', '#4'])
  assert.deepEqual(named('#1 fixes #1 reopens #1'), ['#1 reopens'])
})

test('parseReferences: full addresses are references like numbers, with keywords, in plain text and in Markdown', () => {
  const at = (index: number): string => `https://forge.example/git/A/b/issues/${index}`
  const text = `Fixes ${at(1)}, see ${at(2)}. (reopens: ${at(3)}#issuecomment-7) close ${at(4)}/ ${at(5)}x ${at(6)}/files`
  assert.deepEqual(named(text), ['a/b#1 closes', 'a/b#2', 'a/b#3 reopens', 'a/b#4 closes'])
  const plain = parseReferences({ plain: [text] }, rules).issues
  assert.deepEqual(
    plain.map(({ index, action }) => [index, action]),
    [
      [1, 'closes'],
      [2, 'none'],
      [3, 'reopens'],
      [4, 'closes'],
    ],
  )
  assert.deepEqual(named(`fixes [it](${at(1)}) fixes <${at(2)}> fixes https://other.example/git/a/b/issues/3#4`), [
    'a/b#1',
    'a/b#2',
  ])
  assert.deepEqual(named(`fixes #1 ${at(2)} and @bob`), ['#1 closes', 'a/b#2'])
  const [commit] = parseReferences({ plain: [`fixes ${at(1)} @1h30m`] }, rules).issues
  assert.equal(commit?.seconds, 5400)
})

test('parseReferences: finds accounts, teams and the time after a reference', () => {
  const { accounts, issues } = parseReferences(
    {
      plain: ['@nobody is called by a title'],
      markdown: ["@Bob, (@org/Crew) mail@x.org @carol's fixes #1 @1h30m and #2 @2d", '`@code'].map(textRuns),
    },
    rules,
  )
  assert.deepEqual(
    accounts.map(({ name, team }) => (team === undefined ? name : `${name}/${team}`)),
    ['bob', 'org/crew', 'carol', '1h30m', '2d'],
  )
  assert.deepEqual(
    issues.map(({ seconds }) => seconds),
    [5400, 57_600],
  )
})

test('parseReferences: hostile texts do not slow the parser', () => {
  const begunMs = performance.now()
  for (const text of [
    '#'.repeat(100_000),
    '@a/'.repeat(50_000),
    'a.'.repeat(100_000),
    '#1'.repeat(50_000),
    '[('.repeat(50_000),
    'https://forge.example/git/a/b/issues/1 '.repeat(20_000),
    'http://'.repeat(50_000),
  ]) {
    parseReferences({ plain: [text], markdown: [textRuns(text.slice(0, 20_000))] }, rules)
  }
  assert.ok(performance.now() - begunMs < 5000)
})

test('parseSearchWords: reads roles, phrases and escapes, and quotes words for both databases', () => {
  const terms = parseSearchWords('a +b -"c d" \\-e #12 "')
  assert.deepEqual(
    terms.map(({ role, words }) => [role, words.join(' ')]),
    [
      ['offered', 'a'],
      ['needed', 'b'],
      ['refused', 'c d'],
      ['offered', 'e'],
      ['offered', '12'],
    ],
  )
  assert.deepEqual([terms[2]?.fts5, terms[2]?.tsquery, terms[4]?.index], ['"c d"', "'c' <-> 'd'", 12])
})

test('durationText, endOfDay, keptTitle', () => {
  assert.deepEqual([0, -1, 59, 3661, 90_061, 31_536_000].map(durationText), [
    '',
    '',
    '59 seconds',
    '1 hour 1 minute',
    '1 day 1 hour',
    '1 year',
  ])
  const end = (text: string) => new Date(endOfDay(text, 'given offset') * 1000).toISOString()
  assert.equal(end('2024-02-04T23:30:00-05:00'), '2024-02-05T04:59:59.000Z')
  assert.equal(keptTitle(`  ${'é'.repeat(200)} `), `${'é'.repeat(126)}…`)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  defaultTitle,
  fillTemplate,
  joinMessage,
  splitMessage,
  templateVariables,
  type MergeFacts,
} from './merge-message.ts'

const facts: MergeFacts = {
  index: 7,
  title: 'Add things',
  description: 'Because.',
  posterName: 'bob',
  base: { ownerName: 'alice', repoName: 'code', branch: 'main' },
  head: { ownerName: 'alice', repoName: 'code', branch: 'topic' },
  headBranch: 'topic',
  url: 'http://forge/alice/code/pulls/7',
  approvers: ['Carol C <carol@example.com>'],
  closes: ['#1', '#2'],
}

test('default titles name the head by its branch, by its repository, or as deleted', () => {
  assert.equal(defaultTitle('squash', facts), 'Add things (#7)')
  assert.equal(defaultTitle('merge', facts), "Merge pull request 'Add things' (#7) from topic into main")
  const fork = { ownerName: 'bob', repoName: 'code', branch: 'topic' }
  assert.match(defaultTitle('merge', { ...facts, head: fork }), /from bob\/code:topic into main$/)
  assert.match(defaultTitle('merge', { ...facts, head: undefined }), /from <deleted>:topic into main$/)
})

test('templates: known names are replaced, unknown names become empty, names of a commit need a commit', () => {
  const template =
    '${PullRequestTitle}|${PullRequestReference}|${ClosingIssues}|${ReviewedBy}|${Nothing}|${CommitTitle}|${constructor}'
  assert.equal(
    fillTemplate(template, templateVariables(facts)),
    'Add things|#7|close #1, close #2|Reviewed-by: Carol C <carol@example.com>||||'.slice(0, -1),
  )
  const commit = { title: 'Last', body: 'words' }
  assert.equal(fillTemplate('${CommitTitle}: ${CommitBody}', templateVariables(facts, commit)), 'Last: words')
})

test('messages are split after their first line and joined with one empty line', () => {
  assert.deepEqual(splitMessage('\n Title \r\n\r\nBody\r\n'), { title: 'Title', body: 'Body' })
  assert.equal(joinMessage({ title: 'Title', body: '' }), 'Title\n')
  assert.equal(joinMessage({ title: 'Title', body: 'Body' }), 'Title\n\nBody\n')
})

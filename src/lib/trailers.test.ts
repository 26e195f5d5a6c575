import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTrailers } from './trailers.ts'

test('trailers are added to the last block of trailers, or begin one after an empty line', () => {
  const line = 'Signed-off-by: Bob <b@example.com>'
  const added = (message: string): string => withTrailers(message, [line])
  assert.equal(added('Title'), `Title\n\n${line}`)
  assert.equal(added('fix: the title looks like a trailer'), `fix: the title looks like a trailer\n\n${line}`)
  assert.equal(added('Title\n\nBody\n'), `Title\n\nBody\n\n${line}`)
  assert.equal(added('Title\n\nBody\n\nFixes: #1'), `Title\n\nBody\n\nFixes: #1\n${line}`)
  assert.equal(added('Title\n\nFixes: #1\n and #2\n'), `Title\n\nFixes: #1\n and #2\n${line}`)
  assert.equal(
    added('Title\n\nNote: this is a text\nof two lines'),
    `Title\n\nNote: this is a text\nof two lines\n\n${line}`,
  )
  assert.equal(added(`Title\n\n${line}\nFixes: #1`), `Title\n\n${line}\nFixes: #1`)
  assert.equal(added(`Title\n\n${line}\n\nBody`), `Title\n\n${line}\n\nBody\n\n${line}`)
  assert.equal(withTrailers('Title\n', []), 'Title\n')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathField, pathOfField, typedPath } from './path-field.ts'

test('pathField, pathOfField: a path comes back from a hidden field, whose line breaks a browser changes', () => {
  for (const path of ['docs/a.md', 'a\nb', 'a\r\nb', '100%', '%0A', '%250A', 'a%zz']) {
    const field = pathField(path)
    assert.doesNotMatch(field, /[\r\n]/)
    assert.equal(pathOfField(field), path)
  }
})

test('typedPath: what a text field cannot show is kept, and everything else is as it was typed', () => {
  assert.equal(typedPath('linebreak.txt', 'line\nbreak.txt'), 'line\nbreak.txt')
  assert.equal(typedPath('around', ' around '), ' around ')
  assert.equal(typedPath('other.txt', 'line\nbreak.txt'), 'other.txt')
  assert.equal(typedPath('oddfolder/new.md', 'odd\nfolder/old.md'), 'odd\nfolder/new.md')
  assert.equal(typedPath('oddfolder/new.md', 'odd\nfolder/'), 'odd\nfolder/new.md')
  assert.equal(typedPath(' docs/b.md ', 'docs/a.md'), 'docs/b.md')
  assert.equal(typedPath('b.md', ''), 'b.md')
})

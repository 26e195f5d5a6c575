import assert from 'node:assert/strict'
import test from 'node:test'
import { submodulePage } from './submodules.ts'

test('submodulePage: an address of git leads to the pages of the repository that it names', () => {
  const page = (url: string) => submodulePage(url, 'https://forge.example/git/ann/one')
  assert.equal(page('https://a.example:8443/x/y.git'), 'https://a.example:8443/x/y')
  assert.equal(page('https://a.example/x/y/'), 'https://a.example/x/y')
  assert.equal(page('git@a.example:x/y.git'), 'https://a.example/x/y')
  assert.equal(page('a.example:/x/y'), 'https://a.example/x/y')
  assert.equal(page('ssh://git@a.example:2222/x/y.git'), 'https://a.example/x/y')
  assert.equal(page('git://a.example/x/y.git'), 'https://a.example/x/y')
  assert.equal(page('../two.git'), 'https://forge.example/git/ann/two')
  assert.equal(page('../../bea/two'), 'https://forge.example/git/bea/two')
  assert.equal(page('./below'), 'https://forge.example/git/ann/one/below')
  for (const none of ['', '../../../../../x', '/srv/git/x', 'file:///srv/x', 'x', 'https://', 'C:\\x']) {
    assert.equal(page(none), undefined, none)
  }
})

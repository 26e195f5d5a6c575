import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isReserved } from './upstream.rules.ts'

test('reserved names: every spelling that the registry takes for the same name is reserved', () => {
  for (const name of ['my-pkg', 'My_Pkg', 'my.pkg', 'my-_.pkg']) {
    for (const pattern of ['my-pkg', 'My_Pkg', 'my.*', 'my__*']) {
      assert.equal(isReserved('pypi', [pattern], name), true, `${pattern} ${name}`)
    }
  }
  assert.equal(isReserved('pypi', ['my-pkg'], 'mypkg'), false)
  assert.equal(isReserved('cargo', ['my-crate'], 'My_Crate'), true)
  assert.equal(isReserved('npm', ['@alice/*'], '@Alice/tool'), true)
  assert.equal(isReserved('npm', ['my-tool'], 'my_tool'), false)
  assert.equal(isReserved('maven', ['com.acme:*'], 'com.acme:app'), true)
})

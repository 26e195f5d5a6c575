import assert from 'node:assert/strict'
import { test } from 'node:test'
import { h, type ComponentChildren, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { createScope } from './scope.tsx'

const color = createScope('red')
const Shown = () => h('i', null, color.current())
const Failing = (): VNode => {
  throw new Error('part')
}

test('a value of a scope holds for what is rendered within it, also after a part that fails', () => {
  const within = (value: string, child: ComponentChildren) => h(color.Within, { value }, child)
  const tree = h('p', null, h(Shown, null), within('blue', h('b', null, h(Shown, null), '1 < 2')), h(Shown, null))
  assert.equal(renderToString(tree), '<p><i>red</i><b><i>blue</i>1 &lt; 2</b><i>red</i></p>')
  const nested = within('blue', h('b', null, within('green', h(Shown, null)), h(Shown, null)))
  assert.equal(renderToString(nested), '<b><i>green</i><i>blue</i></b>')
  assert.throws(() => renderToString(within('blue', h(Failing, null))), /part/)
  assert.throws(() => color.during('blue', () => renderToString(h(Failing, null))), /part/)
  assert.equal(renderToString(h(Shown, null)), '<i>red</i>')
})

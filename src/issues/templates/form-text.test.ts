import assert from 'node:assert/strict'
import test from 'node:test'
import { WorkBudget } from '../../lib/work-budget.ts'
import { textRuns } from '../../markup/text-runs.ts'
import { formText } from './form-text.rules.ts'
import { parseFormTemplate } from './template.parse.ts'

/** Returns the text of an issue from a form with these questions (YAML) and answers. */
function textOf(body: string, ...answers: readonly (readonly string[])[]): string {
  const { fields } = parseFormTemplate('bug.yaml', `name: Bug\nabout: x\nbody:\n${body}`)
  return formText(fields ?? [], (index) => answers[index] ?? [], new WorkBudget())
}

const input = (validations: string) =>
  `  - type: input\n    id: a\n    attributes: {label: A}\n    validations: {${validations}}\n`

test('formText: an answer with a fence does not contain the next questions', () => {
  const questions = (render: string) =>
    `  - type: textarea\n    id: a\n    attributes: {label: A${render}}\n` +
    '  - type: input\n    id: b\n    attributes: {label: B}\n'
  const answers = [
    '```',
    'x\n```\ny',
    '```js\nx',
    '~~~~\nx\n~~~',
    '   ```` \n```',
    '```\na\n```\n```',
    '`````\n',
    'a ``` b',
    '```a`b',
  ]
  for (const render of ['', ', render: shell']) {
    for (const answer of answers) {
      const text = textOf(questions(render), [answer], ['closes #7'])
      assert.match(textRuns(text).text, /^closes #7$/m, `${render} ${JSON.stringify(answer)}: ${text}`)
      assert.ok(text.includes(answer.trim()), text)
    }
  }
})

test('formText: numbers and expressions of a question refuse other answers', () => {
  const refused = { code: 'form_answer_invalid' }
  for (const number of ['1', '-1.5', '+.5', '2e10', '']) textOf(input('is_number: true'), [number])
  for (const other of ['x', '1x', '0x10', '1,5', 'Infinity', '1 2']) {
    assert.throws(() => textOf(input('is_number: true'), [other]), refused, other)
  }
  textOf(input("regex: '[0-9]+\\.[0-9]+'"), ['1.22'])
  for (const other of ['1', 'v1.22', '1.22 ']) {
    if (other.trim() === '1.22') continue
    assert.throws(() => textOf(input("regex: '[0-9]+\\.[0-9]+'"), [other]), refused, other)
  }
  assert.throws(() => textOf(input("regex: '(?=x)'"), ['x']), /cannot be used/)
  assert.throws(() => textOf(input("regex: '(a+)+$'"), [`${'a'.repeat(40)}b`]), refused)
})

test('formText: a list shows its answers one below the other, and what is hidden is not in the text', () => {
  const list = (more: string) =>
    `  - type: dropdown\n    id: a\n    attributes: {label: A, multiple: true, options: [x, y, z]${more}}\n`
  assert.equal(textOf(list(''), ['0', '2']), '### A\n\nx, z')
  assert.equal(textOf(list(', list: true'), ['0', '2']), '### A\n\n- x\n- z')
  const boxes =
    '  - type: checkboxes\n    id: a\n    attributes:\n      label: A\n      options:\n' +
    '        - {label: terms, required: true, visible: [form]}\n        - {label: os}\n        - {label: note, visible: [content]}\n'
  assert.equal(textOf(boxes, ['0', '1']), '### A\n\n- [x] os\n- [ ] note')
  assert.throws(() => textOf(boxes, ['1']), { code: 'form_answer_missing' })
  const hidden =
    '  - type: input\n    id: a\n    visible: [form]\n    attributes: {label: A}\n    validations: {required: true}\n'
  assert.equal(textOf(hidden, ['x']), '')
  assert.throws(() => textOf(hidden), { code: 'form_answer_missing' })
  const fixed = '  - type: input\n    id: a\n    visible: [content]\n    attributes: {label: A, value: fixed}\n'
  assert.equal(textOf(fixed, ['other']), '### A\n\nfixed')
})

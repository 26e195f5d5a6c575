import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inLanguage } from '../languages/reader.ts'
import { sentenceOf } from './sentence.ts'

test('sentenceOf: a capital, and the full stop of the writing', () => {
  for (const [message, expected] of [
    ['the name is taken', 'The name is taken.'],
    ['is it?', 'Is it?'],
    ['it says “no”', 'It says “no”.'],
    ['密码不正确', '密码不正确。'],
    ['无法连接该服务器（timeout）', '无法连接该服务器（timeout）。'],
    ['没有名为“x”的标签。', '没有名为“x”的标签。'],
    ['上次更新失败：connection refused', '上次更新失败：connection refused.'],
  ] as const) {
    assert.equal(
      inLanguage('en', () => sentenceOf(message)),
      expected,
    )
  }
})

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sections } from './sections.ts'
import { type Section } from './setting.ts'
import { isUnread } from './unread-settings.ts'

/** The source code, without comments, tests, setting declarations and folders that read no settings. */
const code = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter(
    (path) => /\.tsx?$/.test(path) && !/\.test\.|^config\/(sections|unread|unsupported)|^(runner|testing)\//.test(path),
  )
  .map((path) => readFileSync(`src/${path}`, 'utf8').replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, ''))
  .join('\n')

test('each setting is read by the code or listed as unread', () => {
  const words = new Set(code.match(/\w+/g))
  // `config.cors.maxAge`, `const { maxAge } = config.cors`
  const members = new Set(Array.from(code.matchAll(/(?:[.{,]\s*)(\w+)/g), ([, name]) => name))
  const wrong = Object.entries(sections).flatMap(([name, section]: [string, Section]) =>
    Object.entries(section.settings).flatMap(([member, { key }]) => {
      const isRead = words.has(name) && members.has(member)
      if (isRead !== isUnread(section.name, key)) return []
      return [`[${section.name}] ${key} ${isRead ? 'is read: remove it from' : 'is not read: add it to'} the list`]
    }),
  )
  assert.deepEqual(wrong, [])
})

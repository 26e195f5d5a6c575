import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValidElement } from 'preact'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { english } from './en/index.ts'
import { chooseLanguage, languages, type Texts } from './languages.ts'
import { inLanguage } from './reader.ts'
import { uiTexts } from './texts.ts'

const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !isValidElement(value)

/** Returns what a language lacks, has beside English, or has with other values. */
function differences(translated: unknown, original: unknown, name = ''): string[] {
  if (isTree(original) && isTree(translated)) {
    const names = new Set([...Object.keys(original), ...Object.keys(translated)])
    return [...names].flatMap((each) => differences(translated[each], original[each], `${name}.${each}`))
  }
  if (typeof translated !== typeof original) return [`${name}: ${typeof translated} for ${typeof original}`]
  if (typeof original !== 'function' || typeof translated !== 'function') return []
  return translated.length === original.length ? [] : [`${name}: ${translated.length} values for ${original.length}`]
}

/** Returns English with each text in marks. */
function marked(value: unknown): unknown {
  if (typeof value === 'string') return `«${value}»`
  if (typeof value === 'function') {
    const text = (...values: unknown[]) => marked(Reflect.apply(value, undefined, values))
    return Object.defineProperty(text, 'length', { value: value.length })
  }
  if (Array.isArray(value)) return value.map(marked)
  if (!isTree(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, marked(each)]))
}

/** A language that pages lack; its formats differ from those of English. */
const dutch = marked(english) as Texts

const withDutch = () => {
  languages.set('nl', dutch)
  return { [Symbol.dispose]: () => void languages.delete('nl') }
}

test('each language has the texts of English with the same values', () => {
  for (const [language, texts] of languages) assert.deepEqual(differences(texts, english), [], language)
})

test('a text that a language lacks or has with other values is found', () => {
  assert.deepEqual(differences(dutch, english), [])
  const { next: _next, ...rest } = dutch.uiTexts
  const wrong = { ...dutch, uiTexts: { ...rest, page: () => 'bladzijde', furthest: 'verste' } }
  assert.deepEqual(differences(wrong, english), [
    '.uiTexts.next: undefined for string',
    '.uiTexts.page: 0 values for 1',
    '.uiTexts.furthest: string for undefined',
  ])
})

test('a text is in the language of the work that reads it, and cannot be read outside', () => {
  using _ = withDutch()
  assert.deepEqual(
    ['en', 'nl', 'en'].map((language) =>
      inLanguage(language, () => [uiTexts.next, uiTexts.units.days, uiTexts.page(2)]),
    ),
    [
      ['Next', 'd', 'Page 2'],
      ['«Next»', '«d»', '«Page 2»'],
      ['Next', 'd', 'Page 2'],
    ],
  )
  assert.throws(() => uiTexts.next, /outside of a request/)
})

test('chooseLanguage: the account comes before the browser, and the browser before the site', () => {
  using _ = withDutch()
  const ofSite = ['nl-NL']
  for (const [chosen, accepted, expected] of [
    ['en-GB', 'nl', 'en'],
    ['NL_be', 'en', 'nl'],
    ['ja-JP', 'en-US,en;q=0.9,nl;q=0.8', 'en'],
    ['', 'en;q=0.5, nl;q=0.7', 'nl'],
    ['', 'en;q=0, *', 'nl'],
    ['', 'q=;;,', 'nl'],
    [undefined, undefined, 'nl'],
  ] as const) {
    assert.equal(chooseLanguage({ chosen, accepted, ofSite }), expected, `${chosen} ${accepted}`)
  }
  assert.equal(chooseLanguage({ accepted: 'ja', ofSite: ['ja-JP'] }), 'en')
})

test('pages, notices, refused forms and error pages are in the language of the reader', async () => {
  using _ = withDutch()
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const guest = new Browser(forge)
  const accepting = { 'accept-language': 'nl-NL,nl;q=0.9', accept: 'text/html' }
  assert.match((await guest.send('GET', '/user/login', undefined, accepting)).text, /<title>«Sign in» · Ingot/)
  assert.match((await guest.send('GET', '/no/thing', undefined, accepting)).text, /<h1>«Page not found»<\/h1>/)
  const alice = await Browser.of(forge, 'alice')
  const bob = await Browser.of(forge, 'bob')
  await forge.as('alice').must('PATCH', '/user/settings', { language: 'nl-NL' })
  const path = '/user/settings'
  const shown = (await alice.get(path)).text
  assert.match(shown, /<html lang="nl"/)
  assert.match(shown, /<title>««Profile» · Settings» · Ingot/)
  assert.match(shown, /placeholder="«Search or jump to&#x2026;»"/)
  const form = `action="${path}"`
  assert.match((await alice.submit(path, form, { website: 'nowhere' })).text, /«Error: «/)
  assert.equal((await alice.submit(path, form, { full_name: 'Ada' })).status, 303)
  assert.match((await alice.get(path)).text, /«[^»]*saved\.»/)
  const others = (await bob.get(path)).text
  assert.match(others, /<html lang="en"/)
  assert.doesNotMatch(others, /«/)
})

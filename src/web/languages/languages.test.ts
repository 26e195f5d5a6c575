import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { isValidElement } from 'preact'
import { acceptedLanguages, matchLanguage, ownNameOf } from '../../lib/language-tags.ts'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { english } from './en/index.ts'
import { amount, choiceText, listText, percentText } from './amounts.ts'
import { chooseLanguage, languageChoices, languages } from './languages.ts'
import { inLanguage } from './reader.ts'
import { uiTexts } from './texts.ts'
import type { Texts } from './translation.ts'
import { shownTexts } from './values-of-texts.test-support.ts'

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

test('each language shows the values and the markup that English shows', () => {
  const folderOf = (language: string) => join('src/web/languages', new Intl.Locale(language).language)
  const original = shownTexts(folderOf('en'))
  assert.ok(original.size > 400)
  for (const language of languages.keys()) {
    const translated = shownTexts(folderOf(language))
    const wrong = [...original].flatMap(([name, { values, elements }]) => {
      const text = translated.get(name)
      if (!text) return []
      const missing = values.filter((value) => !text.values.includes(value))
      const isMarked = text.elements.join() === elements.join()
      return missing.length === 0 && isMarked ? [] : [`${name} lacks ${missing.join()}, has ${text.elements.join()}`]
    })
    assert.deepEqual(wrong, [], language)
  }
})

test('no text is left in English', () => {
  // Names, commands and words that a language shares with English are short, or the same on purpose.
  const sentence = /^[A-Z][^<>{}]* [a-z]+ [^<>{}]*[a-z.?]$/
  const left = (translated: unknown, original: unknown, name: string): string[] => {
    if (isTree(original) && isTree(translated)) {
      return Object.keys(original).flatMap((each) => left(translated[each], original[each], `${name}.${each}`))
    }
    return typeof original === 'string' && translated === original && sentence.test(original) ? [name] : []
  }
  for (const [language, texts] of languages) {
    if (language !== 'en') assert.deepEqual(left(texts, english, ''), [], language)
  }
  assert.deepEqual(left(english.shellTexts.errors, english.shellTexts.errors, '').length > 10, true)
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
  const ofSite = ['nl-NL', 'en-US']
  for (const [chosen, accepted, expected] of [
    ['en-GB', 'nl', 'en'],
    ['NL_be', 'en', 'nl'],
    ['ja-JP', 'en-US,en;q=0.9,nl;q=0.8', 'en'],
    ['', 'en;q=0.5, nl;q=0.7', 'nl'],
    ['', 'en;q=0, *', 'nl'],
    ['', 'q=;;,', 'nl'],
    [undefined, undefined, 'nl'],
  ] as const) {
    assert.equal(chooseLanguage({ chosen: [chosen ?? ''], accepted, ofSite }), expected, `${chosen} ${accepted}`)
  }
  assert.equal(chooseLanguage({ accepted: 'ja', ofSite: ['ja-JP'] }), 'en')
})

test('matchLanguage, acceptedLanguages: a language in another script is another language', () => {
  const available = ['en', 'de', 'zh-Hans']
  for (const [tag, expected] of [
    ['de-AT', 'de'],
    ['DE_ch', 'de'],
    ['zh', 'zh-Hans'],
    ['zh-CN', 'zh-Hans'],
    ['zh-SG', 'zh-Hans'],
    ['zh-Hans-HK', 'zh-Hans'],
    ['zh-TW', undefined],
    ['zh-HK', undefined],
    ['zh-Hant', undefined],
    ['de-Cyrl', undefined],
    ['*', undefined],
    ['', undefined],
    ['x'.repeat(5000), undefined],
    ['../de', undefined],
  ] as const) {
    assert.equal(matchLanguage(tag, available), expected, tag)
  }
  const firstOf = (header: string) =>
    acceptedLanguages(header)
      .map((tag) => matchLanguage(tag, available))
      .find((language) => language !== undefined)
  // The bare language that browsers add has the script of the one before it; who names the other script can read it.
  assert.equal(firstOf('zh-TW,zh;q=0.9,en-US;q=0.8,en;q=0.7'), 'en')
  assert.equal(firstOf('zh-TW,zh;q=0.9,zh-CN;q=0.8,en;q=0.7'), 'zh-Hans')
  assert.equal(firstOf('zh-CN,zh;q=0.9,en;q=0.8'), 'zh-Hans')
  assert.equal(firstOf(`${'fr,'.repeat(1000)}de`), undefined)
  assert.equal(ownNameOf('de'), 'Deutsch')
})

test('the languages of a site are those that it offers and that exist, each once and with its own name', () => {
  using _ = withDutch()
  const labels = (langs: readonly string[], names: readonly string[] = []) =>
    languageChoices({ langs, names }).map(({ value, label }) => `${value} ${label}`)
  assert.deepEqual(labels(['nl-BE', 'tlh', 'en-GB', 'nl-NL']), ['nl-BE Nederlands', 'en-GB English'])
  assert.deepEqual(labels(['en-US', 'nl-NL'], ['Plain English']), ['en-US Plain English', 'nl-NL Nederlands'])
  assert.deepEqual(labels(['tlh', '']), ['en English'])
  assert.equal(chooseLanguage({ chosen: ['en'], accepted: 'en', ofSite: ['nl-NL'] }), 'nl')
})

test('lists, shares and forms by number are those of the language', () => {
  const forms = { one: '# Datei', few: '# soubory', other: '# Dateien' }
  const say = () => [
    listText(['a', 'b', 'c']),
    choiceText(['a', 'b']),
    percentText(0.123),
    amount(1, forms),
    amount(2000, forms),
  ]
  assert.deepEqual(inLanguage('en', say), ['a, b, c', 'a or b', '12.3%', '1 Datei', '2,000 Dateien'])
  assert.deepEqual(inLanguage('de', say), ['a, b und c', 'a oder b', '12,3\u00a0%', '1 Datei', '2.000 Dateien'])
  assert.deepEqual(inLanguage('zh-Hans', say).slice(0, 2), ['a、b、c', 'a或b'])
  assert.equal(
    inLanguage('cs', () => amount(3, forms)),
    '3 soubory',
  )
})

test('languagePage, languageSubmit: a guest chooses a language, which comes before that of the browser', async () => {
  using _ = withDutch()
  await using forge = await startForge({ users: ['alice'], settings: { i18n: { LANGS: 'en-US,nl-NL' } } })
  const guest = new Browser(forge)
  const shown = await guest.get('/explore/repos?q=x')
  assert.equal(shown.headers.get('content-language'), 'en')
  assert.match(shown.headers.get('vary') ?? '', /Accept-Language, Cookie/)
  assert.equal(shown.headers.get('cache-control'), 'private, no-cache')
  const to = '/user/language?redirect_to=%2Fexplore%2Frepos%3Fq%3Dx'
  assert.ok(shown.text.includes(`href="${to}"`))
  assert.match((await guest.get(to)).text, /<span lang="nl-NL">Nederlands<\/span>/)
  const form = 'action="/user/language"'
  assert.equal((await guest.post('/user/language', { language: 'nl-NL' })).status, 403)
  const chosen = await guest.submit(to, form, { language: 'nl-NL' })
  assert.equal(chosen.headers.get('location'), '/explore/repos?q=x')
  const dutchPage = await guest.get('/explore/repos?q=x')
  assert.match(dutchPage.text, /<html lang="nl"/)
  // A browser that kept the page asks again, and gets the one in the new language.
  const kept = { 'if-none-match': shown.headers.get('etag') ?? '' }
  assert.equal((await guest.send('GET', '/explore/repos?q=x', undefined, kept)).status, 200)
  assert.equal((await guest.submit(to, form, { language: 'tlh' })).status, 303)
  const elsewhere = await guest.submit('/user/language?redirect_to=%2F%2Fevil.test', form, { language: 'en-US' })
  assert.equal(elsewhere.headers.get('location'), '/')
  assert.match((await guest.get('/explore/repos')).text, /<html lang="en"/)
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.get('/user/language')).headers.get('location'), '/user/settings/appearance')
  assert.match((await alice.get('/user/settings/appearance')).text, /<option value="nl-NL"[^>]*>Nederlands/)
})

test('pages, notices, refused forms and error pages are in the language of the reader', async () => {
  using _ = withDutch()
  await using forge = await startForge({ users: ['alice', 'bob'], settings: { i18n: { LANGS: 'en-US,nl-NL' } } })
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

test('German through the front door: pages, forms, refusals, events, times and numbers', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  await forge.as('alice').must('POST', '/user/repos', { name: 'anvil', auto_init: true })
  await forge.as('alice').must('POST', '/repos/alice/anvil/issues', { title: 'Der Amboss klemmt' })
  await forge.as('alice').must('PATCH', '/repos/alice/anvil/issues/1', { state: 'closed' })
  const guest = new Browser(forge)
  const austrian = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5', accept: 'text/html' }
  const read = async (path: string) => (await guest.send('GET', path, undefined, austrian)).text
  assert.match(await read('/user/login'), /<html lang="de".*<h1>Bei Ingot anmelden<\/h1>/s)
  assert.match(await read('/no/thing'), /<h1>Seite nicht gefunden<\/h1>/)
  const issue = await read('/alice/anvil/issues/1')
  assert.match(issue, /schloss dies/)
  assert.match(issue, /1 Kommentar|0 Kommentare/)
  assert.match(issue, /<relative-time[^>]*>\d\d\.\d\d\.\d{4}<\/relative-time>/)
  assert.match(
    await read('/alice/anvil/issues?state=closed&q=is%3Aclosed'),
    /von <a[^>]*>alice<\/a> <relative-time.* eröffnet/s,
  )
  // Nobody else gets the German pages: a request without a preference is answered in English.
  assert.match((await guest.get('/alice/anvil/issues/1')).text, /<html lang="en".*closed this/s)
  const alice = await Browser.of(forge, 'alice')
  const settings = '/user/settings/appearance'
  assert.match((await alice.get(settings)).text, /<option value="de-DE"[^>]*>Deutsch</)
  await alice.submit(settings, `action="${settings}"`, { language: 'de-DE', theme: 'auto' })
  const saved = (await alice.get(settings)).text
  assert.match(saved, /Die Einstellungen sind gespeichert\./)
  assert.match(saved, /<option value="de-DE" selected/)
  const nameless = await alice.submit('/alice/anvil/issues/new', 'action="/alice/anvil/issues/new"', { title: '' })
  assert.match(nameless.text, /Schreiben Sie einen Titel\./)
  assert.doesNotMatch((await (await Browser.of(forge, 'bob')).get('/')).text, /Willkommen|Beginnen|anlegen/)
})

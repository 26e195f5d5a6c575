import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { Locale } from 'typebox/system'
import { languages } from './languages.ts'
import { inLanguage } from './reader.ts'
import { RefusalsOfSource } from './refusals-of-source.test-support.ts'
import { inReadersWords, refusals } from './refusals.ts'

/** Modules whose refusals only programs get, although pages load some of them. */
const forPrograms: readonly RegExp[] = [
  // Clients of these protocols are package managers, git, LFS, runners, other servers and the command line.
  /^src\/(?:cli|federation|feed|runner|transport)\//,
  /^src\/actions\/(?:artifacts|caches|identity|protocol|uploads)\//,
  /^src\/lfs\/(?:lfs\.requirements|objects\/object)/,
  /^src\/oauth\/(?:token\.service|oauth\.requirements)/,
  /^src\/packages\/(?:container|content|registry)\//,
  // Senders of mails, scrapers, and negotiation of media types.
  /^src\/(?:mail\/incoming\/|admin\/(?:stream-slots|metrics)|http\/(?:accept|narrowing|router))/,
  // Who starts the server or makes a backup reads the terminal.
  /^src\/(?:config|admin\/backup)\//,
  // The texts themselves.
  /^src\/web\/languages\//,
]

/** Further modules of programs, unless a page loads them: operations of the API, registries, and transports. */
const unlessLoaded: readonly RegExp[] = [/\.routes\.ts$/, /^src\/(?:packages|lfs|oauth|git\/transport)\//]

/** Expressions whose sentences do not come from the source of the program. */
const others: readonly string[] = [
  // A message of another refusal, without its field.
  'src/web/actions/workflows.page.tsx: withoutField(error.message)',
  // Errors of the network, as the system names them.
  "src/outgoing/outgoing.ts: message === '' ? code : message",
  'src/imports/sources/source-client.ts: messageOf(error)',
  // Output of git.
  'src/git/repositories/remote.ts: withoutAddress(result.stderr, options.url)',
  // What the broker of git reports, in English: it is a process of its own, and its faults are those of the server.
  ...Array.from({ length: 4 }, () => 'src/git/broker/broker-client.ts: message'),
]

const source = new RefusalsOfSource()
const pages = globSync('src/web/**/*.{ts,tsx}').filter((file) => !/\.test|\/browser\//.test(file))
const loaded = source.loadedBy(pages)
const found = source.files
  .filter((file) => !forPrograms.some((each) => each.test(file)))
  .filter((file) => loaded.has(file) || !unlessLoaded.some((each) => each.test(file)))
  .map((file) => source.sentencesOf(file))

/** Sentences of the checks of schemas. Their values are in the parameters of a check. */
const ofSchemas = (): string[] => {
  const limited = ['maxItems', 'maxLength', 'maxProperties', 'minItems', 'minLength', 'minProperties']
  const say = (keyword: string, params: object) =>
    Locale.en_US({ keyword, params, schemaPath: '', instancePath: '' } as unknown as Parameters<typeof Locale.en_US>[0])
  return [
    'does not fit',
    ...['additionalProperties', 'anyOf', 'const', 'enum', 'oneOf', 'uniqueItems'].map((keyword) => say(keyword, {})),
    ...limited.map((keyword) => say(keyword, { limit: '{0}' })),
    ...['<=', '>=', '<', '>'].map((comparison) => say('maximum', { comparison, limit: '{0}' })),
    say('format', { format: '{0}' }),
    say('pattern', { pattern: '{0}' }),
    say('multipleOf', { multipleOf: '{0}' }),
    say('type', { type: '{0}' }),
    say('type', { type: ['{0}'] }),
  ]
}

const translations = [...refusals]

test('each sentence of a refusal that can reach a page is translated, and no other', () => {
  const inSource = new Map(found.flatMap(({ sentences }) => sentences.map(({ sentence, where }) => [sentence, where])))
  assert.ok(inSource.size > 900, String(inSource.size))
  // A redirect is no refusal.
  inSource.delete('moved to {0}')
  const wanted = new Set([...inSource.keys(), ...ofSchemas()])
  assert.deepEqual([...refusals.keys(), 'en'].toSorted(), [...languages.keys()].toSorted())
  for (const [language, { sentences }] of translations) {
    const missing = [...wanted].filter((each) => sentences[each] === undefined)
    assert.deepEqual(
      missing.map((each) => `${language} lacks ${each} (${inSource.get(each)})`),
      [],
    )
    assert.deepEqual(
      Object.keys(sentences).filter((each) => !wanted.has(each)),
      [],
      `${language} has what the source lacks`,
    )
  }
})

test('the source shows the sentence of each refusal', () => {
  assert.deepEqual(found.flatMap(({ unread }) => unread).toSorted(), others.toSorted())
})

test('each translation has the values of its sentence, and each language the same words', () => {
  const valuesOf = (text: string) => [...text.matchAll(/\{\d/g)].map(String).toSorted()
  for (const [language, { sentences, words }] of translations) {
    const wrong = Object.entries(sentences).filter(([one, other]) => valuesOf(one).join() !== valuesOf(other).join())
    assert.deepEqual(wrong, [], language)
    assert.deepEqual(Object.keys(words), Object.keys(translations[0]?.[1].words ?? {}), language)
  }
})

test('a sentence with values is recognised among the others', () => {
  for (const [language, { sentences }] of translations) {
    const wrong = Object.entries(sentences).flatMap(([sentence, translation]) => {
      const filled = (text: string) => text.replaceAll(/\{(\d)!?\}/g, 'value$1')
      const said = inLanguage(language, () => inReadersWords(filled(sentence)))
      return said === filled(translation) ? [] : [`${sentence}: ${said}`]
    })
    assert.deepEqual(wrong, [], language)
  }
})

test('inReadersWords: values stay, words of the program are translated, other texts stay as they are', () => {
  for (const [language, message, expected] of [
    ['en', 'there is no branch main', 'there is no branch main'],
    ['de', 'there is no branch main', 'Den Branch main gibt es nicht'],
    ['zh-Hans', 'there is no branch main', '分支 main 不存在'],
    // A name that is a sentence, and one with the words of another sentence.
    ['de', 'there is no branch the repository is empty', 'Den Branch the repository is empty gibt es nicht'],
    ['de', 'the name a is reserved is taken', 'Der Name a is reserved ist vergeben'],
    ['de', 'there is no branch {0} {1!}', 'Den Branch {0} {1!} gibt es nicht'],
    ['de', 'you may not write issues or pulls', 'Sie dürfen hier nicht schreiben: Issues oder Pull-Requests'],
    ['zh-Hans', 'you may not write issues or pulls', '你没有写入权限：议题或拉取请求'],
    [
      'de',
      'called workflow "a.yml": workflow "b" does not exist in the default branch',
      'Aufgerufener Workflow „a.yml“: Den Workflow „b“ gibt es im Standard-Branch nicht',
    ],
    ['de', '[website]: must not have more than 255 characters', '[website]: Hat höchstens 255 Zeichen'],
    ['de', '[]: the body is empty', 'Die Anfrage ist leer'],
    ['de', 'Der Name fehlt', 'Der Name fehlt'],
    ['de', 'constructor', 'constructor'],
    ['de', '', ''],
    ['de', 'remote: denied by policy', 'remote: denied by policy'],
  ] as const) {
    assert.equal(
      inLanguage(language, () => inReadersWords(message)),
      expected,
    )
  }
})

test('a sentence that a language lacks is found, also behind a name, a condition and a function', () => {
  const sentencesOf = (file: string) => source.sentencesOf(file).sentences.map(({ sentence }) => sentence)
  assert.ok(sentencesOf('src/code/branches/branch-name.rules.ts').includes('{0} is not a valid branch name'))
  assert.ok(sentencesOf('src/repos/mirrors/mirror.service.ts').includes('the shortest interval is {0}'))
  assert.ok(sentencesOf('src/webhooks/hook.service.ts').includes('must be a glob'))
  assert.ok(sentencesOf('src/code/contents/file-change.service.ts').includes('{0} is {1}, not {2}'))
  assert.ok(sentencesOf('src/pulls/merge/merge-gate.policy.ts').includes('a review asks for changes'))
})

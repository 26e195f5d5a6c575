import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { allTables } from '../src/db/schema.ts'
import { pageErrors } from '../src/http/error-forms.ts'
import { isPage, type NamedOperation } from '../src/http/operation.ts'
import { Browser } from '../src/testing/browser.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import { givenPull } from '../src/testing/given-pull.ts'
import { addressOf, everythingOn } from './authorization-world.ts'

/**
 * Bodies of forms that are broken in each way, sent to each act of the pages: the answer is a redirect or a page with a status of a
 * refusal, in the language of the reader, and a refused form leaves no row.
 */

const manyRequests = { timeout: 600_000 }

const urlEncoded = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data; boundary=b'

type Body = readonly [type: string | undefined, raw: string | Buffer]

type Form = readonly [what: string, body: Body]

const part = (name: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

/** Bodies for a form with these fields; `token` is the right one against forged requests. */
function brokenForms(fields: readonly string[], token: string): readonly Form[] {
  const encoded = (value: string, more = ''): Body => [
    urlEncoded,
    `_csrf=${token}&${fields.map((name) => `${encodeURIComponent(name)}=${value}`).join('&')}${more}`,
  ]
  const parts = (value: string): string => part('_csrf', token) + fields.map((name) => part(name, value)).join('')
  const file = `--b\r\nContent-Disposition: form-data; name="${fields[0] ?? 'files'}"; filename="a"\r\n\r\nx\r\n`
  return [
    ['nothing', [urlEncoded, '']],
    ['no type', [undefined, '']],
    ['only the token', [urlEncoded, `_csrf=${token}`]],
    ['a wrong token', [urlEncoded, `_csrf=${token}x`]],
    ['two tokens', [urlEncoded, `_csrf=${token}&_csrf=x`]],
    ['empty fields', encoded('')],
    ['spaces', encoded('+++')],
    ['a zero byte', encoded('a%00b')],
    ['a lone surrogate', encoded('%ED%A0%80')],
    ['bytes that are not UTF-8', encoded('%FF%FE')],
    ['a malformed escape', encoded('%zz%')],
    ['control characters', encoded('%01%1b%5b31m%7f')],
    ['line breaks', encoded('a%0D%0Ab%0Ac%0D')],
    ['a large number', encoded('99999999999999999999')],
    ['a number below zero', encoded('-1')],
    ['a fraction', encoded('1e-3')],
    ['a long text', encoded('x'.repeat(20_000))],
    ['an element', encoded('%3Cscript%3E%22%27')],
    ['fields twice', [urlEncoded, ['a', 'b'].map((each) => String(encoded(each)[1])).join('&')]],
    ['fields as lists', [urlEncoded, `_csrf=${token}&${fields.map((name) => `${name}[]=a&${name}[0]=b`).join('&')}`]],
    ['fields as members', [urlEncoded, `_csrf=${token}&${fields.map((name) => `${name}[a][b]=c`).join('&')}`]],
    ['names of objects', [urlEncoded, `_csrf=${token}&__proto__=a&constructor=b&toString=c&hasOwnProperty=d`]],
    ['unknown fields', encoded('a', '&unknown=1&%00=2&=3&a%5B%5D=4')],
    ['too many fields', [urlEncoded, `_csrf=${token}&${'a=1&'.repeat(1500)}`]],
    [
      'JSON',
      ['application/json', JSON.stringify({ _csrf: token, ...Object.fromEntries(fields.map((f) => [f, ['a']])) })],
    ],
    ['broken JSON', ['application/json', '{"_csrf":']],
    ['another type', ['text/plain', `_csrf=${token}`]],
    ['an invalid type', ['nonsense', `_csrf=${token}`]],
    ['another character set', [`${urlEncoded}; charset=utf-16`, `_csrf=${token}`]],
    ['XML', ['application/xml', '<a/>']],
    ['multipart', [multipart, `${parts('a')}--b--\r\n`]],
    ['multipart with a zero byte', [multipart, `${parts('a\0b')}--b--\r\n`]],
    ['multipart that is not UTF-8', [multipart, Buffer.from(`${parts('\xff\xfe')}--b--\r\n`, 'latin1')]],
    ['multipart without an end', [multipart, parts('a')]],
    ['multipart cut in a header', [multipart, `${parts('a')}--b\r\nContent-Disposi`]],
    ['multipart cut in a file', [multipart, `${parts('a')}${file.slice(0, -2)}`]],
    ['multipart without a boundary', ['multipart/form-data', parts('a')]],
    ['multipart with another boundary', ['multipart/form-data; boundary=c', parts('a')]],
    ['multipart with fields twice', [multipart, `${parts('a')}${parts('b')}--b--\r\n`]],
    ['multipart with a file for a text', [multipart, `${part('_csrf', token)}${file}--b--\r\n`]],
    ['multipart with a name of objects', [multipart, `${part('_csrf', token)}${part('__proto__', 'a')}--b--\r\n`]],
    ['multipart with too many parts', [multipart, `${part('_csrf', token)}${part('a', '1').repeat(150)}--b--\r\n`]],
  ]
}

/** Forms that are refused in each language: they reach the services, or the checks before them. */
const sentInEachLanguage: ReadonlySet<string> = new Set([
  'only the token',
  'empty fields',
  'a zero byte',
  'line breaks',
  'a large number',
  'a number below zero',
  'a long text',
  'an element',
])

/** Returns what a page says about a refusal: beside a field, above a form, or below the heading of an error. */
const problemsOf = (html: string): string[] =>
  [...html.matchAll(/<p class="(?:wrong|flash problem|lead)"[^>]*>(.*?)<\/p>/gs)].map(([, text = '']) =>
    text.replaceAll(/<[^>]*>/g, '').trim(),
  )

const isEnglish = /[a-z]{2} [a-z]{2}/

/** Rows that a request leaves behind whatever it asks. */
const traces = /^(?:audit|job|lease|process|event|wiki_index|wiki_page|session|attempt|refused_attempt)/

/** A form that was received before with another text is forgotten when it is refused, so that it can be sent once more. */
const mayVanish: ReadonlySet<string> = new Set(['sent_form'])

const countRows = Object.keys(allTables)
  .filter((name) => !traces.test(name))
  .map((name) => `select '${name}' as name, count(*) as count from "${name}"`)
  .join(' union all ')

async function rowCounts({ services: { db } }: Forge): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql.raw<{ name: string; count: number }>(countRows).execute(db)
  return new Map(rows.map(({ name, count }) => [name, count]))
}

/** Acts that may remove what the others are about; they come last, in this order. */
const destructive: readonly RegExp[] = [
  /^(?:archive|transfer|visibility)Act$/,
  /^(?:delete|rename)(?:Branch|Repository|Org)\w*$|^leave/,
  /^administrationDelete(?:Repository|User)$/,
  /^administrationRenameUser$/,
]

/** An act that ends the session of the test. */
const endsSession = /^(?:signOutSubmit|deleteAccountSubmit)$/

const rankOf = (id: string): number => destructive.findIndex((each) => each.test(id))

/** After a rename that succeeded, its address leads to the new name. */
const movedStatuses = ({ id }: NamedOperation): readonly number[] => (rankOf(id) < 0 ? [] : [307])

const fieldsOf = ({ body }: NamedOperation): string[] =>
  body !== undefined && 'properties' in body ? Object.keys(body['properties'] as object) : []

/** The places that forms belong to, by their address: a test has the forms of one. */
const areas: readonly (readonly [area: string, path: RegExp])[] = [
  ['the administration', /^\/admin\b/],
  ['organizations', /^\/orgs?\b/],
  ['the settings of repositories', /\{reponame\}\/settings\b/],
  ['issues', /\{reponame\}\/issues\b/],
  ['repositories', /\{reponame\}/],
  ['the settings of accounts', /^\/user\/settings\b/],
  ['other pages', /^\//],
]

const areaOf = ({ path }: NamedOperation): string | undefined => areas.find(([, each]) => each.test(path))?.[0]

for (const [area] of areas) {
  test(
    `no broken form of ${area} is a defect, leaves a row when it is refused, or answers without a page`,
    manyRequests,
    () => sendBroken(area),
  )
}

/** Sends each broken form to each act of an area. */
async function sendBroken(area: string): Promise<void> {
  await using forge = await startForge({ users: ['alice'], settings: everythingOn })
  const repo = await forge.given.repo({ owner: 'alice', name: 'tool' })
  await forge.given.org({ owner: 'alice', name: 'guild' })
  await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'one' })
  const pull = await givenPull(forge, { repo })
  await forge.settle()
  const given = {
    username: 'alice',
    reponame: 'tool',
    org: 'guild',
    owner: 'alice',
    repo: 'tool',
    index: String(pull.number),
  }
  const browser = await Browser.of(forge, 'root')
  const wrong: string[] = []
  let asked = 0
  let compared = 0
  const operations = forge.services
    .operations()
    .filter((each) => isPage(each) && each.method === 'POST' && !endsSession.test(each.id) && areaOf(each) === area)
    .toSorted((one, other) => rankOf(one.id) - rankOf(other.id))
  for (const operation of operations) {
    const path = addressOf(operation, given)
    const token = await browser.csrf('/user/settings')
    const fields = fieldsOf(operation).filter((name) => name !== '_csrf')
    const say = (what: string, fault: string) => wrong.push(`${operation.id} ${path}: ${what}: ${fault}`)
    const send = ([type, raw]: Body, language = 'en-US') =>
      forge.guest.send('POST', path, undefined, {
        site: true,
        raw,
        headers: {
          cookie: browser.cookieHeader(),
          'accept-language': language,
          ...(type === undefined ? {} : { 'content-type': type }),
        },
      })
    const changedSince = async (before: ReadonlyMap<string, number>) =>
      [...(await rowCounts(forge))]
        .filter(
          ([name, count]) => count !== before.get(name) && !(mayVanish.has(name) && count < (before.get(name) ?? 0)),
        )
        .map(([name]) => name)
    const check = async ([what, form]: Form): Promise<boolean> => {
      const { status, headers, text } = await send(form)
      if (status >= 500) say(what, String(status))
      // Parts that a script asks for have their errors as text.
      else if (
        status >= 400 &&
        operation.errors === pageErrors &&
        !headers.get('content-type')?.startsWith('text/html')
      ) {
        say(what, `${status} is ${headers.get('content-type')}`)
      } else if (status < 400 && ![200, 303, ...movedStatuses(operation)].includes(status)) say(what, String(status))
      if (/<script>["']/.test(text)) say(what, 'an element of a field')
      if (status >= 400 && sentInEachLanguage.has(what)) {
        said.set(what, { form, problems: problemsOf(text).filter((problem) => isEnglish.test(problem)) })
      }
      return status >= 400
    }
    /** What English pages say about forms. */
    const said = new Map<string, { readonly form: Body; readonly problems: readonly string[] }>()
    let forms = brokenForms(fields, token)
    asked += forms.length
    // Counting the rows of all tables costs more than a request, so they are counted around all forms. The rows of an accepted
    // form would hide others: without it, the refused forms are sent again.
    for (;;) {
      // Rows that follow from the forms before.
      await forge.settle()
      const before = await rowCounts(forge)
      const refused: Form[] = []
      for (const form of forms) if (await check(form)) refused.push(form)
      if (refused.length === forms.length) {
        const more = await changedSince(before)
        if (more.length > 0) say('a refused form', `rows of ${more.join(', ')}`)
        break
      }
      forms = refused
    }
    const different = Map.groupBy(said, ([, { problems }]) => problems.join())
    for (const language of ['de-DE', 'zh-CN']) {
      await forge.as('root').must('PATCH', '/user/settings', { language })
      for (const [first] of different.values()) {
        if (first === undefined) continue
        const [what, { form, problems }] = first
        const translated = problemsOf((await send(form, language)).text)
        compared += problems.length
        for (const problem of problems) if (translated.includes(problem)) say(what, `in ${language}: ${problem}`)
      }
    }
    await forge.as('root').must('PATCH', '/user/settings', { language: 'en-US' })
  }
  assert.deepEqual(wrong, [], forge.defects.map(String).join('\n'))
  assert.deepEqual(forge.defects, [])
  assert.equal((await browser.get('/user/settings')).status, 200, 'the session lasted')
  assert.ok(asked > 1000, `${asked} requests`)
  assert.ok(compared > 20, `${compared} problems in other languages`)
}

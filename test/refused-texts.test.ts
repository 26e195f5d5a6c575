import assert from 'node:assert/strict'
import type { TwinOperation } from '../src/web/shell/page.tsx'
import { test } from 'node:test'
import type { NamedOperation } from '../src/http/operation.ts'
import { Browser } from '../src/testing/browser.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import { eachOf, everythingOn } from './authorization-world.ts'

const typed = 'typed <words> & lines'
const shown = 'typed &lt;words> &amp; lines'

/** Fields that no page shows again. */
const secret = /passw|secret|token|passphrase|^data$|^value$/i

/** Returns the fields of a form that take any text. */
function textFields({ body }: NamedOperation): string[] {
  const { properties = {} } = (body ?? {}) as { readonly properties?: Readonly<Record<string, object>> }
  return Object.entries(properties).flatMap(([name, schema]) =>
    'type' in schema && schema.type === 'string' && !('enum' in schema) && !name.startsWith('_') ? [name] : [],
  )
}

/** Returns the forms that people type into: their acts say where the texts appear again. */
const forms = (forge: Forge): NamedOperation[] =>
  forge.services
    .operations()
    .filter(
      (each: NamedOperation & Partial<TwinOperation>) =>
        each.keepsTexts === true && textFields(each).some((name) => !secret.test(name)),
    )

const values: Readonly<Record<string, string>> = { username: 'alice', reponame: 'home', org: 'guild', filepath: 'main' }

const addressOf = ({ path, params }: NamedOperation): string =>
  path.replaceAll(/\{([\w-]+)\+?\}/g, (_match, name: string) => {
    const listed = (params[name] as { readonly enum?: readonly string[] } | undefined)?.enum
    return listed?.[0] ?? values[name] ?? '1'
  })

const filled = (form: NamedOperation, csrf: string): Record<string, string> => ({
  ...Object.fromEntries(textFields(form).map((name) => [name, typed])),
  _csrf: csrf,
})

async function world() {
  const forge = await startForge({ settings: everythingOn, users: ['alice', 'mallory'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'home' })
  await forge.given.org({ owner: 'alice', name: 'guild' })
  await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'one' })
  return { forge, repo }
}

/** The refusals after which there is nothing to show. */
const isQualified = (status: number): boolean => status >= 400 && status < 500 && status !== 401 && status !== 404

test('act: every form with text shows the text again, whoever is refused and whatever refuses', async () => {
  const { forge } = await world()
  await using _ = forge
  const wrong: string[] = []
  const counts = { asked: 0, kept: 0 }
  for (const who of ['root', 'alice', 'mallory']) {
    const browser = await Browser.of(forge, who)
    await browser.csrf('/user/settings')
    // oxlint-disable-next-line no-await-in-loop -- a person after the other
    await eachOf(forms(forge), 4, async (form) => {
      // The last requirement of all forms refuses it.
      const answer = await browser.post(addressOf(form), filled(form, 'x'.repeat(43)))
      counts.asked += 1
      if (!isQualified(answer.status)) {
        if (answer.status !== 404) wrong.push(`${form.id}: ${answer.status} for ${who}`)
        return
      }
      counts.kept += 1
      if (!answer.text.includes(shown)) wrong.push(`${form.id}: ${answer.status} for ${who} without the text`)
    })
  }
  assert.deepEqual(wrong, [])
  assert.ok(counts.asked > 200 && counts.kept > counts.asked / 2, JSON.stringify(counts))
})

test('act: what people typed is kept when the repository was archived, and when the page lacks the form', async () => {
  const { forge, repo } = await world()
  await using _ = forge
  const alice = await Browser.of(forge, 'alice')
  const path = `/${repo.fullName}/issues/1`
  const csrf = await alice.csrf(path)
  await forge.as('alice').must('PATCH', repo.api, { archived: true })
  const archived = await alice.post(`${path}/comments`, { content: `${typed}\nmore`, _csrf: csrf })
  assert.equal(archived.status, 423)
  assert.match(archived.text, /<textarea[^>]*readonly[^>]*>typed &lt;words> &amp; lines\nmore<\/textarea>/)
  assert.equal(archived.headers.get('cache-control'), 'no-store')
  await forge.as('alice').must('PATCH', repo.api, { archived: false })
  // Another site puts no words on a page of this one.
  const foreign = await alice.send(
    'POST',
    `${path}/comments`,
    { content: typed, _csrf: csrf },
    { 'sec-fetch-site': 'cross-site' },
  )
  assert.equal(foreign.status, 403)
  assert.doesNotMatch(foreign.text, /typed &lt;words>/)
})

test('act: secrets are not shown again', async () => {
  const { forge } = await world()
  await using _ = forge
  const alice = await Browser.of(forge, 'alice')
  await alice.csrf('/user/settings')
  const sent = { address: 'https://a.example/two words', password: 'secret words', _csrf: 'x'.repeat(43) }
  const answer = await alice.post('/alice/home/settings/mirrors', sent)
  assert.doesNotMatch(answer.text, /secret words/)
})

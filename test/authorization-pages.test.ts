import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPage, type NamedOperation } from '../src/http/operation.ts'
import { Browser } from '../src/testing/browser.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import { eachOf, everythingOn } from './authorization-world.ts'

/** Pages and forms, by the session of a browser. */
const pagesOf = (forge: Forge): NamedOperation[] =>
  forge.services.operations().filter((operation) => isPage(operation) && operation.base === 'site')

const isOfRepository = ({ path }: NamedOperation): boolean => path.startsWith('/{username}/{reponame}')

/** Codes of requirements that strangers do not meet. */
const rightsCode = /^(?:RA|RO|SA|OO|OM|TM|RW\()/

const needsRight = ({ requires }: NamedOperation): boolean =>
  requires.some(({ codes }) => codes.some((code) => rightsCode.test(code)))

/** Values of path parameters that are no names of repositories or accounts. */
const values: Readonly<Record<string, string>> = {
  username: 'alice',
  reponame: 'home',
  org: 'guild',
  index: '1',
  sha: 'main',
  filepath: 'README.md',
}

/** The address of an operation; a parameter with a list of values gets the first one. */
function addressOf({ path, params, whenQuery }: NamedOperation): string {
  const address = path.replaceAll(/\{([\w-]+)\+?\}/g, (_match, name: string) => {
    const listed = (params[name] as { readonly enum?: readonly string[] } | undefined)?.enum
    return listed?.[0] ?? values[name] ?? '1'
  })
  return whenQuery === undefined ? address : `${address}?${new URLSearchParams(whenQuery)}`
}

const csrfName = '_csrf'

/** Forms that other sites send: they only lead to a page with a form of this site. */
const openForms: ReadonlySet<string> = new Set(['oauthAuthorizePost'])

const send = (browser: Browser, operation: NamedOperation, csrf: string) =>
  operation.method === 'GET'
    ? browser.get(addressOf(operation))
    : browser.post(addressOf(operation), { [csrfName]: csrf })

test('pages: strangers and guests find nothing of a private repository, whatever they open or send', async () => {
  await using forge = await startForge({ settings: everythingOn, users: ['alice', 'mallory'] })
  await forge.given.repo({ owner: 'alice', name: 'home', private: true })
  const [guest, mallory] = [new Browser(forge), await Browser.of(forge, 'mallory')]
  const [guestCsrf, csrf] = [await guest.csrf(), await mallory.csrf('/user/settings')]
  const wrong: string[] = []
  const operations = pagesOf(forge).filter(isOfRepository)
  await eachOf(operations, 4, async (operation) => {
    const seen = await send(mallory, operation, csrf)
    if (seen.status !== 404) wrong.push(`${operation.id}: ${seen.status} for a stranger`)
    const open = await send(guest, operation, guestCsrf)
    const isAskedToSignIn = open.status === 303 && /\/user\/login/.test(open.headers.get('location') ?? '')
    if (open.status !== 404 && !isAskedToSignIn) wrong.push(`${operation.id}: ${open.status} for a guest`)
  })
  assert.deepEqual(wrong, [])
  assert.ok(operations.length > 60, `${operations.length} were asked`)
})

test('pages: who lacks the right that a page or form requires is refused', async () => {
  await using forge = await startForge({ settings: everythingOn, users: ['alice', 'mallory'] })
  await forge.given.repo({ owner: 'alice', name: 'home' })
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const mallory = await Browser.of(forge, 'mallory')
  const csrf = await mallory.csrf('/user/settings')
  const wrong: string[] = []
  const operations = pagesOf(forge).filter(needsRight)
  await eachOf(operations, 4, async (operation) => {
    const { status } = await send(mallory, operation, csrf)
    if (status !== 403 && status !== 404) wrong.push(`${operation.id}: ${status}`)
  })
  assert.deepEqual(wrong, [])
  assert.ok(operations.length > 20, `${operations.length} were asked`)
})

test('pages: no form is accepted without the hidden field of this site', async () => {
  await using forge = await startForge({ settings: everythingOn, users: ['alice'] })
  await forge.given.repo({ owner: 'alice', name: 'home' })
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const alice = await Browser.of(forge, 'alice')
  await alice.csrf('/user/settings')
  const wrong: string[] = []
  const forms = pagesOf(forge).filter(({ method, path }) => method === 'POST' && !path.startsWith('/admin'))
  await eachOf(forms, 4, async (operation) => {
    const { status } = await send(alice, operation, 'x'.repeat(43))
    if (status < 400 && !openForms.has(operation.id)) wrong.push(`${operation.id}: ${status}`)
  })
  assert.deepEqual(wrong, [])
  assert.equal((await alice.get('/user/settings')).status, 200, 'the person is still signed in')
})

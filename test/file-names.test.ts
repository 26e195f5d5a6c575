import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { isPage, type NamedOperation } from '../src/http/operation.ts'
import { nameOfBytes } from '../src/lib/file-names.ts'
import { Browser, hiddenFields, unescaped } from '../src/testing/browser.ts'
import { Clone } from '../src/testing/clone.ts'
import { examined } from '../src/testing/doctor.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import type { GivenRepo } from '../src/testing/given.ts'
import { runProgram } from '../src/testing/program.ts'
import { base64 } from '../src/testing/samples.ts'
import { addressOf, everythingOn } from './authorization-world.ts'

/**
 * File names that mean something to a shell, to git, to an address, to HTML or to a terminal, at every address with a path of a
 * repository: each leads to its own file, and a path outside of the repository leads nowhere.
 */

/** A file outside of the repository, or one of git's own. */
const leaked = /root:x:0:|repositoryformatversion|^ref: refs\/|-----BEGIN/m

const manyRequests = { timeout: 300_000 }

/** Names as bytes, by what is odd about them. */
const oddNames: Readonly<Record<string, Buffer>> = Object.fromEntries(
  Object.entries({
    'not UTF-8': Buffer.from('latin\xe9.txt', 'latin1'),
    'bytes of no encoding': Buffer.from([0xff, 0xfe, 0x2e, 0x74]),
    'a line break': 'line\nbreak.txt',
    'a carriage return': 'cr\rlf\r\n.txt',
    quotes: `quo"te's.txt`,
    backquotes: '`touch x`.txt',
    'a tab': 'tab\there.txt',
    'control characters': 'bell\u0007\u001b[31m\u007f.txt',
    'a leading hyphen': '-n',
    'an option of git': '--output=x',
    'the end of options': '--',
    'two points': '..',
    'a name that begins with two points': '..x',
    'three points': '...',
    'a range': 'a..b',
    'spaces around': ' around ',
    'a backslash': 'back\\slash',
    'backslashes of a folder above': '..\\..\\x',
    'escaped points': '%2e%2e',
    'an escaped slash': 'a%2Fb',
    'an escaped zero': 'a%00b',
    'a malformed escape': '%zz%',
    'a question mark': '?q=1',
    'a hash': '#part',
    'a colon': 'main:README.md',
    'magic of path patterns': ':(exclude)README.md',
    'short magic of path patterns': ':!README.md',
    'a pattern': '*',
    'a class of a pattern': '[R]EADME.md',
    'braces and commas': '{a,b}.txt',
    'a command': '$(touch x);&|<>.txt',
    'an attribute and an element': `"><img src=x onerror=planted()>.txt`,
    'a turn of direction': '\u202Etxt.exe',
    'a joined letter': 'e\u0301.txt',
    'a composed letter': '\u00e9.txt',
    'a line separator': 'a\u2028b.txt',
    'a surrogate pair': '\u{1f600}.txt',
    'a letter of no Unicode range': '\u{10fee9}.txt',
    'a name of a device': 'CON',
    'a name of a page': 'commits',
    'a name like a revision': '@{-1}',
    'a name like a commit': '0'.repeat(40),
    'a large name': 'n'.repeat(255),
    'a name above the limit of file systems': 'm'.repeat(2000),
    'a deep path': Array.from({ length: 40 }, (_, index) => `folder-${index}`.padEnd(60, 'x')).join('/'),
  })
    // Git stores no such name.
    .filter(([what]) => what !== 'two points')
    .map(([what, name]) => [what, Buffer.from(name)]),
)

/** Targets of symbolic links. */
const links: Readonly<Record<string, string>> = {
  'to-passwd': '/etc/passwd',
  'to-above': '../../../../../../../../etc/passwd',
  'to-itself': 'to-itself',
  'to-one': 'to-two',
  'to-two': 'to-one',
  'to-git': '.git/config',
  'to-folder': 'inside',
  'to-nothing': 'no such file',
  'to-large': 'x/'.repeat(2000),
}

const prefixes: Readonly<Record<string, string | undefined>> = { api: '/api/v1', vendor: '/api/service/v1' }

/** Quotes a path for `git fast-import`. */
const quoted = (path: Buffer): string =>
  `"${[...path].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}"`

/** The content of an odd file, which names it. */
const contentOf = (what: string): string => `odd content of (${what})\n`

/** Names of pages of a wiki by what is odd about them: those of files, and what the wiki reads into a name. */
const oddPages: Readonly<Record<string, Buffer>> = Object.fromEntries([
  ...Object.entries(oddNames).filter(([what]) => !['a large name', 'a deep path'].includes(what)),
  ...Object.entries({
    'the folder itself': '.',
    'the folder above': '..',
    'the list of pages': '_pages',
    'the form of a page': '_new',
    'an act': '_edit',
    'files of the wiki': 'raw',
    'words with dashes': 'two-words',
    'words with spaces': 'two words',
    'the marker of spaces': 'two words.-',
    'the ending of a page': 'two-words.md',
    'a plus': 'two+words',
    'an escaped space': 'two%20words',
  }).map(([what, name]) => [what, Buffer.from(name)]),
])

/** Commits files with raw names to `main`. */
async function importFiles(clone: Clone, from: readonly string[], files: readonly (readonly [Buffer, string])[]) {
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}`
  const input = [
    'commit refs/heads/main',
    'committer Alice <alice@example.com> 1700000000 +0000',
    data('odd pages'),
    ...from,
    ...files.map(([name, text]) => `M 100644 inline ${quoted(name)}\n${data(text)}`),
    '',
  ].join('\n')
  const made = await runProgram('git', ['-C', clone.path, 'fast-import', '--quiet'], { input })
  assert.equal(made.code, 0, made.err)
}

/** Pushes a wiki with a page of each odd name. */
async function pushOddPages(forge: Forge, repo: GivenRepo): Promise<void> {
  using clone = await Clone.begin('alice')
  const files = Object.entries(oddPages).map(
    ([what, name]) => [Buffer.concat([name, Buffer.from('.md')]), contentOf(what)] as const,
  )
  await importFiles(clone, [], files)
  await clone.must('push', '-q', await forge.gitUrl('alice', `${repo.fullName}.wiki`), 'main')
  await forge.settle()
}

/** Pushes a branch `odd` with all odd names, links and a submodule, on top of `main`. */
async function pushOddNames(forge: Forge, repo: GivenRepo): Promise<string> {
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}`
  const files = Object.entries(oddNames).map(
    ([what, name]) => `M 100644 inline ${quoted(name)}\n${data(contentOf(what))}`,
  )
  const linkLines = Object.entries(links).map(
    ([name, target]) => `M 120000 inline ${quoted(Buffer.from(name))}\n${data(target)}`,
  )
  const head = await clone.must('rev-parse', 'HEAD')
  const modules = '[submodule "module"]\n\tpath = module\n\turl = https://example.com/module.git\n'
  const input = [
    'commit refs/heads/odd',
    'committer Alice <alice@example.com> 1700000000 +0000',
    data('odd names'),
    `from ${head}`,
    ...files,
    ...linkLines,
    `M 100644 inline inside/in.txt\n${data('in a folder\n')}`,
    `M 100644 inline .gitmodules\n${data(modules)}`,
    `M 160000 ${'1'.repeat(40)} module`,
    '',
  ].join('\n')
  const made = await runProgram('git', ['-C', clone.path, 'fast-import', '--quiet'], { input })
  assert.equal(made.code, 0, made.err)
  await clone.must('push', '-q', 'origin', 'odd')
  await forge.settle()
  return clone.must('rev-parse', 'odd')
}

interface RawAnswer {
  readonly status: number
  readonly location: string | undefined
  readonly text: string
}

/** Sends a request with the path as it is written: `fetch` would resolve its points. */
const rawSend = (
  forge: Forge,
  method: string,
  path: string,
  body: string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(forge.url)
    // Node frames no body of DELETE by itself.
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const sent = request({ hostname, port, path, method, headers: { ...headers, ...length } }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          location: response.headers.location,
          text: Buffer.concat(parts).toString(),
        }),
      )
    })
    sent.on('error', (error) => reject(new Error(`${method} ${path}: ${error.message}`)))
    sent.end(body)
  })

const rawGet = (forge: Forge, path: string, headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> =>
  rawSend(forge, 'GET', path, undefined, headers)

/** Follows at most three redirects. */
async function followedGet(forge: Forge, path: string, headers: Record<string, string>, most = 3): Promise<RawAnswer> {
  const answer = await rawGet(forge, path, headers)
  if (answer.status !== 303 || answer.location === undefined || most === 0) return answer
  const { pathname, search } = new URL(answer.location, forge.url)
  return followedGet(forge, pathname + search, headers, most - 1)
}

/** The text of a page, without the elements that highlight it. */
const textOf = (html: string): string => unescaped(html.replaceAll(/<\/?\w[^>]*>/g, ''))

/** Fields as a browser sends them: each line break is CR LF. */
const asSent = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.replaceAll(/\r\n?|\n/g, '\r\n')]))

/** Paths that lead out of a repository, to nothing, or into git's own files. */
const outside: readonly string[] = [
  ...['..', '../../../../../../etc/passwd', './../README.md', '.', '//etc/passwd', '.git/config', '../config', 'HEAD'],
  ...['%2e%2e/%2e%2e/config', '..%2f..%2fconfig', '..%5c..%5cconfig', '%252e%252e/config', '%00', 'README.md%00'],
  ...[
    'README.md/in',
    'inside/',
    'module/in',
    '%ff%fe%fd',
    '%c0%ae%c0%ae/config',
    '%',
    '--output=x',
    '--',
    '%0aHost:%20x',
  ],
  ...[':(top)README.md', '@{-1}', 'odd:README.md'],
  'x'.repeat(6000),
  'y/'.repeat(2500),
]

/** What stands before a path in an address: nothing, or the branch in two forms. */
const places: readonly string[] = ['', 'odd/', 'branch/odd/']

const escaped = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** The names in parts, one for each test: a forge with all of their changes takes longer than a test should. */
const parts = [0, 1, 2].map((part) => Object.entries(oddNames).filter((_, index) => index % 3 === part))

for (const [part, names] of parts.entries()) {
  test(`file names: every reading of an odd name answers with its own file, part ${part + 1}`, manyRequests, () =>
    readOddNames(names),
  )
  test(`file names: every act on an odd name changes its own file, part ${part + 1}`, manyRequests, () =>
    changeOddNames(names),
  )
}

async function readOddNames(names: readonly (readonly [string, Buffer])[]): Promise<void> {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const head = await pushOddNames(forge, repo)
  const alice = forge.as('alice')
  const browser = await Browser.of(forge, 'alice')
  const pull = (await alice.must('POST', `${repo.api}/pulls`, { head: 'odd', base: 'main', title: 'odd' })).json.number
  await forge.settle()
  const site = `/${repo.fullName}`
  const paths = names.map(([what, bytes]) => [what, nameOfBytes(bytes)] as const)

  const wrong: string[] = []
  const contents = Object.keys(oddNames).map((what) => contentOf(what).trim())
  for (const [what, path] of paths) {
    const at = escaped(path)
    const own = contentOf(what).trim()
    const check = (where: string, status: number, text: string, shows = own) => {
      if (status !== 200) return void wrong.push(`${what}: ${where}: ${status}`)
      const shown = textOf(text)
      if (!shown.includes(shows)) wrong.push(`${what}: ${where}: not its own file`)
      const other = contents.find((each) => each !== own && shown.includes(each))
      if (other !== undefined) wrong.push(`${what}: ${where}: ${other}`)
    }
    const plain = async (where: string, address: string) => {
      const { status, text } = await followedGet(forge, address, { cookie: browser.cookieHeader() })
      check(where, status, text)
    }
    const file = await alice.get(`${repo.api}/contents/${at}?ref=odd`)
    check('contents', file.status, Buffer.from(file.json?.content ?? '', 'base64').toString())
    if (file.json?.path !== path) wrong.push(`${what}: contents: the path is ${file.json?.path}`)
    for (const key of ['url', 'html_url', 'download_url', 'git_url'] as const) {
      const link = URL.parse(file.json?.[key])
      const answer = link && (await rawGet(forge, link.pathname + link.search))
      if (answer?.status !== 200) wrong.push(`${what}: ${key} ${file.json?.[key]}: ${answer?.status}`)
    }
    await plain('API raw', `/api/v1${repo.api}/raw/${at}?ref=odd`)
    await plain('API raw by path', `/api/v1${repo.api}/raw/odd/${at}`)
    await plain('API media', `/api/v1${repo.api}/media/${at}?ref=odd`)
    await plain('raw', `${site}/raw/branch/odd/${at}`)
    await plain('raw of a commit', `${site}/raw/commit/${head}/${at}`)
    await plain('raw, abbreviated', `${site}/raw/odd/${at}`)
    await plain('media', `${site}/media/branch/odd/${at}`)
    await plain('source', `${site}/src/branch/odd/${at}`)
    await plain('blob', `${site}/blob/odd/${at}`)
    await plain('tree', `${site}/tree/odd/${at}`)
    await plain('blame', `${site}/blame/branch/odd/${at}`)
    await plain('edit', `${site}/_edit/odd/${at}`)
    for (const [where, address] of [
      ['commits page', `${site}/commits/branch/odd/${at}`],
      ['feed', `${site}/atom/branch/odd/${at}`],
      ['rss', `${site}/rss/branch/odd/${at}`],
      ['API commits', `/api/v1${repo.api}/commits?sha=odd&path=${encodeURIComponent(path)}`],
    ] as const) {
      const { status, text } = await rawGet(forge, address)
      if (status !== 200 || !text.includes(head)) wrong.push(`${what}: ${where}: ${status}, or not its commit`)
    }
    const deleting = await browser.get(`${site}/_delete/odd/${at}`)
    if (deleting.status !== 200) wrong.push(`${what}: delete: ${deleting.status}`)
    const adding = await browser.get(`${site}/_new/odd/${at}?name=${encodeURIComponent(path)}`)
    if (adding.status >= 500) wrong.push(`${what}: new: ${adding.status}`)
    const inQuery = encodeURIComponent(path)
    for (const [where, address] of [
      ['commit page', `${site}/commit/${head}?file=${inQuery}`],
      ['comparison', `${site}/compare/main...odd?file=${inQuery}`],
      ['files of the pull request', `${site}/pulls/${pull}/files?file=${inQuery}`],
    ] as const) {
      const { status, text } = await browser.get(address)
      if (status !== 200 || !textOf(text).includes(own)) wrong.push(`${what}: ${where}: ${status}, or not its file`)
    }
    const found = await browser.get(`${site}/find/branch/odd?q=${inQuery}`)
    if (found.status !== 200) wrong.push(`${what}: finder: ${found.status}`)
    // Acts that name a path without a change of it.
    const comment = await alice.post(`${repo.api}/pulls/${pull}/reviews`, {
      event: 'COMMENT',
      body: 'x',
      comments: [{ path, new_position: 1, body: 'on a line' }],
    })
    if (comment.status !== 200) wrong.push(`${what}: review: ${comment.status} ${comment.text.slice(0, 100)}`)
    const files = await browser.get(`${site}/pulls/${pull}/files?file=${inQuery}`)
    const viewed = await browser.post(`${site}/pulls/${pull}/files/viewed`, {
      ...asSent(hiddenFields(files.text, '/files/viewed')),
      viewed: 'true',
    })
    if (viewed.status !== 303) wrong.push(`${what}: viewed: ${viewed.status}`)
  }
  const viewed = await forge.services.db.selectFrom('viewed_file').select('path').execute()
  for (const [what, path] of paths) {
    if (!viewed.some((row) => row.path === path)) wrong.push(`${what}: it is not viewed`)
  }
  const list = (await browser.get(`${site}/find-list/commit/${head}`)).text
  const tree = (await alice.get(`${repo.api}/git/trees/odd?recursive=1&per_page=1000`)).json.tree as { path: string }[]
  const listed = new Set(tree.map((entry) => entry.path))
  const tar = gunzipSync((await alice.get(`${repo.api}/archive/odd.tar.gz`)).bytes)
  const zip = (await alice.get(`${repo.api}/archive/odd.zip`)).bytes
  const diff = (await alice.get(`${repo.api}/pulls/${pull}.diff`)).text
  for (const [what, path] of paths) {
    if (!listed.has(path)) wrong.push(`${what}: it is not in the tree`)
    if (!tar.includes(contentOf(what))) wrong.push(`${what}: it is not in the TAR archive`)
    if (!zip.includes(oddNames[what] as Buffer)) wrong.push(`${what}: it is not in the ZIP archive`)
    if (!diff.includes(contentOf(what))) wrong.push(`${what}: it is not in the difference`)
    if (!list.includes(JSON.stringify(path).slice(1, -1)) && !list.includes(path)) {
      wrong.push(`${what}: not in find-list`)
    }
  }
  for (const page of [`/pulls/${pull}`, `/pulls/${pull}/files`, '', '/src/branch/odd', '/activity', '/search?q=odd']) {
    const { status, text } = await browser.get(site + page)
    if (status !== 200 || /<img src=x/.test(text)) wrong.push(`${page}: ${status}, or an element of a name`)
  }
  assert.deepEqual(wrong, [])
  assert.deepEqual(forge.defects, [])
}

async function changeOddNames(names: readonly (readonly [string, Buffer])[]): Promise<void> {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await pushOddNames(forge, repo)
  const alice = forge.as('alice')
  const browser = await Browser.of(forge, 'alice')
  const site = `/${repo.fullName}`
  const wrong: string[] = []
  /** Every file of the branch with its object, by path. */
  const treeOf = async (): Promise<Map<string, string>> => {
    const { json } = await alice.must('GET', `${repo.api}/git/trees/odd?recursive=1&per_page=1000`)
    return new Map(json.tree.map((entry: { path: string; sha: string }) => [entry.path, entry.sha]))
  }
  /** The paths that a change touched. */
  const changed = (one: Map<string, string>, other: Map<string, string>): string[] =>
    [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path))
  let before = await treeOf()
  for (const [what, bytes] of names) {
    const path = nameOfBytes(bytes)
    const at = escaped(path)
    const isFolder = path.includes('/')
    const expectChange = async (act: string, status: number, isThere: boolean) => {
      const after = await treeOf()
      const paths = changed(before, after)
      before = after
      const own = isFolder ? paths.filter((each) => !path.startsWith(`${each}/`)) : paths
      if (status >= 300 && status !== 303) wrong.push(`${what}: ${act}: ${status}`)
      if (own.length !== 1 || own[0] !== path) wrong.push(`${what}: ${act}: ${JSON.stringify(own)} changed`)
      if (after.has(path) !== isThere) wrong.push(`${what}: ${act}: ${isThere ? 'it is gone' : 'it is still there'}`)
    }
    const put = await alice.put(`${repo.api}/contents/${at}`, {
      content: base64('put\n'),
      sha: before.get(path),
      branch: 'odd',
    })
    await expectChange('PUT contents', put.status, true)
    const files = [{ operation: 'update', path, content: base64('posted\n'), sha: before.get(path) }]
    const posted = await alice.post(`${repo.api}/contents`, { files, branch: 'odd', message: 'x' })
    // The contract bounds the paths of this operation at 500 characters.
    if (posted.status !== 422 || path.length <= 500) await expectChange('POST contents', posted.status, true)
    const page = await browser.get(`${site}/_edit/odd/${at}`)
    const shown = unescaped(/<input[^>]*name="name"[^>]*?value="([^"]*)"/.exec(page.text)?.[1] ?? '')
    const edited = await browser.post(`${site}/_edit/odd/${at}`, {
      ...asSent(hiddenFields(page.text, '/_edit/')),
      // A browser removes line breaks from the text of a field.
      name: shown.replaceAll(/[\r\n]/g, ''),
      text: 'edited\n',
      target: 'direct',
    })
    await expectChange('edit', edited.status, true)
    const removed = await browser.submit(`${site}/_delete/odd/${at}`, '/_delete/', { target: 'direct' })
    await expectChange('delete', removed.status, false)
    const uploaded = await browser.upload(
      `${site}/_upload/odd/`,
      { _csrf: await browser.csrf(`${site}/_upload/odd/`), target: 'direct', folder: '' },
      { field: 'files', content: Buffer.from('uploaded'), name: path },
    )
    if (uploaded.status >= 500) wrong.push(`${what}: upload: ${uploaded.status}`)
    before = await treeOf()
    if (before.has(path)) {
      await alice.must('DELETE', `${repo.api}/contents/${at}`, { sha: before.get(path), branch: 'odd' })
      before = await treeOf()
    }
    const made = await alice.post(`${repo.api}/contents/${at}`, { content: base64('made\n'), branch: 'odd' })
    if (made.status === 201) await expectChange('POST contents/path', made.status, true)
    else if (made.status !== 422) wrong.push(`${what}: POST contents/path: ${made.status}`)
    if (made.status === 201) {
      const body = { sha: before.get(path), branch: 'odd' }
      const deleted = await alice.send('DELETE', `${repo.api}/contents/${at}`, body)
      await expectChange('DELETE contents', deleted.status, false)
    }
  }
  assert.deepEqual(wrong, [])
  assert.deepEqual(forge.defects, [])
}

test('file names: every address and act of a wiki works on its own page', manyRequests, async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await pushOddPages(forge, repo)
  const alice = forge.as('alice')
  const browser = await Browser.of(forge, 'alice')
  const site = `/${repo.fullName}/wiki`
  const wrong: string[] = []
  const whatOf = new Map(Object.keys(oddPages).map((what) => [contentOf(what), what]))
  /** The files of the wiki with their objects. */
  const treeOf = async (): Promise<Map<string, string>> => {
    const row = await forge.services.db.selectFrom('repo').selectAll().executeTakeFirstOrThrow()
    const key = row.wiki_git_key
    assert.ok(key)
    const head = await forge.services.git.readRef(key, 'refs/heads/main')
    assert.ok(head)
    return new Map((await forge.services.git.readTree(key, head)).map(({ name, oid }) => [name, oid]))
  }
  const list = (await alice.must('GET', `${repo.api}/wiki/pages?limit=1000`)).json as {
    sub_url: string
    html_url: string
  }[]
  assert.equal(list.length, Object.keys(oddPages).length)
  assert.equal(new Set(list.map((page) => page.sub_url)).size, list.length, 'each page has an address of its own')
  const seen = new Set<string>()
  let before = await treeOf()
  for (const { sub_url: at, html_url: address } of list) {
    const page = await rawGet(forge, `/api/v1${repo.api}/wiki/page/${at}`)
    const json = page.status === 200 ? JSON.parse(page.text) : undefined
    const content = Buffer.from(json?.content_base64 ?? '', 'base64').toString()
    const what = whatOf.get(content)
    if (what === undefined || seen.has(what)) {
      wrong.push(`${at}: API: ${page.status}, ${what === undefined ? 'no page' : `${what} again`}`)
      continue
    }
    seen.add(what)
    const file = `${nameOfBytes(oddPages[what] as Buffer)}.md`
    const own = content.trim()
    if (json.html_url !== address) wrong.push(`${what}: html_url: ${json.html_url} and ${address}`)
    const { pathname } = new URL(address)
    for (const [where, path, shows] of [
      ['page', pathname, own],
      ['form', `${pathname}?action=_edit`, own],
      ['history', `${pathname}?action=_revision`, 'odd pages'],
      ['raw', `${site}/raw/${at.replaceAll('+', '%20')}`, own],
    ] as const) {
      const { status, text } = await rawGet(forge, path, { cookie: browser.cookieHeader() })
      if (status !== 200 || !textOf(text).includes(shows)) wrong.push(`${what}: ${where}: ${status}, or not its page`)
    }
    const revisions = await rawGet(forge, `/api/v1${repo.api}/wiki/revisions/${at}`)
    if (revisions.status !== 200) wrong.push(`${what}: revisions: ${revisions.status}`)
    const expectChange = async (act: string, status: number, isThere: boolean) => {
      const after = await treeOf()
      const files = [...new Set([...before.keys(), ...after.keys()])].filter(
        (each) => before.get(each) !== after.get(each),
      )
      before = after
      if (status >= 400) wrong.push(`${what}: ${act}: ${status}`)
      if (files.length !== 1 || files[0] !== file) wrong.push(`${what}: ${act}: ${JSON.stringify(files)} changed`)
      if (after.has(file) !== isThere) wrong.push(`${what}: ${act}: ${isThere ? 'it is gone' : 'it is still there'}`)
    }
    const { token } = await forge.account('alice')
    const asAlice = { authorization: `token ${token}`, 'content-type': 'application/json' }
    const apiAt = `/api/v1${repo.api}/wiki/page/${at}`
    const patch = JSON.stringify({ content_base64: base64('patched\n') })
    await expectChange('PATCH', (await rawSend(forge, 'PATCH', apiAt, patch, asAlice)).status, true)
    const form = await rawGet(forge, `${pathname}?action=_edit`, { cookie: browser.cookieHeader() })
    const title = unescaped(/<input[^>]*name="title"[^>]*?value="([^"]*)"/.exec(form.text)?.[1] ?? '')
    const fields = new URLSearchParams({
      ...asSent(hiddenFields(form.text, 'id="wiki-form"')),
      // A browser removes line breaks from the text of a field.
      title: title.replaceAll(/[\r\n]/g, ''),
      content: 'edited\r\n',
    })
    const formType = { cookie: browser.cookieHeader(), 'content-type': 'application/x-www-form-urlencoded' }
    await expectChange('edit', (await rawSend(forge, 'POST', pathname, String(fields), formType)).status, true)
    await expectChange('DELETE', (await rawSend(forge, 'DELETE', apiAt, undefined, asAlice)).status, false)
  }
  await forge.settle()
  assert.equal((await browser.get(`${site}/_pages`)).status, 200)
  assert.equal((await browser.get(`/${repo.fullName}/activity`)).status, 200)
  assert.deepEqual(wrong, [])
  assert.deepEqual(forge.defects, [])
})

test('file names: an issue is opened from a template of each name', manyRequests, async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const templates = Object.entries(oddNames).filter(([what]) => !['a large name', 'a deep path'].includes(what))
  const folder = Buffer.from('.gitea/ISSUE_TEMPLATE/')
  await importFiles(
    clone,
    [`from ${await clone.must('rev-parse', 'HEAD')}`],
    templates.map(([what, name]) => [
      Buffer.concat([folder, name, Buffer.from('.yaml')]),
      `name: ${contentOf(what)}about: x\nbody:\n  - { type: input, attributes: { label: the question of ${what} } }\n`,
    ]),
  )
  await clone.must('push', '-q', '--force', 'origin', 'main')
  await forge.settle()
  const listed = (await forge.as('alice').must('GET', `${repo.api}/issue_templates`)).json as { file_name: string }[]
  assert.deepEqual(
    listed.map((each) => each.file_name).toSorted(),
    templates.map(([, name]) => `${folder.toString()}${nameOfBytes(name)}.yaml`).toSorted(),
  )
  const browser = await Browser.of(forge, 'alice')
  const { text } = await browser.get(`/${repo.fullName}/issues/new/choose`)
  const links = [...text.matchAll(/href="([^"]*\?template=[^"]*)"/g)].map(([, link]) => unescaped(link ?? ''))
  assert.equal(links.length, templates.length)
  const wrong: string[] = []
  const opened = new Set<string>()
  for (const link of links) {
    const form = await browser.get(link)
    const what = templates.find(([each]) => textOf(form.text).includes(contentOf(each).trim()))?.[0]
    const fields = asSent(hiddenFields(form.text, '/issues/new'))
    const sent = await browser.post(`/${repo.fullName}/issues/new`, { ...fields, title: 'x', 'field-0': 'an answer' })
    const issue = /\/issues\/(\d+)$/.exec(sent.headers.get('location') ?? '')?.[1]
    const body: unknown = (await forge.as('alice').get(`${repo.api}/issues/${issue}`)).json?.body
    if (what === undefined || body !== `### the question of ${what}\n\nan answer`) {
      wrong.push(`${link}: ${what}: ${sent.status} ${JSON.stringify(body)}`)
    } else opened.add(what)
  }
  assert.deepEqual(wrong, [])
  assert.equal(opened.size, templates.length)
  assert.deepEqual(forge.defects, [])
})

test('file names: a path that leads nowhere is refused at every address', manyRequests, async () => {
  const asked = await sendOutside(({ method }) => method === 'GET')
  assert.ok(asked > 1000, `${asked} requests`)
})

test('file names: a path that leads nowhere is refused by every act', manyRequests, async () => {
  const asked = await sendOutside(({ method }) => method !== 'GET')
  assert.ok(asked > 1000, `${asked} requests`)
})

test('file names: a path that leads nowhere is refused in comments, in lists of files and in searches', async () => {
  await using forge = await startForge({ users: ['alice'], settings: everythingOn })
  const { repo, pull } = await givenOddPull(forge)
  const browser = await Browser.of(forge, 'alice')
  const wrong: string[] = []
  const alice = forge.as('alice')
  for (const path of outside) {
    const comments = [
      { path, new_position: 1, body: 'x' },
      { path, old_position: 1, body: 'x' },
    ]
    const review = await alice.post(`${repo.api}/pulls/${pull}/reviews`, { event: 'COMMENT', body: 'x', comments })
    if (review.status >= 500) wrong.push(`review ${path}: ${review.status}`)
    const files = [{ operation: 'create', path, content: base64('x') }]
    const made = await alice.post(`${repo.api}/contents`, { files, branch: 'odd', new_branch: 'further', message: 'x' })
    if (made.status >= 500) wrong.push(`POST contents ${path}: ${made.status}`)
    for (const q of [path, `x path:${path}`, `x lang:${path}`, `x path:/${path}/ lang:js`, `x path:"/../../${path}"`]) {
      const { status } = await browser.get(`/${repo.fullName}/search?q=${encodeURIComponent(q)}`)
      if (status >= 500) wrong.push(`search ${q}: ${status}`)
    }
  }
  await expectUnharmed(forge, repo, pull, wrong)
})

/** A repository with all odd names in a pull request. */
async function givenOddPull(forge: Forge): Promise<{ repo: GivenRepo; pull: number }> {
  const repo = await forge.given.repo({ owner: 'alice' })
  await pushOddNames(forge, repo)
  const pull = (await forge.as('alice').must('POST', `${repo.api}/pulls`, { head: 'odd', base: 'main', title: 'odd' }))
    .json.number
  return { repo, pull }
}

/** Fails when a request of a test was wrong, and when the repository does not work any more. */
async function expectUnharmed(forge: Forge, repo: GivenRepo, pull: number, wrong: readonly string[]): Promise<void> {
  // The comments on paths that no tree has follow a push.
  await forge.as('alice').must('POST', `${repo.api}/contents/more.txt`, { content: base64('more'), branch: 'odd' })
  await forge.settle()
  const browser = await Browser.of(forge, 'alice')
  assert.equal((await browser.get(`/${repo.fullName}/pulls/${pull}/files`)).status, 200)
  assert.deepEqual(wrong, [], forge.defects.map(String).join('\n'))
  assert.deepEqual(forge.defects, [])
  assert.deepEqual(await examined(forge.services), [])
}

/** Sends paths that lead nowhere to operations. @returns the number of requests */
async function sendOutside(isTried: (operation: NamedOperation) => boolean): Promise<number> {
  await using forge = await startForge({ users: ['alice'], settings: everythingOn })
  const { repo, pull } = await givenOddPull(forge)
  const browser = await Browser.of(forge, 'alice')
  const csrf = await browser.csrf(`/${repo.fullName}/_new/odd/`)
  const { token } = await forge.account('alice')
  const wrong: string[] = []
  let asked = 0
  /** Parameters that hold a path or a reference, beside `{filepath+}`. */
  const named = /^(?:path|file|filepath|folder|from_path|name|ref|sha|template|FilePath|BranchPath|q)$/
  for (const operation of forge.services.operations().filter(isTried)) {
    if (!/\{(?:reponame|repo)\}/.test(operation.path) || operation.cost === 'waiting') continue
    const { method, query, body } = operation
    const members = body !== undefined && 'properties' in body ? Object.keys(body['properties'] as object) : []
    const inQuery = Object.keys(query).filter((name) => named.test(name))
    const inBody = members.filter((name) => named.test(name))
    const inPath = operation.path.includes('{filepath+}')
    if (!inPath && inQuery.length === 0 && inBody.length === 0) continue
    // The transfer of large bodies has tests of its own, and a deleted reference ends the others.
    if (method === 'DELETE' && !operation.path.includes('/contents/')) continue
    const given = { username: 'alice', reponame: repo.name, owner: 'alice', repo: repo.name, index: String(pull) }
    const at = addressOf(operation, { ...given, sha: 'odd', base: 'main' }).replace('README.md', '{filepath}')
    const prefix = prefixes[operation.base] ?? ''
    const credential: Record<string, string> = isPage(operation)
      ? { cookie: browser.cookieHeader() }
      : { authorization: `token ${token}` }
    // Most acts have the address of a page.
    const leading = new Set<string>()
    for (const place of inPath ? places : []) {
      const address = `${prefix}${at.replace('{filepath}', () => `${place}README.md`)}`
      if ((await rawGet(forge, address, credential)).status < 400) leading.add(place)
    }
    for (const [number, path] of outside.entries()) {
      const decoded = path.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
      // Each parameter alone: a wrong reference is refused before a path is read.
      const searches = inQuery.map((name) => `?${name}=${/%/.test(path) ? path : encodeURIComponent(path)}`)
      // Where an address leads to no file, its revision is wrong, and a path that follows it is not read.
      const isTried = (place: string, index: number): boolean =>
        leading.size === 0 || leading.has(place) || (number + index) % places.length === 0
      const rests = places.filter(isTried).map((place) => place + path)
      for (const rest of inPath ? rests : searches.length === 0 ? [''] : searches) {
        const address = `${prefix}${inPath ? at.replace('{filepath}', () => rest) : at + rest}`
        const fields = Object.fromEntries(inBody.map((name) => [name, decoded]))
        const isForm = isPage(operation)
        const sent =
          method === 'GET'
            ? undefined
            : isForm
              ? new URLSearchParams({ text: 'x', target: 'direct', ...fields, _csrf: csrf }).toString()
              : JSON.stringify({ content: 'eA==', branch: 'odd', sha: '1'.repeat(40), body: 'x', ...fields })
        const answer = await rawSend(forge, method, address, sent, {
          ...credential,
          ...(sent === undefined
            ? {}
            : { 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' }),
        })
        asked += 1
        const what = `${operation.id} ${address.slice(0, 120)}`
        if (answer.status >= 500) wrong.push(`${what}: ${answer.status}`)
        if (leaked.test(answer.text)) wrong.push(`${what}: ${leaked.exec(answer.text)?.[0]}`)
        if (answer.location !== undefined && new URL(answer.location, forge.url).origin !== forge.url) {
          wrong.push(`${what}: ${answer.location}`)
        }
      }
    }
  }
  await expectUnharmed(forge, repo, pull, wrong)
  return asked
}

test(
  'file names: links are shown and never followed out of the repository, and submodules are no files',
  manyRequests,
  async () => {
    await using forge = await startForge({ users: ['alice'] })
    const repo = await forge.given.repo({ owner: 'alice' })
    const head = await pushOddNames(forge, repo)
    const alice = forge.as('alice')
    const browser = await Browser.of(forge, 'alice')
    const site = `/${repo.fullName}`
    const wrong: string[] = []
    const pages = [
      'src/branch',
      'blame/branch',
      'commits/branch',
      '_edit',
      '_delete',
      'find/branch',
      'atom/branch',
      'blob',
      'tree',
    ]
    for (const name of [
      ...Object.keys(links),
      'module',
      'module/in',
      ...Object.keys(links).map((link) => `${link}/in.txt`),
    ]) {
      const isLink = name in links
      const isModule = name === 'module'
      for (const page of pages) {
        const { status, text } = await followedGet(forge, `${site}/${page}/odd/${name}`, {
          cookie: browser.cookieHeader(),
        })
        if (status >= 500) wrong.push(`${page} ${name}: ${status}`)
        if (leaked.test(text)) wrong.push(`${page} ${name}: a file outside`)
        if (!isLink && !isModule && status === 200 && page !== 'commits/branch' && page !== 'atom/branch') {
          if (page !== 'find/branch') wrong.push(`${page} ${name}: a path below a link`)
        }
      }
      for (const address of [
        `/api/v1${repo.api}/raw/${name}?ref=odd`,
        `/api/v1${repo.api}/media/${name}?ref=odd`,
        `${site}/raw/branch/odd/${name}`,
        `${site}/media/branch/odd/${name}`,
      ]) {
        const { status, text } = await followedGet(forge, address, { cookie: browser.cookieHeader() })
        if (isLink ? status !== 200 || text !== links[name] : status !== 404) {
          wrong.push(`${address}: ${status} ${text}`)
        }
      }
      const entry = await alice.get(`${repo.api}/contents/${name}?ref=odd`)
      const expected = isLink ? ['symlink', links[name]] : isModule ? ['submodule', null] : [undefined, undefined]
      if (entry.json?.type !== expected[0] || (entry.json?.target ?? undefined) !== (expected[1] ?? undefined)) {
        wrong.push(`contents ${name}: ${entry.status} ${entry.json?.type} ${entry.json?.target}`)
      }
      // Nothing is written through a link or into a submodule.
      for (const path of isLink || isModule ? [`${name}/planted.txt`] : [name]) {
        const made = await alice.post(`${repo.api}/contents/${path}`, { content: base64('planted'), branch: 'odd' })
        if (made.status !== 422) wrong.push(`POST contents/${path}: ${made.status}`)
        const form = await browser.submit(`${site}/_new/odd/`, '/_new/', {
          name: path,
          text: 'planted',
          target: 'direct',
        })
        if (form.status !== 422) wrong.push(`_new ${path}: ${form.status}`)
      }
    }
    const { json } = await alice.get(`${repo.api}/branches/odd`)
    assert.equal(json.commit.id, head, 'nothing was committed')
    for (const page of ['', '/src/branch/odd', `/commit/${head}`, '/find/branch/odd', '/search?q=passwd']) {
      assert.equal((await browser.get(site + page)).status, 200, page)
    }
    assert.equal((await alice.get(`${repo.api}/archive/odd.tar.gz`)).status, 200)
    assert.equal((await alice.get(`${repo.api}/archive/odd.zip`)).status, 200)
    assert.deepEqual(wrong, [])
    assert.deepEqual(forge.defects, [])
  },
)

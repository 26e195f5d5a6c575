import assert from 'node:assert/strict'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { Clone } from '../../testing/clone.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { base64 } from '../../testing/samples.ts'
import { bytesOfName, hasRawBytes, isNameText, nameOfBytes, nameInLine } from '../../lib/file-names.ts'

/** `latin\xe9.txt`, and its text. */
const bytes = Buffer.from('latin\xe9.txt', 'latin1')
const name = nameOfBytes(bytes)
const encoded = encodeURIComponent(name)

test('nameOfBytes, bytesOfName: each sequence of bytes has one text, which leads back to it', () => {
  const samples = [
    Buffer.from('größe/日本/🙂.txt'),
    bytes,
    Buffer.from([0x61, 0xff, 0xfe, 0xc3, 0xa9, 0xc3]),
    Buffer.from([0xed, 0xa0, 0x80, 0xf4, 0x90, 0x80, 0x80, 0xc0, 0xae]),
    Buffer.from('\u{10fee9}'),
    Buffer.from(Array.from({ length: 255 }, (_, index) => index + 1)),
  ]
  const texts = samples.map(nameOfBytes)
  assert.deepEqual(texts.map(bytesOfName), samples)
  assert.ok(texts.every((text) => isNameText(text) && Buffer.from(text).toString() === text))
  assert.equal(texts[0], 'größe/日本/🙂.txt')
  assert.equal(new Set([nameOfBytes(Buffer.from('\u{10fee9}')), nameOfBytes(Buffer.of(0xe9))]).size, 2)
  // Bytes that are UTF-8 together, such as a character that file systems ignore in `.git`, have no other spelling.
  const disguised = `.g${[0xe2, 0x80, 0x8c].map((byte) => nameOfBytes(Buffer.of(byte))).join('')}it`
  assert.deepEqual([hasRawBytes(disguised), isNameText(disguised)], [true, false])
  assert.equal(nameInLine('"a\\"\\351\\tb"'), `a"${nameOfBytes(Buffer.of(0xe9))}\tb`)
})

/** A repository of alice that contains `latin\xe9.txt` and a folder `f\xf6lder` with a file. */
async function givenRawNames(forge: Forge) {
  const repo = await forge.given.repo({ owner: 'alice' })
  const clone = await Clone.of(forge, 'alice', repo.fullName)
  writeFileSync(Buffer.concat([Buffer.from(`${clone.path}/`), bytes]), 'one searched line\n')
  const folder = Buffer.concat([Buffer.from(`${clone.path}/`), Buffer.from('f\xf6lder', 'latin1')])
  mkdirSync(folder)
  writeFileSync(Buffer.concat([folder, Buffer.from('/in.js')]), 'let x = 1\n')
  await clone.must('add', '-A')
  await clone.must('commit', '-q', '-m', 'raw names')
  await clone.must('push', '-q', 'origin', 'main')
  return { repo, clone, head: await clone.must('rev-parse', 'HEAD') }
}

/** The names of a commit as git prints them, with octal escapes. */
const listed = async (clone: Clone, branch = 'main') => {
  await clone.must('fetch', '-q', 'origin')
  return (await clone.must('ls-tree', '-r', '--name-only', `origin/${branch}`)).split('\n').toSorted()
}

test('file names that are not UTF-8: every reading finds them by the name that lists give and by their bytes', async () => {
  await using forge = await startForge({ settings: { repository: { DEFAULT_BRANCH: 'main' } } })
  const given = await givenRawNames(forge)
  const { repo, head } = given
  using clone = given.clone
  assert.equal(await clone.must('rev-parse', 'origin/main'), head)
  const alice = forge.as('alice')
  const { tree } = (await alice.get(`${repo.api}/git/trees/main?recursive=1`)).json
  const paths = tree.map((entry: { path: string }) => entry.path)
  assert.ok(paths.includes(name), JSON.stringify(paths))
  const inFolder = paths.find((path: string) => path.endsWith('/in.js')) as string
  const inEncoded = inFolder.split('/').map(encodeURIComponent).join('/')
  for (const [one, other] of [
    [encoded, 'latin%E9.txt'],
    [inEncoded, 'f%F6lder/in.js'],
  ] as const) {
    for (const address of [one, other]) {
      for (const kind of ['contents', 'raw', 'media']) {
        assert.equal((await alice.get(`${repo.api}/${kind}/${address}`)).status, 200, `${kind}/${address}`)
      }
      const commits = await alice.get(`${repo.api}/commits?path=${address}&sha=main`)
      assert.deepEqual(
        commits.json.map((commit: { sha: string }) => commit.sha),
        [head],
        address,
      )
      for (const page of ['src', 'raw', 'media', 'blame', 'commits']) {
        const shown = await alice.get(`/${repo.fullName}/${page}/branch/main/${address}`, { site: true })
        assert.equal(shown.status, 200, `${page} ${address}`)
      }
    }
  }
  const content = (await alice.get(`${repo.api}/contents/${encoded}`)).json
  assert.deepEqual([content.path, content.name, content.last_commit_sha], [name, name, head])
  for (const link of [content.url, content.download_url, content.html_url]) {
    const { pathname, search } = new URL(link)
    assert.equal((await alice.get(pathname + search, { site: true })).status, 200, link)
  }
  const folder = (await alice.get(`${repo.api}/contents`)).json
  assert.ok(folder.some((entry: { path: string }) => entry.path === name))
  const commit = (await alice.get(`${repo.api}/git/commits/${head}`)).json
  assert.deepEqual(
    commit.files.map((file: { filename: string }) => file.filename).toSorted(),
    [inFolder, name].toSorted(),
  )
  const compared = (await alice.get(`${repo.api}/compare/${head}~1...main`)).json
  assert.ok(!compared.files || compared.files.some((file: { filename: string }) => file.filename === name))
  const page = (await alice.get(`/${repo.fullName}/commit/${head}`, { site: true })).text
  assert.match(page, /one searched line/)
  const blame = (await alice.get(`/${repo.fullName}/blame/branch/main/latin%E9.txt`, { site: true })).text
  assert.match(blame, /raw names/)
  assert.deepEqual(Object.keys((await alice.get(`${repo.api}/languages`)).json), ['JavaScript'])
  const search = (await alice.get(`/${repo.fullName}/search?q=searched`, { site: true })).text
  assert.match(search, new RegExp(encoded))
  const tar = await alice.get(`${repo.api}/archive/main.tar.gz`)
  assert.equal(tar.status, 200)
  const zip = await alice.get(`${repo.api}/archive/main.zip`)
  assert.ok(zip.bytes.includes(bytes))
  const refused = await alice.get('/users/%E9')
  assert.equal(refused.status, 400)
})

test('file names that are not UTF-8: editing, renaming, deleting and merging act on the file itself', async () => {
  await using forge = await startForge({ settings: { repository: { DEFAULT_BRANCH: 'main' } } })
  const given = await givenRawNames(forge)
  const { repo } = given
  using clone = given.clone
  const alice = forge.as('alice')
  const others = ['"f\\366lder/in.js"', 'README.md']
  const shaOf = async (path: string) => (await alice.get(`${repo.api}/contents/${path}`)).json.sha
  await alice.must('PUT', `${repo.api}/contents/latin%E9.txt`, { content: base64('two\n'), sha: await shaOf(encoded) })
  assert.deepEqual(await listed(clone), ['"latin\\351.txt"', ...others].toSorted())

  const browser = await Browser.of(forge, 'alice')
  const edited = await browser.submit(`/${repo.fullName}/_edit/main/${encoded}`, '_edit/', {
    name:
      /name="name"[^>]*value="([^"]*)"/.exec(
        (await browser.get(`/${repo.fullName}/_edit/main/${encoded}`)).text,
      )?.[1] ?? '',
    text: 'three\n',
    target: 'direct',
  })
  assert.equal(edited.status, 303, edited.text)
  assert.deepEqual(await listed(clone), ['"latin\\351.txt"', ...others].toSorted())
  assert.equal((await alice.get(`${repo.api}/raw/${encoded}`)).text, 'three\n')

  // A pull request that changes the file: its page, its merge, and a repeated commit.
  await alice.must('PUT', `${repo.api}/contents/${encoded}`, {
    content: base64('four\n'),
    sha: await shaOf(encoded),
    new_branch: 'topic',
  })
  const pull = await alice.must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'raw' })
  const files = (await alice.get(`${repo.api}/pulls/${pull.json.number}/files`)).json
  assert.deepEqual(
    files.map((file: { filename: string }) => file.filename),
    [name],
  )
  const page = await alice.get(`/${repo.fullName}/pulls/${pull.json.number}/files`, { site: true })
  assert.match(page.text, /four/)
  assert.equal((await alice.send('POST', `${repo.api}/pulls/${pull.json.number}/merge`, { Do: 'merge' })).status, 200)
  await forge.settle()
  assert.deepEqual(await listed(clone), ['"latin\\351.txt"', ...others].toSorted())
  assert.equal((await alice.get(`${repo.api}/raw/${encoded}`)).text, 'four\n')

  const renamed = nameOfBytes(Buffer.from('neu\xe4.txt', 'latin1'))
  await alice.must('POST', `${repo.api}/contents`, {
    files: [
      {
        operation: 'update',
        path: renamed,
        from_path: name,
        content: base64('five\n'),
        sha: await shaOf(encoded),
      },
    ],
    message: 'rename',
  })
  assert.deepEqual(await listed(clone), ['"neu\\344.txt"', ...others].toSorted())
  const deleted = await alice.send('DELETE', `${repo.api}/contents/neu%E4.txt`, {
    sha: await shaOf(encodeURIComponent(renamed)),
  })
  assert.equal(deleted.status, 200, deleted.text)
  assert.deepEqual(await listed(clone), others.toSorted())

  // Bytes that are UTF-8 together have one spelling: another one is refused.
  const misspelt = [...Buffer.from('é')].map((byte) => nameOfBytes(Buffer.of(byte))).join('')
  for (const path of [
    `${misspelt}.txt`,
    `.g${[0xe2, 0x80, 0x8c].map((byte) => nameOfBytes(Buffer.of(byte))).join('')}it/config`,
  ]) {
    const address = path.split('/').map(encodeURIComponent).join('/')
    const refused = await alice.post(`${repo.api}/contents/${address}`, { content: base64('x') })
    assert.equal(refused.status, 422, refused.text)
  }
})

test('file names that are not UTF-8: a conflict names the file, and a commit is repeated and reverted', async () => {
  await using forge = await startForge({ settings: { repository: { DEFAULT_BRANCH: 'main' } } })
  const given = await givenRawNames(forge)
  const { repo } = given
  using clone = given.clone
  const alice = forge.as('alice')
  const sha = (await alice.get(`${repo.api}/contents/${encoded}`)).json.sha
  const change = (content: string, more: object) =>
    alice.must('PUT', `${repo.api}/contents/${encoded}`, { content: base64(content), sha, ...more })
  const topic = (await change('topic\n', { new_branch: 'topic' })).json.commit.sha
  await change('main\n', {})
  const browser = await Browser.of(forge, 'alice')
  const refused = await browser.submit(`/${repo.fullName}/_cherrypick/${topic}/main`, '_cherrypick', {
    target: 'direct',
  })
  assert.equal(refused.status, 422)
  assert.ok(refused.text.includes(name))
  const made = await browser.submit(`/${repo.fullName}/_revert/${topic}/topic`, '_revert', { target: 'direct' })
  assert.equal(made.status, 303, made.text)
  assert.equal((await alice.get(`${repo.api}/raw/${encoded}?ref=topic`)).text, 'one searched line\n')
  assert.ok((await listed(clone, 'topic')).includes('"latin\\351.txt"'))
  assert.ok(!(await listed(clone, 'topic')).some((path) => path.includes('\\357\\277\\275')))
  renameSync(Buffer.concat([Buffer.from(`${clone.path}/`), bytes]), `${clone.path}/plain.txt`)
  await clone.must('checkout', '-q', '-b', 'renaming')
  await clone.must('add', '-A')
  await clone.must('commit', '-q', '-m', 'to a plain name')
  await clone.must('push', '-q', 'origin', 'renaming')
  const renaming = (
    await alice.get(`/${repo.fullName}/commit/${await clone.must('rev-parse', 'HEAD')}`, { site: true })
  ).text
  assert.ok(renaming.includes(name) && renaming.includes('plain.txt'))
})

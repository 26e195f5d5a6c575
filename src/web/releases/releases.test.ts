import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { collaborator, givenPull } from '../../testing/given-pull.ts'

test('releasesPage, releasePage, latestReleasePage: published releases are shown to readers, drafts to writers only', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ private: true })
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/releases`, {
    tag_name: 'v1',
    name: 'First',
    body: '**bold** <script>x</script>',
  })
  await alice.must('POST', `${repo.api}/releases`, { tag_name: 'v2', name: 'Hidden', draft: true })
  await alice.must('POST', `${repo.api}/releases`, { tag_name: 'a/b#c', name: 'Odd', prerelease: true })
  const at = `/${repo.fullName}/releases`
  const bob = await Browser.of(forge, 'bob')
  for (const path of ['', '/tag/v1', '/latest']) assert.equal((await bob.get(at + path)).status, 404, path)
  await collaborator(forge, repo, 'bob', 'read')
  const list = (await bob.get(at)).text
  assert.match(list, /<strong>bold<\/strong>/)
  assert.doesNotMatch(list, /<script>x/)
  assert.match(list, />Latest</)
  assert.match(list, />Pre-release</)
  assert.doesNotMatch(list, /Hidden|releases\/new/)
  assert.equal((await bob.get(`${at}/tag/v2`)).status, 404)
  const latest = await bob.get(`${at}/latest`)
  assert.deepEqual([latest.status, latest.headers.get('location')], [303, `${at}/tag/v1`])
  for (const release of (await forge.as('bob').get(`${repo.api}/releases`)).json) {
    const page = await bob.get(new URL(release.html_url).pathname)
    assert.equal(page.status, 200, release.html_url)
    assert.ok(page.text.includes(release.name))
  }
  assert.match((await (await Browser.of(forge, 'alice')).get(at)).text, /Hidden/)
  assert.match((await bob.get(`${at}?q=nothing-like-it`)).text, /No release matches/)
})

test('newReleasePage, newReleaseAct, editReleasePage, editReleaseAct, deleteReleaseAct: a draft becomes a release', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  await collaborator(forge, repo, 'bob', 'read')
  const at = `/${repo.fullName}/releases`
  const bob = await Browser.of(forge, 'bob')
  assert.equal((await bob.get(`${at}/new`)).status, 403)
  assert.equal((await new Browser(forge).get(`${at}/new`)).status, 303)
  const csrf = await bob.csrf('/repo/create')
  assert.equal((await bob.post(`${at}/new`, { _csrf: csrf, tag_name: 'v1' })).status, 403)

  const alice = await Browser.of(forge, 'alice')
  const bad = await alice.submit(`${at}/new`, 'release-form', { tag_name: 'v 1', content: 'kept notes', as: 'publish' })
  assert.equal(bad.status, 422)
  assert.match(bad.text, /id="tag_name_problem"/)
  assert.match(bad.text, /kept notes/)
  const draft = await alice.submit(`${at}/new`, 'release-form', {
    tag_name: 'v1',
    title: 'One',
    content: 'text',
    as: 'draft',
  })
  assert.deepEqual([draft.status, draft.headers.get('location')], [303, `${at}/edit/v1`])
  assert.equal((await bob.get(`${at}/edit/v1`)).status, 403)
  const published = await alice.submit(`${at}/edit/v1`, `${at}/edit/v1`, {
    tag_name: 'v1',
    title: 'One',
    as: 'publish',
  })
  assert.deepEqual([published.status, published.headers.get('location')], [303, `${at}/tag/v1`])
  const [release] = (await forge.as('bob').get(`${repo.api}/releases`)).json
  assert.deepEqual([release.name, release.body, release.draft], ['One', '', false])
  assert.equal((await bob.post(`${at}/edit/v1`, { _csrf: csrf, tag_name: 'v1' })).status, 403)
  assert.equal((await bob.post(`${at}/${release.id}/delete`, { _csrf: csrf })).status, 403)
  const gone = await alice.submit(`${at}/edit/v1`, `${at}/${release.id}/delete`)
  assert.equal(gone.headers.get('location'), at)
  assert.deepEqual((await forge.as('alice').get(`${repo.api}/releases`)).json, [])
  assert.equal((await forge.as('alice').get(`${repo.api}/tags/v1`)).status, 200)
})

test('newReleasePage: generated notes name the pull requests merged since the newest release', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo()
  const api = forge.as('alice')
  await api.must('POST', `${repo.api}/releases`, { tag_name: 'v1' })
  const pull = await givenPull(forge, { repo })
  await api.must('POST', `${pull.api}/merge`, { Do: 'merge' })
  const alice = await Browser.of(forge, 'alice')
  const { text } = await alice.get(`/${repo.fullName}/releases/new?tag=v2&target=main&generate=true`)
  assert.match(text, new RegExp(`- Change ${pull.branch} \\(#${pull.number}\\) by @alice`))
  assert.match(text, /\[v1\.\.\.v2\]/)
})

test('addGeneratedNotes: generated notes are added to what was typed, and nothing is created', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  const api = forge.as('alice')
  const pull = await givenPull(forge, { repo })
  await api.must('POST', `${pull.api}/merge`, { Do: 'merge' })
  const at = `/${repo.fullName}/releases/new`
  const bob = await Browser.of(forge, 'bob')
  const fields = { tag_name: 'v2', title: 'Two', content: 'Typed words', is_prerelease: 'true' }
  const refused = { ...fields, _csrf: await bob.csrf('/repo/create') }
  assert.equal((await bob.post(`${at}?generate=true`, refused)).status, 403)
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.post(`${at}?generate=true`, { ...fields, _csrf: 'x' })).status, 403)
  const { status, text } = await alice.post(`${at}?generate=true`, { ...fields, _csrf: await alice.csrf(at) })
  assert.equal(status, 200)
  assert.match(text, new RegExp(`Typed words\\n\\n## Changes\\n\\n- Change ${pull.branch}`))
  assert.match(text, /name="title"[^>]*value="Two"/)
  assert.match(text, /name="is_prerelease"[^>]*checked/)
  assert.match(text, /value="v2"/)
  assert.doesNotMatch(text, /choose them again/)
  const chosen = { ...fields, files: ['a.txt'], _csrf: await alice.csrf(at) }
  assert.match((await alice.post(`${at}?generate=true`, chosen)).text, /choose them again/)
  assert.deepEqual((await api.get(`${repo.api}/releases`)).json, [])
})

test('newReleaseAct: files chosen in the form belong to the release; a refused form leaves none and keeps the texts', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { 'repository.release': { ALLOWED_TYPES: '.txt,.gz' }, quota: { ENABLED: true } },
  })
  const repo = await forge.given.repo()
  const at = `/${repo.fullName}/releases`
  const alice = await Browser.of(forge, 'alice')
  const bob = await Browser.of(forge, 'bob')
  const send = async (browser: Browser, fields: Record<string, string>, names: readonly string[]) => {
    const form = new FormData()
    const whole = { _csrf: await browser.csrf('/repo/create'), as: 'publish', title: 'Kept title', ...fields }
    for (const [name, value] of Object.entries(whole)) form.set(name, value)
    for (const name of names) form.append('files', new Blob([`content of ${name}`]), name)
    const headers = { cookie: browser.cookieHeader() }
    const answer = await fetch(`${forge.url}${at}/new`, { method: 'POST', body: form, headers, redirect: 'manual' })
    return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() }
  }
  assert.equal((await send(bob, { tag_name: 'v1' }, ['a.txt'])).status, 403)
  const usage = async () =>
    (await forge.as('alice').must('GET', '/user/quota')).json.used.size.assets.attachments.releases
  const wrongs = [
    await send(alice, { tag_name: 'v1' }, ['a.txt', 'b.exe']),
    await send(alice, { tag_name: 'v 1' }, ['a.txt']),
    await send(alice, { tag_name: 'v1', _csrf: 'x' }, ['a.txt']),
    await send(
      alice,
      { tag_name: 'v1' },
      Array.from({ length: 21 }, (_, index) => `${index}.txt`),
    ),
  ]
  assert.deepEqual(
    wrongs.map(({ status }) => status),
    [400, 422, 403, 400],
  )
  for (const { text } of wrongs) assert.match(text, /value="Kept title"/)
  assert.match(wrongs[0]?.text ?? '', /id="files_problem"/)
  assert.deepEqual((await forge.as('alice').get(`${repo.api}/releases`)).json, [])
  assert.equal(await usage(), 0)

  const made = await send(alice, { tag_name: 'v1', is_prerelease: 'true' }, ['a.txt', 'b.gz'])
  assert.deepEqual([made.status, made.location], [303, `${at}/tag/v1`])
  const [release] = (await forge.as('bob').get(`${repo.api}/releases`)).json
  assert.equal(release.prerelease, true)
  assert.deepEqual(release.assets.map((asset: { name: string; size: number }) => [asset.name, asset.size]).toSorted(), [
    ['a.txt', 16],
    ['b.gz', 15],
  ])
  assert.equal(await usage(), 31)
})

test('attachReleaseFile, deleteReleaseFileAct: writers attach and delete files by forms of this site', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  const release = (await forge.as('alice').must('POST', `${repo.api}/releases`, { tag_name: 'v1' })).json
  const at = `/${repo.fullName}/releases`
  const alice = await Browser.of(forge, 'alice')
  const bob = await Browser.of(forge, 'bob')
  const send = (browser: Browser, csrf: string, file: boolean) => {
    const part = (name: string, text: string, more = '') =>
      `--xx\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`
    const body = `${part('_csrf', csrf)}${part('attachment', file ? 'the content' : '', `; filename="${file ? 'a b.txt' : ''}"`)}${file ? '' : part('external_url', 'https://example.com/x.bin')}--xx--\r\n`
    return forge.guest.send('POST', `${at}/${release.id}/assets`, undefined, {
      site: true,
      raw: body,
      headers: {
        cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'content-type': 'multipart/form-data; boundary=xx',
      },
    })
  }
  const csrf = await alice.csrf('/repo/create')
  assert.equal((await send(bob, await bob.csrf('/repo/create'), true)).status, 403)
  assert.equal((await send(alice, `${csrf}x`, true)).status, 403)
  assert.deepEqual((await forge.as('alice').get(`${repo.api}/releases/${release.id}/assets`)).json, [])
  for (const file of [true, false]) assert.equal((await send(alice, csrf, file)).status, 303)
  const assets = (await forge.as('alice').get(`${repo.api}/releases/${release.id}/assets`)).json
  assert.deepEqual(assets.map((each: { name: string }) => each.name).toSorted(), ['a b.txt', 'x.bin'])
  const shown = (await bob.get(at)).text
  assert.match(shown, /a b\.txt/)
  assert.match(shown, /href="https:\/\/example\.com\/x\.bin"/)
  const [first] = assets
  const remove = `${at}/${release.id}/assets/${first.id}/delete`
  assert.equal((await bob.post(remove, { _csrf: await bob.csrf('/repo/create') })).status, 403)
  assert.equal((await alice.submit(`${at}/edit/v1`, remove)).status, 303)
  assert.equal((await forge.as('alice').get(`${repo.api}/releases/${release.id}/assets`)).json.length, 1)
})

test('uploadToNotes: a file dropped into the notes waits, and belongs to the release whose notes show it', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings: { quota: { ENABLED: true } } })
  const repo = await forge.given.repo()
  const at = `/${repo.fullName}/releases`
  const alice = await Browser.of(forge, 'alice')
  const bob = await Browser.of(forge, 'bob')
  const drop = (browser: Browser, name: string) =>
    browser.upload(`${at}/attachments`, {}, { field: 'attachment', name, content: Buffer.from('content') })
  assert.equal((await drop(new Browser(forge), 'a.png')).status, 303)
  assert.equal((await drop(bob, 'a.png')).status, 403)
  assert.match((await alice.get(`${at}/new`)).text, /<file-attachment data-upload-url="[^"]*\/releases\/attachments"/)
  const [shown, left] = [await drop(alice, 'screen.png'), await drop(alice, 'left.bin')]
  assert.match(shown.text, /^!\[screen\.png\]\(.*\/attachments\/[0-9a-f-]{36}\)$/)
  assert.match(left.text, /^\[left\.bin\]/)
  const [address = ''] = /\/attachments\/[0-9a-f-]+/.exec(shown.text) ?? []
  const read = async (browser: Browser) => (await browser.get(address)).status
  assert.deepEqual([await read(alice), await read(bob)], [200, 404])

  await alice.submit(`${at}/new`, 'release-form', {
    tag_name: 'v1',
    target: 'main',
    content: shown.text,
    as: 'publish',
  })
  const namesOf = async (): Promise<string[]> => {
    const [release] = (await forge.guest.get(`${repo.api}/releases`)).json
    return release.assets.map((each: { name: string }) => each.name)
  }
  assert.deepEqual(await namesOf(), ['screen.png'])
  assert.equal(await read(bob), 200)
  const usage = async () => (await forge.as('alice').must('GET', '/user/quota')).json.used.size.assets.attachments
  assert.deepEqual(await usage(), { issues: 7, releases: 7 })

  await alice.submit(`${at}/edit/v1`, 'release-form', { tag_name: 'v1', content: `${shown.text}\n${left.text}` })
  assert.deepEqual((await namesOf()).toSorted(), ['left.bin', 'screen.png'])
  assert.deepEqual(await usage(), { issues: 0, releases: 14 })
})

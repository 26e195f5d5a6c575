import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { digest, registryOf } from '../../packages/packages.test-support.ts'
import { installCommands } from './install-commands.rules.ts'
import { metadataShown } from './package-metadata.rules.ts'
import { publishCommands } from './publish-commands.rules.ts'
import { packageTexts } from '../languages/texts.ts'

test('packagesPage, packagePage, packageVersionPage: the html_url of a package leads to its files and commands', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const put = registryOf(forge.as('alice'), 'alice')
  assert.equal((await put('PUT', 'generic/Tool/1.0/a%20b.txt', 'text')).status, 201)
  const [{ html_url: url }] = (await forge.as('alice').get('/packages/alice/')).json
  const path = new URL(url).pathname
  const guest = new Browser(forge)
  const { status, text } = await guest.get(path)
  assert.equal(status, 200)
  assert.match(text, /a b\.txt/)
  assert.match(text, /api\/packages\/alice\/generic\/Tool\/1\.0\/a%20b\.txt/)
  assert.ok(!text.includes(`${path}/settings`), 'a guest has no settings')
  assert.ok((await guest.get('/alice/-/packages?q=too&type=generic')).text.includes('/alice/-/packages/generic/tool"'))
  assert.ok(!(await guest.get('/alice/-/packages?q=other')).text.includes('/packages/generic/tool"'))
  assert.ok((await guest.get('/alice/-/packages/generic/tool')).text.includes(path))
  assert.equal((await guest.get('/alice/-/packages/generic/none')).status, 404)
  assert.equal((await guest.get(`${path}9`)).status, 404)
})

test('packagePage: many versions are on several pages, the newest first', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = forge.as('alice')
  for (let minor = 1; minor <= 51; minor++) {
    const path = `/api/packages/alice/generic/tool/1.${minor}/tool.bin`
    assert.equal((await alice.put(path, 'x', { site: true })).status, 201)
  }
  const browser = new Browser(forge)
  const versionsAt = async (query: string) =>
    [...(await browser.get(`/alice/-/packages/generic/tool${query}`)).text.matchAll(/class="row-title">([^<]*)</g)].map(
      ([, version]) => version,
    )
  const first = await versionsAt('')
  assert.deepEqual([first.length, first[0], first.at(-1)], [50, '1.51', '1.2'])
  assert.deepEqual(await versionsAt('?page=2'), ['1.1'])
  assert.equal((await browser.get('/alice/-/packages/generic/other')).status, 404)
})

test('packageFile: the files of a version are downloaded by whoever may read the package', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const put = registryOf(forge.as('alice'), 'alice')
  await put('PUT', 'generic/tool/1.0/a%20b.txt', 'text')
  await put('PUT', 'generic/tool/2.0/other.txt', 'other')
  const path = '/alice/-/packages/generic/tool'
  const guest = new Browser(forge)
  const link = /href="([^"]*\/files\/\d+)"/.exec((await guest.get(`${path}/1.0`)).text)?.[1] ?? ''
  const got = await guest.get(link)
  assert.deepEqual([got.status, got.text], [200, 'text'])
  assert.match(got.headers.get('content-disposition') ?? '', /^attachment; filename.*a.*b\.txt/)
  assert.equal((await guest.get(link.replace('/1.0/', '/2.0/'))).status, 404, 'the file is of another version')
  await forge.as('root').must('PATCH', '/admin/users/alice', { visibility: 'private' })
  assert.equal((await guest.get(link)).status, 404)
  assert.equal((await (await Browser.of(forge, 'alice')).get(link)).status, 200)
})

test('packageSettingsPage, removeWholePackage: a package is deleted with all versions by who may write it', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const put = registryOf(forge.as('alice'), 'alice')
  for (const version of ['1.0', '2.0']) await put('PUT', `generic/tool/${version}/a.txt`, version)
  await put('PUT', 'generic/kept/1.0/a.txt', 'text')
  const path = '/alice/-/packages/generic/tool'
  const [guest, alice, bob] = [new Browser(forge), await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  assert.equal((await guest.get(`${path}/1.0/settings`)).status, 303)
  assert.equal((await bob.get(`${path}/1.0/settings`)).status, 403)
  assert.equal((await bob.post(`${path}/delete`, { _csrf: await bob.csrf('/user/settings') })).status, 403)
  assert.match((await alice.get(`${path}/1.0`)).text, new RegExp(`href="${path}/1.0/settings"`))
  const deleted = await alice.submit(`${path}/1.0/settings`, `action="${path}/delete"`)
  assert.equal(deleted.headers.get('location'), '/alice/-/packages')
  const left = (await forge.as('alice').get('/packages/alice/')).json as { name: string }[]
  assert.deepEqual(
    left.map(({ name }) => name),
    ['kept'],
  )
})

test('linkPackageTo, unlinkPackageFrom, removePackageVersion, repoPackagesPage: the owner changes a package, others cannot', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await registryOf(forge.as('alice'), 'alice')('PUT', 'generic/tool/1.0/a.txt', 'text')
  const path = '/alice/-/packages/generic/tool/1.0'
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const form = { _csrf: await bob.csrf('/user/settings'), repository: repo.name }
  for (const verb of ['link', 'unlink', 'delete']) {
    assert.equal((await bob.post(`${path}/${verb}`, form)).status, 403, verb)
  }
  assert.ok(!(await bob.get(`/${repo.fullName}/packages`)).text.includes('/packages/generic/tool'))
  const settings = `${path}/settings`
  const unknown = await alice.submit(settings, `${path}/link`, { repository: 'nothing' })
  assert.equal(unknown.status, 422)
  assert.match(unknown.text, /id="repository_problem"/)
  assert.equal((await alice.submit(settings, `${path}/link`, { repository: repo.name })).status, 303)
  assert.ok((await bob.get(`/${repo.fullName}/packages`)).text.includes('/packages/generic/tool'))
  assert.equal((await alice.submit(settings, `${path}/unlink`)).status, 303)
  assert.ok(!(await bob.get(`/${repo.fullName}/packages`)).text.includes('/packages/generic/tool'))
  assert.equal((await alice.submit(settings, `${path}/delete`)).status, 303)
  assert.equal((await alice.get(path)).status, 404)
})

test('each registry has commands that install and publish a package', () => {
  const named = { owner: 'alice', name: 'g:a', version: '1.0', root: 'https://host', file: 'x', fileKey: '' }
  for (const type of Object.keys(packageTexts.types)) {
    assert.match(installCommands({ ...named, type }) ?? '', /alice/, type)
    assert.match(publishCommands({ ...named, type }) ?? '', /host/, type)
  }
})

test('commands name the distribution, branch, group or channel of the package', () => {
  const named = { owner: 'o', version: '1', root: 'https://host', file: 'x' }
  const commands = (type: string, fileKey: string, name = 'a') =>
    installCommands({ ...named, type, name, fileKey }) ?? ''
  assert.match(commands('debian', 'bookworm|main'), /packages\/o\/debian bookworm main'/)
  assert.match(commands('alpine', 'v3.20|main|x86_64'), /packages\/o\/alpine\/v3\.20\/main >>/)
  assert.match(commands('rpm', 'el9/stable'), /^curl https:\/\/host\/api\/packages\/o\/rpm\/el9\/stable\.repo /)
  assert.match(commands('rpm', ''), /packages\/o\/rpm\.repo /)
  assert.match(commands('alt', 'p10'), /packages\/o\/alt\/p10\.repo /)
  assert.match(commands('arch', 'core'), /\[o\.core\]\\nServer = .*\/arch\/core\/\$arch/)
  assert.match(commands('arch', ''), /\[o\]\\nServer = .*\/arch\/\$arch/)
  assert.match(commands('conan', 'ada|stable|r1'), /--requires=a\/1@ada\/stable /)
  assert.match(commands('conan', '_|_|r1'), /--requires=a\/1 /)
  assert.match(commands('conda', 'noarch', 'main/a'), /packages\/o\/conda\/main a=1$/)
  assert.match(commands('conda', 'noarch'), /packages\/o\/conda a=1$/)
})

test('metadata of any form is shown as text', () => {
  const shown = metadataShown('{"summary":"S","licenses":["MIT"],"dependencies":{"a":"^1"},"homepage":5}')
  assert.deepEqual(
    [shown.description, shown.homepage, shown.license, shown.dependencies],
    ['S', '', 'MIT', [{ purpose: '', ranges: [['a', '^1']] }]],
  )
  const npm = metadataShown(
    '{"author":{"name":"A"},"keywords":["k"],"engines":{"node":">=22"},"repository":{"url":"git+https://h/a.git"},"peerDependencies":{"p":"1"}}',
  )
  assert.deepEqual(
    [npm.authors, npm.keywords, npm.needs, npm.source, npm.dependencies],
    ['A', ['k'], [['Node', '>=22']], 'https://h/a', [{ purpose: 'peer', ranges: [['p', '1']] }]],
  )
  const nuget = metadataShown(
    '{"authors":"A, B","tags":"a b","dependencies":[{"targetFramework":"net8.0","packages":[{"id":"P","version":"2"}]}]}',
  )
  assert.deepEqual(
    [nuget.authors, nuget.keywords, nuget.dependencies],
    ['A, B', ['a', 'b'], [{ purpose: 'net8.0', ranges: [['P', '2']] }]],
  )
  const debian = metadataShown(
    '{"control":"Package: a\\nMaintainer: A <a@example.com>\\nDepends: libc6 (>= 2.36), zlib1g\\nDescription: Short\\n and long\\nHomepage: https://h"}',
  )
  assert.deepEqual(
    [debian.description, debian.homepage, debian.authors, debian.dependencies],
    [
      'Short',
      'https://h',
      'A <a@example.com>',
      [
        {
          purpose: '',
          ranges: [
            ['libc6', '>= 2.36'],
            ['zlib1g', ''],
          ],
        },
      ],
    ],
  )
  const go = metadataShown('{"goMod":"module m\\n\\ngo 1.24\\n\\nrequire (\\n\\tgolang.org/x/net v0.1.0\\n)\\n"}')
  assert.deepEqual(
    [go.needs, go.dependencies],
    [[['Go', '1.24']], [{ purpose: '', ranges: [['golang.org/x/net', 'v0.1.0']] }]],
  )
  assert.deepEqual(metadataShown('{"depends":["python >=3.9"]}').dependencies[0]?.ranges, [['python', '>=3.9']])
})

test('packageVersionPage: an image shows its platforms, and each of them its layers', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const put = (method: string, path: string, raw: string, type = 'application/octet-stream') =>
    forge.as('alice').send(method, `/v2/alice/tool/${path}`, undefined, {
      site: true,
      headers: { 'content-type': type },
      raw,
    })
  const nameOf = (text: string) => `sha256:${digest('sha256', text)}`
  const [manifestType, indexType] = [
    'application/vnd.oci.image.manifest.v1+json',
    'application/vnd.oci.image.index.v1+json',
  ]
  const config = JSON.stringify({
    os: 'linux',
    architecture: 'arm64',
    history: [
      { created_by: '/bin/sh -c make <all>' },
      { created_by: '/bin/sh -c #(nop)  CMD ["tool"]', empty_layer: true },
    ],
  })
  for (const blob of [config, 'layer']) {
    assert.equal((await put('POST', `blobs/uploads/?digest=${nameOf(blob)}`, blob)).status, 201)
  }
  const of = (text: string) => ({ mediaType: 'x', digest: nameOf(text), size: text.length })
  const manifest = JSON.stringify({ schemaVersion: 2, config: of(config), layers: [of('layer')] })
  assert.equal((await put('PUT', `manifests/${nameOf(manifest)}`, manifest, manifestType)).status, 201)
  const platform = { os: 'linux', architecture: 'arm64' }
  const index = JSON.stringify({
    schemaVersion: 2,
    manifests: [{ ...of(manifest), mediaType: manifestType, platform }],
  })
  for (const tag of ['1.0', 'latest']) {
    assert.equal((await put('PUT', `manifests/${tag}`, index, indexType)).status, 201)
  }
  const guest = new Browser(forge)
  const tagged = (await guest.get('/alice/-/packages/container/tool/1.0')).text
  assert.ok(tagged.includes(nameOf(index)) && tagged.includes('/container/tool/latest"'), 'digest and other tag')
  const link = `/alice/-/packages/container/tool/${encodeURIComponent(nameOf(manifest))}`
  assert.ok(tagged.includes(`href="${link}"`) && tagged.includes('linux/arm64</a>'), 'a platform leads to its manifest')
  const one = (await guest.get(link)).text
  assert.match(one, /RUN make &lt;all/)
  assert.match(one, /CMD \[/)
  const list = (await guest.get('/alice/-/packages/container/tool')).text
  assert.match(list, /1 untagged image</)
})

test('packageVersionPage: a README is rendered and sanitised, and one of another form is left out', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const upload = async (version: string, type: string) => {
    const form = new FormData()
    const fields = { name: 'tool', version, description_content_type: type, license_expression: 'MIT', keywords: 'a,b' }
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('description', '# Uses\n\n<script>alert(1)</script>\n\n[guide](javascript:alert(2)) of *it*')
    form.set('content', new File(['x'], `tool-${version}.tar.gz`))
    assert.equal((await registryOf(forge.as('alice'), 'alice')('POST', 'pypi/', form)).status, 201)
    return (await new Browser(forge).get(`/alice/-/packages/pypi/tool/${version}`)).text
  }
  const shown = await upload('1.0', 'text/markdown; charset=UTF-8')
  assert.match(shown, /<h1[^>]*>.*Uses/)
  assert.match(shown, /<em>it<\/em>/)
  assert.ok(!shown.includes('alert('), 'scripts are left out')
  assert.match(shown, /<dt>License<\/dt><dd>MIT<\/dd>/)
  assert.ok(!(await upload('2.0', 'text/x-rst')).includes('Uses'))
})

test('packagesPage: the commands that publish are shown to who may publish', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const path = '/alice/-/packages?type=npm'
  assert.match((await (await Browser.of(forge, 'alice')).get(path)).text, /npm publish/)
  assert.ok(!(await (await Browser.of(forge, 'bob')).get(path)).text.includes('npm publish'))
})

test('packagePage, packageVersionPage, packageSettingsPage: pages of a package keep the head of their owner', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await forge.as('alice').must('POST', '/orgs', { username: 'acme', full_name: 'Acme Tools' })
  const alice = await Browser.of(forge, 'alice')
  for (const owner of ['alice', 'acme']) {
    assert.equal((await registryOf(forge.as('alice'), owner)('PUT', 'generic/tool/1.0/a.txt', 'text')).status, 201)
    const path = `/${owner}/-/packages/generic/tool`
    for (const at of [path, `${path}/1.0`, `${path}/1.0/settings`]) {
      const { status, text } = await alice.get(at)
      assert.equal(status, 200, at)
      // The tab of the packages is the current one; the settings of the organization are a tab beside it.
      assert.match(text, new RegExp(`href="/${owner}/-/packages"[^>]*aria-current="page"`), at)
      assert.equal(text.includes('href="/org/acme/settings"'), owner === 'acme', at)
      assert.equal(text.match(/<h1/g)?.length, 1, at)
    }
  }
})

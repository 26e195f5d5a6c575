import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { packageUsageOf, refusedTo, registryOf, storedFiles, zipOf } from '../packages.test-support.ts'
import { compareNuget } from './nuget.rules.ts'

const nuspec = (id: string, version: string, more = '') =>
  `\uFEFF<package xmlns="x"><metadata><id>${id}</id><version>${version}</version><authors>A &amp; B</authors>${more}</metadata></package>`
const nupkg = (id: string, version: string, more = '') =>
  zipOf({ [`${id}.nuspec`]: nuspec(id, version, more), 'lib/x': 'x' })

test('nugetUpload: refuses callers without rights and archives without a package, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const whole = nupkg('Tool', '1.0.0')
  assert.deepEqual(await refusedTo(forge, 'PUT', 'nuget/', whole), [401, 401])
  assert.deepEqual(await refusedTo(forge, 'PUT', 'nuget/symbolpackage', whole), [401, 401])
  const bad = [Buffer.from('x'), whole.subarray(0, -10), zipOf({ x: 'x' }), zipOf({ 'x.nuspec': '<package' })]
  for (const content of [...bad, nupkg('a b', '1.0'), nupkg('../x', '1.0'), nupkg('Tool', 'one')]) {
    const { status, json } = await alice('PUT', 'nuget', content)
    assert.deepEqual([status, typeof json.Message], [400, 'string'])
  }
  const wrong = await registryOf(forge.guest, 'alice')('PUT', 'nuget', whole, { 'x-nuget-apikey': 'wrong' })
  assert.equal(wrong.status, 401)
  assert.deepEqual(await storedFiles(forge), [])
})

test('nugetServices, nugetSearch, nugetRegistration, nugetRegistrationLeaf, nugetListVersions, nugetDownload: protocol version 3', async () => {
  await using forge = await startForge()
  const guest = registryOf(forge.guest, 'alice')
  const { token } = await forge.account('alice')
  const groups =
    '<dependencies><group targetFramework="net8"><dependency id="O" version="[1,2)"/></group></dependencies>'
  for (const content of [nupkg('Tool', '01.2.0.0', groups), nupkg('Tool', '1.10'), nupkg('Tool', '2.0-rc.1+b')]) {
    assert.equal((await guest('PUT', 'nuget', content, { 'x-nuget-apikey': token })).status, 201)
  }
  assert.equal((await guest('PUT', 'nuget', nupkg('tool', '1.2'), { 'x-nuget-apikey': token })).status, 409)
  const { resources } = (await guest('GET', 'nuget/index.json')).json
  assert.ok(resources.some((each: { '@type': string }) => each['@type'] === 'PackageBaseAddress/3.0.0'))
  const found = (await guest('GET', 'nuget/query?q=oo')).json
  assert.deepEqual([found.totalHits, found.data[0].version], [1, '2.0.0-rc.1'])
  const page = (await guest('GET', 'nuget/registration/tool/index.json')).json.items[0]
  assert.deepEqual([page.lower, page.upper, page.count], ['1.2.0', '2.0.0-rc.1', 3])
  const [first] = page.items
  assert.deepEqual(first.catalogEntry.dependencyGroups[0].dependencies, [{ id: 'O', range: '[1,2)' }])
  assert.equal((await (await fetch(first.packageContent)).arrayBuffer()).byteLength > 0, true)
  assert.equal((await guest('GET', 'nuget/registration/tool/1.10.0.json')).json.listed, true)
  assert.deepEqual((await guest('GET', 'nuget/package/tool/index.json')).json.versions, [
    '1.2.0',
    '1.10.0',
    '2.0.0-rc.1',
  ])
  assert.match((await guest('GET', 'nuget/package/tool/1.10.0/tool.nuspec')).text, /A &amp; B/)
  assert.equal((await guest('GET', 'nuget/package/none/index.json')).status, 404)
})

test('nugetServiceDocument, nugetDataDocument, nugetPackages, nugetCountPackages, nugetOldSearch, nugetCountSearch, nugetFindById, nugetCountById, nugetEntry: protocol version 2', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  for (const [id, version] of [
    ['Tool', '1.9.0'],
    ['Tool', '1.10.0'],
    ['Wide', '1.0.0'],
  ] as const) {
    await alice('PUT', 'nuget', nupkg(id, version, '<description>&lt;b&gt;</description>'))
  }
  const guest = registryOf(forge.guest, 'alice')
  const ids = async (path: string) =>
    [...(await guest('GET', `nuget/${path}`)).text.matchAll(/<d:Version>([^<]*)</g)].map((found) => found[1])
  const count = async (path: string) => (await guest('GET', `nuget/${path}`)).text
  assert.match((await guest('GET', 'nuget/')).headers.get('content-type') ?? '', /^application\/atom\+xml/)
  assert.match((await guest('GET', 'nuget/$metadata')).text, /<Property Name="Id"/)
  assert.deepEqual(await ids("FindPackagesById()?id='tool'"), ['1.9.0', '1.10.0'])
  assert.deepEqual(await ids("FindPackagesById()?id='tool'&$skip=1&$top=1"), ['1.10.0'])
  assert.equal(await count("FindPackagesById()/$count?id='tool'"), '2')
  assert.equal(await count("FindPackagesById()/$count?id='none'"), '0')
  assert.deepEqual(await ids("Search()?searchTerm='oo'"), ['1.10.0'])
  assert.equal(await count("Search()/$count?searchTerm=''"), '2')
  assert.deepEqual(await ids("Packages()?$filter=tolower(Id) eq 'wide'"), ['1.0.0'])
  assert.equal(await count("Packages()/$count?$filter=Id eq 'Wide'"), '1')
  const entry = await guest('GET', "nuget/Packages(Id='Tool',Version='1.9.0')")
  assert.match(entry.text, /<d:Description>&lt;b&gt;<\/d:Description>/)
  assert.equal((await guest('GET', "nuget/Packages(Id='Tool',Version='9.0.0')")).status, 404)
})

test('nugetUploadSymbols, nugetDelete: symbols belong to a version and are deleted with it', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  assert.equal((await alice('PUT', 'nuget/symbolpackage', nupkg('Tool', '1.0.0'))).status, 404)
  await alice('PUT', 'nuget', nupkg('Tool', '1.0.0'))
  assert.equal((await alice('PUT', 'nuget/symbolpackage', nupkg('tool', '1.0.0'))).status, 201)
  assert.equal((await alice('PUT', 'nuget/symbolpackage', nupkg('tool', '1.0.0'))).status, 409)
  assert.deepEqual(await refusedTo(forge, 'DELETE', 'nuget/Tool/1.0.0'), [401, 401])
  assert.equal((await alice('DELETE', 'nuget/tool/1.0.0')).status, 204)
  assert.equal((await alice('DELETE', 'nuget/tool/1.0.0')).status, 404)
  assert.equal(await packageUsageOf(forge, 'alice'), 0)
  assert.deepEqual(await examined(forge.services), [])
})

test('NuGet versions are ordered by number, pre-releases before releases', () => {
  const sorted = ['1.0.0-2', '1.0.0-10', '1.0.0-a', '1.0.0-a.1', '1.0.0', '1.0.0.1', '1.2.0', '1.10.0']
  assert.deepEqual(sorted.toReversed().toSorted(compareNuget), sorted)
})

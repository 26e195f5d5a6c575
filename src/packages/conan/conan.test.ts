import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge, testPassword } from '../../testing/forge.ts'
import { pythonClient } from '../../testing/python-client.ts'
import { basicAuthorization } from '../../testing/samples.ts'
import { digest, packageUsageOf, refusedTo, registryOf, storedFiles } from '../packages.test-support.ts'
import { isFound } from './conan.rules.ts'

const recipe = 'class Tiny:\n    name = "tiny"\n    license = "MIT"\n    topics = ("a", "b")\n    url = "x" + y\n'
const manifest = '1577934245\nconanfile.py: 0123456789abcdef0123456789abcdef\n'
const info = '[settings]\nos=Linux\n[requires]\nother/2.0\n[options]\nshared=True\n'
const at = 'conan/v2/conans/tiny/1.0/ada/stable'
const binary = `${at}/revisions/r1/packages/p1`

test('conanPutFile, conanPutBinaryFile: refuses callers without rights and invalid names, and stores nothing', async () => {
  await using forge = await startForge()
  const file = `${at}/revisions/r1/files/conanfile.py`
  assert.deepEqual(await refusedTo(forge, 'PUT', file, recipe), [401, 401])
  assert.deepEqual(await refusedTo(forge, 'PUT', `${binary}/revisions/q1/files/conaninfo.txt`, info), [401, 401])
  const alice = registryOf(forge.as('alice'), 'alice')
  const bad = [
    `${at}/revisions/r1/files/other.txt`,
    `${at}/revisions/r1/files/conan_package.tgz`,
    `${at}/revisions/r1/files/metadata/..%2F..%2Fx`,
    `${at}/revisions/r1/files/metadata`,
    `${at}/revisions/r-1/files/conanfile.py`,
    `${at}/revisions/${'r'.repeat(52)}/files/conanfile.py`,
    'conan/v2/conans/ti%7Cny/1.0/ada/stable/revisions/r1/files/conanfile.py',
    'conan/v2/conans/tiny/1.0/_/stable/revisions/r1/files/conanfile.py',
    'conan/v2/conans/tiny/..%2F1/ada/stable/revisions/r1/files/conanfile.py',
    `${binary}/revisions/q1/files/conanfile.py`,
    `${at}/revisions/r1/packages/p%2F1/revisions/q1/files/conaninfo.txt`,
  ]
  for (const path of bad) assert.equal((await alice('PUT', path, 'x')).status, 400, path)
  const sum = await alice('PUT', file, recipe, { 'x-checksum-sha1': digest('sha1', 'other') })
  assert.deepEqual([sum.status, Object.keys(sum.json as object)], [400, ['message']])
  assert.equal((await alice('PUT', file, recipe, { 'x-checksum-deploy': 'true' })).status, 404)
  const long = await alice('PUT', `${binary}/revisions/q1/files/conaninfo.txt`, 'x'.repeat(100_000))
  assert.equal(long.status, 400)
  assert.deepEqual(await storedFiles(forge), [])
  assert.deepEqual((await forge.as('alice').must('GET', '/packages/alice')).json, [])
})

test('conanPing, conanAuthenticate, conanCheckCredentials: a token ends with the password', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const guest = registryOf(forge.guest, 'alice')
  const ping = await guest('GET', 'conan/v1/ping')
  assert.deepEqual([ping.status, ping.headers.get('x-conan-server-capabilities')], [200, 'revisions'])
  assert.equal((await guest('GET', 'conan/v3/ping')).status, 404)
  assert.equal((await guest('GET', 'conan/v2/users/authenticate')).status, 400)
  const wrong = { authorization: basicAuthorization('alice', 'wrong') }
  assert.equal((await guest('GET', 'conan/v2/users/authenticate', undefined, wrong)).status, 401)
  const right = { authorization: basicAuthorization('alice', testPassword) }
  const { text: token } = await guest('GET', 'conan/v2/users/authenticate', undefined, right)
  const check = (text: string) =>
    guest('GET', 'conan/v2/users/check_credentials', undefined, { authorization: `Bearer ${text}` })
  assert.equal((await check(token)).status, 200)
  assert.equal((await check('unset')).status, 401)
  assert.equal((await check('')).status, 401)
  await forge.as('root').must('PATCH', '/admin/users/alice', { password: 'Another-0ne!' })
  assert.equal((await check(token)).status, 401)
})

test('conanLatest, conanRevisions, conanFiles, conanGetFile, conanBinaryLatest, conanBinaryRevisions, conanBinaryFiles, conanGetBinaryFile, conanSearchBinaries, conanSearchRevision: the newest revision is used', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: Date.UTC(2030, 0, 1) })
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const put = async (path: string, content: string) => assert.equal((await alice('PUT', path, content)).status, 201)
  assert.equal((await guest('GET', `${at}/latest`)).status, 404)
  for (const revision of ['r1', 'r2', 'r1']) {
    await put(`${at}/revisions/${revision}/files/conanfile.py`, recipe)
    await put(`${at}/revisions/${revision}/files/conanmanifest.txt`, manifest)
    forge.clock.advance(60_000)
  }
  await put(`${at}/revisions/r1/files/metadata/logs/build.log`, 'built')
  assert.deepEqual((await guest('GET', `${at}/revisions`)).json, {
    revisions: [
      { revision: 'r1', time: '2030-01-01T00:03:00Z' },
      { revision: 'r2', time: '2030-01-01T00:01:00Z' },
    ],
  })
  assert.equal((await guest('GET', `${at}/latest`)).json.revision, 'r1')
  assert.deepEqual((await guest('GET', `${at}/revisions/r1/files`)).json, {
    files: { 'conanfile.py': null, 'conanmanifest.txt': null, 'metadata/logs/build.log': null },
  })
  assert.equal((await guest('GET', `${at}/revisions/r1/files/metadata/logs/build.log`)).text, 'built')
  assert.equal((await guest('GET', `${at}/revisions/r1/files/conanfile.py`)).text, recipe)
  assert.equal((await guest('GET', `${at}/revisions/r3/files/conanfile.py`)).status, 404)
  for (const revision of ['q1', 'q2']) {
    await put(`${binary}/revisions/${revision}/files/conaninfo.txt`, `${info}[recipe_hash]\n${revision}\n`)
    await put(`${binary}/revisions/${revision}/files/conan_package.tgz`, 'archive')
  }
  assert.equal((await guest('GET', `${binary}/latest`)).json.revision, 'q2')
  assert.equal((await guest('GET', `${binary}/revisions`)).json.revisions.length, 2)
  assert.equal((await guest('GET', `${at}/revisions/r1/packages/none/latest`)).status, 404)
  assert.deepEqual(Object.keys((await guest('GET', `${binary}/revisions/q1/files`)).json.files), [
    'conaninfo.txt',
    'conan_package.tgz',
  ])
  assert.equal((await guest('GET', `${binary}/revisions/q1/files/conan_package.tgz`)).text, 'archive')
  const found = (await guest('GET', `${at}/search`)).json
  assert.deepEqual(found, (await guest('GET', `${at}/revisions/r1/search?list_only=True`)).json)
  assert.deepEqual([found.p1.settings, found.p1.recipe_hash, found.p1.environment], [{ os: 'Linux' }, 'q2', null])
  assert.deepEqual((await guest('GET', `${at}/revisions/r2/search`)).json, {})
  assert.deepEqual(await examined(forge.services), [])
})

test('conanSearch: patterns match references and their beginnings only', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = registryOf(forge.as('alice'), 'alice')
  for (const reference of ['tiny/1.0/ada/stable', 'tiny/1.0/_/_', 'Other/2/_/_']) {
    await alice('PUT', `conan/v2/conans/${reference}/revisions/r1/files/conanfile.py`, recipe)
  }
  const search = async (query: string) =>
    (await registryOf(forge.guest, 'alice')('GET', `conan/v2/conans/search${query}`)).json.results
  assert.deepEqual(await search(''), ['Other/2', 'tiny/1.0', 'tiny/1.0@ada/stable'])
  assert.deepEqual(await search('?q=TI*'), ['tiny/1.0', 'tiny/1.0@ada/stable'])
  assert.deepEqual(await search('?q=TI*&ignorecase=False'), [])
  assert.deepEqual(await search('?q=*@ada/*'), ['tiny/1.0@ada/stable'])
  assert.deepEqual(await search('?q=iny'), [])
  assert.deepEqual(await search('?q=other'), ['Other/2'])
  assert.ok(isFound('t?ny', 'tiny/1.0', false))
  assert.ok(!isFound(`${'*a'.repeat(200)}b`, `${'a'.repeat(250)}/1`, false))
})

test('conanDeleteRecipe, conanDeleteRevision, conanDeleteBinaries, conanDeleteBinary, conanDeleteBinaryRevision: each deletes its part only', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = registryOf(forge.as('alice'), 'alice')
  const fill = async () => {
    for (const revision of ['r1', 'r2']) {
      await alice('PUT', `${at}/revisions/${revision}/files/conanfile.py`, recipe)
      for (const built of ['p1/revisions/q1', 'p1/revisions/q2', 'p2/revisions/q1', 'p3/revisions/q1']) {
        await alice('PUT', `${at}/revisions/${revision}/packages/${built}/files/conaninfo.txt`, info)
      }
    }
  }
  const left = async () => (await forge.as('alice').must('GET', '/packages/alice/conan/tiny/1.0/files')).json.length
  await fill()
  await alice('PUT', 'conan/v2/conans/tiny/1.0/_/_/revisions/r1/files/conanfile.py', recipe)
  assert.deepEqual(await refusedTo(forge, 'DELETE', at), [401, 401])
  const remove = async (path: string) => {
    assert.equal((await alice('DELETE', path)).status, 200, path)
    assert.equal((await alice('DELETE', path)).status, 404, path)
    return left()
  }
  assert.equal(await remove(`${binary}/revisions/q1`), 10)
  assert.equal(await remove(binary), 9)
  assert.equal(await remove(`${at}/revisions/r1/packages`), 7)
  assert.equal(await remove(`${at}/revisions/r2`), 2)
  assert.equal(await remove(at), 1)
  assert.equal((await alice('DELETE', 'conan/v1/conans/tiny/1.0/_/_')).status, 200)
  assert.deepEqual((await forge.as('alice').must('GET', '/packages/alice')).json, [])
  assert.equal(await packageUsageOf(forge, 'alice'), 0)
  assert.deepEqual(await examined(forge.services), [])
})

test('conanRecipeSums, conanRecipeDigest, conanRecipeDownloadUrls, conanRecipeUploadUrls, conanRemoveFiles, conanRemoveBinaries, conanBinarySums, conanBinaryDigest, conanBinaryDownloadUrls, conanBinaryUploadUrls, conanGetRecipeFile1, conanPutRecipeFile1, conanGetBinaryFile1, conanPutBinaryFile1: clients without revisions can publish, read and delete', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const old = 'conan/v1/conans/old/2.0/_/_'
  const asJson = { 'content-type': 'application/json' }
  const sendAll = async (where: string, files: Readonly<Record<string, string>>) => {
    const sizes = JSON.stringify(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.length])))
    const answer = await alice('POST', `${where}/upload_urls`, sizes, asJson)
    assert.equal(answer.status, 200, answer.text)
    for (const [name, url] of Object.entries(answer.json as Record<string, string>)) {
      const path = new URL(url).pathname.replace('/api/packages/alice/', '')
      assert.equal((await alice('PUT', path, files[name] ?? '')).status, 201, path)
    }
  }
  assert.equal((await alice('POST', `${old}/upload_urls`, '{"../x":1}', asJson)).status, 400)
  assert.equal((await guest('POST', `${old}/upload_urls`, '{"conanfile.py":1}', asJson)).status, 401)
  await sendAll(old, { 'conanfile.py': recipe, 'conanmanifest.txt': manifest })
  for (const id of ['p1', 'p2']) {
    await sendAll(`${old}/packages/${id}`, { 'conaninfo.txt': info, 'conanmanifest.txt': manifest })
  }
  assert.deepEqual((await guest('GET', old)).json, {
    'conanfile.py': digest('md5', recipe),
    'conanmanifest.txt': digest('md5', manifest),
  })
  assert.deepEqual(Object.keys((await guest('GET', `${old}/digest`)).json), ['conanmanifest.txt'])
  assert.deepEqual(Object.keys((await guest('GET', `${old}/packages/p1/digest`)).json), ['conanmanifest.txt'])
  assert.equal((await guest('GET', `${old}/packages/p1`)).json['conaninfo.txt'], digest('md5', info))
  for (const [where, wanted] of [
    [old, { 'conanfile.py': recipe }],
    [`${old}/packages/p1`, { 'conaninfo.txt': info }],
  ] as const) {
    const urls = (await guest('GET', `${where}/download_urls`)).json
    for (const [name, content] of Object.entries(wanted)) {
      assert.equal(await (await fetch(urls[name])).text(), content)
    }
  }
  const removed = await alice('POST', `${old}/packages/delete`, '{"package_ids":["p1","none"]}', asJson)
  assert.equal(removed.status, 200)
  assert.equal((await guest('GET', `${old}/packages/p1`)).status, 404)
  assert.equal((await guest('GET', `${old}/packages/p2`)).status, 200)
  assert.equal((await alice('POST', `${old}/packages/delete`, '{"package_ids":[]}', asJson)).status, 200)
  assert.equal((await guest('GET', `${old}/packages/p2`)).status, 404)
  assert.equal((await alice('POST', `${old}/remove_files`, '{"files":["conanmanifest.txt"]}', asJson)).status, 200)
  assert.deepEqual(Object.keys((await guest('GET', old)).json), ['conanfile.py'])
  assert.deepEqual(await examined(forge.services), [])
})

const recipeFor = (body: string) => `from ${body.includes('self.copy') ? 'conans' : 'conan'} import ConanFile
${body}`

const clients = [
  {
    what: 'Conan 2',
    packages: ['conan==2.34.0'],
    home: 'CONAN_HOME',
    recipe: recipeFor(`from conan.tools.files import copy
class Tiny(ConanFile):
    name = "tiny"
    version = "1.0"
    settings = "os"
    exports_sources = "tiny.h"
    def package(self):
        copy(self, "tiny.h", self.source_folder, self.package_folder)
`),
    publish: [
      ['profile', 'detect'],
      ['remote', 'add', 'forge', 'URL'],
      ['remote', 'login', 'forge', 'alice', '-p', testPassword],
      ['create', 'recipe'],
      ['upload', 'tiny/1.0', '-r', 'forge', '--confirm'],
      ['remove', 'tiny/1.0', '--confirm'],
    ],
    install: ['install', '--requires=tiny/1.0', '-r', 'forge', '--deployer=full_deploy', '--output-folder', 'out'],
    search: ['list', 'tiny/*:*', '-r', 'forge'],
    found: /tiny\/1\.0[\s\S]*os: Linux/,
    remove: ['remove', 'tiny/1.0', '-r', 'forge', '--confirm'],
  },
  {
    what: 'Conan 1',
    packages: ['conan==1.66.0'],
    home: 'CONAN_USER_HOME',
    recipe: recipeFor(`class Tiny(ConanFile):
    name = "tiny"
    version = "1.0"
    settings = "os"
    exports_sources = "tiny.h"
    def package(self):
        self.copy("tiny.h")
`),
    publish: [
      ['remote', 'add', 'forge', 'URL'],
      ['user', '-r', 'forge', '-p', testPassword, 'alice'],
      ['create', 'recipe', 'demo/stable'],
      ['upload', 'tiny/1.0@demo/stable', '-r', 'forge', '--all', '--confirm'],
      ['remove', 'tiny/1.0@demo/stable', '--force'],
    ],
    install: ['install', 'tiny/1.0@demo/stable', '-r', 'forge', '--install-folder', 'out', '-g', 'deploy'],
    search: ['search', 'tiny/1.0@demo/stable', '-r', 'forge'],
    found: /os: Linux/,
    remove: ['remove', 'tiny/1.0@demo/stable', '-r', 'forge', '--force'],
  },
]

/**
 * Runs commands of Conan until one fails, and prints the exit code and output of each. A command is a process of its own,
 * forked from one that has loaded Conan: loading takes longer than most commands.
 */
const session = `
import importlib, json, os, pkgutil, sys, tempfile
from conans.conan import run
try:
    from conan.cli import commands
    for module in pkgutil.iter_modules(commands.__path__): importlib.import_module(commands.__name__ + "." + module.name)
except ImportError:
    pass  # Conan 1 has all commands in one module.
for args in json.load(sys.stdin):
    output = tempfile.TemporaryFile()
    child = os.fork()
    if child == 0:
        for stream in (1, 2): os.dup2(output.fileno(), stream)
        sys.argv[1:] = args
        sys.exit(run())
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    output.seek(0)
    print(json.dumps({"code": code, "output": output.read().decode()}))
    if code != 0: break
`

for (const each of clients) {
  test(`${each.what} itself uploads a recipe with a binary, finds, installs and removes it`, async (t) => {
    const client = await pythonClient(...each.packages)
    if (!client) return t.skip('the client cannot be installed')
    await using forge = await startForge({ users: ['alice'] })
    const folder = mkdtempSync(join(tmpdir(), 'ingot-conan-'))
    try {
      mkdirSync(join(folder, 'recipe'))
      writeFileSync(join(folder, 'recipe/conanfile.py'), each.recipe)
      writeFileSync(join(folder, 'recipe/tiny.h'), '#define TINY 1\n')
      const url = `${forge.url}/api/packages/alice/conan`
      const conan = async (commands: readonly (readonly string[])[]): Promise<readonly string[]> => {
        const named = commands.map((args) => args.map((arg) => (arg === 'URL' ? url : arg)))
        const env = { [each.home]: join(folder, 'home'), HOME: folder, CONAN_NON_INTERACTIVE: '1' }
        const ended = await client.run(['-c', session], { cwd: folder, env, input: JSON.stringify(named) })
        assert.equal(ended.code, 0, ended.err)
        const ran = ended.out
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as { code: number; output: string })
        const [index, last] = [ran.length - 1, ran.at(-1)]
        assert.equal(last?.code, 0, `conan ${commands[index]?.join(' ')}: ${last?.output}`)
        return ran.map(({ output }) => output)
      }
      const outputs = await conan([...each.publish, each.search, each.install])
      assert.match(outputs.at(-2) ?? '', each.found)
      assert.ok(existsSync(join(folder, 'out')), 'nothing was installed')
      await conan([each.remove])
      assert.deepEqual((await forge.as('alice').must('GET', '/packages/alice')).json, [])
      assert.deepEqual(await examined(forge.services), [])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

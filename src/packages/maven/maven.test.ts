import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { digest, refusedTo, registryOf, storedFiles } from '../packages.test-support.ts'

const pom = (text: string) =>
  `<?xml version="1.0"?><project xmlns="http://maven.apache.org/POM/4.0.0">${text}</project>`

test('mavenUpload: refuses callers without rights, invalid paths and invalid descriptions, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  assert.deepEqual(await refusedTo(forge, 'PUT', 'maven/g/a/1/a-1.jar', 'x'), [401, 401])
  for (const path of ['g/a.jar', 'a.jar', 'g/../a/1/a.jar', 'g//1/a.jar', 'g/a%3Fb/1/a.jar', 'g/a/%0A/a.jar']) {
    assert.equal((await alice('PUT', `maven/${path}`, 'x')).status, 400, path)
  }
  const bad: [string, string][] = [
    ['no XML', 'no xml <'],
    ['another document', '<metadata/>'],
    ['half', pom('<name>a</name>').slice(0, -4)],
    ['entities', `<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>${pom('<name>&b;</name>')}`],
    ['deep', pom('<a>'.repeat(100) + '</a>'.repeat(100))],
    ['long', pom(`<name>${'x'.repeat(3 << 20)}</name>`)],
  ]
  for (const [what, text] of bad) assert.equal((await alice('PUT', 'maven/g/a/1/a-1.pom', text)).status, 400, what)
  assert.deepEqual(await storedFiles(forge), [])
})

test('mavenUpload, mavenDownload: each file is stored once, with checksums and a list of versions', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const put = async (path: string, content: string) => (await alice('PUT', `maven/org/ex/tool/${path}`, content)).status
  assert.equal(await put('1.0/tool-1.0.jar', 'jar'), 201)
  assert.equal(await put('1.0/tool-1.0.jar', 'jar'), 409)
  assert.equal(await put('1.0/tool-1.0.jar.sha512', `${digest('sha512', 'jar')}  tool-1.0.jar\n`), 200)
  assert.equal(await put('1.0/tool-1.0.jar.md5', digest('md5', 'other')), 400)
  assert.equal(await put('1.0/none.jar.md5', digest('md5', 'other')), 404)
  assert.equal(await put('1.0/tool-1.0.jar.sha1', 'x'.repeat(10_000)), 413)
  assert.equal(await put('1.0/tool-1.0.pom', pom('<name>a &amp; b</name>')), 201)
  assert.equal(await put('maven-metadata.xml', '<metadata/>'), 200)
  assert.equal(await put('maven-metadata.xml.sha1', 'anything'), 200)
  assert.equal(await put('2.0-SNAPSHOT/tool-2.0-20200102.030405-1.jar', 'one'), 201)
  assert.equal(await put('2.0-SNAPSHOT/maven-metadata.xml', '<metadata>1</metadata>'), 201)
  assert.equal(await put('2.0-SNAPSHOT/maven-metadata.xml', '<metadata>2</metadata>'), 201)
  const stored = await guest('GET', 'maven/org/ex/tool/2.0-SNAPSHOT/maven-metadata.xml')
  assert.deepEqual(
    [stored.text, stored.headers.get('content-type')],
    ['<metadata>2</metadata>', 'application/octet-stream'],
  )
  const list = await guest('GET', 'maven/org/ex/tool/maven-metadata.xml')
  assert.match(list.text, /<release>1.0<\/release><latest>2.0-SNAPSHOT<\/latest>/)
  assert.equal((await guest('GET', 'maven/org/ex/tool/maven-metadata.xml.md5')).text, digest('md5', list.bytes))
  const jar = await guest('GET', 'maven/org/ex/tool/1.0/tool-1.0.jar')
  assert.deepEqual([jar.text, jar.headers.get('content-type')], ['jar', 'application/java-archive'])
  assert.equal((await guest('HEAD', 'maven/org/ex/tool/1.0/tool-1.0.jar')).headers.get('content-length'), '3')
  assert.equal((await guest('GET', 'maven/org/ex/none/maven-metadata.xml')).status, 404)
  await forge.as('alice').must('DELETE', '/packages/alice/maven/org.ex:tool/1.0')
  assert.doesNotMatch((await guest('GET', 'maven/org/ex/tool/maven-metadata.xml')).text, /release/)
  assert.deepEqual(await examined(forge.services), [])
})

test('mavenUpload: files with a classifier and the main file arrive in each order, also with equal contents', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const files = ['sources.jar', 'javadoc.jar', 'tests.jar', 'linux-x86_64.jar', 'jar', 'pom.asc', 'module', 'pom']
  for (const [version, order] of [
    ['1.0', files],
    ['1.1', files.toReversed()],
    ['1.2-SNAPSHOT', files],
  ] as const) {
    for (const file of order) {
      const separator = /^(?:jar|pom|module)/.test(file) ? '.' : '-'
      const name = `tool-${version.replace('SNAPSHOT', '20200102.030405-1')}${separator}${file}`
      const content = file === 'pom' ? pom('<name>a</name>') : 'equal'
      const put = await alice('PUT', `maven/org/ex/tool/${version}/${name}`, content)
      assert.equal(put.status, 201, `${name}: ${put.text}`)
      const sum = await alice('PUT', `maven/org/ex/tool/${version}/${name}.sha1`, digest('sha1', content))
      assert.equal(sum.status, 200, name)
    }
  }
})

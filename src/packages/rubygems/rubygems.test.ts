import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { runProgram } from '../../testing/program.ts'
import { digest, refusedTo, registryOf, storedFiles, tarOf, tgzOf } from '../packages.test-support.ts'
import { compareGems } from './rubygems.rules.ts'

const requirement = (...conditions: readonly string[]) =>
  `!ruby/object:Gem::Requirement\n    requirements:\n${conditions.map((each) => `    - - "${each.split(' ')[0]}"\n      - !ruby/object:Gem::Version\n        version: '${each.split(' ')[1]}'\n`).join('')}`

const specOf = (name: string, version: string, platform: string) => `--- !ruby/object:Gem::Specification
name: ${name}
version: !ruby/object:Gem::Version
  version: '${version}'
platform: ${platform}
authors:
- A
dependencies:
- !ruby/object:Gem::Dependency
  name: other
  requirement: ${requirement('>= 1.2', '< 2')}  type: :runtime
- !ruby/object:Gem::Dependency
  name: spec
  requirement: ${requirement('>= 0')}  type: :development
licenses: [MIT]
required_ruby_version: ${requirement('>= 2.3')}required_rubygems_version: ${requirement('>= 0')}summary: A tool
`

interface GemOptions {
  readonly platform?: string
  readonly spec?: string
  readonly sums?: string
}

async function gemOf(
  name: string,
  version: string,
  { platform = 'ruby', spec, sums }: GemOptions = {},
): Promise<Buffer> {
  const data = await tgzOf({ 'lib/x.rb': '# nothing' })
  return tarOf({
    'metadata.gz': gzipSync(spec ?? specOf(name, version, platform)),
    'data.tar.gz': data,
    'checksums.yaml.gz': gzipSync(sums ?? `---\nSHA512:\n  data.tar.gz: ${digest('sha512', data)}\n`),
  })
}

test('rubygemsUpload: refuses callers without rights and archives without a gem, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const path = 'rubygems/api/v1/gems'
  const whole = await gemOf('tool', '1.0')
  assert.deepEqual(await refusedTo(forge, 'POST', path, whole), [401, 401])
  const bomb = gzipSync(Buffer.alloc(32 << 20))
  const bad: [string, Buffer][] = [
    ['no archive', Buffer.from('nothing')],
    ['half', whole.subarray(0, 700)],
    ['no description', await tarOf({ 'data.tar.gz': 'x' })],
    ['no content', await tarOf({ 'metadata.gz': gzipSync(specOf('tool', '1.0', 'ruby')) })],
    ['a description that is not packed', await tarOf({ 'metadata.gz': 'x', 'data.tar.gz': 'x' })],
    ['a bomb', await tarOf({ 'metadata.gz': bomb, 'data.tar.gz': 'x' })],
    ['many files', await tarOf(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, 'x'])))],
    ['no YAML', await gemOf('tool', '1.0', { spec: '"' })],
    ['no mapping', await gemOf('tool', '1.0', { spec: '- a' })],
    ['aliases without end', await gemOf('tool', '1.0', { spec: `a: &a [x]\nname: [${'*a,'.repeat(100)}]` })],
    ['a wrong digest', await gemOf('tool', '1.0', { sums: '---\nSHA256:\n  data.tar.gz: 00\n' })],
    ['a digest of what is not there', await gemOf('tool', '1.0', { sums: '---\nSHA256:\n  none: 00\n' })],
    ['a name', await gemOf('to/ol', '1.0')],
    ['a path', await gemOf('..', '1.0')],
    ['a version', await gemOf('tool', 'one')],
    ['a platform', await gemOf('tool', '1.0', { platform: 'a|b' })],
    ['a requirement', await gemOf('tool', '1.0', { spec: specOf('tool', '1.0', 'ruby').replace("'1.2'", "'1.2,x'") })],
  ]
  for (const [what, content] of bad) assert.equal((await alice('POST', path, content)).status, 400, what)
  assert.deepEqual(await storedFiles(forge), [])
})

test('rubygemsVersions, rubygemsInfo, rubygemsSpecs, rubygemsSpecification, rubygemsDownload, rubygemsYank: lists follow uploads and deletions', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const path = 'rubygems/api/v1/gems'
  const tool = await gemOf('tool', '1.0')
  const java = await gemOf('tool', '1.0', { platform: 'java' })
  assert.equal((await alice('POST', path, tool)).status, 201)
  assert.equal((await alice('POST', path, tool)).status, 409)
  assert.equal((await alice('POST', path, java)).status, 201)
  assert.equal((await alice('POST', path, await gemOf('tool', '1.1.rc1'))).status, 201)
  assert.equal((await alice('POST', path, await gemOf('constructor', '0.1'))).status, 201)
  const info = await guest('GET', 'rubygems/info/tool')
  const lineOf = (version: string, content: Buffer) =>
    `${version} other:>= 1.2&< 2|checksum:${digest('sha256', content)},ruby:>= 2.3\n`
  assert.ok(info.text.startsWith(`---\n${lineOf('1.0', tool)}${lineOf('1.0-java', java)}1.1.rc1 `), info.text)
  assert.equal(info.headers.get('etag'), `"${digest('md5', info.text)}"`)
  assert.equal((await guest('GET', 'rubygems/info/toString')).status, 404)
  assert.match(
    (await guest('GET', 'rubygems/versions')).text,
    new RegExp(`^---\nconstructor 0.1 [0-9a-f]{32}\ntool 1.0,1.0_java,1.1.rc1 ${digest('md5', info.text)}$`, 'm'),
  )
  const listed = async (list: string) =>
    gunzipSync((await guest('GET', `rubygems/${list}.4.8.gz`)).bytes)
      .toString('latin1')
      .match(/\d+\.\d[.\w]*(?=\x06:\x06E)/g)
  assert.deepEqual(await listed('specs'), ['1.0', '1.0', '0.1'])
  assert.deepEqual(await listed('latest_specs'), ['1.0', '1.0', '0.1'])
  assert.deepEqual(await listed('prerelease_specs'), ['1.1.rc1'])
  const spec = await guest('GET', 'rubygems/quick/Marshal.4.8/tool-1.0-java.gemspec.rz')
  assert.match(inflateSync(spec.bytes).toString('latin1'), /Gem::Specification/)
  assert.equal((await guest('GET', 'rubygems/quick/Marshal.4.8/none-1.0.gemspec.rz')).status, 404)
  assert.equal((await guest('GET', 'rubygems/quick/Marshal.4.8/tool-1.0.json')).status, 501)
  assert.deepEqual((await guest('GET', 'rubygems/gems/tool-1.0-java.gem')).bytes, java)
  const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const yank = `${path}/yank`
  assert.deepEqual(await refusedTo(forge, 'DELETE', yank, form({ gem_name: 'tool', version: '1.0' })), [401, 401])
  assert.equal((await alice('DELETE', yank, form({ gem_name: 'tool' }), type)).status, 400)
  const one = form({ gem_name: 'tool', version: '1.0', platform: 'java' })
  assert.equal((await alice('DELETE', yank, one, type)).status, 200)
  assert.equal((await alice('DELETE', yank, one, type)).status, 404)
  assert.equal((await guest('GET', 'rubygems/gems/tool-1.0.gem')).status, 200)
  assert.equal((await alice('DELETE', yank, form({ gem_name: 'tool', version: '1.0' }), type)).status, 200)
  assert.doesNotMatch((await guest('GET', 'rubygems/info/tool')).text, /^1\.0/m)
  assert.deepEqual(await examined(forge.services), [])
})

test('gem versions are ordered like Gem::Version', () => {
  const versions = [
    '0.9',
    '1.0.a',
    '1.0.a.2',
    '1.0.b1',
    '1.0-2',
    '1.0.rc9',
    '1.0.rc10',
    '1',
    '1.0.1',
    '1.9',
    '1.10',
    '10',
  ]
  for (const [at, one] of versions.entries()) {
    for (const [position, other] of versions.entries()) {
      if (at < position && one !== '1.0.b1' && other !== '1.0-2') {
        assert.ok(compareGems(one, other) < 0 && compareGems(other, one) > 0, `${one} < ${other}`)
      }
    }
  }
  assert.equal(compareGems('1', '1.0.0'), 0)
  assert.equal(compareGems('1.00000000000000000000002', '1.2'), 0)
})

const withGem =
  (await runProgram('gem', ['--version'])).code === 0 && (await runProgram('bundle', ['--version'])).code === 0
const skip = !withGem && process.env['CI'] === undefined ? 'gem or bundler is not installed' : false

test('gem pushes, lists, describes and installs; Bundler resolves by the compact index', { skip }, async () => {
  await using forge = await startForge()
  const folder = mkdtempSync(join(tmpdir(), 'ingot-gem-'))
  try {
    const { token } = await forge.account('alice')
    const host = `${forge.url}/api/packages/alice/rubygems`
    mkdirSync(join(folder, '.gem'))
    writeFileSync(join(folder, '.gem/credentials'), `---\n${host}: Bearer ${token}\n`, { mode: 0o600 })
    const env = {
      HOME: folder,
      GEM_HOME: join(folder, 'gems'),
      GEM_SPEC_CACHE: join(folder, 'specs'),
      BUNDLE_PATH: join(folder, 'bundle'),
      BUNDLE_USER_HOME: join(folder, '.bundle'),
    }
    const run = async (program: string, ...args: string[]) => {
      const ended = await runProgram(program, args, { cwd: folder, env })
      assert.equal(ended.code, 0, `${program} ${args.join(' ')}: ${ended.out}${ended.err}`)
      return ended.out
    }
    const push = async (name: string, version: string, more = '') => {
      mkdirSync(join(folder, 'lib'), { recursive: true })
      writeFileSync(join(folder, `lib/${name}.rb`), `puts '${name} ${version}'\n`)
      writeFileSync(
        join(folder, `${name}.gemspec`),
        `Gem::Specification.new do |s|\ns.name='${name}'\ns.version='${version}'\ns.summary='A tool'\ns.authors=['A']\ns.files=['lib/${name}.rb']\ns.license='MIT'\ns.homepage='https://example.com'\n${more}end\n`,
      )
      await run('gem', 'build', '-q', `${name}.gemspec`)
      await run('gem', 'push', '--host', host, `${name}-${version}.gem`)
    }
    await push('less', '1.2')
    await push('less', '2.0')
    await push('tool', '1.9', "s.add_dependency 'less', '~> 1.0'\n")
    await push('tool', '1.10', "s.add_dependency 'less', '~> 1.0'\n")
    await push('tool', '2.0.rc1')
    const source = ['--clear-sources', '--source', `${host}/`]
    assert.match(await run('gem', 'list', '--remote', '--all', ...source, 'tool'), /tool \(1\.10, 1\.9\)/)
    assert.match(await run('gem', 'list', '--remote', '--all', '--prerelease', ...source, 'tool'), /2\.0\.rc1/)
    assert.match(await run('gem', 'specification', '--remote', ...source, 'tool'), /version: '1\.10'/)
    await run('gem', 'install', '--no-document', ...source, 'tool')
    assert.equal(await run('ruby', '-r', 'tool', '-e', ''), 'tool 1.10\n')
    assert.match(await run('gem', 'list'), /less \(1\.2\)/)
    writeFileSync(join(folder, 'Gemfile'), `source '${host}/'\ngem 'tool', '< 1.10'\n`)
    await run('bundle', 'install', '--quiet')
    assert.match(readFileSync(join(folder, 'Gemfile.lock'), 'utf8'), /less \(1\.2\)[^]*tool \(1\.9\)/)
    // Bundler fetches the appended lines only, and compares the whole file with its digest.
    await push('tool', '1.9.5', "s.add_dependency 'less', '~> 1.0'\n")
    await run('bundle', 'update', '--quiet', '--all')
    assert.match(readFileSync(join(folder, 'Gemfile.lock'), 'utf8'), /tool \(1\.9\.5\)/)
    await run('gem', 'yank', 'tool', '-v', '1.10', '--host', host)
    assert.match(await run('gem', 'list', '--remote', '--all', ...source, 'tool'), /tool \(1\.9\.5, 1\.9\)/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

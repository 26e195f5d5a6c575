import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startForge, testPassword } from '../testing/forge.ts'
import { runProgram } from '../testing/program.ts'
import { pythonClient } from '../testing/python-client.ts'
import { basicAuthorization } from '../testing/samples.ts'
import { tgzOf, zipOf } from './packages.test-support.ts'

type Files = Readonly<Record<string, string | Buffer>>

/** How a section of the page is tested. */
interface Trial {
  readonly files: () => Promise<Files> | Files
  /** Only lines that match are run. */
  readonly lines: RegExp
  readonly words?: Readonly<Record<string, string>>
  /** The package that must exist afterwards, `type/name/version`. */
  readonly published?: string
}

const wheel = (name: string): Buffer => {
  const info = `${name}-1.0.dist-info`
  return zipOf({
    [`${name}.py`]: 'V = 1\n',
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: '',
  })
}

const trials: Readonly<Record<string, Trial>> = {
  'npm, pnpm, yarn': {
    files: () => ({ 'package.json': '{"name":"@alice/tool","version":"1.0.0"}' }),
    lines: /^npm (?:config|publish)/,
    published: 'npm/%40alice%2Ftool/1.0.0',
  },
  PyPI: {
    files: () => ({ 'dist/tool-1.0-py3-none-any.whl': wheel('tool') }),
    lines: /^twine/,
    published: 'pypi/tool/1.0',
  },
  Go: {
    files: () => ({ 'module.zip': zipOf({ 'example.com/tool@v1.0.0/x.go': 'package x\n' }) }),
    lines: /^curl/,
    published: 'go/example.com%2Ftool/v1.0.0',
  },
  Composer: {
    files: () => ({ 'package.zip': zipOf({ 'composer.json': '{"name":"alice/tool"}' }) }),
    lines: /^curl/,
    published: 'composer/alice%2Ftool/1.0.0',
  },
  Helm: {
    files: async () => ({
      'chart.tgz': await tgzOf({ 'tool/Chart.yaml': 'apiVersion: v2\nname: tool\nversion: 1.0.0\n' }),
    }),
    lines: /^curl/,
    published: 'helm/tool/1.0.0',
  },
  Conda: {
    files: async () => {
      const { zstdCompressSync } = await import('node:zlib')
      const { tarOf } = await import('./packages.test-support.ts')
      const index = '{"name":"tool","version":"1.0","build":"0","subdir":"noarch"}'
      return {
        'tool-1.0-0.conda': zipOf({ 'info-x.tar.zst': zstdCompressSync(await tarOf({ 'info/index.json': index })) }),
      }
    },
    lines: /^curl/,
    words: { CHANNEL: 'main' },
    published: 'conda/main%2Ftool/1.0',
  },
  Vagrant: {
    files: async () => ({ 'package.box': await tgzOf({ 'metadata.json': '{"provider":"virtualbox"}' }) }),
    lines: /^curl/,
    published: 'vagrant/alice/1.0.0',
  },
  R: {
    files: async () => ({
      'tool_1.0.tar.gz': await tgzOf({
        'tool/DESCRIPTION':
          'Package: tool\nVersion: 1.0\nTitle: T\nAuthor: A\nMaintainer: A <a@example.com>\nLicense: MIT\n',
      }),
    }),
    lines: /^curl/,
    published: 'cran/tool/1.0',
  },
  Arch: {
    files: async () => ({
      'tool-1.0-1-any.pkg.tar.zst': await tgzOf({ '.PKGINFO': 'pkgname = tool\npkgver = 1.0-1\narch = any\n' }),
    }),
    lines: /^curl -u/,
    words: { GROUP: 'core' },
    published: 'arch/tool/1.0-1',
  },
  'Any files': {
    files: () => ({ FILE: 'content' }),
    lines: /^curl/,
    words: { VERSION: '1.0' },
    published: 'generic/alice/1.0',
  },
  Upstreams: {
    files: () => ({}),
    lines: /^(?:curl| {2}-d)/,
    words: { UPSTREAM: 'registry.example.com' },
  },
}

/** Returns the lines of the first block of commands below a heading. */
function commandsOf(page: string, heading: string): string[] {
  const [, block] = new RegExp(`^## ${heading}\\n[\\s\\S]*?^\`\`\`sh\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page) ?? []
  assert.ok(block, `the page has no commands for ${heading}`)
  return block.split('\n')
}

test('the commands of docs/packages.md do what they say', async () => {
  const page = readFileSync('docs/packages.md', 'utf8')
  const twine = await pythonClient('twine==6.1.0')
  await using forge = await startForge({ users: ['alice'] })
  const scopes = { name: 'page', scopes: ['write:package'] }
  const signedIn = { headers: { authorization: basicAuthorization('alice', testPassword) } }
  const { sha1: token } = (await forge.as('alice').must('POST', '/users/alice/tokens', scopes, signedIn)).json
  const home = mkdtempSync(join(tmpdir(), 'ingot-set-up-'))
  try {
    // curl must fail when the server refuses a request.
    writeFileSync(join(home, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n')
    for (const [heading, { files, lines, words = {}, published }] of Object.entries(trials)) {
      if (heading === 'PyPI' && !twine) continue
      const folder = mkdtempSync(join(home, 'section-'))
      for (const [path, content] of Object.entries(await files())) {
        mkdirSync(join(folder, path, '..'), { recursive: true })
        writeFileSync(join(folder, path), content)
      }
      const host = new URL(forge.url).host
      const values: Readonly<Record<string, string>> = {
        OWNER: 'alice',
        USER: 'alice',
        NAME: 'alice',
        TOKEN: token,
        ...words,
      }
      const commands = commandsOf(page, heading)
        .filter((line) => lines.test(line))
        .map((line) => line.replaceAll('https://HOST', forge.url).replaceAll('HOST', host))
        .map((line) => line.replaceAll(/\b[A-Z]{4,}\b/g, (word) => values[word] ?? word))
      assert.ok(commands.length > 0, heading)
      const env = {
        HOME: home,
        npm_config_userconfig: join(home, '.npmrc'),
        npm_config_cache: join(home, 'cache'),
        ...(twine ? { TWINE: twine.command('twine') } : {}),
      }
      const own = 'twine() { python3 "$TWINE" "$@"; }\n'
      const options = { cwd: folder, env, input: `set -e\n${own}${commands.join('\n')}\n` }
      const ended = twine ? await twine.shell(options) : await runProgram('bash', [], options)
      assert.equal(ended.code, 0, `${heading}: ${commands.join('\n')}\n${ended.out}${ended.err}`)
      if (published) await forge.as('alice').must('GET', `/packages/alice/${published}`)
    }
    const [upstream] = (await forge.as('alice').must('GET', '/packages/alice/-/upstreams')).json
    assert.deepEqual(upstream.reserved, ['@alice/*'])
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})

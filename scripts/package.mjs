#!/usr/bin/env node
/**
 * Builds and packs all packages into `build/packages/`, installs them into an empty project and checks them there: sizes,
 * dependencies, types, the README's example, CommonJS, Jest, the server, and the message on an old Node. `npm publish`
 * of the packed files, those of the platforms first, publishes a version.
 *
 *     npm run package
 */
import { spawn, spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './lib/free-port.mjs'
import { packagesFolder } from './lib/packages.mjs'
import { ensureReady, fail, fromRoot, readJson, root, toolEnvironment } from './lib/project.mjs'

await ensureReady()

const maxPackedMegabytes = 8
const maxInstalledMegabytes = 60
const stepTimeoutMs = 180_000
const readyTimeoutMs = 30_000

const folder = mkdtempSync(join(tmpdir(), 'ingot-package-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
const project = join(folder, 'project')

// Hide the packages of this checkout from the empty project, but keep its Node. Settings that npm passes to scripts would
// override those of a person who packs.
const environment = Object.fromEntries(
  Object.entries(toolEnvironment({ NODE_PATH: '' })).filter(([name]) => !/^npm_/i.test(name)),
)

/** Runs a program to its end and returns its output; ends the script when the program fails. */
function run(what, program, args, { cwd = project, mayFail = false } = {}) {
  const startedMs = performance.now()
  const result = spawnSync(program, args, { cwd, env: environment, encoding: 'utf8', timeout: stepTimeoutMs })
  if (result.status !== 0 && !mayFail) {
    fail(
      `${what} failed (${result.error?.message ?? result.signal ?? `status ${result.status}`})\n${result.stdout}${result.stderr}`,
    )
  }
  console.log(`ok ${what} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`)
  return result
}

function sizeOf(path) {
  const found = lstatSync(path)
  if (!found.isDirectory()) return found.blocks * 512
  return readdirSync(path).reduce((total, name) => total + sizeOf(join(path, name)), found.blocks * 512)
}

function check(what, holds, otherwise) {
  if (!holds) fail(`${what}: ${otherwise}`)
  console.log(`ok ${what}`)
}

/** Starts `npx ingot serve`, waits until it is healthy, and stops it. */
async function serve() {
  const port = await freePort()
  // An own process group: npx stands between the server and its signals.
  const child = spawn('npx', ['--no-install', 'ingot', 'serve', '--data', 'data', '--port', String(port)], {
    cwd: project,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const startedMs = performance.now()
  try {
    while (child.exitCode === null && performance.now() - startedMs < readyTimeoutMs) {
      const manifest = readFileSync(join(project, 'node_modules/ingot-forge/dist/web/manifest.json'), 'utf8')
      const assets = Object.values(JSON.parse(manifest).names).map((name) => `assets/${name}`)
      const pages = ['api/healthz', 'api/swagger', 'assets/swagger-ui/swagger-ui.css', 'api/v1/licenses/MIT', ...assets]
      const replies = await Promise.all(
        pages.map((page) => fetch(`http://127.0.0.1:${port}/${page}`).then(({ status }) => status)),
      ).catch(() => undefined)
      if (replies !== undefined) {
        check(
          'the server answers',
          replies.every((status) => status === 200),
          replies.join(', '),
        )
        return
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    fail(`the server was not ready:\n${output}`)
  } finally {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    await ended
  }
}

run('build', process.execPath, [fromRoot('scripts/build.mjs'), '--package'], { cwd: root })
/** The packed file of each package, by its name. */
const tarballs = new Map()
for (const each of readdirSync(packagesFolder)) {
  const { name } = JSON.parse(readFileSync(join(packagesFolder, each, 'package.json'), 'utf8'))
  const args = ['pack', '--json', '--pack-destination', packagesFolder, join(packagesFolder, each)]
  run(`pack ${name}`, 'npm', args, { cwd: packagesFolder })
  const file = `${name.replace('@', '').replace('/', '-')}-${readJson('package.json').version}.tgz`
  tarballs.set(name, join(packagesFolder, file))
}
const tarball = tarballs.get('ingot-forge')
const platformPackages = [...tarballs].filter(([name]) => name !== 'ingot-forge')
const packedMegabytes = (file) => statSync(file).size / 1024 ** 2
const largest = packedMegabytes(tarball) + Math.max(...platformPackages.map(([, file]) => packedMegabytes(file)))
check(
  `${packedMegabytes(tarball).toFixed(1)} MB packed, at most ${largest.toFixed(1)} with the package of a platform`,
  largest <= maxPackedMegabytes,
  `more than ${maxPackedMegabytes} MB`,
)
const packed = run('list', 'tar', ['-tzf', tarball], { cwd: folder }).stdout.split('\n')
check(
  'the package has the program',
  ['dist/ingot.js', 'dist/testing.js', 'dist/web/manifest.json'].every((file) => packed.includes(`package/${file}`)),
  packed.join(', '),
)
check('no source maps', !packed.some((file) => file.endsWith('.map')), packed.join(', '))
const declarations = packed.filter((file) => /\.d\.[cm]?ts$/.test(file))
check(
  'one declaration file for each form of the public entry',
  declarations.toSorted().join() === 'package/dist/testing.d.cts,package/dist/testing.d.ts',
  declarations.join(', '),
)
mkdirSync(project)
// The packages of the platforms come from their packed files; npm chooses among them as it does from a registry.
const overrides = Object.fromEntries(platformPackages.map(([name, file]) => [name, `file:${file}`]))
writeFileSync(
  join(project, 'package.json'),
  JSON.stringify({ name: 'empty', private: true, type: 'module', overrides }),
)
run('install', 'npm', ['install', '--no-audit', '--no-fund', tarball])
const builds = readdirSync(join(project, 'node_modules/@ingot-forge'))
check('one build of the database', builds.length === 1, builds.join(', '))

const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'))
const installed = Object.keys(packages)
  .filter((path) => path !== '')
  .map((path) => path.replace(/.*node_modules\//, ''))
const megabytes = Math.round(sizeOf(join(project, 'node_modules')) / 1024 ** 2)
check(
  `${megabytes} MB in ${installed.length} entries of the lock file`,
  megabytes <= maxInstalledMegabytes,
  `more than ${maxInstalledMegabytes} MB`,
)
const scripted = installed.filter((name) => packages[`node_modules/${name}`]?.hasInstallScript)
check('no install scripts', scripted.length === 0, scripted.join(', '))
check(
  'no runtime and nothing that reports',
  !installed.some((name) => name === 'node' || name.startsWith('@scarf/')),
  installed.join(', '),
)

const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(fromRoot('README.md'), 'utf8')) ?? []
check('the README has an example', example.includes("from 'ingot-forge/testing'"), 'it does not use the package')
writeFileSync(join(project, 'example.ts'), example)
run("the README's example", process.execPath, ['example.ts'])

// Type checks and tests with the tools of a user's project.
const { devDependencies } = readJson('package.json')
const tools = ['typescript', '@types/node'].map((name) => `${name}@${devDependencies[name]}`)
run('install TypeScript and Jest', 'npm', ['install', '--no-audit', '--no-fund', '--save-dev', ...tools, 'jest@30'])
const compile = (what, file, module) =>
  run(what, process.execPath, [
    join(project, 'node_modules/typescript/bin/tsc'),
    ...[
      '--noEmit',
      '--strict',
      '--noUncheckedIndexedAccess',
      '--exactOptionalPropertyTypes',
      '--skipLibCheck',
      'false',
    ],
    ...['--target', 'es2024', '--module', module, '--types', 'node', file],
  ])
compile('the types of the example, strictly', 'example.ts', 'nodenext')
writeFileSync(
  join(project, 'example.cts'),
  `import { startForge, type Forge, type Snapshot } from 'ingot-forge/testing'
export async function firstTitle(): Promise<string> {
  const forge: Forge = await startForge({ users: ['alice'] })
  const issue = await forge.given.issue()
  const mark: Snapshot = await forge.snapshot()
  await forge.as('alice').patch(issue.api, { title: 'Another' })
  await forge.reset(mark)
  const { json } = await forge.as('alice').get(issue.api)
  await forge.stop()
  return json.title
}
`,
)
for (const module of ['node16', 'nodenext']) compile(`the types of CommonJS, ${module}`, 'example.cts', module)
run('a program in CommonJS', process.execPath, [
  '--input-type=commonjs',
  '--eval',
  "require('ingot-forge/testing').startForge().then((forge) => forge[Symbol.asyncDispose]())",
])

// A second start reads the files that the first one wrote, key file included.
const jestTest = (load) => `${load}
test('an issue is there, also after a second start', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'ingot-jest-'))
  try {
    const forge = await startForge({ users: ['alice'], dataFolder })
    const issue = await forge.given.issue({ title: 'It works' })
    const { status, json } = await forge.as('alice').get(issue.api)
    expect([status, json.title]).toEqual([200, 'It works'])
    expect((await forge.as('alice').get('/repos/alice/missing/raw/none')).status).toBe(404)
    await forge[Symbol.asyncDispose]()
    const again = await startForge({ dataFolder })
    expect((await again.as('alice').get(issue.api)).json.title).toBe('It works')
    await again[Symbol.asyncDispose]()
  } finally {
    rmSync(dataFolder, { recursive: true, force: true })
  }
}, 60_000)
`
const names = {
  'node:fs': 'mkdtempSync, rmSync',
  'node:os': 'tmpdir',
  'node:path': 'join',
  'ingot-forge/testing': 'startForge',
}
const loads = (form) =>
  Object.entries(names)
    .map(([from, what]) => form(what, from))
    .join('\n')
writeFileSync(join(project, 'module.test.mjs'), jestTest(loads((what, from) => `import { ${what} } from '${from}'`)))
writeFileSync(
  join(project, 'script.test.cjs'),
  jestTest(loads((what, from) => `const { ${what} } = require('${from}')`)),
)
const jest = (what, file, ...flags) =>
  run(what, process.execPath, [
    ...[...flags, 'node_modules/jest/bin/jest.js', '--runInBand', '--testRegex', file],
    ...['js', 'mjs', 'cjs'].flatMap((extension) => ['--moduleFileExtensions', extension]),
  ])
jest('Jest, a test in CommonJS', String.raw`script\.test\.cjs$`)
// Jest runs tests that are ES modules only with this flag of Node.
jest('Jest, a test that is a module', String.raw`module\.test\.mjs$`, '--experimental-vm-modules')
await serve()

// npm may run on an old Node, which is the last one in the path.
const [oldNode] = (spawnSync('sh', ['-c', 'command -v -p node'], { encoding: 'utf8' }).stdout ?? '').split('\n')
const oldVersion = oldNode ? spawnSync(oldNode, ['--version'], { encoding: 'utf8' }).stdout.trim() : ''
if (/^v(1[89]|2[0-3])\./.test(oldVersion)) {
  for (const args of [
    ['node_modules/ingot-forge/dist/ingot.js'],
    ['--input-type=module', '--eval', "import 'ingot-forge/testing'"],
  ]) {
    const { status, stderr } = run(`Node ${oldVersion}`, oldNode, args, { mayFail: true })
    check(
      'it is told what is needed',
      status === 1 && stderr.includes(`Node 24 or newer is needed, and this is Node ${oldVersion.slice(1)}`),
      stderr,
    )
  }
} else {
  console.log('no older Node is here to try')
}

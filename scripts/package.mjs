#!/usr/bin/env node
/**
 * Packs the package, installs it into an empty project as its users do, and tries it there: size, what comes along,
 * types, the README's example, the server, and what an older Node is told.
 *
 *     npm run package
 */
import { spawn, spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './lib/free-port.mjs'
import { ensureReady, fail, fromRoot, root, toolEnvironment } from './lib/project.mjs'

await ensureReady()

const maxInstalledMegabytes = 100
const stepTimeoutMs = 180_000
const readyTimeoutMs = 30_000

const folder = mkdtempSync(join(tmpdir(), 'ingot-package-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
const project = join(folder, 'project')

// The packages of this checkout must not be found from the empty project, only its Node.
const environment = toolEnvironment({ npm_config_ignore_scripts: 'false', NODE_PATH: '' })

/** Runs a program to its end and gives what it wrote; ends the script when it fails. */
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

/** Starts `npx ingot serve`, waits until it is healthy, and tells it to stop. */
async function serve() {
  const port = await freePort()
  // A group of its own: npx stands between the server and its signals.
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
      const pages = ['api/healthz', 'api/swagger', 'assets/swagger-ui/swagger-ui.css', 'api/v1/licenses/MIT']
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

run('pack', 'npm', ['pack', '--pack-destination', folder], { cwd: root })
const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
mkdirSync(project)
writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }))
run('install', 'npm', ['install', '--no-audit', '--no-fund', join(folder, tarball)])

const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'))
const names = Object.keys(packages)
  .filter((path) => path !== '')
  .map((path) => path.replace(/.*node_modules\//, ''))
const megabytes = Math.round(sizeOf(join(project, 'node_modules')) / 1024 ** 2)
check(
  `${megabytes} MB in ${names.length} entries of the lock file`,
  megabytes <= maxInstalledMegabytes,
  `more than ${maxInstalledMegabytes} MB`,
)
const scripted = names.filter((name) => packages[`node_modules/${name}`]?.hasInstallScript)
check('no install scripts', scripted.length === 0, scripted.join(', '))
check(
  'no runtime and nothing that reports',
  !names.some((name) => name === 'node' || name.startsWith('@scarf/')),
  names.join(', '),
)

const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(fromRoot('README.md'), 'utf8')) ?? []
check('the README has an example', example.includes("from 'ingot-forge/testing'"), 'it does not use the package')
writeFileSync(join(project, 'example.ts'), example)
run("the README's example", process.execPath, ['example.ts'])
run('its types', process.execPath, [
  fromRoot('node_modules/typescript/bin/tsc'),
  ...['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2024', '--lib', 'es2024,esnext.disposable'],
  ...['--module', 'nodenext', '--types', 'node', '--typeRoots', fromRoot('node_modules/@types'), 'example.ts'],
])
run('a test in CommonJS', process.execPath, [
  '--input-type=commonjs',
  '--eval',
  "require('ingot-forge/testing').startForge().then((forge) => forge[Symbol.asyncDispose]())",
])
await serve()

// npm may run on an older Node than ours: the one that stands last in the path.
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

/**
 * What every script of the project needs: where the project lies, its own runtime, and complete installs. This file runs
 * under whatever Node npm itself runs on, before any package is installed: it imports nothing but Node's own modules.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** An absolute path of a file of the project. */
export const fromRoot = (...parts) => join(root, ...parts)

/** Ends the script with a message on standard error and status 1. */
export function fail(message) {
  console.error(message)
  process.exit(1)
}

/** The parsed JSON of a file of the project. */
export const readJson = (path) => JSON.parse(readFileSync(fromRoot(path), 'utf8'))

const runtime = fromRoot('node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
const oldestMajor = 24

/** The environment in which the project's own tools are found first. */
export const toolEnvironment = (extra = {}) => ({
  ...process.env,
  ...extra,
  PATH: `${fromRoot('node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`,
})

/**
 * How the C library is to keep memory for the program: few pools, and large blocks (password hashing takes 19 MB for a
 * moment) are always given back. Six megabytes less when idle; the program's first line says the same.
 */
export const frugalMalloc = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576' }

/**
 * How the engine is to run the program: without its middle compiler (nine megabytes), with a young half of the heap that grows to
 * 32 MB and not to 64, and an old one that is collected when half as much as lives has come to it. The program's first line and `package.json` say the same: what was compiled is kept for the same flags alone.
 */
export const engineFlags = ['--no-maglev', '--max-semi-space-size=16', '--heap-growing-percent=50']

/** Whether the packages are missing or older than the lock file. npm writes the hidden lock file when it is done. */
function installIsStale() {
  const installed = fromRoot('node_modules', '.package-lock.json')
  if (!existsSync(installed)) return true
  return statSync(installed).mtimeMs < statSync(fromRoot('package-lock.json')).mtimeMs && !sameLocks(installed)
}

/** A checkout may touch the lock file without changing it, so the packages themselves are compared when it is newer. */
function sameLocks(installed) {
  const have = JSON.parse(readFileSync(installed, 'utf8')).packages
  const want = JSON.parse(readFileSync(fromRoot('package-lock.json'), 'utf8')).packages
  return Object.entries(want).every(
    ([path, entry]) => path === '' || entry.optional === true || have[path]?.version === entry.version,
  )
}

/** Runs npm, its messages on standard error. Ends the script when it fails. */
function npm(...args) {
  const isWindows = process.platform === 'win32'
  const result = spawnSync(isWindows ? 'npm.cmd' : 'npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: isWindows,
  })
  if (result.status === 0) return
  fail(`npm ${args[0]} failed (${result.error?.message ?? result.signal ?? `status ${result.status}`})`)
}

/**
 * Makes sure that the packages are installed and that this script runs on the project's own Node: installs and starts
 * the script again where needed, and ends this process with its status. Call it first, and once.
 */
export function ensureReady() {
  if (installIsStale()) {
    console.error('installing packages (npm ci)')
    // No package runs a script when it is installed; `allowScripts` says the same to npm 11.16 and newer.
    npm('ci', '--ignore-scripts')
  }
  // One of this project's own may just have been installed away.
  if (Number(process.versions.node.split('.')[0]) >= oldestMajor && existsSync(process.execPath)) {
    process.env.PATH = toolEnvironment().PATH
    return Promise.resolve()
  }
  if (!existsSync(runtime)) {
    // The one script that is wanted: it fetches the runtime.
    console.error(`installing Node ${readJson('package.json').devDependencies.node}`)
    npm('rebuild', 'node')
  }
  if (!existsSync(runtime)) fail(`the project's own Node is missing at ${runtime}: remove node_modules and try again`)
  const child = spawn(runtime, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: toolEnvironment(),
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(`cannot start ${runtime}: ${error.message}`))
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
  return new Promise(() => {})
}

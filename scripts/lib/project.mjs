/**
 * What every script needs: the project's paths, its own Node, and installed packages. This file runs under whichever Node
 * npm runs on, before packages are installed, so it imports only Node's own modules.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** The absolute path of a file of the project. */
export const fromRoot = (...parts) => join(root, ...parts)

/** Prints a message on standard error and ends the script with status 1. */
export function fail(message) {
  console.error(message)
  process.exit(1)
}

/** The parsed JSON of a file of the project. */
export const readJson = (path) => JSON.parse(readFileSync(fromRoot(path), 'utf8'))

const runtime = fromRoot('node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
const oldestMajor = 24

/** The environment with the project's own tools first in the path. */
export const toolEnvironment = (extra = {}) => ({
  ...process.env,
  ...extra,
  PATH: `${fromRoot('node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`,
})

/**
 * Settings of the C library's allocator: few pools, and large blocks (password hashing takes 19 MB for a moment) return to
 * the system. They save 6 MB when idle. The first line of the program sets the same.
 */
export const frugalMalloc = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576' }

/**
 * Flags of the engine: no middle compiler (saves 9 MB), a young generation of at most 32 MB, and a major collection when
 * the heap has grown by half. The program's first line and `package.json` have the same flags, because the compile cache
 * belongs to one set of flags.
 */
export const engineFlags = ['--no-maglev', '--max-semi-space-size=16', '--heap-growing-percent=50']

/** Returns whether packages are missing or older than the lock file. npm writes the hidden lock file last. */
function installIsStale() {
  const installed = fromRoot('node_modules', '.package-lock.json')
  if (!existsSync(installed)) return true
  return statSync(installed).mtimeMs < statSync(fromRoot('package-lock.json')).mtimeMs && !sameLocks(installed)
}

/** Compares the packages themselves: a checkout may touch the lock file without changing it. */
function sameLocks(installed) {
  const have = JSON.parse(readFileSync(installed, 'utf8')).packages
  const want = JSON.parse(readFileSync(fromRoot('package-lock.json'), 'utf8')).packages
  return Object.entries(want).every(
    ([path, entry]) => path === '' || entry.optional === true || have[path]?.version === entry.version,
  )
}

/** Runs npm with its messages on standard error. Ends the script when npm fails. */
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
 * Installs packages when needed and restarts the script on the project's own Node when it runs on an older one. Call it
 * first, and once.
 */
export function ensureReady() {
  if (installIsStale()) {
    console.error('installing packages (npm ci)')
    // No package runs an install script; `allowScripts` tells npm 11.16 and newer the same.
    npm('ci', '--ignore-scripts')
  }
  // `npm ci` may have removed the running Node.
  if (Number(process.versions.node.split('.')[0]) >= oldestMajor && existsSync(process.execPath)) {
    process.env.PATH = toolEnvironment().PATH
    return Promise.resolve()
  }
  if (!existsSync(runtime)) {
    // The only install script that runs: it downloads Node.
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

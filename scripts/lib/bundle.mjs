/**
 * The bundler. It writes everything into one flat folder: the program, and the entries of other processes and threads,
 * where `src/lib/assets.ts` looks for them.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { browserFolders, browserSources, bundleBrowser } from './browser-bundle.mjs'
import { keptPackages } from './kept-packages.mjs'
import { keptResult } from './kept-results.mjs'
import { isAlive } from './process-tree.mjs'
import { engineFlags, fromRoot, readJson, root } from './project.mjs'

/** Entries that the program starts as a process or thread, or loads by name on first use. */
export const sideEntries = {
  'git-broker': 'src/git/broker/main.ts',
  'archive-worker': 'src/packages/formats/worker.ts',
  'image-worker': 'src/images/worker.ts',
  'markup-worker': 'src/markup/worker.ts',
  'port-worker': 'src/testing/port/worker.ts',
}

/** All entries of `dist/`. */
export const programEntries = {
  ingot: 'src/main.ts',
  ...sideEntries,
  'check-node': 'src/check-node.ts',
  'testing-kit': 'src/testing/index.ts',
}

/**
 * Packages that are not bundled: those with a native part (the package's dependencies), the one whose licence lets users
 * replace it, and servers and browser drivers that only tests start.
 */
const importedPackages = [
  ...Object.keys(readJson('package.json').dependencies),
  'openpgp',
  'playwright-core',
  's3rver',
  'smtp-server',
]

/** Optional native add-ons of packages. They would need a compiler; the packages work without them. */
const leftOut = ['cpu-features', 'pg-native']

/** Returns whether a package is bundled. */
export const isBundled = (name) => !importedPackages.includes(name) && !leftOut.includes(name)

const packageNameOf = (path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/')

const packages = {
  name: 'packages',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ kind, path }) => {
      const isOutside = isBuiltin(path) || !isBundled(packageNameOf(path))
      return kind !== 'entry-point' && isOutside ? { path, external: true } : undefined
    })
  },
}

/**
 * Importing `node:http` as a module reads each of its exports, and some load Node's HTTP, WebSocket and EventSource
 * clients: 13 MB that the server does not need. `require` loads only what is used.
 */
const httpWithoutClient = {
  name: 'http-without-client',
  setup(build) {
    build.onResolve({ filter: /^(?:node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'node:http', namespace: 'required' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/**
 * The engine keeps a program's text in memory, at two bytes per character when it contains one beyond ASCII. esbuild
 * escapes such characters in strings but not in regular expressions, where the escape means the same.
 */
function escapeBeyondAscii(folder, metafile) {
  for (const name of Object.keys(metafile.outputs)) {
    if (!name.endsWith('.js')) continue
    const file = join(folder, basename(name))
    const text = readFileSync(file, 'utf8')
    const escaped = text.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    if (escaped !== text) writeFileSync(file, escaped)
  }
}

/**
 * The LGPL lets users replace OpenPGP.js, so the published package has it as a file of its own, without its builds for
 * other environments (17 MB).
 */
const openPgpFile = (folder) => ({
  name: 'openpgp-file',
  setup(build) {
    build.onStart(() =>
      copyFileSync(fromRoot('node_modules/openpgp/dist/node/openpgp.min.mjs'), join(folder, 'openpgp.mjs')),
    )
    build.onResolve({ filter: /^openpgp$/ }, () => ({ path: './openpgp.mjs', external: true }))
  },
})

/** The native builds of the embedded database for all platforms. */
export const sqlitePrebuilds = fromRoot('node_modules/better-sqlite3/prebuilds')

/** Name of the package with the native build of the embedded database for a platform, such as `linux-x64`. */
export const platformPackage = (platform) => `@ingot-forge/sqlite-${platform}`

/** Loads the build for a platform from its package. It runs in the module of the database that looks for builds. */
const loadPlatformPackage = (target) => `(() => {
  const name = ${JSON.stringify(platformPackage(''))} + ${target}
  try {
    return require.resolve(name)
  } catch (cause) {
    throw new Error('the package ' + name + ' is missing; install ingot-forge with its optional dependencies, on this platform', { cause })
  }
})()`

/**
 * The embedded database ships builds for all platforms. The bundle contains its code. A build of a checkout puts the
 * native files of this system beside the program; the published package finds its file in the package of the platform.
 */
const sqliteBuilds = (folder, isPackage) => ({
  name: 'sqlite-builds',
  setup(build) {
    build.onStart(() => {
      if (isPackage) return
      mkdirSync(join(folder, 'prebuilds'), { recursive: true })
      for (const name of readdirSync(sqlitePrebuilds)) {
        if (name.includes(process.platform)) copyFileSync(join(sqlitePrebuilds, name), join(folder, 'prebuilds', name))
      }
    })
    build.onLoad({ filter: /better-sqlite3[/\\]lib[/\\]binding\.js$/ }, ({ path }) => {
      const search = "path.join(__dirname, '..', 'prebuilds', `${target}.node`)"
      const text = readFileSync(path, 'utf8')
      if (!text.includes(search)) throw new Error(`${path} looks for its builds in another way`)
      const replacement = isPackage ? loadPlatformPackage('target') : search.replace("'..', ", '')
      return { contents: text.replace(search, () => replacement) }
    })
  },
})

/** CommonJS packages inside a module need these. */
const commonJs = `import{createRequire as $createRequire}from'node:module';const require=$createRequire(import.meta.url),__dirname=import.meta.dirname,__filename=import.meta.filename;`

/**
 * `ingot-forge/testing` checks the version of Node before it loads the kit. Modules are evaluated in the order of their
 * imports, and this file has no `await`, so that CommonJS tests can require it.
 */
const testingEntry = `import './check-node.js'\nexport * from './testing-kit.js'\n`

/**
 * The entry for CommonJS. Jest runs tests in a sandbox whose `require` cannot load ES modules without a flag of Node.
 * Node's own `require`, which this code takes from the context outside the sandbox, can. The forge then runs outside too,
 * where mocks and fake clocks do not reach it.
 */
const commonJsEntry = `'use strict'
const { getBuiltinModule } = require('node:vm').runInThisContext('process')
module.exports = (getBuiltinModule?.('node:module') ?? require('node:module')).createRequire(__filename)('./testing.js')
`

/**
 * Copies the files of `data` folders below `src`, except notes, and files made from packages, to `data/` beside the
 * program. Their names are unique.
 */
const copyData = (folder) => ({
  name: 'copy-data',
  setup(build) {
    build.onStart(async () => {
      mkdirSync(join(folder, 'data'), { recursive: true })
      for (const path of readdirSync(fromRoot('src'), { recursive: true })) {
        const data = /(?:^|\/)data\/([^/]+)$/.exec(path)
        if (data !== null && !path.endsWith('.md')) copyFileSync(fromRoot('src', path), join(folder, 'data', data[1]))
      }
      for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
        copyFileSync(fromRoot('node_modules/swagger-ui-dist', name), join(folder, 'data', name))
      }
      await writeLicenses(join(folder, 'data'))
    })
  },
})

/**
 * Puts the files for browsers into `web/` beside the program. A watching build also starts again when one of their
 * sources changes, as if the file that reads their list had changed.
 */
const browserFiles = (folder) => ({
  name: 'browser-files',
  setup(build) {
    build.onStart(async () => {
      try {
        await bundleBrowser(folder)
      } catch (error) {
        if (!Array.isArray(error.errors)) throw error
        return { errors: error.errors }
      }
    })
    build.onLoad({ filter: /[/\\]web[/\\]shell[/\\]assets\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path),
      loader: 'ts',
      watchFiles: [path, ...browserSources().map((source) => fromRoot(source))],
      watchDirs: browserFolders.map((each) => fromRoot(each)),
    }))
  },
})

const licenseBlockBytes = 256 << 10

/** Puts the texts of all licences into a folder. Compressing takes seconds, so `build/licenses/` keeps the result. */
async function writeLicenses(folder) {
  const { version } = readJson('node_modules/spdx-license-list/package.json')
  const kept = await keptResult(fromRoot('build', 'licenses'), version, packLicenses)
  for (const name of readdirSync(kept)) copyFileSync(join(kept, name), join(folder, name))
}

/**
 * Writes the texts of all licences into one file, equal texts once, in blocks that are compressed by themselves, so that
 * reading a text unpacks one block. The index has for each licence its block (first byte, length) and its part of it.
 */
function packLicenses(folder) {
  const source = fromRoot('node_modules/spdx-license-list')
  const keys = Object.keys(JSON.parse(readFileSync(join(source, 'spdx.json'), 'utf8'))).sort()
  const textOf = (key) => JSON.parse(readFileSync(join(source, 'licenses', `${key}.json`), 'utf8')).licenseText
  const keysByText = Map.groupBy(keys, textOf)
  // The program lists licences in the order of the index.
  const index = Object.fromEntries(keys.map((key) => [key, []]))
  const blocks = []
  let start = 0
  let members = []
  const endBlock = () => {
    const block = brotliCompressSync(Buffer.concat(members.map(({ text }) => text)))
    let offset = 0
    for (const { text, names } of members) {
      for (const name of names) index[name] = [start, block.length, offset, text.length]
      offset += text.length
    }
    blocks.push(block)
    start += block.length
    members = []
  }
  for (const [text, names] of keysByText) {
    members.push({ text: Buffer.from(text), names })
    if (members.reduce((total, member) => total + member.text.length, 0) > licenseBlockBytes) endBlock()
  }
  if (members.length > 0) endBlock()
  writeFileSync(join(folder, 'licenses.json'), JSON.stringify(index))
  writeFileSync(join(folder, 'licenses.br'), Buffer.concat(blocks))
}

/** Licences and notices of the packages in a bundle and in the files for browsers. */
async function writeNotices(folder, metafile) {
  const names = new Set([
    ...['better-sqlite3', 'openpgp', 'spdx-license-list', 'swagger-ui-dist'],
    ...(await bundleBrowser(folder)),
  ])
  for (const path of Object.keys(metafile.inputs)) {
    const match = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)
    if (match !== null) names.add(match[0].slice('node_modules/'.length, -1))
  }
  const sections = [...names].sort().map((name) => {
    const source = fromRoot('node_modules', name)
    const { version, license } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
    const files = readdirSync(source, { withFileTypes: true }).filter(
      (file) => file.isFile() && /^(licen[cs]e|notice|copying)/i.test(file.name),
    )
    const texts = files.map((file) => readFileSync(join(source, file.name), 'utf8').trim())
    return [`${name.split('node_modules/').at(-1)} ${version} (${license})`, ...texts].join('\n\n')
  })
  const rule = `\n\n${'-'.repeat(80)}\n\n`
  writeFileSync(
    join(folder, 'THIRD-PARTY-LICENSES.txt'),
    `Ingot contains these packages:${rule}${sections.join(rule)}\n`,
  )
}

/** The esbuild options of each bundle of Node code. */
const commonOptions = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  // Older than the required Node, so that an old Node can parse the file up to the version check.
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  // Comments and indentation are more than half of some packages, and the engine keeps a program's text in memory. Names
  // and short lines stay, so that a stack trace is readable.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 160,
  legalComments: 'external',
  chunkNames: 'chunk-[hash]',
  metafile: true,
  logLevel: 'silent',
  banner: { js: commonJs },
}

/** The esbuild options for bundling Node code into a flat folder. `entries` maps output names to source files. */
export function bundleOptions(entries, folder, { isPackage = false, sources } = {}) {
  return {
    ...commonOptions,
    entryPoints: Object.entries(entries).map(([out, file]) => ({ in: fromRoot(file), out })),
    outdir: folder,
    sourcemap: !isPackage,
    // The reason of a failed assertion shows the code of the test.
    ...(sources ? { minifySyntax: false, minifyWhitespace: false, lineLimit: 0 } : {}),
    plugins: [
      httpWithoutClient,
      ...(isPackage ? [openPgpFile(folder)] : []),
      packages,
      // The program finds its other files beside itself.
      ...(sources ? [sources] : [sqliteBuilds(folder, isPackage), copyData(folder), browserFiles(folder)]),
    ],
  }
}

/** The esbuild options for bundling modules of packages by themselves. */
const packageOptions = (folder) => ({
  ...commonOptions,
  plugins: [httpWithoutClient, packages, sqliteBuilds(folder, false)],
})

/** The folder of the compile cache; see `src/main.ts`. */
const compileCache = 'compile-cache'

/**
 * Starts a built program once, so that the next start finds the compile cache. A failure shows at the next start as well
 * and is not reported here.
 */
export async function warmUp(program) {
  const data = mkdtempSync(join(tmpdir(), 'ingot-warm-up-'))
  try {
    const args = [...engineFlags, program, 'serve', '--data', data, '--port', '0']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
    const timer = setTimeout(() => child.kill('SIGKILL'), 30_000)
    child.stdout.once('data', () => child.kill('SIGTERM'))
    await once(child, 'exit')
    clearTimeout(timer)
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

/**
 * Bundles entries and removes the output of earlier bundles. Prints the bundler's messages on failure.
 * @param options `isPackage`: for publication; `keepsPackages`: packages come from a bundle that is kept below `build/`,
 *   so the folder is not complete; `sources`: a plugin that resolves the project's own sources to another bundle
 */
export async function bundle(entries, folder, options = {}) {
  const esbuild = await import('esbuild')
  mkdirSync(folder, { recursive: true })
  try {
    const buildOptions = bundleOptions(entries, folder, options)
    if (options.keepsPackages) buildOptions.plugins.unshift(await keptPackages(esbuild, packageOptions, isBundled))
    const result = await esbuild.build(buildOptions)
    await printMessages(esbuild, result.warnings, 'warning')
    removeOthers(folder, result.metafile)
    rmSync(join(folder, compileCache), { recursive: true, force: true })
    escapeBeyondAscii(folder, result.metafile)
    if (entries['testing-kit'] !== undefined) {
      writeFileSync(join(folder, 'testing.js'), testingEntry)
      writeFileSync(join(folder, 'testing.cjs'), commonJsEntry)
    }
    if (options.isPackage) await writeNotices(folder, result.metafile)
    return result
  } catch (error) {
    if (!Array.isArray(error.errors)) throw error
    await printMessages(esbuild, error.errors, 'error')
    throw new BundleError(`the bundle of ${relative(root, folder)} failed with ${error.errors.length} errors`)
  } finally {
    await esbuild.stop()
  }
}

/** A failed bundle, after its messages were printed. */
export class BundleError extends Error {}

async function printMessages(esbuild, messages, kind) {
  const lines = await esbuild.formatMessages(messages, { kind, color: process.stderr.isTTY })
  for (const line of lines) process.stderr.write(line)
}

/** Removes outputs that the last build did not write. */
export function removeOthers(folder, metafile) {
  const current = new Set(Object.keys(metafile.outputs).map((path) => basename(path)))
  for (const name of readdirSync(folder)) {
    if (/\.js(\.map)?$/.test(name) && !current.has(name)) rmSync(join(folder, name))
  }
}

/** The entries whose source exists. Names the others on standard error. */
export function existingEntries(entries) {
  const missing = Object.values(entries).filter((file) => !existsSync(fromRoot(file)))
  for (const file of missing) console.error(`note: ${file} does not exist yet, its entry is left out`)
  return Object.fromEntries(Object.entries(entries).filter(([, file]) => !missing.includes(file)))
}

/** Returns whether a built file is missing or older than a source file. */
export function isStale(builtFile) {
  if (!existsSync(builtFile)) return true
  const builtMs = statSync(builtFile).mtimeMs
  const newer = (path) => statSync(path).mtimeMs > builtMs
  return (
    ['package-lock.json', 'tsconfig.json', 'scripts/lib/bundle.mjs', 'scripts/lib/browser-bundle.mjs'].some((path) =>
      newer(fromRoot(path)),
    ) || readdirSync(fromRoot('src'), { recursive: true }).some((path) => newer(fromRoot('src', path)))
  )
}

/** A folder of this process below `build/`. Also removes the folders of processes that have ended. */
export function ownBuildFolder(kind) {
  const base = fromRoot('build')
  mkdirSync(base, { recursive: true })
  for (const name of readdirSync(base)) {
    const match = /^[a-z]+-(\d+)$/.exec(name)
    if (match !== null && !isAlive(Number(match[1]))) rmSync(join(base, name), { recursive: true, force: true })
  }
  const folder = join(base, `${kind}-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

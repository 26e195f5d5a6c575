/**
 * The bundler. Everything is bundled into one flat folder: the program, and beside it the entries that run as other
 * processes or threads, which is where `src/lib/assets.ts` looks for them.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fromRoot, root } from './project.mjs'

/** Entries that the program starts as a process or thread of its own. */
export const sideEntries = {
  'git-broker': 'src/git/broker/main.ts',
  'image-worker': 'src/images/worker.ts',
}

/** Everything that `dist/` holds. */
export const programEntries = {
  ingot: 'src/main.ts',
  ...sideEntries,
  testing: 'src/testing/index.ts',
}

/** Packages that do not load unbundled: their JSON imports lack the attribute that Node asks for. */
const bundledPackages = ['@actions/workflow-parser', '@actions/expressions', 'typebox', 'kysely']

/** npm packages stay imports, but for the few that must be bundled. */
const externalPackages = {
  name: 'external-packages',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, (args) => {
      if (args.kind === 'entry-point') return undefined
      if (bundledPackages.some((name) => args.path === name || args.path.startsWith(`${name}/`))) return undefined
      return { path: args.path, external: true }
    })
  },
}

/** Files of the `data` folders below `src` (but not their notes) go to `data/` beside the program; their names differ. */
const copyData = (folder) => ({
  name: 'copy-data',
  setup(build) {
    build.onStart(() => {
      mkdirSync(join(folder, 'data'), { recursive: true })
      for (const path of readdirSync(fromRoot('src'), { recursive: true })) {
        const data = /(?:^|\/)data\/([^/]+)$/.exec(path)
        if (data !== null && !path.endsWith('.md')) copyFileSync(fromRoot('src', path), join(folder, 'data', data[1]))
      }
    })
  },
})

/** The esbuild options of a bundle of Node code into a flat folder. `entries` maps output names to source files. */
export function bundleOptions(entries, folder) {
  return {
    absWorkingDir: root,
    entryPoints: Object.entries(entries).map(([out, file]) => ({ in: fromRoot(file), out })),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    sourcemap: true,
    // Comments and indentation are more than half of some packages, and the engine keeps the text of a program in
    // memory, at two bytes a character when there is one that is not Latin. Names stay, and lines stay short, so that the
    // trace of an error can be read.
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: 'external',
    chunkNames: 'chunk-[hash]',
    metafile: true,
    logLevel: 'silent',
    plugins: [externalPackages, copyData(folder)],
  }
}

/** Bundles entries and removes what an earlier bundle left in the folder. Prints the bundler's messages on failure. */
export async function bundle(entries, folder) {
  const esbuild = await import('esbuild')
  mkdirSync(folder, { recursive: true })
  try {
    const result = await esbuild.build(bundleOptions(entries, folder))
    await printMessages(esbuild, result.warnings, 'warning')
    removeOthers(folder, result.metafile)
    return result
  } catch (error) {
    if (!Array.isArray(error.errors)) throw error
    await printMessages(esbuild, error.errors, 'error')
    throw new BundleError(`the bundle of ${relative(root, folder)} failed with ${error.errors.length} errors`)
  } finally {
    await esbuild.stop()
  }
}

/** A bundle that failed after its messages were printed. */
export class BundleError extends Error {}

async function printMessages(esbuild, messages, kind) {
  const lines = await esbuild.formatMessages(messages, { kind, color: process.stderr.isTTY === true })
  for (const line of lines) process.stderr.write(line)
}

/** Removes the bundles in a folder that are not outputs of the last build. */
export function removeOthers(folder, metafile) {
  const current = new Set(Object.keys(metafile.outputs).map((path) => basename(path)))
  for (const name of readdirSync(folder)) {
    if (/\.js(\.map)?$/.test(name) && !current.has(name)) rmSync(join(folder, name))
  }
}

/** The entries whose source exists; the others are named on standard error. */
export function existingEntries(entries) {
  const missing = Object.values(entries).filter((file) => !existsSync(fromRoot(file)))
  for (const file of missing) console.error(`note: ${file} does not exist yet, its entry is left out`)
  return Object.fromEntries(Object.entries(entries).filter(([, file]) => !missing.includes(file)))
}

/** Whether a built file is missing or older than any source it could come from. */
export function isStale(builtFile) {
  if (!existsSync(builtFile)) return true
  const builtMs = statSync(builtFile).mtimeMs
  const newer = (path) => statSync(path).mtimeMs > builtMs
  return (
    ['package-lock.json', 'tsconfig.json', 'scripts/lib/bundle.mjs'].some((path) => newer(fromRoot(path))) ||
    readdirSync(fromRoot('src'), { recursive: true }).some((path) => newer(fromRoot('src', path)))
  )
}

/** A folder of this process's own below `build/`, beside which abandoned ones of ended processes are removed. */
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

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

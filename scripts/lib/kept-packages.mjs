/**
 * A bundle of the npm packages, for tests. Packages are more than half of what a bundle reads and change only with the
 * lock file, so they are bundled once, and a run of tests bundles the project's own sources against the result.
 */
import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { keptResult } from './kept-results.mjs'
import { fromRoot, readJson, root } from './project.mjs'
import { sourceTexts } from './source-texts.mjs'

/** Files that decide what the bundle contains. */
const decisive = [
  'package-lock.json',
  'tsconfig.json',
  ...['bundle', 'kept-packages'].map((name) => `scripts/lib/${name}.mjs`),
]

/** The modules of packages that sources import, except those for browsers, such as `typebox/compile`, sorted. */
function importedModules(isBundled) {
  const { dependencies, devDependencies } = readJson('package.json')
  const names = new Set(Object.keys({ ...dependencies, ...devDependencies }).filter((name) => isBundled(name) === true))
  // The compiler adds this import to each file with elements.
  const modules = new Set(['preact/jsx-runtime'])
  for (const folder of ['src', 'test']) {
    for (const [path, text] of sourceTexts(folder)) {
      if (path.startsWith('src/web/browser/')) continue
      for (const [, module] of text.matchAll(/^(?!import type).*(?:from |import |import\()'([^'.][^']*)'/gm)) {
        if (names.has(module.split('/', module.startsWith('@') ? 2 : 1).join('/'))) modules.add(module)
      }
    }
  }
  return [...modules].sort()
}

const outputName = (module) => module.replaceAll(/[^\w.-]/g, '_')

/** Bundles the modules and writes `modules.json`: the names of the CommonJS ones are in `common`, all others in `modules`. */
async function bundlePackages(esbuild, options, modules, folder) {
  const entries = {
    name: 'modules',
    setup(build) {
      build.onResolve({ filter: /^module:/ }, ({ path }) =>
        build.resolve(path.slice('module:'.length), { kind: 'import-statement', resolveDir: root }),
      )
    },
  }
  const { metafile } = await esbuild.build({
    ...options,
    outdir: folder,
    entryPoints: modules.map((module) => ({ in: `module:${module}`, out: outputName(module) })),
    plugins: [entries, ...options.plugins],
  })
  const common = modules.filter((module) => {
    const output = metafile.outputs[relative(root, join(folder, `${outputName(module)}.js`))]
    return metafile.inputs[output.entryPoint].format === 'cjs'
  })
  writeFileSync(join(folder, 'modules.json'), JSON.stringify({ modules, common }))
}

let wanted

/** The modules to bundle, and a text that differs when their bundle would. */
export function wantedPackages(isBundled) {
  if (wanted === undefined) {
    const modules = importedModules(isBundled)
    const contents = decisive.map((path) => readFileSync(fromRoot(path), 'utf8'))
    wanted = { modules, state: hash('sha1', JSON.stringify([process.version, modules, contents])) }
  }
  return wanted
}

/**
 * Returns a plugin that resolves modules of packages to the kept bundle, which is built first when the lock file, the
 * imported modules or the version of Node have changed.
 * @param optionsFor returns the options of a bundle for the folder that gets it
 * @param isBundled returns whether a package is bundled
 */
export async function keptPackages(esbuild, optionsFor, isBundled) {
  const { modules, state } = wantedPackages(isBundled)
  const folder = await keptResult(fromRoot('build', 'bundled-packages'), state, (unfinished) =>
    bundlePackages(esbuild, optionsFor(unfinished), modules, unfinished),
  )
  const known = JSON.parse(readFileSync(join(folder, 'modules.json'), 'utf8'))
  const kept = new Set(known.modules)
  const common = new Set(known.common)
  const fileOf = (module) => join(folder, `${outputName(module)}.js`)
  return {
    name: 'kept-packages',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ kind, path }) => {
        if (kind === 'entry-point' || !kept.has(path)) return undefined
        if (common.has(path)) return { path, namespace: 'kept-common', sideEffects: false }
        return { path: pathToFileURL(fileOf(path)).href, external: true, sideEffects: false }
      })
      build.onResolve({ filter: /.*/, namespace: 'kept-common' }, ({ path }) => ({ path, external: true }))
      // The bundler knows what an import of a CommonJS module means, which the runtime cannot tell of its bundled form.
      build.onLoad({ filter: /.*/, namespace: 'kept-common' }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(fileOf(path))}).default`,
      }))
    },
  }
}

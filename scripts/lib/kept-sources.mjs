/**
 * Bundles of the project's own sources, for tests. A forge needs nearly all of them, and bundling them takes as much
 * processor time as the tests of a file. So the sources are divided into parts, each of which imports only from those before
 * it. A part is bundled when it has changed, and a run of tests bundles only tests. When a state of all parts is used again, the engine
 * compiles it from a cache.
 */
import { hash } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { browserSources } from './browser-bundle.mjs'
import { bundle, isBundled } from './bundle.mjs'
import { wantedPackages } from './kept-packages.mjs'
import { keptResult } from './kept-results.mjs'
import { fromRoot, root } from './project.mjs'
import { filesBelow, sourceTexts } from './source-texts.mjs'

/** Number of parts. */
const partCount = 8

const isOfTests = (path) => path.startsWith('test/') || /\.test(-support)?\.tsx?$/.test(path)

/** Sources for browsers are not part of the program; a test has its own copy of those that it imports. */
const isOfBrowsers = (path) => path.startsWith('src/web/browser/')

const read = (path) => readFileSync(fromRoot(path), 'utf8')

/**
 * The imports of a text. `names` are the imported ones, `isWhole` says that all of them may be used, and `isLater` that the
 * file is loaded when it is needed.
 */
function importsOf(path, text) {
  const folder = dirname(path)
  const target = (name) => posix.join(folder, name)
  const found = []
  for (const [, what = '', name] of text.matchAll(/^(?:import|export) (?!type )(?:([^'"]*?) from )?'(\.[^']+)'/gm)) {
    const members = /\{([^}]*)\}/.exec(what)?.[1].split(',') ?? []
    const names = members.map((member) => member.trim().split(' as ')[0]).filter((each) => /^(?!type )\w/.test(each))
    found.push({ path: target(name), names, isWhole: what.includes('*'), isLater: false })
  }
  for (const [, name] of text.matchAll(/import\('(\.[^']+)'\)/g)) {
    found.push({ path: target(name), names: [], isWhole: true, isLater: true })
  }
  return found
}

/** What tests and sources import from sources. */
class Graph {
  /** Texts of sources by path. */
  texts = new Map()
  /** Imports by the path of the importing file. */
  imports = new Map()
  /** The names that are imported of each source. */
  names = new Map()
  /** Sources of which all names may be used. */
  whole = new Set()
  #hashes = new Map()

  constructor() {
    const all = new Map([...sourceTexts('src'), ...sourceTexts('test')])
    for (const [path, text] of all) if (!isOfTests(path) && !isOfBrowsers(path)) this.texts.set(path, text)
    for (const [path, text] of all) {
      const found = importsOf(path, text).filter((each) => this.texts.has(each.path))
      this.imports.set(path, found)
      for (const { path: imported, names, isWhole } of found) {
        if (!this.names.has(imported)) this.names.set(imported, new Set())
        for (const name of names) this.names.get(imported).add(name)
        if (isWhole) this.whole.add(imported)
      }
    }
  }

  /** The paths with what tells whether their texts have changed. */
  versions(paths) {
    return paths.map((path) => {
      if (!this.#hashes.has(path)) this.#hashes.set(path, hash('sha1', this.texts.get(path)))
      return [path, this.#hashes.get(path)]
    })
  }

  /** The names of a source that these files import. */
  namesIn(paths, source) {
    const imports = paths.flatMap((path) => this.imports.get(path) ?? []).filter(({ path }) => path === source)
    return new Set(imports.flatMap(({ names }) => names))
  }

  /** The sources that these import, and so on, with them; each after those that it imports. */
  reach(paths, { later }) {
    const found = new Set()
    const begun = new Set()
    const visit = (path) => {
      if (begun.has(path)) return
      begun.add(path)
      for (const each of this.imports.get(path) ?? []) if (later || !each.isLater) visit(each.path)
      found.add(path)
    }
    for (const path of paths) visit(path)
    return [...found]
  }
}

const idOf = (path) => path.replaceAll(/\W/g, '_')

/** What nearly all tests import. */
const forge = 'src/testing/forge.ts'

/**
 * Divides what a forge needs into parts, and finds the file that has each source. What the program loads later is one more part.
 * The sources without a place are bundled with the tests that import them.
 */
function divide(graph) {
  const imports = [...graph.imports].flatMap(([path, found]) => found.map((each) => ({ from: path, ...each })))
  const atStart = graph.reach([forge], { later: false })
  const parts = Array.from({ length: partCount }, (_, number) => ({ name: `part-${number}`, paths: [] }))
  const places = new Map()
  const size = atStart.reduce((sum, path) => sum + graph.texts.get(path).length, 0)
  let bytes = 0
  for (const path of atStart) {
    const part = parts[Math.floor((bytes / size) * partCount)]
    part.paths.push(path)
    places.set(path, { part: part.name, file: `${part.name}.js`, prefix: `${idOf(path)}$` })
    bytes += graph.texts.get(path).length
  }
  const later = new Set(imports.filter(({ from, isLater }) => isLater && !isOfTests(from)).map(({ path }) => path))
  const ofTests = new Set(imports.filter(({ from }) => isOfTests(from)).map(({ path }) => path))
  const others = graph.reach([...later].sort(), { later: true }).filter((path) => !places.has(path))
  parts.push({ name: 'later', paths: others })
  // A test gets the same copy of a source as the program.
  for (const path of others.filter((each) => later.has(each) || ofTests.has(each))) {
    places.set(path, { part: 'later', file: `later-${idOf(path)}.js`, prefix: '' })
  }
  return { parts, places }
}

/** The names that a source exports. */
async function exportsOf(esbuild, path) {
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [path],
    outdir: root,
    write: false,
    format: 'esm',
    metafile: true,
    logLevel: 'silent',
  })
  return Object.values(metafile.outputs).flatMap((output) => output.exports)
}

/**
 * A plugin that resolves imports of sources to the bundles of other parts.
 * @param within name of the part that is bundled; undefined for tests
 * @param folder address of the folder with the bundles, as the importing file writes it
 */
const resolving = (graph, { parts, places }, within, folder) => ({
  name: 'kept-sources',
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\// }, ({ kind, path, resolveDir, namespace }) => {
      if (namespace !== 'file' || kind === 'entry-point') return undefined
      const source = relative(root, resolve(resolveDir, path))
      const place = places.get(source)
      if (place === undefined || place.part === within) return undefined
      if (place.prefix === '') return { path: `${folder}${place.file}`, external: true }
      return { path: source, namespace: graph.whole.has(source) ? 'whole-source' : 'source' }
    })
    build.onLoad({ filter: /.*/, namespace: 'source' }, ({ path }) => {
      const { file, prefix } = places.get(path)
      // The bundle gets all of these names. Those that only others import may go, and the part is kept then.
      const part = parts.find(({ name }) => name === within)
      const imported = part === undefined ? graph.names.get(path) : graph.namesIn(part.paths, path)
      const names = [...(imported ?? [])].map((name) => `${prefix}${name} as ${name}`)
      return { contents: `export { ${names.join(', ')} } from ${JSON.stringify(`${folder}${file}`)}` }
    })
    // The bundle has all names of the source in one object.
    build.onLoad({ filter: /.*/, namespace: 'whole-source' }, async ({ path }) => {
      const { file, prefix } = places.get(path)
      const names = (await exportsOf(build.esbuild, path)).map((name) => `${name} = ${prefix}.${name}`)
      const source = JSON.stringify(`${folder}${file}`)
      return { contents: `import { ${prefix} } from ${source}\nexport const ${names.join(', ')}` }
    })
    for (const namespace of ['source', 'whole-source']) {
      build.onResolve({ filter: /./, namespace }, ({ path }) => ({ path, external: true }))
    }
  },
})

/** The text of a part's entry: each source exports its names with a prefix, because they repeat. */
function entryOf(graph, places, part) {
  const lines = part.paths.map((path) => {
    const { prefix } = places.get(path)
    const from = `from ${JSON.stringify(fromRoot(path))}`
    const names = [...(graph.names.get(path) ?? [])].sort().map((name) => `${name} as ${prefix}${name}`)
    return [
      `export { ${names.join(', ')} } ${from}`,
      ...(graph.whole.has(path) ? [`export * as ${prefix} ${from}`] : []),
    ]
  })
  return lines.flat().join('\n')
}

/** Bundles a part unless it is kept. Returns its folder. */
function keptPart(graph, division, part) {
  const { places } = division
  const isLater = part.name === 'later'
  const ownFiles = part.paths.filter((path) => isLater && places.has(path))
  const entry = isLater ? ownFiles.join('\n') : entryOf(graph, places, part)
  // An import of all names contains a list of them.
  const imported = part.paths
    .flatMap((path) => graph.imports.get(path))
    .map(({ path }) => [path, [places.get(path)?.file, graph.whole.has(path) ? graph.versions([path]) : []]])
  const state = stateOf([entry, [...new Map(imported)], graph.versions(part.paths)])
  return keptResult(fromRoot('build', 'bundled-sources', part.name), state, async (unfinished) => {
    const entryFile = join(unfinished, `${part.name}.entry.ts`)
    if (!isLater) writeFileSync(entryFile, entry)
    const entries = isLater
      ? ownFiles.map((path) => [places.get(path).file.slice(0, -'.js'.length), path])
      : [[part.name, relative(root, entryFile)]]
    const sources = resolving(graph, division, part.name, './')
    await bundle(Object.fromEntries(entries), unfinished, { keepsPackages: true, sources })
    rmSync(entryFile, { force: true })
  })
}

/** Bundles what tests start as processes and threads, with the program's other files, unless it is kept. Returns its folder. */
function keptProgram(graph, entries) {
  const paths = graph.reach(Object.values(entries), { later: true })
  const data = filesBelow('src').filter((path) => !/\.tsx?$/.test(path))
  const others = [...data, ...browserSources()].map((path) => [path, hash('sha1', readFileSync(fromRoot(path)))])
  const state = stateOf([entries, graph.versions(paths), others, read('scripts/lib/browser-bundle.mjs')])
  return keptResult(fromRoot('build', 'bundled-sources', 'program'), state, (unfinished) =>
    bundle(entries, unfinished, { keepsPackages: true }),
  )
}

const own = hash('sha1', read('scripts/lib/kept-sources.mjs'))

/** A text that differs when a bundle would. */
const stateOf = (parts) => hash('sha1', JSON.stringify([wantedPackages(isBundled).state, own, parts]))

/** Puts links to the files of a folder into another one. */
function linkAll(from, to) {
  for (const entry of readdirSync(from, { withFileTypes: true, recursive: true })) {
    const path = relative(from, join(entry.parentPath, entry.name))
    if (entry.isDirectory()) mkdirSync(join(to, path), { recursive: true })
    else if (!existsSync(join(to, path))) {
      mkdirSync(dirname(join(to, path)), { recursive: true })
      linkSync(join(from, path), join(to, path))
    }
  }
}

/**
 * Bundles the sources that are not kept already.
 * @param entries what tests start as processes and threads, by name
 * @returns the `plugin` that resolves imports of tests to the bundles, `compileCache`, a folder for the engine's cache, and
 *   whether the state `isNew`: most are used once, and filling the cache takes longer than a start without one
 */
export async function keptSources(entries) {
  const graph = new Graph()
  const division = divide(graph)
  const folders = [await keptProgram(graph, entries)]
  for (const part of division.parts) folders.push(await keptPart(graph, division, part))
  let isNew = false
  const folder = await keptResult(fromRoot('build', 'bundled-sources', 'all'), stateOf(folders), async (unfinished) => {
    isNew = true
    for (const each of folders) linkAll(each, unfinished)
  })
  return {
    isNew,
    compileCache: join(folder, 'compile-cache'),
    plugin: resolving(graph, division, undefined, `${pathToFileURL(folder).href}/`),
  }
}

/**
 * The bundler of what browsers load: scripts, style sheets and icons, as files that never change (their names
 * contain a hash of their content), each also compressed, and `manifest.json`, which `src/web/shell/assets.ts` reads.
 */
import { hash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { keptResult } from './kept-results.mjs'
import { fromRoot, readJson, root } from './project.mjs'
import { filesBelow } from './source-texts.mjs'

/** What draws diagrams, and the document of the frames for it. They change rarely and are large, so they are built apart. */
const diagramLibrary = 'src/web/browser/frames/diagram-library.ts'
const diagramFrame = 'src/web/browser/frames/diagram-frame.ts'

/** The scripts that pages name; both are modules. */
const scriptEntries = { forge: 'src/web/browser/forge.ts', editor: 'src/web/browser/editor.ts' }
const styleEntries = ['src/web/styles/forge.css', 'src/web/styles/further.css']
const iconList = 'src/web/ui/icons.ts'

/** The oldest browsers that have what the style sheet uses: nesting, layers, `light-dark()`, `oklch()`. */
const browsers = ['chrome123', 'edge123', 'firefox128', 'safari17.5']

/** Folders whose new files belong to the result. */
export const browserFolders = ['src/web/browser', 'src/web/styles']

/** The source files of the result. */
export const browserSources = () => [...browserFolders.flatMap(filesBelow), iconList]

/** What is built apart, so that a change of a style sheet does not bundle the scripts again. */
const parts = {
  // The scripts contain the names of the files for diagrams.
  scripts: { sources: () => filesBelow('src/web/browser'), build: buildScripts },
  diagrams: { sources: () => filesBelow('src/web/browser/frames'), build: buildDiagrams },
  styles: { sources: () => filesBelow('src/web/styles'), build: buildStyles },
  icons: { sources: () => [iconList], build: buildIcons },
}

/**
 * Puts the files into `<folder>/web`. Each part is built once for each state of its sources: a test run that changes
 * nothing in it copies the files.
 * @returns the names of the packages in the files, as folders below `node_modules`
 */
export async function bundleBrowser(folder) {
  const results = await Promise.all(Object.keys(parts).map((name) => resultOf(name)))
  const target = join(folder, 'web')
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  for (const result of results) cpSync(join(result, 'web'), target, { recursive: true })
  const files = readdirSync(target).map((name) => basename(name, '.br'))
  const described = results.map((result) => JSON.parse(readFileSync(join(result, 'part.json'), 'utf8')))
  const names = Object.assign({}, ...described.map((each) => each.names))
  const policies = Object.assign({}, ...described.map((each) => each.policies))
  writeFileSync(join(target, 'manifest.json'), JSON.stringify({ names, files, policies }))
  return described.flatMap((each) => each.packages)
}

/** Returns the folder of a built part. */
async function resultOf(name) {
  const { sources, build } = parts[name]
  const paths = [...sources(), 'package-lock.json', 'scripts/lib/browser-bundle.mjs'].sort()
  const state = hash('sha1', paths.map((path) => `${path} ${hash('sha1', readFileSync(fromRoot(path)))}`).join('\n'))
  return keptResult(fromRoot('build', 'browser', name), state, async (unfinished) => {
    const web = join(unfinished, 'web')
    mkdirSync(web)
    writeFileSync(join(unfinished, 'part.json'), JSON.stringify(await build(web)))
    await Promise.all(readdirSync(web).map((file) => compress(join(web, file))))
  })
}

/**
 * Turbo puts a style element into each page when it is loaded, which the pages' security policy refuses. The style sheet
 * of the pages contains these rules.
 */
const turboWithoutStyle = {
  name: 'turbo-without-style',
  setup(build) {
    build.onLoad({ filter: /@hotwired[/\\]turbo[/\\]dist[/\\]turbo\.es2017-esm\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      const contents = text.replace('    this.installStylesheetElement();\n', '')
      if (contents === text) throw new Error(`${path} installs its style in another way`)
      return { contents }
    })
  },
}

const commonOptions = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  target: browsers,
  entryNames: '[name]-[hash]',
  chunkNames: 'chunk-[hash]',
  legalComments: 'none',
  metafile: true,
  logLevel: 'silent',
}

/**
 * Libraries that diagrams do without: another layout, whose licence differs, and formulas in labels, which stay source.
 */
const withoutExtras = {
  name: 'without-extras',
  setup(build) {
    build.onResolve({ filter: /^(?:katex|elkjs\/.*)$/ }, ({ path }) => ({ path, namespace: 'left-out' }))
    build.onLoad({ filter: /^elkjs/, namespace: 'left-out' }, () => ({
      contents: 'export default class { layout() { throw new Error("this layout is not available") } }',
    }))
    build.onLoad({ filter: /^katex$/, namespace: 'left-out' }, () => ({
      contents: 'export default { renderToString: (tex) => tex.replaceAll("&", "&amp;").replaceAll("<", "&lt;") }',
    }))
  },
}

/**
 * Frames for diagrams have an opaque origin and load nothing: their only script is in the document, named by its hash, and the
 * library comes as a message.
 */
async function buildDiagrams(folder) {
  const esbuild = await import('esbuild')
  const options = {
    ...commonOptions,
    format: 'iife',
    platform: 'browser',
    tsconfig: fromRoot('src/web/browser/tsconfig.json'),
  }
  const [library, frame] = await Promise.all([
    esbuild.build({ ...options, outdir: folder, entryPoints: [diagramLibrary], plugins: [withoutExtras] }),
    esbuild.build({ ...options, entryPoints: [diagramFrame], write: false, outdir: folder }),
  ])
  const script = frame.outputFiles[0].text.trim()
  const style =
    'html,body{margin:0;background:none}body{font-family:system-ui,sans-serif}svg{display:block;margin:auto}'
  const text = `<!DOCTYPE html><html><head><meta charset="utf-8"><title>Diagram</title><style>${style}</style></head><body><script>${script}</script></body></html>\n`
  const name = `diagram-frame-${hash('sha1', text).slice(0, 8).toUpperCase()}.html`
  writeFileSync(join(folder, name), text)
  const scriptHash = hash('sha256', script, 'base64')
  return {
    names: { 'diagram-frame.html': name, ...namesOf(library.metafile, [diagramLibrary]) },
    policies: { [name]: `default-src 'none'; script-src 'sha256-${scriptHash}' blob:; style-src 'unsafe-inline'` },
    packages: packagesOf(library.metafile),
  }
}

async function buildScripts(folder) {
  const esbuild = await import('esbuild')
  const { names } = JSON.parse(readFileSync(join(await resultOf('diagrams'), 'part.json'), 'utf8'))
  const { metafile } = await esbuild.build({
    ...commonOptions,
    outdir: folder,
    entryPoints: Object.entries(scriptEntries).map(([out, file]) => ({ in: file, out })),
    format: 'esm',
    splitting: true,
    platform: 'browser',
    plugins: [turboWithoutStyle],
    define: {
      diagramFrameFile: JSON.stringify(names['diagram-frame.html']),
      diagramLibraryFile: JSON.stringify(names['diagram-library.js']),
    },
    tsconfig: fromRoot('src/web/browser/tsconfig.json'),
  })
  return { names: namesOf(metafile, Object.values(scriptEntries)), packages: packagesOf(metafile) }
}

async function buildStyles(folder) {
  const esbuild = await import('esbuild')
  const { metafile } = await esbuild.build({
    ...commonOptions,
    outdir: folder,
    entryPoints: styleEntries,
    loader: { '.svg': 'dataurl' },
  })
  return { names: namesOf(metafile, styleEntries), packages: packagesOf(metafile) }
}

async function buildIcons(folder) {
  const { iconSets } = await import(`${pathToFileURL(fromRoot(iconList)).href}?${statSync(fromRoot(iconList)).mtimeMs}`)
  const names = Object.entries(iconSets).map(([name, set]) => [`${name}.svg`, writeSprite(folder, name, set)])
  return { names: Object.fromEntries(names), packages: ['@primer/octicons'] }
}

/** The output file of each entry, by the name that pages use. */
const namesOf = (metafile, entries) =>
  Object.fromEntries(
    Object.entries(metafile.outputs)
      .filter(([, { entryPoint }]) => entries.includes(entryPoint))
      .map(([path, { entryPoint }]) => [basename(entryPoint).replace(/\.ts$/, '.js'), basename(path)]),
  )

/** Writes the icons of a set into one file, each as a symbol with its name and size as id. Returns the file's name. */
function writeSprite(folder, name, { size, icons }) {
  const all = readJson('node_modules/@primer/octicons/build/data.json')
  const symbols = icons.map((icon) => {
    const drawn = all[icon]?.heights[size]
    if (drawn === undefined) throw new Error(`@primer/octicons has no icon ${icon} of ${size} pixels`)
    const path = drawn.path.replaceAll('></path>', '/>')
    return `<symbol id="${icon}-${size}" viewBox="0 0 ${drawn.width} ${size}">${path}</symbol>`
  })
  const text = `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>`
  const file = `${name}-${hash('sha1', text).slice(0, 8).toUpperCase()}.svg`
  writeFileSync(join(folder, file), text)
  return file
}

/**
 * Leaves only the form that most clients take; the program makes the others. The last two levels of brotli take ten times as
 * long and save a tenth, so large files that few pages load do without.
 */
async function compress(path) {
  const content = readFileSync(path)
  const isLate = /^(?:chunk|diagram)-/.test(basename(path)) && content.length > 64 * 1024
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: isLate ? 9 : constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  }
  writeFileSync(`${path}.br`, await promisify(brotliCompress)(content, { params }))
  rmSync(path)
}

const packagesOf = (metafile) => [
  ...new Set(
    Object.keys(metafile.inputs).flatMap((path) => {
      const match = /.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)
      return match === null ? [] : [match[0].slice('node_modules/'.length)]
    }),
  ),
]

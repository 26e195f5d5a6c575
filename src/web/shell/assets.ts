import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress, constants, gzip } from 'node:zlib'
import type { Config } from '../../config/load-config.ts'
import { builtFile } from '../../lib/assets.ts'
import type { IconAddresses } from '../ui/icon.tsx'
import { iconSets, type IconSet } from '../ui/icons.ts'
import type { AssetName } from '../ui/page-context.ts'
import { wordTable } from '../../lib/word-table.ts'

/** What the build wrote: the current file of each name, and all files, the scripts' later parts included. */
interface Manifest {
  readonly names: Readonly<Record<AssetName, string>>
  readonly files: ReadonlySet<string>
  /** What the documents of frames may do, as content security policies, by file. */
  readonly policies: Readonly<Record<string, string>>
}

let loaded: Manifest | undefined

function manifest(): Manifest {
  if (loaded) return loaded
  const { names, files, policies } = JSON.parse(readFileSync(builtFile('web/manifest.json'), 'utf8')) as {
    names: Manifest['names']
    files: readonly string[]
    policies: Manifest['policies']
  }
  loaded = { names, files: new Set(files), policies }
  return loaded
}

/** Returns the path of a file on this site. The name contains a hash of the content, so a browser keeps the file for good. */
export const assetPath = (config: Config, name: AssetName): string =>
  `${config.server.subPath}/assets/${manifest().names[name]}`

const iconFilesByConfig = new WeakMap<Config, IconAddresses>()

/** Returns the path of each icon file on this site. */
export function iconFiles(config: Config): IconAddresses {
  const known = iconFilesByConfig.get(config)
  if (known !== undefined) return known
  const files = Object.fromEntries(
    (Object.keys(iconSets) as IconSet[]).map((set) => [set, assetPath(config, `${set}.svg`)]),
  ) as Record<IconSet, string>
  iconFilesByConfig.set(config, files)
  return files
}

/** Media types by extension. */
const contentTypes = wordTable<string>({
  '.css': 'text/css;charset=utf-8',
  '.html': 'text/html;charset=utf-8',
  '.js': 'text/javascript;charset=utf-8',
  '.svg': 'image/svg+xml',
})

/** How an asset is sent: in the form that the build made, or in one for clients that do not take it. */
export interface Asset {
  readonly content: Buffer
  readonly contentType: string
  readonly encoding: 'br' | 'gzip' | undefined
  /** Of the document of a frame. */
  readonly policy: string | undefined
}

/**
 * Returns the smallest form of a built file that the client takes; undefined for a file that the build did not make.
 * @param acceptEncoding the request's `Accept-Encoding`
 */
export async function readAsset(name: string, acceptEncoding: string): Promise<Asset | undefined> {
  const contentType = contentTypes[extname(name)]
  if (contentType === undefined || !manifest().files.has(name)) return undefined
  const encoding = encodingFor(acceptEncoding)
  const content =
    encoding === 'br' ? await builtForm(name) : encoding === 'gzip' ? await gzippedForm(name) : await plainForm(name)
  return { content, contentType, encoding, policy: manifest().policies[name] }
}

const builtForm = (name: string): Promise<Buffer> => readFile(builtFile(`web/${name}.br`))

const plainForm = async (name: string): Promise<Buffer> => promisify(brotliDecompress)(await builtForm(name))

/** Browsers take Brotli only over HTTPS. The built files are few, so that each is compressed again once. */
const gzipped = new Map<string, Promise<Buffer>>()

function gzippedForm(name: string): Promise<Buffer> {
  const known = gzipped.get(name)
  if (known) return known
  const made = plainForm(name).then((plain) => promisify(gzip)(plain, { level: constants.Z_BEST_COMPRESSION }))
  gzipped.set(name, made)
  made.catch(() => gzipped.delete(name))
  return made
}

/** Brotli is smaller. A weight of zero refuses an encoding; other weights do not count. */
function encodingFor(acceptEncoding: string): Asset['encoding'] {
  const accepted = acceptEncoding
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter((each) => !/;\s*q=0(?:\.0*)?$/.test(each))
    .map((each) => each.split(';', 1)[0]?.trim())
  if (accepted.includes('br')) return 'br'
  return accepted.includes('gzip') ? 'gzip' : undefined
}

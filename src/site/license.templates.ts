import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { builtFile } from '../lib/assets.ts'

const unpack = promisify(brotliDecompress)

/** A licence. */
export interface LicenseTemplate {
  /** SPDX identifier, which is also the name (observed). */
  readonly key: string
  /** Text with placeholders for year and holder; see `fillLicense`. */
  readonly body: string
}

/** The compressed block that contains the text of a licence, in the file of all texts, and the text's bytes in it. */
interface LicenseLocation {
  readonly blockStart: number
  readonly blockBytes: number
  readonly start: number
  readonly bytes: number
}

type LicenseIndex = ReadonlyMap<string, LicenseLocation>

let index: LicenseIndex | undefined

/** All SPDX identifiers, by name. The index has 30 KB; each text is read when needed. */
function licenseIndex(): LicenseIndex {
  if (index === undefined) {
    const file = JSON.parse(readFileSync(builtFile('data/licenses.json'), 'utf8')) as Readonly<
      Record<string, readonly [blockStart: number, blockBytes: number, start: number, bytes: number]>
    >
    index = new Map(
      Object.entries(file).map(([key, [blockStart, blockBytes, start, bytes]]) => [
        key,
        { blockStart, blockBytes, start, bytes },
      ]),
    )
  }
  return index
}

/**
 * Returns the identifiers of all licences: the preferred ones in their given order (`[repository].PREFERRED_LICENSES`),
 * then the others by name. Unknown preferred names are ignored.
 */
export function listLicenseKeys(preferred: readonly string[]): readonly string[] {
  const all = new Set(licenseIndex().keys())
  const first = [...new Set(preferred)].filter((key) => all.has(key))
  for (const key of first) all.delete(key)
  return [...first, ...all]
}

/** Returns a licence by its exact SPDX identifier. */
export async function findLicense(key: string): Promise<LicenseTemplate | undefined> {
  const location = licenseIndex().get(key)
  if (location === undefined) return undefined
  const file = await open(builtFile('data/licenses.br'), 'r')
  try {
    const block = Buffer.alloc(location.blockBytes)
    await file.read(block, 0, location.blockBytes, location.blockStart)
    const texts = await unpack(block)
    return { key, body: texts.toString('utf8', location.start, location.start + location.bytes) }
  } finally {
    await file.close()
  }
}

/** Placeholders of SPDX texts in their various brackets and letter cases. */
const yearPlaceholder = /[<[{](?:year|yyyy|xxxx)[>\]}]/gi
const holderPlaceholder = new RegExp(
  '[<[{](?:copyright holders?|owner|owner organization|organization|name of copyright (?:owner|holder)|' +
    'name of author|licensor name|fullname|asset owner)[>\\]}]',
  'gi',
)

/**
 * Returns the LICENSE file of a new repository with year and holder. Placeholders in the closing advice of the GNU
 * licences stay.
 */
export function fillLicense(
  template: LicenseTemplate,
  values: { readonly year: number; readonly holder: string },
): string {
  const text = /^(?:A|L)?GPL-|^GFDL-/.test(template.key)
    ? template.body
    : template.body.replace(yearPlaceholder, () => String(values.year)).replace(holderPlaceholder, () => values.holder)
  return text.endsWith('\n') ? text : `${text}\n`
}

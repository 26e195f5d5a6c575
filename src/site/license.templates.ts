import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { builtFile } from '../lib/assets.ts'

/** One licence as the API and the creation of repositories need it. */
export interface LicenseTemplate {
  /** SPDX identifier; it serves as the name as well (observed). */
  readonly key: string
  /** Text with placeholders for year and holder; see `fillLicense`. */
  readonly body: string
}

/** Where the text of each licence lies in the file of all texts: its first byte and its length. */
type LicenseIndex = ReadonlyMap<string, { readonly start: number; readonly bytes: number }>

let index: LicenseIndex | undefined

/** All SPDX identifiers, by name. The index is small (30 KB); texts are read one by one when asked for. */
function licenseIndex(): LicenseIndex {
  if (index === undefined) {
    const file = JSON.parse(readFileSync(builtFile('data/licenses.json'), 'utf8')) as Readonly<
      Record<string, readonly [start: number, bytes: number]>
    >
    index = new Map(Object.entries(file).map(([key, [start, bytes]]) => [key, { start, bytes }]))
  }
  return index
}

/**
 * Identifiers of all licences: the preferred ones first and in their given order (`[repository].PREFERRED_LICENSES`),
 * then the others by name. Preferred names that SPDX does not know are left out.
 */
export function listLicenseKeys(preferred: readonly string[]): readonly string[] {
  const all = new Set(licenseIndex().keys())
  const first = [...new Set(preferred)].filter((key) => all.has(key))
  for (const key of first) all.delete(key)
  return [...first, ...all]
}

/** One licence by its exact SPDX identifier, or undefined. */
export async function findLicense(key: string): Promise<LicenseTemplate | undefined> {
  const place = licenseIndex().get(key)
  if (place === undefined) return undefined
  const file = await open(builtFile('data/licenses.txt'), 'r')
  try {
    const text = Buffer.alloc(place.bytes)
    await file.read(text, 0, place.bytes, place.start)
    return { key, body: text.toString('utf8') }
  } finally {
    await file.close()
  }
}

/** Placeholders of the SPDX texts in their various brackets and letter cases. */
const yearPlaceholder = /[<[{](?:year|yyyy|xxxx)[>\]}]/gi
const holderPlaceholder = new RegExp(
  '[<[{](?:copyright holders?|owner|owner organization|organization|name of copyright (?:owner|holder)|' +
    'name of author|licensor name|fullname|asset owner)[>\\]}]',
  'gi',
)

/**
 * The text of a new repository's LICENSE file: year and holder put in. The GNU licences name such placeholders only in
 * their closing advice on how to apply them, which is left as it is.
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

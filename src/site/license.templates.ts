import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/** One licence as the API and the creation of repositories need it. */
export interface LicenseTemplate {
  /** SPDX identifier; it serves as the name as well (observed). */
  readonly key: string
  /** Text with placeholders for year and holder; see `fillLicense`. */
  readonly body: string
}

const packages = createRequire(import.meta.url)

interface SpdxText {
  readonly licenseText: string
}

let keys: readonly string[] | undefined

/** All SPDX identifiers, by name. The list holds names only (60 KB); texts are read one by one when asked for. */
function spdxKeys(): readonly string[] {
  keys ??= Object.keys(packages('spdx-license-list/spdx.json') as Readonly<Record<string, unknown>>).sort()
  return keys
}

/**
 * Identifiers of all licences: the preferred ones first and in their given order (`[repository].PREFERRED_LICENSES`),
 * then the others by name. Preferred names that SPDX does not know are left out.
 */
export function listLicenseKeys(preferred: readonly string[]): readonly string[] {
  const all = new Set(spdxKeys())
  const first = [...new Set(preferred)].filter((key) => all.has(key))
  for (const key of first) all.delete(key)
  return [...first, ...all]
}

/** One licence by its exact SPDX identifier, or undefined. */
export async function findLicense(key: string): Promise<LicenseTemplate | undefined> {
  // The key becomes part of a file name, so only listed identifiers go further.
  if (!spdxKeys().includes(key)) return undefined
  const text = await readFile(packages.resolve(`spdx-license-list/licenses/${key}.json`), 'utf8')
  return { key, body: (JSON.parse(text) as SpdxText).licenseText }
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

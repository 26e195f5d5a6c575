import { BadRequest } from '../../lib/errors.ts'
import { textIn, textsIn, type JsonRecord } from '../registry/json-text.rules.ts'

const nameForm = /^[a-z0-9]+(?:[_.-][a-z0-9]+)*\/[a-z0-9]+(?:(?:[_.]|-{1,2})[a-z0-9]+)*$/
const versionForm = /^(?:v?\d+(?:\.(?:\d+|x)){0,3}[A-Za-z0-9]*(?:[-._+][A-Za-z0-9]+)*|dev-[A-Za-z0-9._/-]+)$/
const maxLength = 200

/** The members of `composer.json` that Composer reads, beside name, version and URL. */
const members = [
  'description',
  'keywords',
  'homepage',
  'authors',
  'support',
  'funding',
  'bin',
  'autoload',
  'autoload-dev',
  'extra',
  'require',
  'require-dev',
  'suggest',
  'provide',
  'replace',
  'conflict',
  'include-path',
  'target-dir',
  'abandoned',
]

/** Metadata of a version. */
export type ComposerMetadata = JsonRecord & { readonly type: string; readonly license?: readonly string[] }

/** Parses the description of a package. Throws `BadRequest`. */
export function composerPackageOf(
  document: JsonRecord,
  wanted: string | undefined,
): { readonly name: string; readonly version: string; readonly metadata: ComposerMetadata } {
  const name = textIn(document['name'])
  if (name.length > maxLength || !nameForm.test(name)) {
    throw new BadRequest('the name of the package is invalid', 'package_name_invalid')
  }
  const version = textIn(document['version']) || (wanted ?? '')
  if (version.length > maxLength || !versionForm.test(version)) {
    throw new BadRequest('the version is invalid', 'package_version_invalid')
  }
  const { license } = document
  const licenses = typeof license === 'string' ? [license] : textsIn(license)
  return {
    name,
    version,
    metadata: {
      ...Object.fromEntries(members.flatMap((key) => (document[key] === undefined ? [] : [[key, document[key]]]))),
      type: textIn(document['type']) || 'library',
      ...(licenses.length > 0 ? { license: licenses } : {}),
    },
  }
}

export const composerFileName = (name: string, version: string): string =>
  `${name.replaceAll('/', '-')}.${version.replaceAll('/', '-')}.zip`.toLowerCase()

export const isDevelopment = (version: string): boolean => /^dev-|-dev$/.test(version)

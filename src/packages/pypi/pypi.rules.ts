import { BadRequest } from '../../lib/errors.ts'

/** Longest name and version in characters. */
const maxLength = 200
/** Longest README and list of keywords that are kept, in characters. */
const maxReadmeLength = 50_000
const maxKeywordsLength = 1000
const nameForm = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/
const fileForm = /^[A-Za-z0-9][A-Za-z0-9._+!~-]*$/

/** A version (PEP 440): epoch, release, pre-release, post-release, development release, local part. */
const versionForm =
  /^v?(?:\d+!)?\d+(?:\.\d+)*(?:[-_.]?(?:alpha|a|beta|b|preview|pre|c|rc)[-_.]?\d*)?(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?(?:[-_.]?dev[-_.]?\d*)?(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?$/i

/** Normalizes a name (PEP 503). */
export const pypiName = (name: string): string => name.replaceAll(/[-_.]+/g, '-')

/** Metadata of a version. */
export interface PypiMetadata {
  readonly summary: string
  readonly requiresPython: string
  readonly homepage: string
  readonly author: string
  readonly license: string
  /** Separated by commas or spaces. */
  readonly keywords: string
  /** Empty unless it is Markdown or plain text. */
  readonly readme: string
}

/** The form fields of an upload. */
export interface PypiUpload {
  readonly name: string
  readonly version: string
  readonly metadata: PypiMetadata
}

type Fields = Readonly<Record<string, string>>

/** Returns an http or https URL; empty for any other text. */
function webAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && /^https?:$/.test(url.protocol) ? text : ''
}

function homepageOf(fields: Fields): string {
  const [, named = ''] = /^homepage\s*,\s*(\S+)$/i.exec(fields['project_urls'] ?? '') ?? []
  return webAddress(named) || webAddress(fields['home_page'] ?? '')
}

/** Returns the README. One without a type is reStructuredText (core metadata 2.1). */
const readmeOf = (fields: Fields): string =>
  /^text\/(?:markdown|plain)\b/i.test(fields['description_content_type'] ?? '')
    ? (fields['description'] ?? '').slice(0, maxReadmeLength)
    : ''

/** Parses the form fields of an upload. Throws `BadRequest`. */
export function uploadOf(fields: Fields, fileName: string, sha256: string): PypiUpload {
  const name = pypiName(fields['name'] ?? '')
  const version = (fields['version'] ?? '').trim()
  if (name.length > maxLength || !nameForm.test(name)) {
    throw new BadRequest('the name of the package is invalid', 'package_name_invalid')
  }
  if (version.length > maxLength || !versionForm.test(version)) {
    throw new BadRequest('the version is invalid', 'package_version_invalid')
  }
  if (fileName.length > maxLength + 55 || !fileForm.test(fileName)) {
    throw new BadRequest('the name of the file is invalid', 'package_file_name_invalid')
  }
  const digest = (fields['sha256_digest'] ?? '').toLowerCase()
  if (digest !== '' && digest !== sha256) {
    throw new BadRequest('the file does not match its checksum', 'package_checksum_wrong')
  }
  return {
    name,
    version,
    metadata: {
      summary: fields['summary'] ?? '',
      requiresPython: fields['requires_python'] ?? '',
      homepage: homepageOf(fields),
      author: fields['author'] ?? '',
      license: fields['license_expression'] || (fields['license'] ?? ''),
      keywords: (fields['keywords'] ?? '').slice(0, maxKeywordsLength),
      readme: readmeOf(fields),
    },
  }
}

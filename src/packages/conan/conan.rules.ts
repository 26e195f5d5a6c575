import { BadRequest } from '../../lib/errors.ts'
import { matchesShellPattern } from '../../lib/shell-pattern.ts'

/** A version of a recipe with its user and channel; `_` means none. */
export interface Reference {
  readonly name: string
  readonly version: string
  readonly user: string
  readonly channel: string
}

/** The owner of a file: a revision of a recipe, or a revision of a binary of that recipe. */
export interface FileOwner {
  readonly revision: string
  readonly binary?: { readonly id: string; readonly revision: string } | undefined
}

/** Metadata of a binary's description. */
export interface BinaryMetadata {
  readonly content: string
}

/** Metadata of a recipe. */
export interface RecipeMetadata {
  readonly license?: string
  readonly author?: string
  readonly url?: string
  readonly homepage?: string
  readonly description?: string
  readonly topics?: readonly string[]
}

/** The revision of clients without revisions. */
export const noRevision = '0'

export const recipeFile = 'conanfile.py'
export const binaryInfoFile = 'conaninfo.txt'

/** Longest name, version, user or channel, in characters (the client's limit). */
const wordForm = /^[a-zA-Z0-9_][a-zA-Z0-9_+.-]{0,100}$/
const revisionForm = /^[a-zA-Z0-9]{1,51}$/

const packed = '(?:tgz|txz|tzst)'
const recipeFiles = new RegExp(`^(?:conanfile\\.py|conanmanifest\\.txt|conan_(?:sources|export)\\.${packed})$`)
const binaryFiles = new RegExp(`^(?:conaninfo\\.txt|conanmanifest\\.txt|conan_package\\.${packed})$`)
/** Additional files of a build: logs, bills of materials, signatures. */
const metadataFile = /^metadata(?:\/[a-zA-Z0-9_+][a-zA-Z0-9_+. -]{0,100}){1,8}$/

/** Throws `BadRequest` for an invalid reference. */
export function checkReference({ name, version, user, channel }: Reference): void {
  if (![name, version, user, channel].every((word) => wordForm.test(word))) {
    throw new BadRequest('the reference of the recipe is invalid', 'conan_reference_invalid')
  }
  if ((user === '_') !== (channel === '_')) {
    throw new BadRequest('a recipe has a user and a channel, or neither', 'conan_reference_invalid')
  }
}

/** Throws `BadRequest` for an invalid revision or binary id. */
export function checkFileOwner({ revision, binary }: FileOwner): void {
  if (![revision, ...(binary ? [binary.id, binary.revision] : [])].every((word) => revisionForm.test(word))) {
    throw new BadRequest('the revision is invalid', 'conan_revision_invalid')
  }
}

/** Throws `BadRequest` for a file name that a recipe or binary cannot have. */
export function checkFileName({ binary }: FileOwner, fileName: string): void {
  if (!(binary ? binaryFiles : recipeFiles).test(fileName) && !metadataFile.test(fileName)) {
    throw new BadRequest('a file of this name does not belong there', 'conan_file_invalid')
  }
}

/** Returns the key that distinguishes files of one name. */
export const fileKeyOf = ({ user, channel }: Reference, { revision, binary }: FileOwner): string =>
  [user, channel, revision, ...(binary ? [binary.id, binary.revision] : [])].join('|')

/** Parses a file key. */
export function fileOwnerOfKey(key: string): FileOwner & Pick<Reference, 'user' | 'channel'> {
  const [user = '', channel = '', revision = '', id, ofBinary = ''] = key.split('|')
  return { user, channel, revision, binary: id === undefined ? undefined : { id, revision: ofBinary } }
}

/** Formats a reference as clients write it. */
export const writeReference = ({ name, version, user, channel }: Reference): string =>
  user === '_' ? `${name}/${version}` : `${name}/${version}@${user}/${channel}`

/** Longest pattern in characters. */
const maxPatternLength = 512

/**
 * Returns whether a search pattern matches a reference or its beginning up to a separator, so that a name alone finds
 * all
 * versions (observed: the protocol's own server).
 */
export function isFound(pattern: string, written: string, ignoreCase: boolean): boolean {
  if (pattern.length > maxPatternLength) return false
  const [wanted, text] = ignoreCase ? [pattern.toLowerCase(), written.toLowerCase()] : [pattern, written]
  const ends = [...text.matchAll(/[/@]/g)].flatMap(({ index }) => [index, index + 1])
  return [...ends, text.length].some((end) => matchesShellPattern(wanted, text.slice(0, end)))
}

type Section = readonly string[]

/** Splits the description of a binary into sections of lines. */
function sectionsOf(text: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, string[]>()
  let open: string[] | undefined
  for (const line of text.split('\n').map((each) => each.trim())) {
    const [, name] = /^\[([\w-]+)\]$/.exec(line) ?? []
    if (name !== undefined) sections.set(name, (open = []))
    else if (line !== '') open?.push(line)
  }
  return sections
}

const valuesOf = (lines: Section = []): Readonly<Record<string, string>> =>
  Object.fromEntries(
    lines.flatMap((line) => {
      const at = line.indexOf('=')
      return at > 0 ? [[line.slice(0, at).trim(), line.slice(at + 1).trim()]] : []
    }),
  )

/** Presents a binary in a search: the parsed description for old clients, and its text for new ones. */
export function describeBinary({ content }: BinaryMetadata) {
  const sections = sectionsOf(content)
  return {
    settings: valuesOf(sections.get('settings')),
    full_settings: valuesOf(sections.get('full_settings')),
    requires: sections.get('requires') ?? [],
    full_requires: sections.get('full_requires') ?? [],
    options: valuesOf(sections.get('options')),
    full_options: valuesOf(sections.get('full_options')),
    recipe_hash: sections.get('recipe_hash')?.[0] ?? '',
    environment: null,
    content,
  }
}

/** Longest text of a recipe's attribute that is stored, in characters. */
const maxTextLength = 4096

/** Reads attributes with literal text from a recipe. A recipe is a Python program, which the server does not run. */
export function readRecipe(text: string): RecipeMetadata {
  const found: Record<string, string> = {}
  let topics: string[] | undefined
  for (const line of text.split('\n')) {
    const [, name, , value] = /^ {0,8}\t?([a-z]+) = (["'])([^"'\\]{1,4096})\2\s*$/.exec(line) ?? []
    if (name !== undefined && value !== undefined && /^(?:license|author|url|homepage|description)$/.test(name)) {
      found[name] ??= value.slice(0, maxTextLength)
    }
    const [, listed] = /^ {0,8}\t?topics = [([]([^()[\]]{1,4096})[)\]]/.exec(line) ?? []
    topics ??= listed?.split(',').flatMap((each) => /^\s*["']([^"']+)["']\s*$/.exec(each)?.[1] ?? [])
  }
  return { ...found, ...(topics ? { topics } : {}) }
}

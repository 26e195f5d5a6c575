import { BadRequest } from '../../lib/errors.ts'
import { fits } from '../registry/glob.rules.ts'

/** A version of a recipe, and under whose name and channel it stands; `_` is none. */
export interface Reference {
  readonly name: string
  readonly version: string
  readonly user: string
  readonly channel: string
}

/** What files belong to: a revision of a recipe, or a revision of one of the binaries that were built by it. */
export interface Place {
  readonly revision: string
  readonly binary?: { readonly id: string; readonly revision: string } | undefined
}

/** What is kept of the description of a binary. */
export interface BinaryMetadata {
  /** As it was sent. */
  readonly content: string
}

/** What is kept of a recipe. */
export interface RecipeMetadata {
  readonly license?: string
  readonly author?: string
  readonly url?: string
  readonly homepage?: string
  readonly description?: string
  readonly topics?: readonly string[]
}

/** Clients that know no revisions have this one. */
export const noRevision = '0'

export const recipeFile = 'conanfile.py'
export const binaryInfoFile = 'conaninfo.txt'

/** Longest name, version, user or channel, in characters (the client's). */
const wordForm = /^[a-zA-Z0-9_][a-zA-Z0-9_+.-]{0,100}$/
const revisionForm = /^[a-zA-Z0-9]{1,51}$/

const packed = '(?:tgz|txz|tzst)'
const recipeFiles = new RegExp(`^(?:conanfile\\.py|conanmanifest\\.txt|conan_(?:sources|export)\\.${packed})$`)
const binaryFiles = new RegExp(`^(?:conaninfo\\.txt|conanmanifest\\.txt|conan_package\\.${packed})$`)
/** What builds tell besides: logs, bills of materials, signatures. */
const metadataFile = /^metadata(?:\/[a-zA-Z0-9_+][a-zA-Z0-9_+. -]{0,100}){1,8}$/

/** Throws `BadRequest` for what can be no recipe. */
export function checkReference({ name, version, user, channel }: Reference): void {
  if (![name, version, user, channel].every((word) => wordForm.test(word))) {
    throw new BadRequest('the reference of the recipe is invalid', 'conan_reference_invalid')
  }
  if ((user === '_') !== (channel === '_')) {
    throw new BadRequest('a recipe has a user and a channel, or neither', 'conan_reference_invalid')
  }
}

/** Throws `BadRequest` for what can be no revision, nor a binary. */
export function checkPlace({ revision, binary }: Place): void {
  if (![revision, ...(binary ? [binary.id, binary.revision] : [])].every((word) => revisionForm.test(word))) {
    throw new BadRequest('the revision is invalid', 'conan_revision_invalid')
  }
}

/** Throws `BadRequest` for a file that has no place in a recipe, or in a binary. */
export function checkFileName({ binary }: Place, fileName: string): void {
  if (!(binary ? binaryFiles : recipeFiles).test(fileName) && !metadataFile.test(fileName)) {
    throw new BadRequest('a file of this name does not belong there', 'conan_file_invalid')
  }
}

/** Tells files of one name apart. */
export const fileKeyOf = ({ user, channel }: Reference, { revision, binary }: Place): string =>
  [user, channel, revision, ...(binary ? [binary.id, binary.revision] : [])].join('|')

/** What a file belongs to, by its key. */
export function placeOfKey(key: string): Place & Pick<Reference, 'user' | 'channel'> {
  const [user = '', channel = '', revision = '', id, ofBinary = ''] = key.split('|')
  return { user, channel, revision, binary: id === undefined ? undefined : { id, revision: ofBinary } }
}

/** As clients write it. */
export const writeReference = ({ name, version, user, channel }: Reference): string =>
  user === '_' ? `${name}/${version}` : `${name}/${version}@${user}/${channel}`

/** Longest pattern, in characters. */
const maxPatternLength = 512

/**
 * Whether a pattern of a search means a recipe: the whole of its reference, or the beginning up to one of its marks, so
 * that a name alone finds all versions (observed: the protocol's own server).
 */
export function isFound(pattern: string, written: string, ignoreCase: boolean): boolean {
  if (pattern.length > maxPatternLength) return false
  const [wanted, text] = ignoreCase ? [pattern.toLowerCase(), written.toLowerCase()] : [pattern, written]
  const ends = [...text.matchAll(/[/@]/g)].flatMap(({ index }) => [index, index + 1])
  return [...ends, text.length].some((end) => fits(wanted, text.slice(0, end)))
}

type Section = readonly string[]

/** The sections of a description of a binary, with their lines. */
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

/** What a search tells of a binary: the description taken apart, for the first clients, and as it is, for later ones. */
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

/** Longest text of a recipe about itself that is kept, in characters. */
const maxTextLength = 4096

/** What a recipe says of itself in attributes that are plain texts; it is Python, which nobody runs here. */
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

import type { Attributes, AttributeValue } from '../../lib/gitattributes.ts'
import type { LanguageTable } from './language-table.ts'

/** A file to count. */
export interface CountedFile {
  readonly path: string
  readonly sizeBytes: number
}

/** Third-party files. */
const vendored = [
  /(^|\/)(?:vendor|vendors|node_modules|bower_components|jspm_packages|third[-_]?party|3rd[-_]?party|extern|externals|deps|dist|Godeps|Carthage|Pods|\.yarn|gradle\/wrapper)\//i,
  /(^|\/)(?:site-packages|wwwroot\/lib|public\/assets)\//i,
  /[.-]min\.(?:js|css)$/i,
  /(^|\/)(?:jquery|bootstrap|angular|d3|modernizr|html5shiv|raphael|prototype|react|vue)(?:[.-][\w.-]*)?\.(?:js|css)$/i,
  /(^|\/)(?:configure|config\.guess|config\.sub|aclocal\.m4|libtool\.m4|ltmain\.sh|gradlew|gradlew\.bat|mvnw|mvnw\.cmd)$/,
]

/** Documentation. */
const documentation = [
  /(^|\/)(?:docs?|documentation|groovydoc|javadoc|man|examples|demos?|samples?)\//i,
  /(^|\/)(?:change(?:log|s)?|contributing|copying|install|licen[cs]e|readme|authors|news)(?:\.|$)/i,
]

/** Generated files. */
const generated = [
  /(^|\/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|composer\.lock|Gemfile\.lock|go\.sum|poetry\.lock|flake\.lock)$/,
  /\.(?:pb\.go|pb\.cc|pb\.h|pb\.rb|_pb2\.py|g\.dart|freezed\.dart|designer\.cs|min\.js\.map|js\.map|css\.map)$/i,
  /_pb2(?:_grpc)?\.py$/,
  /(^|\/)__generated__\//,
  /(^|\/)zz_generated\.\w+\.go$/,
  /\.generated\.\w+$/i,
]

const some = (patterns: readonly RegExp[], path: string): boolean => patterns.some((pattern) => pattern.test(path))

/** An attribute as a boolean. */
function flag(value: AttributeValue | undefined): boolean | undefined {
  if (value === undefined) return undefined
  return value === true || (typeof value === 'string' && value.toLowerCase() !== 'false')
}

const dotFile = /(^|\/)\./

/**
 * Bytes by language, largest first. Only programming and markup languages count; vendored, generated, documentation and
 * dot files do not, unless attributes say otherwise (contract, contents: languages).
 */
export function countLanguages(
  table: LanguageTable,
  files: readonly CountedFile[],
  attributes: Attributes,
): Map<string, number> {
  const bytes = new Map<string, number>()
  const hints = extensionsOf(files)
  for (const { path, sizeBytes } of files) {
    const given = attributes.of(path)
    if (sizeBytes === 0 || isLeftOut(path, given)) continue
    const named = languageNamed(table, given.get('linguist-language'))
    const language = named ?? likeliestLanguage(table, path, hints)
    if (language === undefined) continue
    const counted = flag(given.get('linguist-detectable')) ?? (named !== undefined || isCode(table, language))
    if (!counted) continue
    const group = table.byName.get(language)?.group ?? language
    bytes.set(group, (bytes.get(group) ?? 0) + sizeBytes)
  }
  return sorted(bytes)
}

function isLeftOut(path: string, given: ReadonlyMap<string, AttributeValue>): boolean {
  const isVendored = flag(given.get('linguist-vendored')) ?? some(vendored, path)
  const isGenerated = flag(given.get('linguist-generated')) ?? some(generated, path)
  const isDocumentation = flag(given.get('linguist-documentation')) ?? some(documentation, path)
  return isVendored || isGenerated || isDocumentation || dotFile.test(path)
}

const isCode = (table: LanguageTable, name: string): boolean => {
  const type = table.byName.get(name)?.type
  return type === 'programming' || type === 'markup'
}

function languageNamed(table: LanguageTable, value: AttributeValue | undefined): string | undefined {
  return typeof value === 'string'
    ? (table.byLowerName.get(value.toLowerCase().replaceAll('-', ' ')) ?? table.byLowerName.get(value.toLowerCase()))
    : undefined
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Extensions in a tree, which disambiguate shared extensions. */
const extensionsOf = (files: readonly CountedFile[]): ReadonlySet<string> =>
  new Set(files.map(({ path }) => /\.[^./]+$/.exec(path)?.[0].toLowerCase() ?? ''))

/** Extensions whose language depends on `hints`, and the extensions that decide it. */
const shared = /\.(?:h|m|pl)$/i
const deciding = /\.(?:c|cpp|cc|cxx|hpp|h|m|mm|pro|plt)$/i

/** Returns whether a changed file may change the language of other files. */
export const affectsOthers = (path: string, isNewOrGone: boolean): boolean =>
  nameOf(path) === '.gitattributes' || shared.test(path) || (isNewOrGone && deciding.test(path))

/** Bytes by language after a change; undefined when they do not fit together, since the rules have changed. */
export function changedLanguages(
  counted: ReadonlyMap<string, number>,
  removed: ReadonlyMap<string, number>,
  added: ReadonlyMap<string, number>,
): Map<string, number> | undefined {
  const bytes = new Map(counted)
  for (const [language, size] of added) bytes.set(language, (bytes.get(language) ?? 0) + size)
  for (const [language, size] of removed) bytes.set(language, (bytes.get(language) ?? 0) - size)
  if ([...bytes.values()].some((size) => size < 0)) return undefined
  return sorted([...bytes].filter(([, size]) => size > 0))
}

/** Bytes by language, largest first. */
const sorted = (bytes: Iterable<readonly [string, number]>): Map<string, number> =>
  new Map([...bytes].sort(([oneName, one], [otherName, other]) => other - one || (oneName < otherName ? -1 : 1)))

/** The language of a file by its name or its longest known extension. */
function likeliestLanguage(table: LanguageTable, path: string, hints: ReadonlySet<string>): string | undefined {
  const name = nameOf(path)
  const byFilename = table.byFilename.get(name)
  if (byFilename !== undefined) return byFilename
  const lower = name.toLowerCase()
  for (let dot = lower.indexOf('.', 1); dot >= 0; dot = lower.indexOf('.', dot + 1)) {
    const extension = lower.slice(dot)
    const names = table.byExtension.get(extension)
    if (names) return sharedExtension(extension, hints) ?? names[0]
  }
  return undefined
}

/** Resolves a shared extension by other files of the tree. */
function sharedExtension(extension: string, hints: ReadonlySet<string>): string | undefined {
  const has = (...extensions: string[]) => extensions.some((each) => hints.has(each))
  if (extension === '.h' && !has('.c') && has('.cpp', '.cc', '.cxx', '.hpp')) return 'C++'
  if (extension === '.h' && !has('.c', '.cpp', '.cc', '.cxx') && has('.m', '.mm')) return 'Objective-C'
  if (extension === '.m' && !has('.h', '.mm')) return 'MATLAB'
  if (extension === '.pl' && has('.pro', '.plt')) return 'Prolog'
  return undefined
}

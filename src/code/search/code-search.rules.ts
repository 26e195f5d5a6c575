/** Longest text that is searched in code, in UTF-16 units. */
export const maxSearchLength = 200

/** Most values of a qualifier; further ones are ignored. */
const maxValues = 4

/** A search of the code of a repository. */
export interface CodeQuery {
  /** What a line contains; empty when only qualifiers were written. */
  readonly text: string
  /** Whether the text is an expression in the dialect of RE2, which was written between slashes. */
  readonly isExpression: boolean
  /** Parts of paths. A file has at least one of them; none stand for all files. */
  readonly paths: readonly string[]
  /** Names or extensions of languages. A file has one of them. */
  readonly languages: readonly string[]
  readonly matchesCase: boolean
}

/**
 * Reads `path:docs`, `lang:"Common Lisp"` and `case:yes` in a text. The rest is searched as it is, and as an expression when
 * slashes enclose it.
 */
export function parseCodeQuery(typed: string): CodeQuery {
  const values = { path: new Set<string>(), lang: new Set<string>(), case: new Set<string>() }
  const text = typed.replaceAll(
    /(?<=^|\s)(path|lang|case):(?:"([^"]+)"|([^\s"]+))(?=\s|$)/g,
    (_whole, name: keyof typeof values, quoted: string | undefined, plain: string) => {
      values[name].add((quoted ?? plain).toLowerCase())
      return ''
    },
  )
  const rest = text.trim()
  const expression = /^\/(.+)\/$/s.exec(rest)?.[1]
  return {
    text: expression ?? rest,
    isExpression: expression !== undefined,
    paths: [...values.path].slice(0, maxValues),
    languages: [...values.lang].slice(0, maxValues),
    matchesCase: values.case.has('yes'),
  }
}

/** Shortest text that lines are looked for by, before an expression is compared with them. */
export const minRequiredLength = 3

/** A set of characters in an expression. */
const set = String.raw`\[\^?\]?(?:\[:[^\]]*:\]|\\.|[^\]\\])*\]`
const group = String.raw`\((?:\\.|${set}|[^()[\]\\])*\)`

/** The parts of an expression: a group, a set or a class of letters; an escape, a repetition, or one character. */
const expressionPart = new RegExp(
  String.raw`${group}|${set}|\\[pP](?:\{[^}]*\}|.)|\\(?<escaped>.)|(?<optional>[*?]|\{[^}]*\}?)|(?<character>.)`,
  'gsu',
)

/**
 * Returns the longest text of ASCII characters that each match of an expression surely contains, without regard to letter
 * case; '' when none is certain. Nested groups, alternatives, and characters written as numbers are not looked into.
 */
export function requiredTextOf(source: string): string {
  let longest = ''
  let run = ''
  const end = () => {
    if (run.length > longest.length) longest = run
    run = ''
  }
  for (const { groups = {} } of source.matchAll(expressionPart)) {
    const { escaped: escape, optional, character } = groups
    const literal = escape ?? character ?? ''
    const isSpecial = escape === undefined ? /[.^$+)]/.test(literal) : /\w/.test(literal)
    if (character === '|' || character === '(' || (escape !== undefined && /[Qx0-7]/.test(escape))) return ''
    if (/[ -~]/.test(literal) && !isSpecial) {
      run += literal
      continue
    }
    if (optional !== undefined) run = run.slice(0, -1)
    end()
  }
  end()
  return longest
}

/** Characters with a meaning in a pattern of git. */
const escaped = (text: string): string => text.replaceAll(/[\\*?[\]]/g, String.raw`\$&`)

/**
 * Returns patterns of git for the paths that contain a part and end with an end; letter case does not matter. The part and
 * the end may overlap: `a.t` and `.ts` are both in the name “a.ts”.
 */
function containing(part: string, end: string): string[] {
  const patterns = [`*${escaped(part)}*${escaped(end)}`]
  for (let length = 1; length < part.length && length <= end.length; length++) {
    if (part.endsWith(end.slice(0, length))) patterns.push(`*${escaped(part + end.slice(length))}`)
  }
  if (end.includes(part)) patterns.push(`*${escaped(end)}`)
  return patterns
}

/** How the paths of files in a language end, in lower case. */
export interface LanguageFiles {
  readonly extensions: readonly string[]
  readonly filenames: readonly string[]
}

/** Returns the patterns of git for the files that a search looks at; none for all files. */
export function patternsOf(paths: readonly string[], files: LanguageFiles | undefined): string[] {
  const patterns = new Set<string>()
  for (const part of paths.length === 0 ? [''] : paths) {
    if (files === undefined) {
      if (part !== '') patterns.add(`*${escaped(part)}*`)
      continue
    }
    for (const end of files.extensions) for (const each of containing(part, end)) patterns.add(each)
    for (const name of files.filenames) {
      for (const each of containing(part, `/${name}`)) patterns.add(each)
      // A file of the root.
      if (name.includes(part)) patterns.add(escaped(name))
    }
  }
  return [...patterns].map((pattern) => `:(icase)${pattern}`)
}

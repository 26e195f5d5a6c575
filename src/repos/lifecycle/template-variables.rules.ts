/** The values of template variables. */
export interface TemplateFacts {
  readonly nowMs: number
  readonly repo: TemplateSubject
  readonly template: TemplateSubject
}

export interface TemplateSubject {
  readonly name: string
  readonly description: string
  readonly owner: string
  /** Path of the page, beginning with a slash. */
  readonly link: string
  readonly httpsUrl: string
  readonly sshUrl: string
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** Returns the spellings of a name that templates can use. */
function inManyWays(name: string, value: string): [string, string][] {
  const words = wordsOf(value)
  return [
    [name, value],
    [`${name}_SNAKE`, words.join('_')],
    [`${name}_KEBAB`, words.join('-')],
    [`${name}_CAMEL`, words.map((word, index) => (index === 0 ? word : capital(word))).join('')],
    [`${name}_PASCAL`, words.map(capital).join('')],
    [`${name}_LOWER`, value.toLowerCase()],
    [`${name}_UPPER`, value.toUpperCase()],
    [`${name}_TITLE`, value.replaceAll(/\S+/g, capital)],
  ]
}

const ofSubject = (prefix: string, subject: TemplateSubject): [string, string][] => [
  ...inManyWays(`${prefix}_NAME`, subject.name),
  ...inManyWays(`${prefix}_OWNER`, subject.owner),
  [`${prefix}_DESCRIPTION`, subject.description],
  [`${prefix}_LINK`, subject.link],
  [`${prefix}_HTTPS_URL`, subject.httpsUrl],
  [`${prefix}_SSH_URL`, subject.sshUrl],
]

/** Variables of a template by name (contract, repositories: generate from a template). */
export function templateVariables(facts: TemplateFacts): ReadonlyMap<string, string> {
  const date = new Date(facts.nowMs)
  const two = (number: number): string => String(number).padStart(2, '0')
  return new Map([
    ['YEAR', String(date.getUTCFullYear())],
    ['MONTH', two(date.getUTCMonth() + 1)],
    ['DAY', two(date.getUTCDate())],
    ...inManyWays('MONTH_ENGLISH', months[date.getUTCMonth()] as string),
    ...ofSubject('REPO', facts.repo),
    ...ofSubject('TEMPLATE', facts.template),
  ])
}

/** Replaces `$NAME` and `${NAME}` by their values. An unknown name loses only the dollar sign (observed). */
export const expandVariables = (text: string, variables: ReadonlyMap<string, string>): string =>
  text.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_whole, braced: string | undefined, bare: string | undefined) => {
    const name = braced ?? bare ?? ''
    return variables.get(name) ?? name
  })

/** Returns a value as one part of a path. Characters that leave the folder or are not allowed become `_`. */
const inPath = (value: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what must not pass
  value.replaceAll('..', '_').replaceAll(/[<>:"/\\|?*\u0000-\u001f]/g, '_')

/** A path with its variables expanded. */
export const expandPath = (path: string, variables: ReadonlyMap<string, string>): string =>
  expandVariables(path, new Map([...variables].map(([name, value]) => [name, inPath(value)])))

/** Returns the patterns of a template file: one in a line, without comments and blank lines. */
export const templatePatterns = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

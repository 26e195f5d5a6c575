import { readBoundedYaml, YamlProblem } from '../lib/bounded-yaml.ts'
import { escapeHtml } from './html.ts'

/** Longest front matter in characters; a longer one stays text. */
const maxLength = 32 * 1024
const maxDepth = 5

/** Returns the YAML mapping between `---` lines at the head of a text and its number of lines; undefined without one. */
export function findFrontMatter(
  source: string,
): { readonly values: Readonly<Record<string, unknown>>; readonly lineCount: number } | undefined {
  const match = /^---[ \t]*\r?\n([\s\S]*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m.exec(source.slice(0, maxLength))
  if (match === null || match.index !== 0) return undefined
  try {
    const { value } = readBoundedYaml(match[1] ?? '', { maxValues: 2000, maxDepth: 20 })
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return { values: value as Readonly<Record<string, unknown>>, lineCount: match[0].split(/\r?\n/).length - 1 }
  } catch (error) {
    // Invalid front matter is shown as text.
    if (error instanceof YamlProblem) return undefined
    throw error
  }
}

function renderValue(value: unknown, depth: number): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'object') return escapeHtml(`${value as string | number | boolean | bigint}`)
  if (value instanceof Date) return escapeHtml(value.toISOString())
  if (depth >= maxDepth) return '…'
  if (Array.isArray(value)) {
    const cells = value.map((item) => `<td>${renderValue(item, depth + 1)}</td>`)
    return `<table><tbody><tr>${cells.join('')}</tr></tbody></table>`
  }
  return renderTable(value as Readonly<Record<string, unknown>>, depth + 1)
}

function renderTable(values: Readonly<Record<string, unknown>>, depth: number): string {
  const heads = Object.keys(values).map((name) => `<th>${escapeHtml(name)}</th>`)
  const cells = Object.values(values).map((value) => `<td>${renderValue(value, depth)}</td>`)
  return `<table><thead><tr>${heads.join('')}</tr></thead><tbody><tr>${cells.join('')}</tr></tbody></table>`
}

/** Renders front matter as a collapsed table. */
export const renderFrontMatter = (values: Readonly<Record<string, unknown>>): string =>
  Object.keys(values).length === 0
    ? ''
    : `<details class="frontmatter-content"><summary>…</summary>${renderTable(values, 0)}</details>\n`

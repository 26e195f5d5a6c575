import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Config } from '../../config/load-config.ts'
import { escapeHtml } from '../../markup/html.ts'
import { perLanguage } from '../languages/reader.ts'
import { pageScope, usePage } from './page-context.ts'
import { Raw } from './raw.tsx'

/** Stands for a text that differs; no text of a page contains these characters. */
const holeFor = (name: string): string => `\u0001${name}\u0002`
// oxlint-disable-next-line no-control-regex -- the characters of `holeFor`
const holes = /\u0001(\w+)\u0002/

/** One character beyond Latin-1 doubles the memory of the text of the whole page, so such characters are written as numbers. */
const narrowed = (html: string): string =>
  html.replaceAll(/[^\0-\xff]/gu, (character) => `&#x${character.codePointAt(0)?.toString(16)};`)

/**
 * Returns a component for a part of pages that is the same for all readers of a language: it is rendered once for each. It
 * knows the settings, and no person or address. Its forms are protected and are never the refused one.
 * @param names texts that differ, which the part gets as properties: it may show them, and not look at them
 */
export function keptPart<Name extends string = never>(
  View: (differing: Readonly<Record<Name, string>>) => VNode,
  names: readonly Name[] = [],
): (differing: Readonly<Record<Name, string>>) => VNode {
  const renderedIn = perLanguage(() => new WeakMap<Config, readonly string[]>())
  const marks = Object.fromEntries(names.map((name) => [name, holeFor(name)])) as Record<Name, string>
  const render = (page: ReturnType<typeof usePage>): readonly string[] => {
    const forAll = { ...page, viewer: undefined, csrf: holeFor('csrf'), url: '', refused: undefined }
    return narrowed(pageScope.during(forAll, () => renderToString(<View {...marks} />))).split(holes)
  }
  return (differing) => {
    const page = usePage()
    const rendered = renderedIn()
    const parts = rendered.get(page.config) ?? render(page)
    rendered.set(page.config, parts)
    if (parts.length === 1) return <Raw html={parts[0] ?? ''} />
    const texts: Readonly<Record<string, string>> = { ...differing, csrf: page.csrf }
    return <Raw html={parts.map((part, index) => (index % 2 === 0 ? part : escapeHtml(texts[part] ?? ''))).join('')} />
  }
}

import type { VNode } from 'preact'
import { escapeHtml } from '../../markup/html.ts'
import { symbolOf, type IconName, type IconSet } from './icons.ts'
import { Raw } from './raw.tsx'
import { createScope } from './scope.tsx'

export type IconAddresses = Readonly<Record<IconSet, string>>

/** Addresses of the icon files. The document provides them, because they begin with the site's path. */
export const iconScope = createScope<IconAddresses | undefined>(undefined)

interface IconProps {
  readonly name: IconName
  readonly size?: 16 | 24
  readonly label?: string
  readonly class?: string
}

const knownIcons = new WeakMap<IconAddresses, Map<string, string>>()

/** The HTML of icons without a label: a page has hundreds, of few kinds. */
function iconsOf(files: IconAddresses): Map<string, string> {
  const known = knownIcons.get(files) ?? new Map<string, string>()
  knownIcons.set(files, known)
  return known
}

/**
 * An icon of a sprite in the colour of the text. It is decoration unless it has a label.
 * @param size in pixels
 */
export function Icon({ name, size = 16, label, class: more = '' }: IconProps): VNode {
  const files = iconScope.current()
  if (files === undefined) throw new Error('an icon is rendered outside of a page')
  if (label !== undefined) return <Raw html={htmlOf(files, name, size, more, label)} />
  const known = iconsOf(files)
  const key = `${name} ${size} ${more}`
  const html = known.get(key) ?? htmlOf(files, name, size, more)
  known.set(key, html)
  return <Raw html={html} />
}

function htmlOf(files: IconAddresses, name: IconName, size: 16 | 24, more: string, label?: string): string {
  const { set, id } = symbolOf(name, size)
  const meaning = label === undefined ? 'aria-hidden="true"' : `role="img" aria-label="${escapeHtml(label)}"`
  const names = escapeHtml(`icon ${more}`.trim())
  return `<svg class="${names}" width="${size}" height="${size}" ${meaning}><use href="${files[set]}#${id}"></use></svg>`
}

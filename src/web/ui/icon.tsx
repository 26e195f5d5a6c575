import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { symbolOf, type IconName, type IconSet } from './icons.ts'

/** Addresses of the icon files by set. The document provides them, because they begin with the site's path. */
export const IconFiles = createContext<Readonly<Record<IconSet, string>> | undefined>(undefined)

/**
 * An icon of a sprite in the colour of the text. It is decoration unless it has a label.
 * @param size in pixels
 */
export function Icon({
  name,
  size = 16,
  label,
  class: more = '',
}: {
  readonly name: IconName
  readonly size?: 16 | 24
  readonly label?: string
  readonly class?: string
}) {
  const files = useContext(IconFiles)
  if (files === undefined) throw new Error('an icon is rendered outside of a page')
  const { set, id } = symbolOf(name, size)
  return (
    <svg
      class={`icon ${more}`.trim()}
      width={size}
      height={size}
      {...(label === undefined ? { 'aria-hidden': 'true' } : { role: 'img', 'aria-label': label })}
    >
      <use href={`${files[set]}#${id}`} />
    </svg>
  )
}

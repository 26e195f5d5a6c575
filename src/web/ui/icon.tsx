import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { setOf, type IconName, type IconSet, type LargeIconName } from './icons.ts'

/** Addresses of the icon files by set. The document provides them, because they begin with the site's path. */
export const IconFiles = createContext<Readonly<Record<IconSet, string>> | undefined>(undefined)

type IconProps = {
  /** What the icon says where no text beside it says the same. Without a label, screen readers pass over the icon. */
  readonly label?: string | undefined
  readonly class?: string | undefined
} & ({ readonly name: IconName; readonly size?: 16 | undefined } | { readonly name: LargeIconName; readonly size: 24 })

/** An icon in the colour of the text around it. The style sheet aligns `.icon`. */
export function Icon(props: IconProps) {
  const files = useContext(IconFiles)
  if (files === undefined) throw new Error('an icon needs a document around it: IconFiles is not provided')
  const size = props.size ?? 16
  const file = files[props.size === 24 ? 'icons-large' : setOf(props.name)]
  const name = props.class === undefined ? 'icon' : `icon ${props.class}`
  const role =
    props.label === undefined ? { 'aria-hidden': true } : ({ role: 'img', 'aria-label': props.label } as const)
  return (
    <svg class={name} width={size} height={size} {...role}>
      <use href={`${file}#${props.name}`} />
    </svg>
  )
}

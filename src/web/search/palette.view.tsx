import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'

export interface PaletteEntry {
  readonly label: string
  /** Path below the site root. */
  readonly to: string
  readonly icon: IconName
}

/** The answers of the command palette as links. */
export const PaletteView = ({
  entries,
  subPath,
}: {
  readonly entries: readonly PaletteEntry[]
  readonly subPath: string
}) => (
  <>
    {entries.map(({ label, to, icon }, index) => (
      <a role="option" id={`palette-${index}`} href={`${subPath}${to}`} tabIndex={-1}>
        <Icon name={icon} />
        <span class="cut">{label}</span>
      </a>
    ))}
  </>
)

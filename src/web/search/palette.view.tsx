import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { TitleText } from '../ui/title-text.tsx'

export interface PaletteEntry {
  readonly label: string
  /** Path below the site root. */
  readonly to: string
  readonly icon: IconName
  /** Class of the icon with the colour of a state. */
  readonly tone?: string
  /** The number of an issue or pull request, with its repository where that is not the current one. */
  readonly reference?: string
}

/** The answers of the command palette as links. A note for the person who searches follows. */
export const PaletteView = ({
  entries,
  note,
  subPath,
}: {
  readonly entries: readonly PaletteEntry[]
  readonly note?: string | undefined
  readonly subPath: string
}) => (
  <>
    {entries.map(({ label, to, icon, tone, reference }, index) => (
      <a role="option" id={`palette-${index}`} href={`${subPath}${to}`} tabIndex={-1}>
        <Icon name={icon} class={tone} />
        <span class="cut">{reference === undefined ? label : <TitleText text={label} />}</span>
        {reference === undefined ? null : <span class="muted reference">{reference}</span>}
      </a>
    ))}
    {note === undefined ? null : <p data-note="">{note}</p>}
  </>
)

import type { ComponentChildren } from 'preact'
import type { Tab } from '../ui/parts.tsx'
import { SideMenu } from '../ui/parts.tsx'

/** A page with a menu at its side, for settings and administration. */
export const MenuFrame = ({
  label,
  groups,
  isInFrame = false,
  children,
}: {
  readonly label: string
  readonly groups: readonly { readonly title?: string; readonly items: readonly Tab[] }[]
  /** The page has a container already. */
  readonly isInFrame?: boolean
  readonly children: ComponentChildren
}) => (
  <div class={isInFrame ? 'columns side-first with-menu' : 'container columns side-first with-menu'}>
    <SideMenu label={label} groups={groups} />
    <div class="stack">{children}</div>
  </div>
)

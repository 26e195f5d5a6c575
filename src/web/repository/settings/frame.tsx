import type { ComponentChildren } from 'preact'
import type { RepoCtx } from '../../../access/context.ts'
import { MenuFrame } from '../../frames/menu-frame.tsx'
import { PageHead } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import { texts } from './texts.tsx'

export type SettingsPart = keyof typeof texts.parts

/** The repository whose settings a page shows. */
export type SettingsPlace = Pick<RepoCtx, 'repo' | 'owner'>

export const placeOf = ({ repo, owner }: RepoCtx): SettingsPlace => ({ repo, owner })

/** Returns a path below the settings of a repository. */
export const settingsPath = ({ owner, repo }: SettingsPlace, ...parts: readonly (string | number)[]): string =>
  pathOf(owner.name, repo.name, 'settings', ...parts)

export const metaOf = (part: SettingsPart, { owner, repo }: SettingsPlace) => ({
  title: texts.title(texts.parts[part], `${owner.name}/${repo.name}`),
  isUnlisted: true,
})

/** A page of the settings with the menu of all of them. */
export const SettingsFrame = ({
  place,
  part,
  title = texts.parts[part],
  lead,
  acts,
  children,
}: {
  readonly place: SettingsPlace
  readonly part: SettingsPart
  readonly title?: string
  readonly lead?: string
  readonly acts?: ComponentChildren
  readonly children: ComponentChildren
}) => {
  const item = (each: SettingsPart, ...parts: readonly string[]) => ({
    label: texts.parts[each],
    to: settingsPath(place, ...parts),
    isCurrent: each === part,
  })
  return (
    <MenuFrame
      isInFrame
      label={texts.menu}
      groups={[
        {
          items: [item('general'), item('branches', 'branches'), item('keys', 'keys')],
        },
      ]}
    >
      <PageHead title={title} lead={lead}>
        {acts}
      </PageHead>
      {children}
    </MenuFrame>
  )
}

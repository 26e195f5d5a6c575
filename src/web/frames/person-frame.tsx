import type { ComponentChildren } from 'preact'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { IconName } from '../ui/icons.ts'
import { Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Tabs } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { Avatar } from '../ui/person.tsx'
import { frameTexts } from '../languages/texts.ts'

const texts = frameTexts.person

export type PersonTab = 'repositories' | 'packages' | 'activity' | 'stars' | 'followers' | 'following'

/** The tabs of a person. The lists of people have a tab only while they are open. */
export const PersonTabs = ({
  person,
  current,
  repositories,
}: {
  readonly person: UserRow
  readonly current: PersonTab
  /** Number of repositories, when it is known. */
  readonly repositories?: number | undefined
}) => {
  const { config } = usePage()
  const at = pathOf(person.name)
  const tab = (name: PersonTab, icon: IconName, to: string, count?: number) => ({
    label: texts[name],
    to,
    icon,
    count,
    isCurrent: name === current,
  })
  const query = (name: PersonTab) => `${at}?tab=${name}`
  return (
    <Tabs
      label={texts.tabs}
      tabs={[
        tab('repositories', 'repo', at, repositories),
        ...(config.packages.enabled ? [tab('packages', 'package', `${at}/-/packages`)] : []),
        tab('activity', 'pulse', query('activity')),
        ...(config.repository.disableStars ? [] : [tab('stars', 'star', query('stars'), person.num_stars)]),
        ...(current === 'followers' ? [tab('followers', 'people', query('followers'), person.num_followers)] : []),
        ...(current === 'following' ? [tab('following', 'people', query('following'), person.num_following)] : []),
      ]}
    />
  )
}

/** Name and tabs above a page of a person that is not the profile. */
export const PersonFrame = ({
  person,
  current,
  children,
}: {
  readonly person: UserRow
  readonly current: PersonTab
  readonly children: ComponentChildren
}) => (
  <>
    <div class="frame">
      <div class="container org-head">
        <div class="org-line">
          <Avatar person={person} size={24} />
          <strong>
            <Link to={pathOf(person.name)}>{person.full_name === '' ? person.name : person.full_name}</Link>
          </strong>
        </div>
      </div>
      <PersonTabs person={person} current={current} />
    </div>
    {children}
  </>
)

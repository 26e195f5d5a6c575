import type { UserRow } from '../../db/tables/accounts.ts'
import { avatarUrl } from '../../users/user.present.ts'
import { Link } from './link.tsx'
import { usePage } from './page-context.ts'
import { pathOf } from './paths.ts'
import { uiTexts as texts } from '../languages/texts.ts'

/** The largest picture beside a name, and the pixels that it takes on a fine screen. */
const smallSize = 40
const smallPixels = 80

/** The picture of an account; decoration beside the name. A small one is loaded small, unless it was uploaded. */
export const Avatar = ({
  person,
  size = 20,
}: {
  readonly person: UserRow
  readonly size?: 16 | 20 | 24 | 32 | 40 | 48 | 96 | 200
}) => {
  const page = usePage()
  const path = avatarUrl(page, person).slice(page.config.server.rootUrl.length)
  const query = size <= smallSize && person.avatar_key === '' ? `?size=${smallPixels}` : ''
  return (
    <img
      class={`avatar${person.kind === 'organization' ? ' square' : ''}`}
      src={`${page.config.server.subPath}/${path}${query}`}
      width={size}
      height={size}
      alt=""
      loading="lazy"
    />
  )
}

/**
 * The name of an account with its full name in parentheses; where the instance prefers full names (`DEFAULT_SHOW_FULL_NAME`), the
 * other way round.
 */
export const PersonName = ({
  person,
  isBrief = false,
}: {
  readonly person: Pick<UserRow, 'name' | 'full_name'>
  /** Only the preferred name, where a sentence repeats it or has no room. */
  readonly isBrief?: boolean
}) => {
  const { config } = usePage()
  if (person.full_name === '') return <>{person.name}</>
  const isSwapped = config.ui.defaultShowFullName
  const other = isSwapped ? person.name : person.full_name
  return (
    <>
      {isSwapped ? person.full_name : person.name}
      {isBrief ? null : <span class="other-name"> {texts.otherName(other)}</span>}
    </>
  )
}

/** An account as a link with its picture. */
export const Person = ({
  person,
  size = 20,
  withPicture = true,
  isBrief = false,
}: {
  readonly person: UserRow
  readonly size?: 16 | 20 | 24 | 32
  readonly withPicture?: boolean
  /** The full name is shown to the pointer only. */
  readonly isBrief?: boolean
}) =>
  person.kind === 'system' || person.kind === 'reserved' ? (
    <span class="person">
      {withPicture ? <Avatar person={person} size={size} /> : null}
      {person.name}
    </span>
  ) : (
    <Link
      class="person"
      to={pathOf(person.name)}
      title={person.full_name === '' ? undefined : texts.bothNames(person.name, person.full_name)}
    >
      {withPicture ? <Avatar person={person} size={size} /> : null}
      <PersonName person={person} isBrief={isBrief} />
    </Link>
  )

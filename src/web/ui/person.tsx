import type { UserRow } from '../../db/tables/accounts.ts'
import { avatarUrl } from '../../users/user.present.ts'
import { Link } from './link.tsx'
import { usePage } from './page-context.ts'
import { pathOf } from './paths.ts'

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

/** An account as a link with its picture. */
export const Person = ({
  person,
  size = 20,
  withPicture = true,
}: {
  readonly person: UserRow
  readonly size?: 16 | 20 | 24 | 32
  readonly withPicture?: boolean
}) =>
  person.kind === 'system' || person.kind === 'reserved' ? (
    <span class="person">
      {withPicture ? <Avatar person={person} size={size} /> : null}
      {person.name}
    </span>
  ) : (
    <Link class="person" to={pathOf(person.name)} title={person.full_name === '' ? undefined : person.full_name}>
      {withPicture ? <Avatar person={person} size={size} /> : null}
      {person.name}
    </Link>
  )

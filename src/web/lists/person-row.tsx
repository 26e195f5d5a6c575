import type { ComponentChildren } from 'preact'
import type { UserRow } from '../../db/tables/accounts.ts'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { Tag } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { Avatar } from '../ui/person.tsx'
import { Time } from '../ui/time.tsx'
import { listTexts as texts } from '../languages/texts.ts'

/** A person or organization of a list. */
export const PersonRow = ({
  person,
  hasJoined = true,
  facts,
  children,
}: {
  readonly person: UserRow
  /** Shows the age of the account. Among members it would be read as that of the membership. */
  readonly hasJoined?: boolean
  /** Further facts below the name. */
  readonly facts?: ComponentChildren
  /** Buttons at the end. */
  readonly children?: ComponentChildren
}) => (
  <li class="row person-row">
    <Avatar person={person} size={40} />
    <div class="row-main">
      <div class="line">
        <Link class="row-title" to={pathOf(person.name)} data-row-link="">
          {person.full_name === '' ? person.name : person.full_name}
        </Link>
        {person.full_name === '' ? null : <span class="muted">{person.name}</span>}
        {person.visibility === 'public' ? null : (
          <Tag>{person.visibility === 'private' ? texts.private : texts.limited}</Tag>
        )}
      </div>
      {person.description === '' ? null : <p class="row-text">{person.description}</p>}
      <div class="row-facts">
        {person.location === '' ? null : (
          <span>
            <Icon name="globe" />
            {person.location}
          </span>
        )}
        {hasJoined ? (
          <span>
            {texts.joined}
            <Time unix={person.created_unix} />
          </span>
        ) : null}
        {facts}
      </div>
    </div>
    {children === undefined ? null : <div class="row-side">{children}</div>}
  </li>
)

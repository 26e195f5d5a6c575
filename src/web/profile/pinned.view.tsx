import type { UserRow } from '../../db/tables/accounts.ts'
import type { OwnedRepo } from '../../repos/lists/browse.service.ts'
import { listTexts, profileTexts as texts } from '../languages/texts.ts'
import { RepositoryTags } from '../lists/repository-row.tsx'
import { shortNumber } from '../languages/amounts.ts'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { pathOf } from '../ui/paths.ts'
import { RepositoryPicture } from '../ui/repository-picture.tsx'
import { pinsPath } from './pins.view.tsx'

/** The repositories that the page of an account begins with, and the way to choose them for who may. */
export const Pinned = ({
  subject,
  pinned,
  mayPin,
}: {
  readonly subject: UserRow
  readonly pinned: readonly OwnedRepo[]
  readonly mayPin: boolean
}) =>
  pinned.length === 0 && !mayPin ? null : (
    <section class="pinned-repos">
      <div class="pinned-head">
        <h2>{texts.pinned}</h2>
        {mayPin ? (
          <Link class="small" to={pinsPath(subject)}>
            {texts.choosePinned}
          </Link>
        ) : null}
      </div>
      {pinned.length === 0 ? <p class="muted small">{texts.noPinned}</p> : null}
      <ul class="pinned-cards">
        {pinned.map((owned) => (
          <Card {...owned} isOwn={owned.owner.id === subject.id} />
        ))}
      </ul>
    </section>
  )

const Card = ({ isOwn, ...owned }: OwnedRepo & { readonly isOwn: boolean }) => {
  const { repo, owner } = owned
  const { config } = usePage()
  return (
    <li class="pinned-card">
      <div class="line">
        <RepositoryPicture repo={repo} size={16} class="row-icon" />
        <Link class="row-title" to={pathOf(owner.name, repo.name)}>
          {isOwn ? null : <span class="repo-owner">{owner.name} / </span>}
          {repo.name}
        </Link>
        <RepositoryTags {...owned} />
      </div>
      {repo.description === '' ? null : <p class="pinned-text">{repo.description}</p>}
      <p class="row-facts">
        {repo.primary_language === '' ? null : (
          <span>
            <Icon name="code" />
            {repo.primary_language}
          </span>
        )}
        {config.repository.disableStars || repo.num_stars === 0 ? null : (
          <span title={listTexts.stars(repo.num_stars)}>
            <Icon name="star" />
            {shortNumber(repo.num_stars)}
          </span>
        )}
      </p>
    </li>
  )
}

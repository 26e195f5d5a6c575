import type { OwnedRepo } from '../../repos/lists/browse.service.ts'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Tag } from '../ui/parts.tsx'
import { changedQuery, pathOf } from '../ui/paths.ts'
import { RepositoryPicture } from '../ui/repository-picture.tsx'
import { shortNumber } from '../languages/amounts.ts'
import { Time } from '../ui/time.tsx'
import { listTexts as texts } from '../languages/texts.ts'

/** Most topics that a row shows. */
const maxTopics = 6

/** The words about a repository, such as `Private`. */
export const RepositoryTags = ({ repo, owner }: OwnedRepo) => (
  <>
    {repo.is_private ? <Tag>{texts.private}</Tag> : null}
    {!repo.is_private && owner.visibility !== 'public' ? <Tag>{texts.internal}</Tag> : null}
    {repo.is_archived ? <Tag tone="warning">{texts.archived}</Tag> : null}
    {repo.is_template ? <Tag>{texts.template}</Tag> : null}
    {repo.is_fork ? <Tag>{texts.fork}</Tag> : null}
    {repo.is_mirror ? <Tag>{texts.mirror}</Tag> : null}
  </>
)

/** Topics that are stored as a JSON array. */
const topicsOf = ({ repo }: OwnedRepo): readonly string[] => (JSON.parse(repo.topics) as string[]).slice(0, maxTopics)

const Count = ({
  to,
  icon,
  count,
  label,
}: {
  readonly to: string
  readonly icon: IconName
  readonly count: number
  readonly label: string
}) =>
  count === 0 ? null : (
    <Link to={to} aria-label={label} title={label}>
      <Icon name={icon} />
      {shortNumber(count)}
    </Link>
  )

/**
 * A repository of a list.
 * @param withOwner the name begins with that of the owner
 */
export const RepositoryRow = ({ withOwner = true, ...owned }: OwnedRepo & { readonly withOwner?: boolean }) => {
  const { repo, owner } = owned
  const { url, config } = usePage()
  const at = (...parts: readonly string[]) => pathOf(owner.name, repo.name, ...parts)
  const openIssues = repo.num_issues - repo.num_closed_issues
  return (
    <li class="row repo-row">
      <RepositoryPicture repo={repo} size={16} class="row-icon" />
      <div class="row-main">
        <div class="line">
          <Link class="row-title" to={at()} data-row-link="">
            {withOwner ? <span class="repo-owner">{owner.name} / </span> : null}
            {repo.name}
          </Link>
          <RepositoryTags {...owned} />
        </div>
        {repo.description === '' ? null : <p class="row-text">{repo.description}</p>}
        <div class="row-facts">
          {repo.primary_language === '' ? null : (
            <Link to={changedQuery(url, { language: repo.primary_language })} rel="nofollow">
              <Icon name="code" />
              {repo.primary_language}
            </Link>
          )}
          {config.repository.disableStars ? null : (
            <Count to={at('stars')} icon="star" count={repo.num_stars} label={texts.stars(repo.num_stars)} />
          )}
          {config.repository.disableForks ? null : (
            <Count to={at('forks')} icon="repo-forked" count={repo.num_forks} label={texts.forks(repo.num_forks)} />
          )}
          <Count to={at('issues')} icon="issue-opened" count={openIssues} label={texts.openIssues(openIssues)} />
          <span>
            {texts.updated}
            <Time unix={repo.updated_unix} />
          </span>
          <span class="topics">
            {topicsOf(owned).map((topic) => (
              <Link class="topic" to={`/explore/repos?q=${encodeURIComponent(topic)}`}>
                {topic}
              </Link>
            ))}
          </span>
        </div>
      </div>
    </li>
  )
}

import type { UserRow } from '../../../db/tables/accounts.ts'
import type { RepoRow } from '../../../db/tables/repositories.ts'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { Empty, PageHead, Pages } from '../../ui/parts.tsx'
import { usePage } from '../../ui/page-context.ts'
import { pathOf } from '../../ui/paths.ts'
import { Avatar } from '../../ui/person.tsx'
import { numberText } from '../../languages/amounts.ts'
import { Time } from '../../ui/time.tsx'
import { repositoryPath, type RepositoryNames } from '../code-paths.ts'
import { codeTexts as texts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'

interface ListPage {
  readonly number: number
  readonly total: number
  readonly pageSize: number
}

export interface PeopleProps {
  readonly repository: RepositoryNames
  readonly kind: 'stars' | 'watchers'
  readonly users: readonly UserRow[]
  readonly page: ListPage
}

const PagesOf = ({ page }: { readonly page: ListPage }) => (
  <Pages page={page.number} total={page.total} pageSize={page.pageSize} />
)

export const PeopleView = ({ kind, users, page }: PeopleProps) => (
  <div class="stack">
    <PageHead title={kind === 'stars' ? texts.stargazers : texts.watchersTitle} />
    {users.length === 0 ? (
      <Empty icon={kind === 'stars' ? 'star' : 'people'} title={kind === 'stars' ? texts.noStars : texts.noWatchers} />
    ) : (
      <ul class="grid people-grid">
        {users.map((user) => (
          <li class="person-card">
            <Avatar person={user} size={40} />
            <div>
              <Link class="row-title" to={pathOf(user.name)}>
                {user.full_name === '' ? user.name : user.full_name}
              </Link>
              {user.full_name === '' ? null : <div class="muted small">{user.name}</div>}
            </div>
          </li>
        ))}
      </ul>
    )}
    <PagesOf page={page} />
  </div>
)

export interface ForksProps {
  readonly repository: RepositoryNames
  readonly forks: readonly { readonly repo: RepoRow; readonly owner: UserRow }[]
  readonly page: ListPage
  readonly mayFork: boolean
}

export const ForksView = ({ repository, forks, page, mayFork }: ForksProps) => {
  const { config } = usePage()
  return (
    <div class="stack">
      <PageHead title={texts.forks}>
        {mayFork ? (
          <ButtonLink kind="primary" icon="repo-forked" to={repositoryPath(repository, 'fork')}>
            {texts.fork}
          </ButtonLink>
        ) : null}
      </PageHead>
      <RowBox
        rows={forks}
        links
        none={
          <Empty icon="repo-forked" title={texts.noForks}>
            <p>{texts.noForksHint}</p>
          </Empty>
        }
      >
        {({ repo, owner }) => (
          <li class="row">
            <Avatar person={owner} size={24} />
            <div class="row-main">
              <Link class="row-title" to={pathOf(owner.name, repo.name)}>
                {`${owner.name}/${repo.name}`}
              </Link>
              {repo.description === '' ? null : <div class="muted small">{repo.description}</div>}
            </div>
            <div class="row-side">
              {config.repository.disableStars ? null : (
                <span>
                  <Icon name="star" /> {numberText(repo.num_stars)}
                </span>
              )}
              <Time unix={repo.updated_unix} />
            </div>
          </li>
        )}
      </RowBox>
      <PagesOf page={page} />
    </div>
  )
}

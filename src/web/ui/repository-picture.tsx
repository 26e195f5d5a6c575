import type { RepoRow } from '../../db/tables/repositories.ts'
import { repoAvatarUrl } from '../../repos/repo.present.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'
import { usePage } from './page-context.ts'

/** Returns the icon that says what kind of repository it is. */
export const repositoryIcon = (repo: RepoRow): IconName => {
  if (repo.is_fork) return 'repo-forked'
  if (repo.is_mirror) return 'mirror'
  if (repo.is_template) return 'repo-template'
  return repo.is_private ? 'lock' : 'repo'
}

/** The picture of a repository, or an icon of its kind; decoration beside the name. */
export const RepositoryPicture = ({
  repo,
  size = 20,
  class: more,
}: {
  readonly repo: RepoRow
  readonly size?: 16 | 20 | 24 | 96
  /** Classes of the icon. */
  readonly class?: string
}) => {
  const page = usePage()
  if (repo.avatar_key === '') return <Icon name={repositoryIcon(repo)} class={more} />
  const path = repoAvatarUrl(page, repo).slice(page.config.server.rootUrl.length)
  return (
    <img
      class="avatar square"
      src={`${page.config.server.subPath}/${path}`}
      width={size}
      height={size}
      alt=""
      loading="lazy"
    />
  )
}

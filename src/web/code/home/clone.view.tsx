import type { RepoCtx } from '../../../access/context.ts'
import type { NamedCommit } from '../../../code/commits/named-commit.service.ts'
import { repoCloneUrl, repoSshUrl, type RepoAddress } from '../../../repos/repo-url.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { CopyField, Menu } from '../../ui/parts.tsx'
import { repositoryPath, type RepositoryNames } from '../code-paths.ts'
import { codeTexts as texts } from '../../languages/texts.ts'

export interface CloneAddresses {
  readonly http: string | undefined
  readonly ssh: string | undefined
}

/** Returns the addresses from which git clones a repository. */
export const cloneAddresses = (repository: RepoAddress & Pick<RepoCtx, 'config'>): CloneAddresses => ({
  http: repository.config.repository.disableHttpGit ? undefined : repoCloneUrl(repository),
  ssh: repository.config.server.disableSsh ? undefined : repoSshUrl(repository),
})

const Addresses = ({ addresses }: { readonly addresses: CloneAddresses }) => (
  <div class="stack tight clone-addresses">
    {addresses.http === undefined ? null : (
      <div>
        <h3>{texts.https}</h3>
        <CopyField text={addresses.http} label={texts.cloneOver('HTTPS')} />
      </div>
    )}
    {addresses.ssh === undefined ? null : (
      <div>
        <h3>{texts.ssh}</h3>
        <CopyField text={addresses.ssh} label={texts.cloneOver('SSH')} />
      </div>
    )}
  </div>
)

/** The button with the addresses for clones, and archives of a revision. */
export const CloneMenu = ({
  repository,
  addresses,
  revision,
}: {
  readonly repository: RepositoryNames
  readonly addresses: CloneAddresses
  readonly revision: NamedCommit
}) => {
  const { config } = usePage()
  return (
    <Menu
      kind="primary"
      align="end"
      class="clone-menu"
      label={
        <>
          <Icon name="code" />
          {texts.cloneTitle}
          <Icon name="triangle-down" />
        </>
      }
    >
      <Addresses addresses={addresses} />
      {config.repository.disableDownloadSourceArchives ? null : (
        <ul class="menu-foot">
          {(['zip', 'tar.gz'] as const).map((format) => (
            <li>
              <Link
                to={`${repositoryPath(repository, 'archive', revision.name)}.${format}`}
                rel="nofollow"
                data-turbo="false"
              >
                <Icon name="file-zip" />
                {texts.downloadArchive(format)}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Menu>
  )
}

/** The addresses without a button, for an empty repository. */
export const ClonePanel = Addresses

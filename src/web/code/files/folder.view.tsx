import type { CommitView } from '../../../code/statuses/commit-view.service.ts'
import type { NamedCommit } from '../../../code/commits/named-commit.service.ts'
import { entryKind } from '../../../code/contents/entry-kind.ts'
import type { Folder, FolderEntry } from '../../../code/contents/folder.service.ts'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { Link, OutsideLink } from '../../ui/link.tsx'
import { Box } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { CommitSubject, commitUnix, LatestCommit } from '../commit-parts.view.tsx'
import { revisionPath, type RepositoryNames } from '../code-paths.ts'
import { codeTexts as texts } from '../../languages/texts.ts'
import { wordTable } from '../../../lib/word-table.ts'

const icons = wordTable<IconName>({
  dir: 'file-directory-fill',
  symlink: 'file-symlink-file',
  submodule: 'file-submodule',
})

export interface FolderProps {
  readonly repository: RepositoryNames
  readonly revision: NamedCommit
  readonly path: string
  readonly folder: Folder
  /** The last commit that touched the folder. */
  readonly latest: CommitView
  /** Number of commits of the revision; undefined below the root. */
  readonly commitCount: number | undefined
}

const EntryName = ({
  repository,
  revision,
  entry,
}: Pick<FolderProps, 'repository' | 'revision'> & { entry: FolderEntry }) => {
  if (entry.type !== 'commit') {
    return <Link to={revisionPath(repository, 'src', revision, entry.path)}>{entry.name}</Link>
  }
  return (
    <>
      {entry.submodulePage === undefined ? (
        entry.name
      ) : (
        <OutsideLink href={entry.submodulePage}>{entry.name}</OutsideLink>
      )}{' '}
      <span class="muted mono">@ {entry.oid.slice(0, 10)}</span>
    </>
  )
}

const Row = ({
  repository,
  revision,
  entry,
}: Pick<FolderProps, 'repository' | 'revision'> & { entry: FolderEntry }) => {
  const kind = entryKind(entry)
  return (
    <tr>
      <td class="file-name">
        <Icon name={icons[kind] ?? 'file'} />
        <EntryName repository={repository} revision={revision} entry={entry} />
      </td>
      <td class="file-commit">
        {entry.lastCommit === undefined ? null : <CommitSubject repository={repository} commit={entry.lastCommit} />}
      </td>
      <td class="file-time">{entry.lastCommit === undefined ? null : <Time unix={commitUnix(entry.lastCommit)} />}</td>
    </tr>
  )
}

/** The entries of a folder, each with its last commit. */
export const FolderTable = (props: FolderProps) => {
  const { repository, revision, path, folder, latest, commitCount } = props
  const above = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
  return (
    <Box
      class="files-box"
      head={
        <LatestCommit repository={repository} revision={revision} path={path} view={latest} commitCount={commitCount} />
      }
    >
      <table class="files">
        <caption class="sr-only">{texts.filesOf(path)}</caption>
        <colgroup>
          <col class="files-name" />
          <col />
          <col class="files-time" />
        </colgroup>
        <thead class="sr-only">
          <tr>
            <th scope="col">{texts.name}</th>
            <th scope="col">{texts.lastCommit}</th>
            <th scope="col">{texts.changed}</th>
          </tr>
        </thead>
        <tbody data-rows>
          {path === '' ? null : (
            <tr>
              <td class="file-name">
                <Icon name="file-directory-fill" />
                <Link to={revisionPath(repository, 'src', revision, above)} aria-label={texts.folderAbove}>
                  ..
                </Link>
              </td>
              <td class="file-commit" />
              <td class="file-time" />
            </tr>
          )}
          {folder.entries.map((entry) => (
            <Row repository={repository} revision={revision} entry={entry} />
          ))}
        </tbody>
      </table>
      {folder.total > folder.entries.length ? (
        <p class="box-foot muted">
          {texts.moreEntries(folder.total - folder.entries.length)}{' '}
          <Link to={revisionPath(repository, 'find', revision)}>{texts.findFile}</Link>
        </p>
      ) : null}
    </Box>
  )
}

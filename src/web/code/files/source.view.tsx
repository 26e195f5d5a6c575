import type { RefChoice } from '../../../code/branches/ref-choice.service.ts'
import type { CommitView } from '../../../code/statuses/commit-view.service.ts'
import type { NamedCommit } from '../../../code/commits/named-commit.service.ts'
import type { FileView } from '../../../code/contents/file.service.ts'
import type { Folder } from '../../../code/contents/folder.service.ts'
import { Link, OutsideLink } from '../../ui/link.tsx'
import { Box, CopyButton, Empty } from '../../ui/parts.tsx'
import { LatestCommit } from '../commit-parts.view.tsx'
import { AddFile } from './add-file.view.tsx'
import { crumbsOf, revisionPath, shortOid, type RepositoryNames } from '../code-paths.ts'
import type { Editing } from '../editing.ts'
import type { SourceContent } from './file-content.ts'
import { FileBox } from './file.view.tsx'
import { FindLink } from './find-link.view.tsx'
import { FolderTable } from './folder.view.tsx'
import { ReadmeBox } from '../home/readme.view.tsx'
import type { Readme } from '../home/readme.ts'
import { RefMenu } from '../ref-menu.view.tsx'
import { codeTexts as texts } from '../../languages/texts.ts'

interface Submodule {
  readonly latest: CommitView
  readonly oid: string
  /** Its address in `.gitmodules`. */
  readonly url: string | undefined
  /** Address of its pages, when `url` names a server. */
  readonly pages: string | undefined
}

export interface SourceProps {
  readonly repository: RepositoryNames
  readonly revision: NamedCommit
  readonly path: string
  readonly refs: RefChoice
  readonly editing: Editing
  readonly shown:
    | {
        readonly kind: 'folder'
        readonly folder: Folder
        readonly latest: CommitView
        readonly readme: Readme | undefined
      }
    | ({ readonly kind: 'submodule' } & Submodule)
    | {
        readonly kind: 'file'
        readonly latest: CommitView
        readonly file: FileView
        readonly content: SourceContent
        readonly problem: string | undefined
      }
}

/** Most folders above a path that are links. Each address contains all folders above it, so the size grows with the square. */
const maxCrumbs = 24

/** The folders above a path as links, and the path itself as the heading. */
export const PathCrumbs = ({
  repository,
  revision,
  path,
}: {
  readonly repository: RepositoryNames
  readonly revision: NamedCommit
  readonly path: string
}) => {
  const crumbs = crumbsOf(path, maxCrumbs)
  return (
    <div class="path-crumbs">
      <nav aria-label={texts.path}>
        <ol class="breadcrumbs">
          <li>
            <Link to={revisionPath(repository, 'src', revision)}>{repository.repo.name}</Link>
          </li>
          {crumbs.map((crumb, index) => (
            <li>
              {index === crumbs.length - 1 ? (
                <h1>{crumb.name}</h1>
              ) : (
                <Link to={revisionPath(repository, 'src', revision, crumb.path)}>{crumb.name}</Link>
              )}
            </li>
          ))}
        </ol>
      </nav>
      {path === '' ? null : <CopyButton text={path} label={texts.path} />}
    </div>
  )
}

/** The line above a file or folder: revision, path, acts. */
const SourceBar = ({ repository, revision, refs, path, editing, shown }: SourceProps) => (
  <div class="code-bar source-bar">
    <RefMenu
      repository={repository}
      revision={revision}
      refs={refs}
      addressOf={(to) => revisionPath(repository, 'src', to, path)}
    />
    <PathCrumbs repository={repository} revision={revision} path={path} />
    <span class="spacer" />
    <FindLink repository={repository} revision={revision} class={shown.kind === 'folder' ? '' : 'wide-only'} />
    {shown.kind === 'folder' && editing.isOffered ? (
      <AddFile repository={repository} branch={editing.branch} path={path} />
    ) : null}
    {revision.kind === 'commit' ? null : (
      <Link
        class="sr-only"
        to={revisionPath(repository, 'src', { kind: 'commit', name: revision.commit }, path)}
        data-hotkey="y"
      >
        {texts.permalink}
      </Link>
    )}
  </div>
)

/** A repository inside of this one. */
const SubmoduleBox = ({
  repository,
  revision,
  path,
  latest,
  oid,
  url,
  pages,
}: Pick<SourceProps, 'repository' | 'revision' | 'path'> & Submodule) => (
  <Box head={<LatestCommit repository={repository} revision={revision} path={path} view={latest} />}>
    <Empty icon="file-submodule" title={texts.submodule}>
      <p>
        {texts.submoduleAt(
          url === undefined ? undefined : pages === undefined ? (
            <code>{url}</code>
          ) : (
            <OutsideLink href={pages}>{url}</OutsideLink>
          ),
          <code>{shortOid(oid)}</code>,
        )}
      </p>
    </Empty>
  </Box>
)

export const SourceView = (props: SourceProps) => {
  const { repository, revision, path, shown } = props
  return (
    <div class="stack">
      <SourceBar {...props} />
      {path === '' ? (
        <h1 class="sr-only">{texts.filesAt(revision.kind === 'commit' ? shortOid(revision.name) : revision.name)}</h1>
      ) : null}
      {shown.kind === 'folder' ? (
        <>
          <FolderTable
            repository={repository}
            revision={revision}
            path={path}
            folder={shown.folder}
            latest={shown.latest}
            commitCount={undefined}
          />
          {shown.readme === undefined ? null : (
            <ReadmeBox repository={repository} revision={revision} readme={shown.readme} />
          )}
        </>
      ) : shown.kind === 'submodule' ? (
        <SubmoduleBox {...props} {...shown} />
      ) : (
        <FileBox {...props} {...shown} />
      )}
    </div>
  )
}

import type { RefChoice } from '../../../code/branches/ref-choice.service.ts'
import type { CommitView } from '../../../code/statuses/commit-view.service.ts'
import { Avatar } from '../../ui/person.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Box } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { CommitSubject, commitUnix } from '../commit-parts.view.tsx'
import { revisionPath, shortOid } from '../code-paths.ts'
import type { SourceLines } from './file-content.ts'
import { FileHead, type FileHeadProps } from './file-head.view.tsx'
import { RefMenu } from '../ref-menu.view.tsx'
import { FindLink } from './find-link.view.tsx'
import { PathCrumbs } from './source.view.tsx'
import { codeTexts as texts } from '../../languages/texts.ts'

interface BlamePart {
  readonly commit: string
  /** Number of its first line, from 1. */
  readonly line: number
  readonly count: number
  /** Path of the file in that commit. */
  readonly path: string
}

export interface BlameProps extends Omit<FileHeadProps, 'display' | 'lineCount'> {
  readonly refs: RefChoice
  readonly shown: SourceLines
  readonly parts: readonly BlamePart[]
  readonly views: readonly CommitView[]
}

const Origin = ({ repository, view, part }: Pick<BlameProps, 'repository'> & { view: CommitView; part: BlamePart }) => {
  const [parent] = view.commit.parents
  return (
    <div class="blame-origin">
      {view.author ? <Avatar person={view.author} size={16} /> : <Icon name="person" />}
      <CommitSubject repository={repository} commit={view.commit} class="cut" />
      <span class="spacer" />
      {parent === undefined ? null : (
        <Link
          class="blame-before"
          to={`${revisionPath(repository, 'blame', { kind: 'commit', name: parent }, part.path)}#L${part.line}`}
          aria-label={texts.blameBefore(shortOid(view.commit.oid))}
          title={texts.blameBefore(shortOid(view.commit.oid))}
        >
          <Icon name="versions" />
        </Link>
      )}
      <Time unix={commitUnix(view.commit)} />
    </div>
  )
}

const Part = ({
  repository,
  part,
  view,
  lines,
}: Pick<BlameProps, 'repository'> & { part: BlamePart; view: CommitView | undefined; lines: readonly string[] }) => (
  <>
    {lines.map((line, index) => (
      <tr id={`L${part.line + index}`} class={index === 0 ? 'blame-first' : undefined}>
        {index === 0 ? (
          <td class="blame-cell" rowSpan={lines.length}>
            {view === undefined ? null : <Origin repository={repository} view={view} part={part} />}
          </td>
        ) : null}
        <td class="num">
          <a href={`#L${part.line + index}`}>{part.line + index}</a>
        </td>
        <td class="text" dangerouslySetInnerHTML={{ __html: line }} />
      </tr>
    ))}
  </>
)

export const BlameView = ({ repository, revision, path, refs, shown, parts, views, ...head }: BlameProps) => {
  const viewOf = new Map<string, CommitView>(views.map((view) => [view.commit.oid, view]))
  return (
    <div class="stack">
      <div class="code-bar">
        <RefMenu
          repository={repository}
          revision={revision}
          refs={refs}
          addressOf={(to) => revisionPath(repository, 'blame', to, path)}
        />
        <PathCrumbs repository={repository} revision={revision} path={path} />
        <span class="spacer" />
        <FindLink repository={repository} revision={revision} page="blame" class="wide-only" />
      </div>
      <Box class="file-box" foot={shown.total > shown.lines.length ? texts.blameEnds(shown.lines.length) : undefined}>
        <FileHead
          {...head}
          repository={repository}
          revision={revision}
          path={path}
          display="blame"
          lineCount={shown.total}
        />
        <div class="code-scroll blame" data-lines tabIndex={0} role="region" aria-label={texts.blameOf(path)}>
          <table class="code-table">
            <tbody>
              {parts.map((part) => (
                <Part
                  repository={repository}
                  part={part}
                  view={viewOf.get(part.commit)}
                  lines={shown.lines.slice(part.line - 1, part.line - 1 + part.count)}
                />
              ))}
            </tbody>
          </table>
        </div>
      </Box>
    </div>
  )
}

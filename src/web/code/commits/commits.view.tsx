import type { RefChoice } from '../../../code/branches/ref-choice.service.ts'
import type { NamedCommit } from '../../../code/commits/named-commit.service.ts'
import type { CommitView } from '../../../code/statuses/commit-view.service.ts'
import { SignatureMark, StatusMark } from '../../shared/commit-marks.view.tsx'
import { htmlBytes } from '../../../lib/html-bytes.ts'
import { Icon } from '../../ui/icon.tsx'
import { FeedLink, Link } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { CopyButton, Empty, Pages } from '../../ui/parts.tsx'
import { dateText, Time } from '../../ui/time.tsx'
import { CommitLink, CommitPerson, CommitSubject, commitUnix } from '../commit-parts.view.tsx'
import { messageBody } from '../../../code/commits/message.rules.ts'
import { branchFeedPath, repositoryPath, revisionPath, shortOid, type RepositoryNames } from '../code-paths.ts'
import { RefMenu } from '../ref-menu.view.tsx'
import { FindLink } from '../files/find-link.view.tsx'
import { PathCrumbs } from '../files/source.view.tsx'
import { codeTexts as texts } from '../../languages/texts.ts'
import { MessageText } from '../../shared/message-text.view.tsx'
import { RowBox } from '../../ui/row-box.tsx'

export interface CommitsProps {
  readonly repository: RepositoryNames
  readonly revision: NamedCommit
  readonly path: string
  readonly refs: RefChoice
  readonly views: readonly CommitView[]
  readonly page: { readonly number: number; readonly total: number; readonly pageSize: number }
}

const CommitRow = ({
  repository,
  view,
  path,
}: {
  readonly repository: RepositoryNames
  readonly view: CommitView
  readonly path: string
}) => {
  const { commit, author, verification } = view
  const message = messageBody(commit.message)
  const body = usePage().budget.tryTake('outputBytes', htmlBytes(message)) ? message : ''
  return (
    <li class="row commit-row">
      <div class="row-main">
        <div class="commit-title">
          <CommitSubject repository={repository} commit={commit} class="row-title" />
          {body === '' ? null : (
            <details class="commit-body">
              <summary aria-label={texts.wholeMessage} title={texts.wholeMessage}>
                …
              </summary>
              <pre>
                <MessageText text={body} />
              </pre>
            </details>
          )}
        </div>
        <div class="row-facts">
          <CommitPerson identity={commit.author} account={author} size={16} />
          <span>
            {texts.committed} <Time unix={commitUnix(commit)} />
          </span>
          <StatusMark repository={repository} view={view} />
        </div>
      </div>
      <div class="row-side">
        <SignatureMark verification={verification} />
        <CommitLink repository={repository} oid={commit.oid} />
        <CopyButton text={commit.oid} label={texts.commitId} />
        <Link
          class="button quiet small icon-only"
          to={revisionPath(repository, 'src', { kind: 'commit', name: commit.oid }, path)}
          aria-label={texts.browseAt(shortOid(commit.oid))}
          title={texts.browseHere}
        >
          <Icon name="code" />
        </Link>
      </div>
    </li>
  )
}

/** Commits under the days of their commit, newest first. */
export const CommitList = ({
  repository,
  views,
  path = '',
}: {
  readonly repository: RepositoryNames
  readonly views: readonly CommitView[]
  readonly path?: string
}) => (
  <div class="stack commit-days">
    {[...Map.groupBy(views, ({ commit }) => dateText(commitUnix(commit)))].map(([day, ofDay]) => (
      <section class="stack tight">
        <h2 class="commit-day">
          <Icon name="git-commit" />
          {texts.commitsOn(day)}
        </h2>
        <RowBox rows={ofDay} links>
          {(view) => <CommitRow repository={repository} view={view} path={path} />}
        </RowBox>
      </section>
    ))}
  </div>
)

export const CommitsView = ({ repository, revision, path, refs, views, page }: CommitsProps) => (
  <div class="stack">
    <div class="code-bar">
      <RefMenu
        repository={repository}
        revision={revision}
        refs={refs}
        addressOf={(to) => revisionPath(repository, 'commits', to, path)}
      />
      {path === '' ? (
        <h1>{texts.commits(page.total)}</h1>
      ) : (
        <>
          <PathCrumbs repository={repository} revision={revision} path={path} />
          <span class="muted">{texts.commits(page.total)}</span>
        </>
      )}
      <span class="spacer" />
      <FindLink repository={repository} revision={revision} page="commits" class="wide-only" />
      {revision.kind === 'branch' ? <FeedLink to={branchFeedPath(repository, revision.name, path)} /> : null}
      {path === '' ? null : (
        <Link class="button plain" to={repositoryPath(repository, 'src', revision.kind, revision.name, path)}>
          {texts.showFile}
        </Link>
      )}
    </div>
    {views.length === 0 ? (
      <Empty icon="git-commit" title={texts.noCommits} />
    ) : (
      <CommitList repository={repository} views={views} path={path} />
    )}
    <Pages page={page.number} total={page.total} pageSize={page.pageSize} />
  </div>
)

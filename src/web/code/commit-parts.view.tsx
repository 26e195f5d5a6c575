import type { UserRow } from '../../db/tables/accounts.ts'
import type { CommitView } from '../../code/statuses/commit-view.service.ts'
import type { NamedCommit } from '../../code/commits/named-commit.service.ts'
import type { Commit } from '../../git/git.ts'
import type { Unix } from '../../lib/time.ts'
import { SignatureMark, StatusMark } from '../shared/commit-marks.view.tsx'
import { htmlBytes } from '../../lib/html-bytes.ts'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Person } from '../ui/person.tsx'
import { Time } from '../ui/time.tsx'
import { MessageText } from '../shared/message-text.view.tsx'
import { subjectOf } from '../../code/commits/message.rules.ts'
import { repositoryPath, revisionPath, shortOid, type RepositoryNames } from './code-paths.ts'
import { codeTexts as texts } from '../languages/texts.ts'

/** The author of a commit: an account, or the name in the commit. */
export const CommitPerson = ({
  identity,
  account,
  size = 20,
}: {
  readonly identity: Commit['author']
  readonly account: UserRow | undefined
  readonly size?: 16 | 20 | 24
}) =>
  account ? (
    <Person person={account} size={size} />
  ) : (
    <span class="person" title={identity.email}>
      <Icon name="person" />
      {identity.name}
    </span>
  )

/** The message of a commit as a link to it. */
export const CommitSubject = ({
  repository,
  commit,
  class: more = '',
}: {
  readonly repository: RepositoryNames
  readonly commit: Pick<Commit, 'oid' | 'message'>
  readonly class?: string
}) => {
  const { budget } = usePage()
  const title = shortened(commit.message.trim())
  const subject = shortened(subjectOf(commit.message))
  const isWhole = budget.tryTake('outputBytes', htmlBytes(title) + htmlBytes(subject))
  return (
    <MessageText
      text={(isWhole ? subject : subject.slice(0, plainSubjectLength)) || texts.noMessage}
      to={repositoryPath(repository, 'commit', commit.oid)}
      class={more}
      title={isWhole ? title : undefined}
    />
  )
}

/** Most characters of a subject in a list, where a line is cut anyway, and of the message that the pointer shows. */
const shownLength = 500

const shortened = (text: string): string =>
  text.length <= shownLength ? text : `${text.slice(0, shownLength).toWellFormed()}…`

/** Characters of a subject in a page that has no room for more. */
const plainSubjectLength = 100

/** The abbreviated id of a commit as a link to it. */
export const CommitLink = ({ repository, oid }: { readonly repository: RepositoryNames; readonly oid: string }) => (
  <Link class="mono oid" to={repositoryPath(repository, 'commit', oid)}>
    {shortOid(oid)}
  </Link>
)

export const commitUnix = (commit: Commit): Unix => commit.committer.unixSeconds

/** The last commit of a file or folder, and the way to the older ones: who, what, checks, id, when. */
export const LatestCommit = ({
  repository,
  revision,
  path,
  view,
  commitCount,
}: {
  readonly repository: RepositoryNames
  readonly revision: NamedCommit
  readonly path: string
  readonly view: CommitView
  /** Number of commits, when they are counted. */
  readonly commitCount?: number | undefined
}) => {
  const { commit, author, verification } = view
  return (
    <div class="commit-line">
      <div class="commit-what">
        <CommitPerson identity={commit.author} account={author} />
        <CommitSubject repository={repository} commit={commit} class="cut commit-subject" />
        <StatusMark repository={repository} view={view} />
        <SignatureMark verification={verification} />
      </div>
      <div class="commit-when">
        <CommitLink repository={repository} oid={commit.oid} />
        <Time unix={commitUnix(commit)} />
      </div>
      <Link class="history-link" to={revisionPath(repository, 'commits', revision, path)}>
        <Icon name="history" />
        {commitCount === undefined ? texts.history : texts.commits(commitCount)}
      </Link>
    </div>
  )
}

import type { ActView } from '../../activity/act-view.present.ts'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { Link } from '../ui/link.tsx'
import { Empty } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { Avatar, Person } from '../ui/person.tsx'
import { Time } from '../ui/time.tsx'
import { TitleText } from '../ui/title-text.tsx'
import { listTexts } from '../languages/texts.ts'

const texts = listTexts.activity

const icons: Readonly<Record<ActView['kind'], IconName>> = {
  create_repo: 'repo',
  rename_repo: 'pencil',
  transfer_repo: 'repo-push',
  commit_repo: 'git-commit',
  create_branch: 'git-branch',
  delete_branch: 'trash',
  push_tag: 'tag',
  delete_tag: 'trash',
  create_issue: 'issue-opened',
  close_issue: 'issue-closed',
  reopen_issue: 'issue-opened',
  comment_issue: 'comment',
  create_pull_request: 'git-pull-request',
  close_pull_request: 'git-pull-request-closed',
  reopen_pull_request: 'git-pull-request',
  merge_pull_request: 'git-merge',
  pull_request_ready_for_review: 'eye',
  comment_pull: 'comment',
  approve_pull_request: 'check',
  reject_pull_request: 'file-diff',
  pull_review_dismissed: 'x',
  publish_release: 'rocket',
}

/** Most commits of a push that are listed. */
const maxCommits = 3

const RepositoryName = ({ repo, owner }: Pick<ActView, 'repo' | 'owner'>) => (
  <Link to={pathOf(owner.name, repo.name)}>
    {owner.name}/{repo.name}
  </Link>
)

/** Links to the subject of an act. */
function Subject(act: ActView) {
  const { repo, owner, issue, release, refName, kind } = act
  const at = (...parts: readonly string[]) => pathOf(owner.name, repo.name, ...parts)
  if (issue) {
    return (
      <>
        <RepositoryName {...act} />
        <Link to={at(issue.isPull ? 'pulls' : 'issues', String(issue.index))}>#{issue.index}</Link>
      </>
    )
  }
  if (release) {
    return (
      <>
        <Link to={at('releases', 'tag', release.tag)}>{release.title === '' ? release.tag : release.title}</Link>{' '}
        {texts.in} <RepositoryName {...act} />
      </>
    )
  }
  if (kind === 'rename_repo' || kind === 'transfer_repo') {
    return (
      <>
        {act.formerName} {texts.to} <RepositoryName {...act} />
      </>
    )
  }
  if (refName === '') return <RepositoryName {...act} />
  const isGone = kind === 'delete_branch' || kind === 'delete_tag'
  const folder = kind === 'push_tag' ? 'tag' : 'branch'
  return (
    <>
      {isGone ? <code>{refName}</code> : <Link to={at('src', folder, refName)}>{refName}</Link>} {texts.in}{' '}
      <RepositoryName {...act} />
    </>
  )
}

function Details(act: ActView) {
  const { repo, owner, issue, comment, commits, commitCount } = act
  const at = (...parts: readonly string[]) => pathOf(owner.name, repo.name, ...parts)
  if (issue) {
    const page = at(issue.isPull ? 'pulls' : 'issues', String(issue.index))
    return (
      <div class="act-more">
        <Link class="plain-link" to={page}>
          <TitleText text={issue.title} />
        </Link>
        {comment === undefined || comment.text === '' ? null : (
          <Link class="act-quote" to={`${page}#issuecomment-${comment.id}`}>
            {comment.text}
          </Link>
        )}
      </div>
    )
  }
  if (commits.length === 0) return null
  const hidden = commitCount - Math.min(commits.length, maxCommits)
  return (
    <ul class="act-more act-commits">
      {commits.slice(0, maxCommits).map(({ sha, title }) => (
        <li>
          <Link class="mono" to={at('commit', sha)}>
            {sha.slice(0, 7)}
          </Link>
          <span class="cut">
            <TitleText text={title} />
          </span>
        </li>
      ))}
      {hidden > 0 ? (
        <li>
          <Link class="muted" to={at('commits', 'branch', act.refName)}>
            {texts.more(hidden)}
          </Link>
        </li>
      ) : null}
    </ul>
  )
}

/** Acts, the newest first. */
export const ActList = ({ acts }: { readonly acts: readonly ActView[] }) =>
  acts.length === 0 ? (
    <Empty icon="pulse" title={texts.nothing}>
      <p>{texts.nothingHint}</p>
    </Empty>
  ) : (
    <ul class="acts-list">
      {acts.map((act) => (
        <li>
          <span class="act-picture">
            <Avatar person={act.actor} size={32} />
            <span class="act-icon">
              <Icon name={icons[act.kind]} />
            </span>
          </span>
          <div class="act-text">
            <p>
              <Person person={act.actor} withPicture={false} isBrief /> {texts.acts[act.kind]} <Subject {...act} />{' '}
              <span class="muted small">
                <Time unix={act.createdUnix} />
              </span>
            </p>
            <Details {...act} />
          </div>
        </li>
      ))}
    </ul>
  )

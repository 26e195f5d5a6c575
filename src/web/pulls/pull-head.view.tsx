import type { ComponentChildren } from 'preact'
import type { LostBranch } from '../../pulls/lost-branch.service.ts'
import type { PullView } from '../../pulls/pull-view.service.ts'
import { Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Link } from '../ui/link.tsx'
import { CopyButton, Menu, State, Tabs, Tag } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { Person } from '../ui/person.tsx'
import { Icon } from '../ui/icon.tsx'
import { TitleText } from '../ui/title-text.tsx'
import { pullPath, type RepositoryAddress } from './pull-paths.ts'
import { pullTexts as texts } from '../languages/texts.ts'

export type PullTab = 'conversation' | 'commits' | 'files'

export interface PullHeadProps {
  readonly repository: RepositoryAddress
  readonly view: PullView
  readonly tab: PullTab
  readonly mayEdit: boolean
  readonly lost: readonly LostBranch[]
  readonly numCommits?: number | undefined
  readonly acts?: ComponentChildren
}

/** Title, state, branches and tabs of a pull request. */
export function PullHead({ repository, view, tab, mayEdit, lost, numCommits, acts }: PullHeadProps) {
  const { issue, pull } = view.pair
  const at = (...rest: readonly string[]) => pullPath(repository, issue.index, ...rest)
  const isLost = (side: LostBranch['side']) => lost.some((each) => each.side === side)
  return (
    <header class="pull-head">
      <div class="pull-title">
        <h1>
          <bdi>
            <TitleText text={issue.title} />
          </bdi>{' '}
          <span class="muted">#{issue.index}</span>
        </h1>
        <div class="acts">
          {acts}
          {mayEdit ? (
            <EditTitle to={at('title')} title={issue.title} base={pull.base_branch} isMerged={pull.is_merged} />
          ) : null}
        </div>
      </div>
      <p class="pull-lead">
        <PullState view={view} />
        {issue.is_locked ? <Tag icon="lock">{texts.isLocked}</Tag> : null}
        <span>
          {view.poster ? (
            <Person person={pull.is_merged ? (view.merger ?? view.poster) : view.poster} withPicture={false} />
          ) : null}
          {pull.is_merged ? texts.hasMerged : texts.wantsToMerge}
          <BranchName
            repository={view.headRepo ?? repository}
            from={view.headRepo}
            branch={pull.head_branch}
            isThere={pull.flow === 0 && pull.head_repo_id !== null && !isLost('head')}
          />
          {texts.into}
          <BranchName repository={repository} branch={pull.base_branch} isThere={!isLost('base')} />
        </span>
      </p>
      <Tabs
        label={texts.tabs}
        class="pull-tabs"
        tabs={[
          {
            label: texts.conversation,
            to: at(),
            icon: 'comment-discussion',
            count: issue.num_comments,
            isCurrent: tab === 'conversation',
          },
          {
            label: texts.commits,
            to: at('commits'),
            icon: 'git-commit',
            count: numCommits,
            isCurrent: tab === 'commits',
          },
          {
            label: texts.files,
            to: at('files'),
            icon: 'file-diff',
            count: pull.changed_files,
            isCurrent: tab === 'files',
          },
        ]}
      />
    </header>
  )
}

/** The state of a pull request. */
export const PullState = ({ view }: { readonly view: PullView }) => {
  const { issue, pull } = view.pair
  return pull.is_merged ? (
    <State tone="done" icon="git-merge">
      {texts.merged}
    </State>
  ) : issue.is_closed ? (
    <State tone="danger" icon="git-pull-request-closed">
      {texts.closed}
    </State>
  ) : view.isDraft ? (
    <State tone="neutral" icon="git-pull-request-draft">
      {texts.draft}
    </State>
  ) : (
    <State tone="good" icon="git-pull-request">
      {texts.open}
    </State>
  )
}

const BranchName = ({
  repository,
  from,
  branch,
  isThere,
}: {
  readonly repository: RepositoryAddress
  /** The repository to name, when it is another one. */
  readonly from?: RepositoryAddress | undefined
  readonly branch: string
  readonly isThere: boolean
}) => {
  const name = from === undefined ? branch : `${from.owner}:${branch}`
  return (
    <span class="branch-name">
      {isThere ? (
        <Link to={pathOf(repository.owner, repository.name, 'src/branch', branch)}>
          <code>{name}</code>
        </Link>
      ) : (
        <code>{name}</code>
      )}
      {isThere ? <CopyButton text={branch} label={texts.copyBranch} /> : null}
    </span>
  )
}

const EditTitle = ({
  to,
  title,
  base,
  isMerged,
}: {
  readonly to: string
  readonly title: string
  readonly base: string
  readonly isMerged: boolean
}) => (
  <Menu label={<Icon name="pencil" />} title={texts.editTitle} class="icon-only" align="end" kind="quiet">
    <Form isEdit to={to} class="menu-form stack">
      <Field name="title" label={texts.title} value={title} required isProse />
      {isMerged ? null : <Field name="base" label={texts.base} value={base} required />}
      <Submit kind="plain">{texts.saveTitle}</Submit>
    </Form>
  </Menu>
)

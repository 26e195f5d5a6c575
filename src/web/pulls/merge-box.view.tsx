import type { MergeBlocker, MergeState } from '../../pulls/merge/merge-state.service.ts'
import { combinedShownState, shownState } from '../../code/statuses/shown-state.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { CommitStatusRow } from '../../db/tables/repositories.ts'
import type { Oid } from '../../lib/ids.ts'
import type { LostBranch } from '../../pulls/lost-branch.service.ts'
import type { PullView } from '../../pulls/pull-view.service.ts'
import type { ReviewChoices } from '../../pulls/reviews/review-choice.service.ts'
import type { PullReviews } from '../../pulls/reviews/thread.service.ts'
import type { ConversationProps } from '../issues/issue-props.ts'
import { listText } from '../languages/amounts.ts'
import { ActButton, Submit } from '../ui/button.tsx'
import { CheckIcon, checkLook, descriptionOfCheck } from '../ui/check-icon.tsx'
import { Checkbox, Field, Select, TextArea } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { ButtonLink, Link, OutsideLink } from '../ui/link.tsx'
import { Commands } from '../ui/parts.tsx'
import { usePage } from '../ui/page-context.ts'
import { pathOf, withQuery } from '../ui/paths.ts'
import { Person } from '../ui/person.tsx'
import { TitleText } from '../ui/title-text.tsx'
import { pullPath, type RepositoryAddress } from './pull-paths.ts'
import { pullTexts as texts } from '../languages/texts.ts'
import { sentenceOf } from '../shell/sentence.ts'

export interface MergeBoxProps {
  readonly repository: RepositoryAddress
  readonly view: PullView
  /** Undefined when it is closed. */
  readonly state: MergeState | undefined
  readonly isSignedIn: boolean
  readonly mayEdit: boolean
  /** The viewer may cancel a scheduled merge. */
  readonly mayCancel: boolean
  /** The branch of the merged pull request is still there, and the viewer may delete it. */
  readonly mayDeleteBranch: boolean
  /** The commit whose revert takes back the merged pull request, if the viewer may revert it. */
  readonly revertible: Oid | undefined
  /** Branches that do not exist any more. */
  readonly lost: readonly LostBranch[]
  readonly reviews: PullReviews
  /** Who can be asked for a review; undefined: the viewer may ask nobody. */
  readonly choices: ReviewChoices | undefined
  readonly conversation: ConversationProps
  /** The commit of the viewer's last review, when the head is another one. */
  readonly reviewed: Oid | undefined
  /** The line of the log at which a check failed, by the address of the check. */
  readonly failedAt: ReadonlyMap<string, number>
}

/** Id of the part that asks for reviews. */
export const reviewersId = 'reviewers'

/** What blocks the merge and how to unblock it, the checks, and the form that merges. */
export function MergeBox(props: MergeBoxProps) {
  const { view, repository, state, mayEdit } = props
  const { pull, issue } = view.pair
  const at = (part: string) => pullPath(repository, issue.index, part)
  if (pull.is_merged) {
    return (
      <section class="merge-box done" aria-label={texts.mergeBox}>
        <Line icon="git-merge" tone="done">
          <strong>
            {view.merger ? <Person person={view.merger} /> : null}
            {texts.mergedBy}
            <Link to={pathOf(repository.owner, repository.name, 'commit', pull.merge_oid)}>
              <code>{pull.merge_oid.slice(0, 10)}</code>
            </Link>
          </strong>
          <div class="merge-after">
            {props.mayDeleteBranch ? (
              <>
                <span class="muted">{texts.branchLeft}</span>
                <ActButton to={at('branch/delete')} class="small" icon="trash">
                  {texts.deleteBranchNow}
                </ActButton>
              </>
            ) : null}
            {props.revertible === undefined ? null : (
              <ButtonLink
                to={pathOf(repository.owner, repository.name, '_revert', props.revertible, pull.base_branch)}
                class="small"
                icon="history"
              >
                {texts.revert}
              </ButtonLink>
            )}
          </div>
        </Line>
      </section>
    )
  }
  if (state === undefined) {
    return (
      <section class="merge-box" aria-label={texts.mergeBox}>
        <Line icon="git-pull-request-closed" tone="danger">
          <strong>{texts.closedUnmerged}</strong>
          {mayEdit && !isWithoutBase(props) ? <p class="muted">{texts.closedHelp}</p> : null}
        </Line>
        <Lost {...props} />
      </section>
    )
  }
  const isFree = state.blockers.length === 0 && !isWithoutBase(props)
  const [worst, ...others] = shownBlockers(props, state)
  const objectors = isFree ? objectorsOf(props) : []
  return (
    <section class={`merge-box${isFree && objectors.length === 0 ? ' good' : ''}`} aria-label={texts.mergeBox}>
      {isWithoutBase(props) ? <Lost {...props} /> : null}
      {worst ? <Blocker {...props} blocker={worst} state={state} isTitle={!isWithoutBase(props)} /> : null}
      {!isFree ? null : objectors.length === 0 ? (
        <Line icon="check-circle" tone="good">
          <h2>{texts.canMerge}</h2>
        </Line>
      ) : (
        <Line icon="file-diff" tone="warning">
          <h2>{texts.askedForChanges(listText(objectors.map(({ name }) => name)))}</h2>
          <p class="muted">{texts.canMergeNevertheless}</p>
          <AskAgain {...props} people={objectors} />
        </Line>
      )}
      <Checks statuses={state.statuses} failedAt={props.failedAt} />
      {isWithoutBase(props) ? null : <Lost {...props} />}
      {state.scheduled ? (
        <Line icon="clock" tone="accent">
          <strong>{texts.waiting}</strong>
          <p class="muted">{texts.waitingDetail}</p>
          {props.mayCancel ? (
            <ActButton to={at('merge/cancel')} class="small">
              {texts.cancelWaiting}
            </ActButton>
          ) : null}
        </Line>
      ) : null}
      {others.map((blocker) => (
        <Blocker {...props} blocker={blocker} state={state} />
      ))}
      {state.isBehind && props.isSignedIn && props.lost.length === 0 && mayUpdate(state) && !isOutdated(state) ? (
        <Line icon="info" tone="neutral">
          <p>{texts.behind(pull.base_branch)}</p>
          <UpdateActs {...props} state={state} />
        </Line>
      ) : null}
      {isWithoutBase(props) ? null : <MergeForm {...props} state={state} />}
    </section>
  )
}

/** People whose newest verdict asks for changes; one whose review is asked for again has none. */
function objectorsOf({ reviews }: Pick<MergeBoxProps, 'reviews'>): readonly UserRow[] {
  const verdicts = new Map<number, UserRow | undefined>()
  for (const { reviewer_id: id, type, is_dismissed } of reviews.reviews) {
    if (id === null || is_dismissed || type === 'comment' || type === 'pending') continue
    verdicts.set(id, type === 'reject' ? reviews.people.get(id) : undefined)
  }
  return [...verdicts.values()].filter((person) => person !== undefined)
}

const Line = ({
  icon,
  tone,
  children,
}: {
  readonly icon: IconName
  readonly tone: string
  readonly children: preact.ComponentChildren
}) => (
  <div class="merge-line">
    <span class={`event-icon ${tone}`}>
      <Icon name={icon} />
    </span>
    <div>{children}</div>
  </div>
)

const isBlockedBy = (state: MergeState, kind: MergeBlocker['kind']): boolean =>
  state.blockers.some((blocker) => blocker.kind === kind)

/** Solving the conflicts brings the commits of the base into the branch. */
const shownBlockers = (props: MergeBoxProps, state: MergeState): readonly MergeBlocker[] => {
  if (isWithoutBase(props)) {
    return state.blockers.filter(({ kind }) => !['error', 'checking', 'outdated'].includes(kind))
  }
  return isBlockedBy(state, 'conflict') ? state.blockers.filter(({ kind }) => kind !== 'outdated') : state.blockers
}

/** Nothing can be merged into a branch that does not exist. */
export const isWithoutBase = ({ lost }: Pick<MergeBoxProps, 'lost'>): boolean =>
  lost.some(({ side }) => side === 'base')

/** The branches that were deleted, with the way to restore them. */
const Lost = ({ lost, view, repository }: MergeBoxProps) => {
  const { pull, issue } = view.pair
  return (
    <>
      {lost.map(({ side, lost: what, restorableAt }) => {
        const branch = side === 'head' ? pull.head_branch : pull.base_branch
        const isRepository = what === 'repository'
        return (
          <Line icon="git-branch" tone={side === 'base' ? 'danger' : 'warning'}>
            <strong>
              {side === 'base'
                ? texts.lost.base(branch)
                : isRepository
                  ? texts.lost.headRepository
                  : texts.lost.head(branch)}
            </strong>
            <p class="muted">
              {side === 'base'
                ? texts.lost.baseHelp
                : isRepository
                  ? texts.lost.headRepositoryHelp(issue.index)
                  : texts.lost.headHelp}
            </p>
            {restorableAt === undefined ? null : (
              <ActButton
                to={pullPath(repository, issue.index, 'branch/restore')}
                hidden={{ side }}
                class="small"
                icon="history"
              >
                {side === 'base' ? texts.lost.restoreAt(branch, restorableAt) : texts.lost.restore(branch)}
              </ActButton>
            )}
          </Line>
        )
      })}
    </>
  )
}

/** The rule of the base demands its commits; the blocker that says so has the buttons. */
const isOutdated = (state: MergeState): boolean => isBlockedBy(state, 'outdated')

/** An update would meet the same conflicts. */
const mayUpdate = (state: MergeState): boolean =>
  !isBlockedBy(state, 'conflict') && !isBlockedBy(state, 'unrelated') && !isBlockedBy(state, 'archived')

/** Drafts and what is waited for are not shown as errors. */
const looks: Readonly<Partial<Record<MergeBlocker['kind'], readonly [IconName, string]>>> = {
  draft: ['git-pull-request-draft', 'neutral'],
  checking: ['hourglass', 'warning'],
  waiting: ['hourglass', 'warning'],
  requested: ['hourglass', 'warning'],
  approvals: ['eye', 'warning'],
  rejected: ['file-diff', 'danger'],
  rights: ['lock', 'neutral'],
}

/** The words of a blocker, with the people and checks that it names. */
function titleOf(
  { kind, check, missing = 0 }: MergeBlocker,
  people: readonly UserRow[],
  teams: readonly { readonly name: string }[],
): string {
  const names = listText([...people, ...(kind === 'requested' ? teams : [])].map(({ name }) => name))
  if (kind === 'rejected' && names !== '') return texts.askedForChanges(names)
  if (kind === 'requested' && names !== '') return texts.waitsForReview(names)
  if (kind === 'approvals') return texts.missingApprovals(missing)
  if (check === undefined || check.context === '') return texts.blockers[kind].title
  if (check.state === 'cancelled') return texts.checkCancelled(check.context)
  return kind === 'failed' ? texts.checkFailed(check.context) : texts.checkAwaited(check.context, check.state)
}

const Blocker = ({
  blocker,
  state,
  isTitle = false,
  ...props
}: MergeBoxProps & {
  readonly blocker: MergeBlocker
  readonly state: MergeState
  /** It is the first line of the box. */
  readonly isTitle?: boolean
}) => {
  const { reviews, view } = props
  const [icon, tone] =
    blocker.check?.state === 'cancelled'
      ? (['stop', 'neutral'] as const)
      : (looks[blocker.kind] ?? ['x-circle', 'danger'])
  const people = (blocker.reviews ?? []).flatMap(({ reviewer_id: id }) => reviews.people.get(id ?? 0) ?? [])
  const Title = isTitle ? 'h2' : 'strong'
  return (
    <Line icon={icon} tone={tone}>
      <Title>{titleOf(blocker, people, view.teams)}</Title>
      {blocker.reason === undefined ? null : <p>{sentenceOf(blocker.reason)}</p>}
      <p class="muted">{texts.blockers[blocker.kind].help}</p>
      <BlockerAct {...props} {...{ blocker, state, people }} />
    </Line>
  )
}

/** What can be done about a blocker. */
function BlockerAct({
  blocker,
  state,
  people,
  ...props
}: MergeBoxProps & {
  readonly blocker: MergeBlocker
  readonly state: MergeState
  readonly people: readonly UserRow[]
}) {
  const { view, repository, isSignedIn } = props
  const { viewer } = usePage()
  const { pull, issue } = view.pair
  const at = (part: string) => pullPath(repository, issue.index, part)
  const mayReview = isSignedIn && viewer !== undefined && viewer.id !== issue.poster_id
  switch (blocker.kind) {
    case 'draft':
      return props.mayEdit ? (
        <ActButton to={at('draft')} hidden={{ draft: 'false' }} class="small">
          {texts.ready}
        </ActButton>
      ) : null
    case 'outdated':
      return isSignedIn && props.lost.length === 0 && mayUpdate(state) ? (
        <UpdateActs {...{ view, repository, state }} />
      ) : null
    case 'conflict':
      return (
        <details>
          <summary class="small">{texts.conflictCommands}</summary>
          <Commands
            text={[
              `git fetch origin`,
              `git switch ${pull.head_branch}`,
              `git merge origin/${pull.base_branch}`,
              `git push`,
            ].join('\n')}
            label={texts.conflictCommands}
          />
        </details>
      )
    case 'checking':
      return (
        <ButtonLink to={pullPath(repository, issue.index)} class="small" icon="sync">
          {texts.reload}
        </ButtonLink>
      )
    case 'files':
      return (
        <ButtonLink to={at('files')} class="small" icon="file-diff">
          {texts.seeFiles}
        </ButtonLink>
      )
    case 'rejected':
      return mayReview && people.some(({ id }) => id === viewer.id) ? (
        <ReviewLink {...props} />
      ) : (
        <AskAgain {...props} people={people} />
      )
    case 'approvals':
      if (mayReview) return <ReviewLink {...props} />
      return props.choices === undefined ? null : (
        <p>
          <a href={`#${reviewersId}`}>{texts.askForReview}</a>
        </p>
      )
    case 'requested':
      return people.some(({ id }) => id === viewer?.id) ? <ReviewLink {...props} /> : null
    case 'failed':
      return <FailedCheck {...{ blocker, state }} failedAt={props.failedAt} />
    case 'dependency':
      return (
        <p>
          {props.conversation.side.dependencies
            .filter((row) => !row.is_closed && row.repo_id === issue.repo_id)
            .map((row) => (
              <>
                <Link to={pathOf(repository.owner, repository.name, row.is_pull ? 'pulls' : 'issues', row.index)}>
                  #{row.index} <TitleText text={row.title} />
                </Link>{' '}
              </>
            ))}
        </p>
      )
    case 'archived':
    case 'error':
    case 'nothing':
    case 'rights':
    case 'unrelated':
    case 'waiting':
      return null
  }
}

/** Leads to the changes that the viewer has not reviewed. */
const ReviewLink = ({ repository, view, reviewed }: Pick<MergeBoxProps, 'repository' | 'view' | 'reviewed'>) => (
  <ButtonLink
    to={withQuery(pullPath(repository, view.pair.issue.index, 'files'), {
      since: reviewed === undefined ? undefined : 'review',
    })}
    class="small"
    icon="eye"
  >
    {reviewed === undefined ? texts.reviewNow : texts.sinceReview}
  </ButtonLink>
)

/** Most people with a button each. */
const maxAsked = 3

/** Asks for another review of people who asked for changes, unless they are asked already. */
const AskAgain = ({
  choices,
  isSignedIn,
  repository,
  reviews,
  view,
  people,
}: Pick<MergeBoxProps, 'choices' | 'isSignedIn' | 'repository' | 'reviews' | 'view'> & {
  readonly people: readonly UserRow[]
}) => {
  if (choices === undefined || !isSignedIn) return null
  const unasked = people.filter(
    ({ id }) => reviews.reviews.findLast(({ reviewer_id: by }) => by === id)?.type !== 'request',
  )
  return unasked.length === 0 ? null : (
    <div class="acts">
      {unasked.slice(0, maxAsked).map(({ name }) => (
        <ActButton
          to={pullPath(repository, view.pair.issue.index, 'reviewers')}
          hidden={{ reviewer: name }}
          class="small"
          icon="sync"
        >
          {texts.askAgain(name)}
        </ActButton>
      ))}
    </div>
  )
}

/** Leads to the log of the check that failed. */
const FailedCheck = ({
  blocker,
  state,
  failedAt,
}: Pick<MergeBoxProps, 'failedAt'> & { readonly blocker: MergeBlocker; readonly state: MergeState }) => {
  const status = state.statuses.find(({ context }) => context === blocker.check?.context)
  return status === undefined ? null : (
    <p>
      <StatusLink status={status} failedAt={failedAt} />
    </p>
  )
}

/** Buttons that bring the commits of the base into the branch. */
const UpdateActs = ({
  state,
  view,
  repository,
}: Pick<MergeBoxProps, 'view' | 'repository'> & { readonly state: MergeState }) => {
  const at = pullPath(repository, view.pair.issue.index, 'update')
  return (
    <div class="acts">
      <ActButton to={at} hidden={{ style: 'merge' }} class="small">
        {texts.update}
      </ActButton>
      {state.mayRebaseUpdate ? (
        <ActButton to={at} hidden={{ style: 'rebase' }} kind="quiet" class="small">
          {texts.updateRebase}
        </ActButton>
      ) : null}
    </div>
  )
}

function MergeForm({ state, view, repository, lost }: MergeBoxProps & { readonly state: MergeState }) {
  const { pull, issue } = view.pair
  if (!state.mayMerge) return null
  if (state.styles.length === 0) return <p class="merge-line muted">{texts.noStyle}</p>
  const hard = state.blockers.find((blocker) => !blocker.isProtection)
  const isProtected = state.blockers.some((blocker) => blocker.isProtection)
  return (
    <Form
      to={pullPath(repository, issue.index, 'merge')}
      class="merge-form stack"
      hidden={{ head_commit_id: pull.synced_oid }}
    >
      {hard ? null : <MergeChoices {...{ view, state, lost }} />}
      {isProtected && !hard && state.mayForce ? <Checkbox name="force" label={texts.force} /> : null}
      <div class="acts">
        <Submit
          icon="git-merge"
          disabledBecause={
            hard ? texts.blockers[hard.kind].title : isProtected && !state.mayForce ? texts.blocked : undefined
          }
        >
          {texts.merge}
        </Submit>
        {isProtected && !hard && state.scheduled === undefined ? (
          <Submit kind="plain" name="when" value="checks">
            {texts.mergeWhenReady}
          </Submit>
        ) : null}
      </div>
    </Form>
  )
}

/** How to merge, and what happens with the branch. */
function MergeChoices({ view, state, lost }: Pick<MergeBoxProps, 'view' | 'lost'> & { readonly state: MergeState }) {
  const { pull } = view.pair
  const mayDelete = pull.flow === 0 && lost.every(({ side }) => side !== 'head')
  return (
    <>
      <Select
        name="style"
        label={texts.style}
        choices={state.styles.map((style) => ({ value: style, label: texts.styles[style] }))}
      />
      <details>
        <summary class="small">{texts.message}</summary>
        <div class="stack">
          <Field name="title" id="merge_title" label={texts.messageTitle} hint={texts.messageHint} isProse />
          <TextArea name="message" label={texts.messageBody} rows={3} />
          {state.styles.includes('manually-merged') ? <Field name="commit" label={texts.manualCommit} /> : null}
        </div>
      </details>
      {mayDelete ? (
        <Checkbox
          name="delete_branch"
          label={texts.deleteBranch(pull.head_branch)}
          checked={state.deletesBranchByDefault}
        />
      ) : null}
    </>
  )
}

/** Checks that went wrong come first, then those that were cancelled. */
const isFailed = (state: string): boolean => state === 'failure' || state === 'error'

const Checks = ({
  statuses,
  failedAt,
}: Pick<MergeBoxProps, 'failedAt'> & { readonly statuses: readonly CommitStatusRow[] }) => {
  if (statuses.length === 0) return null
  const states = statuses.map(shownState)
  const count = (isCounted: (state: string) => boolean): number => states.filter(isCounted).length
  const [passed, failed] = [count((state) => state === 'success'), count(isFailed)]
  const cancelled = count((state) => state === 'cancelled')
  const { icon, tone } = checkLook(combinedShownState(states))
  const order = (status: CommitStatusRow): number => {
    const state = shownState(status)
    return isFailed(state) ? 0 : state === 'cancelled' ? 1 : 2
  }
  return (
    <details class="merge-checks" open={passed < statuses.length}>
      <summary class="merge-line">
        <Icon name={icon} class={tone} />
        <strong>
          {failed > 0
            ? texts.checksFailed(failed, statuses.length)
            : cancelled > 0
              ? texts.checksCancelled(cancelled, statuses.length)
              : texts.checks(passed, statuses.length)}
        </strong>
        <Icon name="chevron-right" class="fold" />
      </summary>
      <ul>
        {statuses
          .toSorted((one, other) => order(one) - order(other))
          .map((status) => (
            <li>
              <CheckIcon state={shownState(status)} />
              <span class="cut">
                {status.context} <span class="muted">{descriptionOfCheck(status)}</span>
              </span>
              <StatusLink {...{ status, failedAt }} />
            </li>
          ))}
      </ul>
    </details>
  )
}

const StatusLink = ({ status, failedAt }: Pick<MergeBoxProps, 'failedAt'> & { readonly status: CommitStatusRow }) => {
  const address = status.target_url
  if (address === '') return null
  if (!address.startsWith('/') || address.startsWith('//')) {
    return <OutsideLink href={address}>{texts.details}</OutsideLink>
  }
  const line = failedAt.get(address)
  return (
    <Link to={line === undefined ? address : `${address}#L${line}`}>
      {line === undefined ? texts.details : texts.seeLine(line)}
    </Link>
  )
}

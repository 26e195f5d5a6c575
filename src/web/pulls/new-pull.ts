import { mayHere } from '../../access/may-here.ts'
import type { RepoCtx } from '../../access/context.ts'
import type { ComparedSide } from '../../code/commits/compared-side.service.ts'
import { messageBody, subjectOf } from '../../code/commits/message.rules.ts'
import { mayManage } from '../../issues/issue.policy.ts'
import { getChoices, type IssueChoices } from '../../issues/lists/query-list.service.ts'
import { branchRef } from '../../lib/refs.ts'
import { mayAllowMaintainerEdit } from '../../pulls/maintainer-edit.policy.ts'
import { findOpenPull } from '../../pulls/pull-open.service.ts'
import { getPullTemplate } from '../../pulls/pull-template.service.ts'
import { unitConfig } from '../../repos/unit-config.ts'
import { getReviewChoices, type ReviewChoices } from '../../pulls/reviews/review-choice.service.ts'

/** The form of a pull request between two branches. */
export interface NewPullFields {
  readonly title: string
  readonly description: string
  /** Names of labels that the template ticks. */
  readonly labels: readonly string[]
  /** Names of people whom the template ticks. */
  readonly assignees: readonly string[]
  /** Undefined: the viewer may not set labels, assignees, milestone and due date. */
  readonly choices: IssueChoices | undefined
  /** Undefined: the viewer may ask nobody. */
  readonly reviewers: ReviewChoices | undefined
  /** Whether the head is opened to maintainers of the base by default; undefined: the viewer may not, or it is not in a fork. */
  readonly opensHead: boolean | undefined
}

/** What a comparison offers to its viewer. */
export interface PullOffer {
  /** The open pull request between the branches. */
  readonly existing: { readonly index: number; readonly title: string } | undefined
  /** Undefined: the viewer may not open one, or the sides are not branches. */
  readonly form: NewPullFields | undefined
}

/**
 * Returns the open pull request between two branches, and the form of a new one.
 * @param message of the single commit between them, which gives title and text
 */
export async function loadPullOffer(
  ctx: RepoCtx,
  base: string,
  head: ComparedSide,
  message: string | undefined,
): Promise<PullOffer> {
  const none: PullOffer = { existing: undefined, form: undefined }
  if (ctx.rights.modeOf('pulls') === 0) return none
  const [baseTip, headTip] = await Promise.all([
    ctx.git.readRef(ctx.repo.git_key, branchRef(base)),
    ctx.git.readRef(head.repo.git_key, branchRef(head.name)),
  ])
  if (baseTip === undefined || headTip === undefined) return none
  const pair = await findOpenPull(ctx, base, head)
  const existing = pair && { index: pair.issue.index, title: pair.issue.title }
  const { viewer } = ctx
  if (!viewer || !mayHere(ctx).change.allowed) return { existing, form: undefined }
  const opened = { issue: { poster_id: viewer.id }, pull: { base_branch: base } }
  const [choices, reviewers, template] = await Promise.all([
    mayManage(ctx.rights, { is_pull: true }).allowed ? getChoices(ctx) : undefined,
    getReviewChoices({ ...ctx, viewer }, opened),
    getPullTemplate(ctx),
  ])
  const texts = [message === undefined ? '' : messageBody(message), template?.content ?? '']
  return {
    existing,
    form: {
      title: `${template?.title ?? ''}${message === undefined ? head.name : subjectOf(message) || head.name}`,
      description: texts.filter((text) => text !== '').join('\n\n'),
      labels: template?.labels ?? [],
      assignees: template?.assignees ?? [],
      choices,
      reviewers,
      opensHead:
        head.repo.id !== ctx.repo.id && mayAllowMaintainerEdit(head.rights).allowed
          ? (unitConfig(ctx.units, 'pulls')?.default_allow_maintainer_edit ?? false)
          : undefined,
    },
  }
}

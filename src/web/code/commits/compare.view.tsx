import type { RefChoice } from '../../../code/branches/ref-choice.service.ts'
import type { CommitView } from '../../../code/statuses/commit-view.service.ts'
import type { RecentBranch } from '../../../pulls/recent-branch.service.ts'
import { DiffView } from '../../ui/diff/diff.view.tsx'
import type { DiffViewProps } from '../../ui/diff/diff-props.ts'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Empty, PageHead } from '../../ui/parts.tsx'
import { NewPullForm } from '../../pulls/new-pull.view.tsx'
import type { PullOffer } from '../../pulls/new-pull.ts'
import { ExistingPull } from '../../pulls/existing-pull.view.tsx'
import { RecentBranches } from '../../shared/compare/recent-branches.view.tsx'
import { CommitList } from './commits.view.tsx'
import { comparePath, type SideNames } from '../../shared/compare/compare-address.ts'
import { comparedSideText } from '../../../code/commits/compared-side.rules.ts'
import type { SideChoice } from './side-choice.ts'
import { ChooseSide, SideMenu } from './side-choice.view.tsx'
import { codeTexts as texts } from '../../languages/texts.ts'

/** Commits and changes between two sides. */
interface Compared {
  readonly total: number
  readonly views: readonly CommitView[]
  /** Both sides are in this repository. */
  readonly isHere: boolean
  readonly offer: PullOffer
  readonly difference: DiffViewProps
}

export interface CompareProps {
  readonly base: SideNames
  readonly head: SideNames
  readonly refs: { readonly base: RefChoice; readonly head: RefChoice }
  /** There are forks, or an origin. */
  readonly hasNetwork: boolean
  /** The form of a pull request is open. */
  readonly isOpen: boolean
  /** One side is being chosen; then nothing is compared. */
  readonly choice: SideChoice | undefined
  readonly recent: readonly RecentBranch[]
  readonly compared: Compared | undefined
}

/** The form of a pull request, closed until it is wanted, or the pull request that is open between the branches. */
const Offer = ({ base, head, isOpen, offer }: CompareProps & { readonly offer: PullOffer }) => {
  const { refused } = usePage()
  const { existing, form } = offer
  const to = comparePath(base, head)
  const isRefused = refused?.action === to
  return (
    <>
      {existing === undefined ? null : <ExistingPull repository={base} pull={existing} />}
      {form !== undefined && (existing === undefined || isRefused) ? (
        <details class="new-pull-part" open={isOpen || isRefused}>
          <summary class="button primary">
            <Icon name="git-pull-request" />
            {texts.createPull}
          </summary>
          <NewPullForm repository={{ owner: base.owner.name, name: base.repo.name }} to={to} form={form} />
        </details>
      ) : null}
    </>
  )
}

export const CompareView = (props: CompareProps) => {
  const { base, head, refs, hasNetwork, choice, compared, recent } = props
  return (
    <div class="stack">
      <PageHead
        title={texts.compareTitle}
        lead={
          compared === undefined
            ? undefined
            : texts.compareLead(<code>{base.name}</code>, <code>{comparedSideText(base, head)}</code>)
        }
      />
      <div class="code-bar compare-sides">
        <SideMenu side="base" refs={refs.base} {...{ base, head, hasNetwork }} />
        <Icon name="arrow-left" />
        <SideMenu side="head" refs={refs.head} {...{ base, head, hasNetwork }} />
      </div>
      {choice === undefined ? null : (
        <>
          <RecentBranches branches={recent} />
          <ChooseSide choice={choice} />
        </>
      )}
      {compared === undefined ? null : <ComparedView {...props} {...compared} />}
    </div>
  )
}

const ComparedView = (props: CompareProps & Compared) => {
  const { base, head, total, views, offer, difference } = props
  if (total === 0) {
    return (
      <>
        {offer.existing === undefined ? null : <ExistingPull repository={base} pull={offer.existing} />}
        <Empty icon="git-commit" title={texts.nothingToCompare}>
          <p>{texts.nothingToCompareHint(base.name, comparedSideText(base, head))}</p>
          <div class="acts">
            <ButtonLink to={comparePath(base, head, { choose: 'head' })}>{texts.sides.chooseOther}</ButtonLink>
            <ButtonLink to={comparePath(head, base)}>{texts.swapSides}</ButtonLink>
          </div>
        </Empty>
      </>
    )
  }
  return (
    <>
      <Offer {...props} />
      <details class="compare-commits" open={total <= 10}>
        <summary>{texts.commits(total)}</summary>
        <CommitList repository={head} views={views} />
        {total > views.length ? <p class="muted">{texts.moreCommits(total - views.length)}</p> : null}
      </details>
      <DiffView {...difference} />
    </>
  )
}

import type { UserRow } from '../../db/tables/accounts.ts'
import type { ReviewRow } from '../../db/tables/pulls.ts'
import type { PullView } from '../../pulls/pull-view.service.ts'
import type { ReviewChoices } from '../../pulls/reviews/review-choice.service.ts'
import type { PullReviews } from '../../pulls/reviews/thread.service.ts'
import type { ConversationProps } from '../issues/issue-props.ts'
import { Fact, FactPerson, fewOf } from '../issues/side-facts.view.tsx'
import { ChoiceMenu, Part } from '../issues/side-parts.view.tsx'
import { IssueSide } from '../issues/side.view.tsx'
import { ActButton } from '../ui/button.tsx'
import { Checkbox } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { usePage } from '../ui/page-context.ts'
import { pathOf } from '../ui/paths.ts'
import { Link } from '../ui/link.tsx'
import { Person, PersonName } from '../ui/person.tsx'
import { reviewersId } from './merge-box.view.tsx'
import { pullPath, type RepositoryAddress } from './pull-paths.ts'
import { pullTexts as texts } from '../languages/texts.ts'

export interface PullSideProps {
  readonly repository: RepositoryAddress
  readonly view: PullView
  readonly mayEdit: boolean
  readonly conversation: ConversationProps
  readonly reviews: PullReviews
  /** Who can be asked for a review; undefined: the viewer may ask nobody. */
  readonly choices: ReviewChoices | undefined
  readonly isSignedIn: boolean
}

/** What belongs to a pull request: reviewers, and what issues have too. */
export const PullSide = (props: PullSideProps) => {
  const { repository, view, mayEdit, conversation } = props
  const { issue, pull } = view.pair
  const reviewers = reviewersOf(props)
  return (
    <IssueSide
      {...conversation}
      first={<Reviewers {...props} reviewers={reviewers} />}
      firstFacts={
        reviewers.length + view.teams.length === 0 ? null : (
          <Fact icon="eye" title={texts.reviewers}>
            {fewOf(reviewers, ({ person, review }) => (
              <FactPerson person={person}>
                {review ? <Verdict state={review.type} isStale={review.is_stale} /> : null}
              </FactPerson>
            ))}
            {fewOf(view.teams, (team) => (
              <span class="fact-person">
                <Icon name="people" />
                {team.name}
                <Verdict state="request" isStale={false} />
              </span>
            ))}
          </Fact>
        )
      }
      acts={
        mayEdit && !issue.is_closed && !pull.is_merged ? (
          <ActButton
            to={pullPath(repository, issue.index, 'draft')}
            hidden={{ draft: !view.isDraft }}
            kind="quiet"
            icon={view.isDraft ? 'git-pull-request' : 'git-pull-request-draft'}
          >
            {view.isDraft ? texts.ready : texts.toDraft}
          </ActButton>
        ) : null
      }
    />
  )
}

type ReviewState = keyof typeof texts.reviewStates

const looks: Readonly<Record<ReviewState, { readonly icon: IconName; readonly class: string }>> = {
  approve: { icon: 'check', class: 'good-text' },
  reject: { icon: 'file-diff', class: 'danger-text' },
  comment: { icon: 'comment', class: 'muted' },
  pending: { icon: 'hourglass', class: 'muted' },
  request: { icon: 'dot-fill', class: 'warning-text' },
}

/** What a reviewer has said, as an icon with its words. */
const Verdict = ({ state, isStale }: { readonly state: ReviewState; readonly isStale: boolean }) => {
  const { icon, class: tone } = looks[state]
  const label = isStale ? `${texts.reviewStates[state]} (${texts.stale})` : texts.reviewStates[state]
  return (
    <span class={`verdict ${isStale ? 'muted' : tone}`} title={label}>
      <Icon name={icon} label={label} />
    </span>
  )
}

/** Somebody who was asked for a review or gave one, with the newest that counts. */
interface Reviewer {
  readonly person: UserRow
  readonly review: ReviewRow | undefined
}

function reviewersOf({ view, reviews }: Pick<PullSideProps, 'view' | 'reviews'>): readonly Reviewer[] {
  const { issue } = view.pair
  // Whoever has only commented is a reviewer too.
  const commented = reviews.reviews.flatMap((review) =>
    review.type === 'comment' && review.reviewer_id !== issue.poster_id
      ? (reviews.people.get(review.reviewer_id ?? 0) ?? [])
      : [],
  )
  const people = [...new Map([...view.reviewers, ...commented].map((person) => [person.id, person])).values()]
  return people.map((person) => ({
    person,
    review: reviews.reviews.findLast(
      (review) => review.reviewer_id === person.id && review.type !== 'pending' && !review.is_dismissed,
    ),
  }))
}

const Reviewers = ({
  repository,
  view,
  choices,
  isSignedIn,
  reviewers,
}: PullSideProps & { readonly reviewers: readonly Reviewer[] }) => {
  const { viewer } = usePage()
  const { issue } = view.pair
  const to = pullPath(repository, issue.index, 'reviewers')
  const isEmpty = reviewers.length + view.teams.length === 0
  const requested = reviewers.filter(({ review }) => review?.type === 'request').map(({ person }) => person)
  const mayChange = isSignedIn && choices !== undefined
  return (
    <Part
      id={reviewersId}
      title={texts.reviewers}
      isEmpty={isEmpty}
      change={mayChange ? <ReviewerMenu {...{ to, view, choices, requested }} /> : null}
    >
      {isEmpty ? (
        <p class="muted">{texts.noReviewers}</p>
      ) : (
        <ul class="side-list">
          {reviewers.map(({ person, review }) => {
            const isAsked = review?.type === 'request'
            const label = isAsked ? texts.withdraw(person.name) : texts.askAgain(person.name)
            return (
              <li>
                <Person person={person} />
                <span class="spacer" />
                {(mayChange && !(isAsked && issue.is_closed)) || (isAsked && isSignedIn && person.id === viewer?.id) ? (
                  <ActButton
                    to={to}
                    hidden={{ [isAsked ? 'remove' : 'reviewer']: person.name }}
                    kind="quiet"
                    class="icon-only small"
                    icon={isAsked ? 'x' : 'sync'}
                    title={label}
                    aria-label={label}
                  />
                ) : null}
                {review ? <Verdict state={review.type} isStale={review.is_stale} /> : null}
              </li>
            )
          })}
          {view.teams.map((team) => (
            <li>
              <Icon name="people" />
              <Link to={pathOf('org', repository.owner, 'teams', team.name)}>{team.name}</Link>
              <span class="spacer" />
              {mayChange ? (
                <ActButton
                  to={to}
                  hidden={{ remove_team: team.name }}
                  kind="quiet"
                  class="icon-only small"
                  icon="x"
                  title={texts.withdraw(team.name)}
                  aria-label={texts.withdraw(team.name)}
                />
              ) : null}
              <Verdict state="request" isStale={false} />
            </li>
          ))}
        </ul>
      )}
    </Part>
  )
}

/** The choice of everybody whose review is waited for. */
const ReviewerMenu = ({
  to,
  view,
  choices,
  requested,
}: {
  readonly to: string
  readonly view: PullView
  readonly choices: ReviewChoices
  readonly requested: readonly UserRow[]
}) => {
  const askedIds = new Set(requested.map(({ id }) => id))
  const teamIds = new Set(view.teams.map(({ id }) => id))
  const people = [...requested, ...choices.people.filter(({ id }) => !askedIds.has(id))]
  const teams = [...view.teams, ...choices.teams.filter(({ id }) => !teamIds.has(id))]
  return (
    <ChoiceMenu
      to={to}
      title={texts.reviewers}
      id="reviewers"
      count={people.length + teams.length}
      hidden={{ set: true }}
      empty={texts.nobodyToAsk}
    >
      {people.map((person) => (
        <Checkbox
          name="reviewer"
          id={`reviewer_${person.id}`}
          value={person.name}
          label={<PersonName person={person} />}
          checked={askedIds.has(person.id)}
        />
      ))}
      {teams.map((team) => (
        <Checkbox
          name="team"
          id={`reviewer_team_${team.id}`}
          value={team.name}
          label={
            <>
              <Icon name="people" /> {team.name}
            </>
          }
          checked={teamIds.has(team.id)}
        />
      ))}
    </ChoiceMenu>
  )
}

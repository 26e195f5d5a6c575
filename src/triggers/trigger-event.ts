import type { EventData, EventName } from '../events/catalogue.ts'
import type { RecordedEvent } from '../events/cursor.ts'
import type { Oid } from '../lib/ids.ts'
import { isZeroOid } from '../lib/refs.ts'
import type { WebhookEvent } from '../payloads/webhook-event.ts'
import type { EventPayload } from '../payloads/event-payload.ts'

/** Where the workflows of a happening are read, and which commit their runs are of. */
export type Place =
  /** What was pushed. */
  | { readonly of: 'ref'; readonly ref: string; readonly old: Oid; readonly new: Oid }
  /** The default branch. */
  | { readonly of: 'default' }
  /** The head of the pull request, and for the triggers that say so its base. */
  | { readonly of: 'pull' }
  /** The commit that a review is about. */
  | { readonly of: 'review' }
  /** The tag of a release. */
  | { readonly of: 'tag'; readonly name: string | undefined }

/** One thing that may start workflows. */
export interface Happening {
  /** By a name of our own; runs of one kind take each other's places. */
  readonly name: string
  /** The entries of `on` that it may fit; those of a pull request's base apart. */
  readonly events: readonly string[]
  readonly baseEvents?: readonly string[]
  readonly types?: readonly string[]
  readonly place: Place
  /** Messages and titles may say that nothing runs. */
  readonly isSkippable?: boolean
  /** A newer run takes the place of those that are open. */
  readonly takesPlace?: boolean
  /** What is told of it, which becomes the payload. */
  readonly telling: EventPayload
}

const pullEvents = { events: ['pull_request'], baseEvents: ['pull_request_target'], place: { of: 'pull' } } as const

/** What is known of an event when its happenings are made. */
interface Told {
  readonly event: RecordedEvent
  readonly telling: EventPayload
  /** Its kinds of activity: several labels are several. */
  readonly types: readonly string[]
}

/** What of an event may start workflows: mostly one thing, but each label and each reference by itself. */
export function happeningsOf(event: RecordedEvent, tellings: readonly EventPayload[]): readonly Happening[] {
  const activity = activities[event.name] as ((data: unknown) => readonly string[]) | undefined
  const types = activity?.(event.data) ?? []
  return tellings.flatMap((telling) => ways[telling.eventType]?.({ event, telling, types }) ?? [])
}

const moved = ({ event, telling }: Told): readonly Happening[] => {
  const name = telling.eventType
  const place = placeOfRef(event, telling.ref)
  const isPush = name === 'push'
  return place ? [{ name, events: [name], place, isSkippable: isPush, takesPlace: isPush, telling }] : []
}

const onDefault =
  (...events: readonly string[]) =>
  ({ telling, types }: Told): readonly Happening[] => [
    { name: telling.eventType, events, types, place: { of: 'default' }, telling },
  ]

/** Each kind of activity by itself: a file may want one of them alone. */
const onIssue = ({ telling, types }: Told): readonly Happening[] =>
  types.map((type) => ({
    name: telling.eventType,
    events: ['issues'],
    types: [type],
    place: { of: 'default' },
    telling,
  }))

const onPull = ({ telling, types }: Told): readonly Happening[] =>
  types.map((type) => ({ name: telling.eventType, ...pullEvents, types: [type], isSkippable: true, telling }))

const onReview =
  (event: string, ...types: readonly string[]) =>
  ({ telling }: Told): readonly Happening[] => [
    { name: telling.eventType, events: [event], types, place: { of: 'review' }, telling },
  ]

const ways: { readonly [Name in WebhookEvent]?: (told: Told) => readonly Happening[] } = {
  push: moved,
  create: moved,
  delete: onDefault('delete'),
  fork: onDefault('fork'),
  wiki: onDefault('gollum'),
  issues: onIssue,
  issue_assign: onIssue,
  issue_label: onIssue,
  issue_milestone: onIssue,
  issue_comment: onDefault('issue_comment'),
  pull_request_comment: onDefault('issue_comment', 'pull_request_comment'),
  pull_request: onPull,
  pull_request_assign: onPull,
  pull_request_label: onPull,
  pull_request_milestone: onPull,
  pull_request_sync: (told) => onPull(told).map((each) => ({ ...each, takesPlace: true })),
  pull_request_review_request: onPull,
  pull_request_review_approved: onReview('pull_request_review', 'submitted', 'edited'),
  pull_request_review_rejected: onReview('pull_request_review', 'submitted', 'edited'),
  pull_request_review_comment: onReview('pull_request_review_comment', 'created', 'edited'),
  package: onDefault('registry_package'),
  release: ({ event, telling, types }) => [
    { name: 'release', events: ['release'], types, place: { of: 'tag', name: tagOf(event) }, telling },
  ],
}

/** Which of the references that moved a telling is of; none when it was removed. */
function placeOfRef(event: RecordedEvent, ref: string | undefined): Place | undefined {
  if (event.name !== 'refs.updated') return undefined
  const update = event.data.updates.find((each) => each.ref === ref)
  return update && !isZeroOid(update.new) ? { of: 'ref', ...update } : undefined
}

/** The tag of a release that is gone; of others the row tells. */
const tagOf = (event: RecordedEvent): string | undefined =>
  event.name === 'release.deleted' ? event.data.tagName : undefined

const always =
  (...types: readonly string[]) =>
  (): readonly string[] =>
    types

/** The kinds of activity of an event, as files name them. */
const activities: { readonly [Name in EventName]?: (data: EventData<Name>) => readonly string[] } = {
  'issue.opened': always('opened'),
  'pull.opened': always('opened'),
  'issue.closed': always('closed'),
  'issue.reopened': always('reopened'),
  'issue.edited': always('edited'),
  'pull.retargeted': always('edited'),
  'issue.assigned': ({ removed }) => [removed ? 'unassigned' : 'assigned'],
  'issue.labelled': ({ added, removed }) => [...added.map(() => 'labeled'), ...removed.map(() => 'unlabeled')],
  'issue.milestoned': ({ milestoneId }) => [milestoneId === 0 ? 'demilestoned' : 'milestoned'],
  'issue.commented': always('created'),
  'comment.edited': always('edited'),
  'comment.deleted': always('deleted'),
  'pull.synchronized': always('synchronize'),
  'review.requested': ({ removed }) => [removed ? 'review_request_removed' : 'review_requested'],
  'package.created': always('published'),
  'package.deleted': always('deleted'),
  'release.published': always('published'),
  'release.updated': always('edited', 'updated'),
  'release.deleted': always('deleted'),
}

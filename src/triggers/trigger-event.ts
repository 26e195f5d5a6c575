import type { EventData, EventName } from '../events/catalogue.ts'
import type { RecordedEvent } from '../events/cursor.ts'
import type { Oid } from '../lib/ids.ts'
import { isZeroOid } from '../lib/refs.ts'
import type { WebhookEvent } from '../payloads/webhook-event.ts'
import type { EventPayload } from '../payloads/event-payload.ts'

/** The commit whose workflow files are read, and which the runs are about. */
export type WorkflowSource =
  /** The pushed commit. */
  | { readonly of: 'ref'; readonly ref: string; readonly old: Oid; readonly new: Oid }
  /** The default branch. */
  | { readonly of: 'default' }
  /** The head of the pull request, and its base for `baseEvents`. */
  | { readonly of: 'pull' }
  /** The reviewed commit. */
  | { readonly of: 'review' }
  /** The tag of a release. */
  | { readonly of: 'tag'; readonly name: string | undefined }

/** One occurrence that may start workflows. An event consists of several: one for each label and each reference. */
export interface TriggerEvent {
  /** The webhook event, such as `pull_request_sync`. Runs of the same one replace each other. */
  readonly name: WebhookEvent
  /** The entries of `on` that it matches. */
  readonly events: readonly string[]
  /** The entries of `on` that it matches in the base branch of a pull request. */
  readonly baseEvents?: readonly string[]
  readonly types?: readonly string[]
  readonly source: WorkflowSource
  /** Whether a commit message or title can skip the workflows. */
  readonly isSkippable?: boolean
  /** Whether its runs cancel the open runs of the same workflow, reference and trigger. */
  readonly replacesOpenRuns?: boolean
  readonly payload: EventPayload
}

const pullEvents = { events: ['pull_request'], baseEvents: ['pull_request_target'], source: { of: 'pull' } } as const

interface EventActivity {
  readonly event: RecordedEvent
  readonly payload: EventPayload
  /** The activity types of the event. An event that adds and removes labels has several. */
  readonly types: readonly string[]
}

/** Returns the trigger events of an event, from the webhook payloads that it produces. */
export function triggerEventsOf(event: RecordedEvent, payloads: readonly EventPayload[]): readonly TriggerEvent[] {
  const typesOf = activityTypes[event.name] as ((data: unknown) => readonly string[]) | undefined
  const types = typesOf?.(event.data) ?? []
  return payloads.flatMap((payload) => triggersOf[payload.eventType]?.({ event, payload, types }) ?? [])
}

const onRef = ({ event, payload }: EventActivity): readonly TriggerEvent[] => {
  const name = payload.eventType
  const source = sourceOfRef(event, payload.ref)
  const isPush = name === 'push'
  return source ? [{ name, events: [name], source, isSkippable: isPush, replacesOpenRuns: isPush, payload }] : []
}

const onDefault =
  (...events: readonly string[]) =>
  ({ payload, types }: EventActivity): readonly TriggerEvent[] => [
    { name: payload.eventType, events, types, source: { of: 'default' }, payload },
  ]

/** One trigger event for each activity type: a workflow may select one of them. */
const onIssue = ({ payload, types }: EventActivity): readonly TriggerEvent[] =>
  types.map((type) => ({
    name: payload.eventType,
    events: ['issues'],
    types: [type],
    source: { of: 'default' },
    payload,
  }))

const onPull = ({ payload, types }: EventActivity): readonly TriggerEvent[] =>
  types.map((type) => ({ name: payload.eventType, ...pullEvents, types: [type], isSkippable: true, payload }))

const onReview =
  (event: string, ...types: readonly string[]) =>
  ({ payload }: EventActivity): readonly TriggerEvent[] => [
    { name: payload.eventType, events: [event], types, source: { of: 'review' }, payload },
  ]

const triggersOf: { readonly [Name in WebhookEvent]?: (activity: EventActivity) => readonly TriggerEvent[] } = {
  push: onRef,
  create: onRef,
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
  pull_request_sync: (activity) => onPull(activity).map((each) => ({ ...each, replacesOpenRuns: true })),
  pull_request_review_request: onPull,
  pull_request_review_approved: onReview('pull_request_review', 'submitted', 'edited'),
  pull_request_review_rejected: onReview('pull_request_review', 'submitted', 'edited'),
  pull_request_review_comment: onReview('pull_request_review_comment', 'created', 'edited'),
  package: onDefault('registry_package'),
  release: ({ event, payload, types }) => [
    { name: 'release', events: ['release'], types, source: { of: 'tag', name: tagOf(event) }, payload },
  ],
}

/** Returns the update of a reference; undefined when the reference was deleted. */
function sourceOfRef(event: RecordedEvent, ref: string | undefined): WorkflowSource | undefined {
  if (event.name !== 'refs.updated') return undefined
  const update = event.data.updates.find((each) => each.ref === ref)
  return update && !isZeroOid(update.new) ? { of: 'ref', ...update } : undefined
}

/** Returns the tag of a deleted release. The tags of other releases are read from their rows. */
const tagOf = (event: RecordedEvent): string | undefined =>
  event.name === 'release.deleted' ? event.data.tagName : undefined

const always =
  (...types: readonly string[]) =>
  (): readonly string[] =>
    types

/** The activity types of an event, as `types` of a workflow names them. */
const activityTypes: { readonly [Name in EventName]?: (data: EventData<Name>) => readonly string[] } = {
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

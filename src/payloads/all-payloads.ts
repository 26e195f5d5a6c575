import type { EventName } from '../events/catalogue.ts'
import type { RecordedEvent } from '../events/cursor.ts'
import { issuePayloads } from './issue-payloads.ts'
import { packagePayloads } from './package-payloads.ts'
import { pullPayloads } from './pull-payloads.ts'
import { refPayloads } from './ref-payloads.ts'
import { releasePayloads } from './release-payloads.ts'
import { repositoryPayloads } from './repository-payloads.ts'
import { runPayloads } from './run-payloads.ts'
import type { EventPayload, EventPayloads } from './event-payload.ts'
import { wikiPayloads } from './wiki-payloads.ts'

const payloads: EventPayloads = {
  ...refPayloads,
  ...repositoryPayloads,
  ...issuePayloads,
  ...pullPayloads,
  ...releasePayloads,
  ...packagePayloads,
  ...runPayloads,
  ...wikiPayloads,
}

/** The events that have payloads. */
export const eventsWithPayloads: ReadonlySet<EventName> = new Set(Object.keys(payloads) as EventName[])

/** Returns the payloads of an event for webhooks and workflows. */
export const payloadsOf = (event: RecordedEvent): readonly EventPayload[] =>
  (payloads[event.name] as ((event: RecordedEvent) => readonly EventPayload[]) | undefined)?.(event) ?? []

import type { EventName } from '../../events/catalogue.ts'
import type { RecordedEvent } from '../../events/cursor.ts'
import { issueTellings } from './issue-tellings.ts'
import { packageTellings } from './package-tellings.ts'
import { pullTellings } from './pull-tellings.ts'
import { refTellings } from './ref-tellings.ts'
import { releaseTellings } from './release-tellings.ts'
import { repositoryTellings } from './repository-tellings.ts'
import { runTellings } from './run-tellings.ts'
import type { Telling, Tellings } from './telling.ts'
import { wikiTellings } from './wiki-tellings.ts'

const tellings: Tellings = {
  ...refTellings,
  ...repositoryTellings,
  ...issueTellings,
  ...pullTellings,
  ...releaseTellings,
  ...packageTellings,
  ...runTellings,
  ...wikiTellings,
}

/** The events of which webhooks are told something. */
export const toldEvents: ReadonlySet<EventName> = new Set(Object.keys(tellings) as EventName[])

/** What webhooks are told of an event. */
export const tellingsOf = (event: RecordedEvent): readonly Telling[] =>
  (tellings[event.name] as ((event: RecordedEvent) => readonly Telling[]) | undefined)?.(event) ?? []

import { readPayload, Unreadable } from '../jobs/versions.ts'
import { actionEvents } from './catalogue/actions.ts'
import { boardEvents } from './catalogue/boards.ts'
import { issueEvents } from './catalogue/issues.ts'
import { packageEvents } from './catalogue/packages.ts'
import { pullEvents } from './catalogue/pulls.ts'
import { releaseEvents } from './catalogue/releases.ts'
import { repositoryEvents } from './catalogue/repositories.ts'
import { userEvents } from './catalogue/users.ts'
import { wikiEvents } from './catalogue/wiki.ts'
import type { Fact } from './fact.ts'

/** The catalogue of events; the events of an area are in `catalogue/<area>.ts`. */
export const eventCatalogue = {
  ...userEvents,
  ...repositoryEvents,
  ...issueEvents,
  ...boardEvents,
  ...pullEvents,
  ...releaseEvents,
  ...wikiEvents,
  ...packageEvents,
  ...actionEvents,
}

export type EventName = keyof typeof eventCatalogue

/** The data of an event: ids, and values that would otherwise be lost. */
export type EventData<Name extends EventName> = NonNullable<(typeof eventCatalogue)[Name]['carries']>

/** A published event. `event.name` distinguishes the kinds. */
export type Event<Name extends EventName = EventName> = {
  readonly [Each in Name]: { readonly name: Each; readonly data: EventData<Each>; readonly atMs: number }
}[Name]

const facts: ReadonlyMap<string, Fact> = new Map(Object.entries<Fact>(eventCatalogue))

/** Event kinds with texts of users, and the members that hold them. */
export const written = {
  names: [...facts].filter(([, { texts }]) => texts.length > 0).map(([name]) => name),
  members: [...new Set([...facts.values()].flatMap(({ texts }) => texts))],
}

export const isEventName = (name: string): name is EventName => facts.has(name)

/** Returns the declaration of an event to publish. Throws for an unknown name or invalid data. */
export function checkedFact(name: string, data: unknown): Fact {
  const declared = facts.get(name)
  const problem = declared ? declared.problemOf(data) : 'there is no event of this name'
  if (!declared || problem !== undefined) throw new Error(`event ${name} is wrong: ${problem}`)
  return declared
}

/** A stored event of any release. */
export interface StoredEvent {
  readonly name: string
  readonly version: number
  readonly data: unknown
  readonly atMs: number
}

/** Returns a stored event with validated data. Throws Unreadable. */
export function readStoredEvent(stored: StoredEvent): Event {
  const { name, atMs } = stored
  const declared = facts.get(name)
  if (!declared) throw new Unreadable(`event ${name} is not known to this release`)
  const data = readPayload(`event ${name}`, declared.problemOf, stored.version, stored.data)
  return { name, data, atMs } as Event
}

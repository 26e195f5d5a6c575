import type { Static } from 'typebox'
import { createChecker, type Checker } from '../jobs/checker.ts'
import { issueEvents } from './catalogue/issues.ts'
import { pullEvents } from './catalogue/pulls.ts'
import { repositoryEvents } from './catalogue/repositories.ts'
import { userEvents } from './catalogue/users.ts'

/** Every event and the shape of what it carries; an area's events are in `catalogue/<area>.ts`. */
export const eventCatalogue = {
  ...userEvents,
  ...repositoryEvents,
  ...issueEvents,
  ...pullEvents,
}

export type EventName = keyof typeof eventCatalogue

/** What an event carries: ids, and what would otherwise be lost. */
export type EventData<Name extends EventName> = Static<(typeof eventCatalogue)[Name]>

/** A past-tense fact. `event.name` tells one from the other where a subscriber hears several. */
export type Event<Name extends EventName = EventName> = {
  readonly [Each in Name]: { readonly name: Each; readonly data: EventData<Each>; readonly atMs: number }
}[Name]

const checkers = new Map<string, Checker>(
  Object.entries(eventCatalogue).map(([name, schema]) => [name, createChecker(schema)]),
)

export const isEventName = (name: string): name is EventName => checkers.has(name)

/** What is wrong with an event, or undefined. */
export function eventProblem(name: string, data: unknown): string | undefined {
  const check = checkers.get(name)
  return check ? check(data) : 'there is no event of this name'
}

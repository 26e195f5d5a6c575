import type { Checker } from './checker.ts'

/**
 * The version that is stored with each payload: the input of a job, the data of an event, an effect of a change of
 * references. A release that changes the shape of a payload incompatibly stores a higher version with it.
 */
export const payloadVersion = 1

/**
 * A stored payload that this release cannot read: its version is newer, or its shape is unknown. The work has not failed:
 * it waits for a release that can read the payload.
 */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/**
 * Returns a stored payload after checking its version and shape.
 * @param name names the payload in messages
 * @throws Unreadable
 */
export function readPayload(name: string, problemOf: Checker, version: number, payload: unknown): unknown {
  if (version > payloadVersion) throw new Unreadable(`${name} is of version ${version}, which a newer release writes`)
  const problem = problemOf(payload)
  if (problem !== undefined) throw new Unreadable(`${name} was written by another release: ${problem}`)
  return payload
}

/**
 * Upgrades a stored value from one version to the next, keyed by the old version. The argument has the shape of the old
 * version.
 */
export type VersionSteps = Readonly<Record<number, (stored: never) => unknown>>

/** The current version of a stored value, and the steps that upgrade older ones. */
export interface Versioned {
  readonly version: number
  readonly upgrade: VersionSteps
}

/**
 * A stored value that this release cannot read: a newer release wrote it, or its shape does not match its version. The
 * reader waits for a release that can read it; this is not a failure of the work.
 */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** Declares versions; the current version is 1 by default. Throws when a step is missing. */
export function versioned(of: string, { version = 1, upgrade = {} }: Partial<Versioned>): Versioned {
  for (let from = 1; from < version; from++) {
    if (!Object.hasOwn(upgrade, from)) throw new Error(`${of} has no step from version ${from} to ${from + 1}`)
  }
  return { version, upgrade }
}

/**
 * A stored value in today's shape.
 * @throws Unreadable when it was written by a newer release
 */
export function upgraded(
  of: string,
  { version: current, upgrade }: Versioned,
  version: number,
  stored: unknown,
): unknown {
  if (version > current) throw new Unreadable(`${of} is of version ${version}, which a newer release writes`)
  let value = stored
  for (let from = version; from < current; from++) value = upgrade[from]?.(value as never)
  return value
}

/**
 * Brings a stored value of one version to the next one, by the number of the version it takes. The shape it is given is the
 * one that this version was written in.
 */
export type VersionSteps = Readonly<Record<number, (stored: never) => unknown>>

/** What is stored in versions: today's, and how to come from each earlier one to the next. */
export interface Versioned {
  readonly version: number
  readonly upgrade: VersionSteps
}

/**
 * A stored value that this release cannot read: a newer release wrote it, or its shape is not that of its version. It is
 * no failure of the work: whoever meets it waits for a release that can.
 */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** Declares versions; today's is 1 unless told. Throws when a step is missing, which is a defect of the declaration. */
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

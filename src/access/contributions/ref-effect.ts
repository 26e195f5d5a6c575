import type { Static, TSchema } from 'typebox'
import type { Tx } from '../../db/database.ts'
import { createChecker, type Checker } from '../../jobs/checker.ts'
import { Unreadable, upgraded, versioned, type Versioned } from '../../jobs/versions.ts'
import type { Oid, RepoId } from '../../lib/ids.ts'
import type { Clock } from '../../lib/time.ts'

/** What is known when an effect takes place: which references of which repository git has moved. */
export interface EffectFacts {
  readonly repoId: RepoId
  readonly moved: readonly { readonly ref: string; readonly old: Oid; readonly new: Oid }[]
  readonly clock: Clock
}

/**
 * What follows from a change of references besides rows of branches and tags. It is written into the journal together
 * with the change and takes place in the transaction that settles it, so it happens exactly once when git made the
 * change, whatever crashed in between, and never when git did not.
 */
export interface RefEffect extends Versioned {
  readonly name: string
  readonly problemOf: Checker
  /** In the settling transaction, before `refs.updated` is published. */
  readonly apply: (tx: Tx, data: unknown, facts: EffectFacts) => Promise<void>
}

/** An effect as the journal keeps it. */
export interface PlannedEffect {
  readonly name: string
  readonly version: number
  readonly data: unknown
  /** What it is about; unsettled entries can be found by it. */
  readonly subject: string
}

/** An effect as a feature declares it, which makes `plan` the way to write one down. */
export interface DeclaredEffect<Data> extends RefEffect {
  plan(data: Data): PlannedEffect
  subjectOf(about: string | number): string
}

interface EffectOptions<Schema extends TSchema> extends Partial<Versioned> {
  readonly name: string
  readonly data: Schema
  /** What distinguishes one effect of this name from another. */
  readonly about: (data: Static<Schema>) => string | number
  readonly apply: (tx: Tx, data: Static<Schema>, facts: EffectFacts) => Promise<void>
}

/**
 * Declares an effect. Its version goes up with each change of its data that entries of the release before do not fit;
 * `upgrade` then says for each earlier version how its data become those of the next.
 */
export function refEffect<Schema extends TSchema>(options: EffectOptions<Schema>): DeclaredEffect<Static<Schema>> {
  const { name, apply } = options
  const problemOf = createChecker(options.data)
  const versions = versioned(`the effect ${name}`, options)
  const subjectOf = (about: string | number): string => `${name} ${about}`
  return {
    ...versions,
    name,
    problemOf,
    subjectOf,
    apply: (tx, data, facts) => apply(tx, data as Static<Schema>, facts),
    plan(data) {
      const problem = problemOf(data)
      if (problem !== undefined) throw new Error(`the effect ${name} is wrong: ${problem}`)
      return { name, version: versions.version, data, subject: subjectOf(options.about(data)) }
    },
  }
}

/** Every effect that the features declare, by name. */
export type RefEffects = ReadonlyMap<string, RefEffect>

export function collectEffects(effects: readonly RefEffect[]): RefEffects {
  const byName = new Map(effects.map((effect) => [effect.name, effect]))
  if (byName.size !== effects.length) throw new Error('two effects of references have the same name')
  return byName
}

/**
 * An effect that a journal entry holds, ready to take place.
 * @throws Unreadable when this release does not know it: the entry waits for one that does
 */
export function readEffect(
  effects: RefEffects,
  stored: Omit<PlannedEffect, 'subject'>,
): (tx: Tx, facts: EffectFacts) => Promise<void> {
  const declared = effects.get(stored.name)
  if (!declared) throw new Unreadable(`the effect ${stored.name} is not known to this release`)
  const data = upgraded(`the effect ${stored.name}`, declared, stored.version, stored.data)
  const problem = declared.problemOf(data)
  if (problem !== undefined) throw new Unreadable(`the effect ${stored.name} was written differently: ${problem}`)
  return (tx, facts) => declared.apply(tx, data, facts)
}

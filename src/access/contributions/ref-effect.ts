import type { Static, TSchema } from 'typebox'
import type { Tx } from '../../db/database.ts'
import { createChecker, type Checker } from '../../jobs/checker.ts'
import { payloadVersion, readPayload, Unreadable } from '../../jobs/versions.ts'
import type { Oid, RepoId } from '../../lib/ids.ts'
import type { Clock } from '../../lib/time.ts'

/** The reference updates of an effect. */
export interface EffectFacts {
  readonly repoId: RepoId
  readonly moved: readonly { readonly ref: string; readonly old: Oid; readonly new: Oid }[]
  readonly clock: Clock
}

/**
 * A database change that belongs to a change of references, besides the rows of branches and tags. The journal stores
 * it with the reference change. The transaction that settles the entry applies it: once if git changed the references,
 * otherwise never.
 */
export interface RefEffect {
  readonly name: string
  /** Returns the fault of stored data, or undefined. */
  readonly problemOf: Checker
  /** Applies the effect in the settling transaction, before `refs.updated`. */
  readonly apply: (tx: Tx, data: unknown, facts: EffectFacts) => Promise<void>
}

/** An effect in the journal. */
export interface PlannedEffect {
  readonly name: string
  readonly version: number
  readonly data: unknown
  /** The key under which unsettled entries are found. */
  readonly subject: string
}

/** A declared effect. `plan` makes its journal entry. */
export interface DeclaredEffect<Data> extends RefEffect {
  plan(data: Data): PlannedEffect
  subjectOf(about: string | number): string
}

interface EffectOptions<Schema extends TSchema> {
  readonly name: string
  readonly data: Schema
  /** Returns the key of an effect of this name. */
  readonly about: (data: Static<Schema>) => string | number
  readonly apply: (tx: Tx, data: Static<Schema>, facts: EffectFacts) => Promise<void>
}

/** Declares an effect. */
export function refEffect<Schema extends TSchema>(options: EffectOptions<Schema>): DeclaredEffect<Static<Schema>> {
  const { name, apply } = options
  const problemOf = createChecker(options.data)
  const subjectOf = (about: string | number): string => `${name} ${about}`
  return {
    name,
    problemOf,
    subjectOf,
    apply: (tx, data, facts) => apply(tx, data as Static<Schema>, facts),
    plan(data) {
      const problem = problemOf(data)
      if (problem !== undefined) throw new Error(`the data of the effect ${name} are invalid: ${problem}`)
      return { name, version: payloadVersion, data, subject: subjectOf(options.about(data)) }
    },
  }
}

/** All declared effects by name. */
export type RefEffects = ReadonlyMap<string, RefEffect>

export function collectEffects(effects: readonly RefEffect[]): RefEffects {
  const byName = new Map(effects.map((effect) => [effect.name, effect]))
  if (byName.size !== effects.length) throw new Error('two reference effects have the same name')
  return byName
}

/**
 * Returns the effect of a journal entry.
 * @throws Unreadable when this release does not know the effect; the entry waits for one that does
 */
export function readEffect(
  effects: RefEffects,
  stored: Omit<PlannedEffect, 'subject'>,
): (tx: Tx, facts: EffectFacts) => Promise<void> {
  const declared = effects.get(stored.name)
  if (!declared) throw new Unreadable(`this release does not know the effect ${stored.name}`)
  const data = readPayload(`the effect ${stored.name}`, declared.problemOf, stored.version, stored.data)
  return (tx, facts) => declared.apply(tx, data, facts)
}

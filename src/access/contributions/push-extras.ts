import type { Tx } from '../../db/database.ts'
import type { RefEffect } from './ref-effect.ts'
import type { PushCheck, PushedUpdate, ReceiveCallbacks } from '../../git/git-service.ts'

/** Settings of the repository in push options. */
export interface PushSettings {
  readonly isPrivate?: boolean
  readonly isTemplate?: boolean
}

type HandleTopics = NonNullable<ReceiveCallbacks['handleTopics']>
type TopicPush = Parameters<HandleTopics>[0]
type TopicAnswer = Awaited<ReturnType<HandleTopics>>

/** The contributions of features to one push. */
export interface PushExtras {
  /** Applies the settings of push options like an edit of the repository. Throws the same refusals. */
  readonly changeSettings?: (settings: PushSettings) => Promise<void>
  /** Names of push options that the feature reads. */
  readonly knownOptions?: readonly string[]
  /** Returns a reason to refuse one update, after the protections allowed it; undefined: none. */
  readonly refuse?: (check: PushCheck) => Promise<string | undefined>
  /** References that are no part of the repository, such as topics. They need no write access. */
  readonly isTopic?: (ref: string) => boolean
  /**
   * Handles these references after the push is accepted. One feature has topics.
   * @param charge runs in each transaction that keeps objects of the push; an error prevents it
   */
  readonly handleTopics?: (push: TopicPush, charge: (tx: Tx) => Promise<void>) => Promise<TopicAnswer>
  /** Whether an account without write access may update this reference. */
  readonly allows?: (update: PushedUpdate) => Promise<boolean>
  /** Returns what changes together with the references of an accepted push. One feature has one. */
  readonly follows?: (check: PushCheck) => Promise<RefEffect | undefined>
  /** Lines for the client after a push, for example the URL to open a pull request. */
  readonly hints?: (moved: readonly PushedUpdate[]) => Promise<readonly string[]>
}

/** Combines the extras of several features, in order. */
export function joinExtras(all: readonly PushExtras[]): PushExtras {
  const [handleTopics, ...others] = all.flatMap((each) => each.handleTopics ?? [])
  if (others.length > 0) throw new Error('two features handle the topics of a push')
  const [follows, ...more] = all.flatMap((each) => each.follows ?? [])
  if (more.length > 0) throw new Error('two features have something follow a push')
  return {
    async changeSettings(settings) {
      for (const each of all) await each.changeSettings?.(settings)
    },
    knownOptions: all.flatMap((each) => each.knownOptions ?? []),
    async refuse(check) {
      for (const each of all) {
        const reason = await each.refuse?.(check)
        if (reason !== undefined) return reason
      }
      return undefined
    },
    isTopic: (ref) => all.some((each) => each.isTopic?.(ref)),
    ...(handleTopics ? { handleTopics } : {}),
    ...(follows ? { follows } : {}),
    async allows(update) {
      for (const each of all) if (await each.allows?.(update)) return true
      return false
    },
    hints: async (moved) => (await Promise.all(all.flatMap((each) => each.hints?.(moved) ?? []))).flat(),
  }
}

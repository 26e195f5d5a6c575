import type { PlannedEffect } from './ref-effect.ts'
import type { PushCheck, PushedUpdate, ReceiveCallbacks } from '../../git/git.ts'

/** Settings of the repository that push options ask for; the first push of a new one often brings them along. */
export interface PushSettings {
  readonly isPrivate?: boolean
  readonly isTemplate?: boolean
}

/** What features beside the references themselves have to do with one push. */
export interface PushExtras {
  /** Changes the settings that push options ask for, like any edit of the repository. Throws a refusal when it may not be. */
  readonly changeSettings?: (settings: PushSettings) => Promise<void>
  /** Names of push options that the feature reads. */
  readonly knownOptions?: readonly string[]
  /** A reason against one of the updates, or undefined; asked when protections agree. */
  readonly refuse?: (check: PushCheck) => Promise<string | undefined>
  /** References that stand for something else than a place in the repository: they need no right to write here. */
  readonly isTopic?: (ref: string) => boolean
  /** What becomes of them, once the push is agreed to. One feature has topics. */
  readonly handleTopics?: ReceiveCallbacks['handleTopics']
  /** Whether somebody who may not write the repository may move this one reference all the same. */
  readonly allows?: (update: PushedUpdate) => Promise<boolean>
  /** What is to follow when git has moved the references; asked when the push is agreed to. One feature has something. */
  readonly follows?: (check: PushCheck) => Promise<PlannedEffect | undefined>
  /** Lines shown to the client after a push: where to open a pull request. */
  readonly hints?: (moved: readonly PushedUpdate[]) => Promise<readonly string[]>
}

/** The extras of several features as one, in their order. */
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

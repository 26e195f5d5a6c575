import type { SignedInRepoCtx } from '../../access/context.ts'
import type { PushExtras, PushSettings } from '../../access/contributions/push-extras.ts'
import type { RefEffect } from '../../access/contributions/ref-effect.ts'
import { refuseOverQuota } from '../../access/quota/quota.service.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import { pluck } from '../../lib/pluck.ts'
import type { PushCheck, PushedUpdate, ReceiveCallbacks, RefusedRef } from '../../git/git-service.ts'
import type { RefUpdateResult } from '../../git/git.ts'
import { OverQuota, Refusal } from '../../lib/errors.ts'
import { isZeroOid, zeroOid } from '../../lib/refs.ts'
import type { GitRepository } from '../git-repository.ts'
import { checkProtections } from '../protection/protection.service.ts'
import { mayPushRef, maySetByPush } from './push.policy.ts'
import { takeTurn } from './push-turns.ts'
import { readPushOptions } from './push-options.rules.ts'
import { chargeObjects } from '../changes/object-charge.service.ts'
import { moveEach, moveRefs, type Consequence } from '../changes/ref-door.service.ts'

/** Prefix of messages to clients. */
const product = 'Ingot'

/** The callbacks of one push, and its end. */
export interface Push {
  readonly callbacks: ReceiveCallbacks
  /** To be called when git has ended. */
  finish(): void
}

/**
 * Checks and records a push to a repository or its wiki. A protection refuses the whole push, with one line that says why
 * (contract, transport). An update that nobody may make, such as deleting the default branch, refuses itself, unless the
 * client asked for all or none or no other update is left. The references of an accepted push move in one transaction.
 */
export function receivePush(ctx: SignedInRepoCtx, repository: GitRepository, extras: PushExtras = {}): Push {
  const { repo } = ctx
  const { kind } = repository
  const { handleTopics } = extras
  let effect: RefEffect | undefined
  let charge: Consequence['before']
  let settings: PushSettings = {}
  let leaveTurn: (() => void) | undefined
  /** The answer to push options. */
  let messages: readonly string[] = []

  /** Returns the reason that refuses the whole push. */
  async function refusalOfAll(check: PushCheck): Promise<string | undefined> {
    if (Object.keys(settings).length > 0) {
      const verdict = maySetByPush(repo, ctx.rights)
      if (!verdict.allowed) return verdict.reason
    }
    const addsContent = check.updates.some((update) => !isZeroOid(update.new))
    // The quota excludes wikis (contract, wiki).
    if (kind === 'code' && addsContent && (await isOverQuota(ctx))) {
      return overQuota(ctx)
    }
    return undefined
  }

  /** Returns the reason of the protections, which refuse the whole push (contract, transport). */
  async function protectionOf(check: PushCheck): Promise<string | undefined> {
    // Only code has protections.
    if (kind === 'wiki') return undefined
    const isDeployKey = ctx.viewer.credential.kind === 'deploy'
    const [refused] = await checkProtections(ctx, check.updates, { at: check.quarantine, isDeployKey })
    return refused ? `${refused.ref}: ${refused.reason}` : extras.refuse?.(check)
  }

  /** Returns the updates that are refused by themselves. */
  async function refusalsOf(check: PushCheck): Promise<readonly RefusedRef[]> {
    const refused: RefusedRef[] = []
    for (const update of check.updates.filter(({ ref }) => !extras.isTopic?.(ref))) {
      const verdict = mayPushRef(repo, kind, ctx.rights, update)
      if (!verdict.allowed && !(await extras.allows?.(update))) {
        refused.push({ ref: update.ref, reason: verdict.reason })
      }
    }
    return refused
  }

  /** Charges the objects of the push in the first of its transactions that is committed: each topic has its own. */
  async function chargeOnce(tx: Tx): Promise<void> {
    await charge?.(tx)
    afterCommit(tx, () => {
      charge = undefined
    })
  }

  function endTurn(): void {
    leaveTurn?.()
    leaveTurn = undefined
  }

  return {
    callbacks: {
      customHooks: !ctx.config.security.disableGitHooks,
      async checkPush(check) {
        // Push options set the repository, so a push to the wiki has none.
        const options = readPushOptions(check.pushOptions, kind === 'code' ? extras.knownOptions : undefined)
        settings = kind === 'code' ? options.settings : {}
        const line = (text: string): string => `${product}: ${text}`
        const reason = await refusalOfAll(check)
        if (reason !== undefined) return { ok: false, lines: [line(reason)] }
        const refused = await refusalsOf(check)
        const left = withoutRefused(check, refused)
        const [first] = refused
        if (first && (!check.isDivisible || left.updates.length === 0)) {
          return { ok: false, lines: [line(first.reason)] }
        }
        const protection = await protectionOf(left)
        if (protection !== undefined) return { ok: false, lines: [line(protection)] }
        charge = await chargeObjects(ctx, repository, async () =>
          left.updates.every(({ new: target }) => isZeroOid(target)) ? 0 : ctx.git.sizeBytes(check.quarantine),
        )
        // The topic handler records its own changes.
        const moves = left.updates.filter(({ ref }) => !extras.isTopic?.(ref))
        const lines = [...options.problems, ...pluck(refused, 'reason')].map(line)
        if (moves.length === 0) return { ok: true, lines, refused }
        leaveTurn = await takeTurn(ctx, repository.gitKey, pluck(moves, 'ref'))
        const late = await findMoved(ctx, repository, moves)
        if (late !== undefined) return { ok: false, lines: [line(`${late} was changed meanwhile: fetch first`)] }
        effect = await extras.follows?.(left)
        return { ok: true, lines, refused }
      },
      ...(handleTopics ? { handleTopics: (push) => handleTopics(push, chargeOnce) } : {}),
      async moveRefs({ updates, isDivisible }) {
        // A reference that is missing may be deleted.
        const moves = updates.filter((update) => !(isZeroOid(update.old) && isZeroOid(update.new)))
        const origin = { doerId: ctx.viewer.id, via: 'push' } as const
        try {
          const consequence = { before: chargeOnce, effect }
          const refused = await (isDivisible
            ? moveEach(ctx, repository, moves, origin, consequence)
            : allOrNone(moves, await moveRefs(ctx, repository, moves, origin, consequence)))
          if (refused.length < updates.length) messages = await applySettings(ctx, extras, settings)
          return refused.map(({ ref, message }) => ({ ref, reason: message }))
        } catch (error) {
          if (error instanceof OverQuota) return updates.map(({ ref }) => ({ ref, reason: overQuota(ctx) }))
          throw error
        } finally {
          endTurn()
        }
      },
      hints: async (updates) => [...messages, ...((await extras.hints?.(updates)) ?? [])],
    },
    finish: endTurn,
  }
}

/** The answer for every reference of an indivisible push when one does not move. */
const allOrNone = (moves: readonly PushedUpdate[], result: RefUpdateResult) =>
  result.ok ? [] : moves.map(({ ref }) => ({ ref, message: result.message }))

/** Returns the part of a push that is not refused. */
function withoutRefused(check: PushCheck, refused: readonly RefusedRef[]): PushCheck {
  const names = new Set(pluck(refused, 'ref'))
  return { ...check, updates: check.updates.filter(({ ref }) => !names.has(ref)) }
}

/** More references than this are read in one list. */
const maxSingleReads = 50

/** The first reference that moved since the client's fetch. */
async function findMoved(
  { git }: SignedInRepoCtx,
  { gitKey, objectFormat }: GitRepository,
  moves: readonly PushedUpdate[],
): Promise<string | undefined> {
  const none = zeroOid(objectFormat)
  const values =
    moves.length > maxSingleReads
      ? new Map((await git.readRefs(gitKey)).map(({ name, oid }) => [name, oid]))
      : new Map(await Promise.all(moves.map(async ({ ref }) => [ref, await git.readRef(gitKey, ref)] as const)))
  return moves.find(({ ref, old }) => (values.get(ref) ?? none) !== old)?.ref
}

const overQuota = ({ owner }: SignedInRepoCtx): string => `quota exceeded by ${owner.name}`

async function isOverQuota(ctx: SignedInRepoCtx): Promise<boolean> {
  try {
    await refuseOverQuota(ctx, ctx.owner, 'size:repos:all')
    return false
  } catch (error) {
    if (error instanceof OverQuota) return true
    throw error
  }
}

/** Applies push options. Returns a line with the reason when they are refused. */
async function applySettings(
  { log, repo }: SignedInRepoCtx,
  extras: PushExtras,
  settings: PushSettings,
): Promise<string[]> {
  if (Object.keys(settings).length === 0) return []
  try {
    await extras.changeSettings?.(settings)
    return []
  } catch (error) {
    // The references have moved, and nothing reverts them.
    if (error instanceof Refusal) return [`${product}: ${error.message}`]
    log('error', 'the push options of a push were not applied', { error, repoId: repo.id })
    return [`${product}: the push options were not applied: internal error`]
  }
}

import type { SignedInRepoCtx } from '../../access/context.ts'
import type { PushExtras, PushSettings } from '../../access/contributions/push-extras.ts'
import { refuseOverQuota } from '../../access/quota/quota.service.ts'
import type { PushCheck, PushedUpdate, ReceiveCallbacks } from '../../git/git.ts'
import { OverQuota, Refusal } from '../../lib/errors.ts'
import { isZeroOid, zeroOid } from '../../lib/refs.ts'
import type { GitRepository } from '../git-repository.ts'
import { checkProtections } from '../protection/protection.service.ts'
import { mayPushRef, maySetByPush } from './push.policy.ts'
import { takeTurn } from './push-turns.ts'
import { readPushOptions } from './push-options.rules.ts'
import { openJournal, settle, settleUnsure, type OpenJournal } from '../journal/ref-door.service.ts'

/** How the program calls itself in what a client sees of a refused push. */
const product = 'Ingot'

/** One push: what git asks while it is received, and the end of it. */
export interface Push {
  readonly callbacks: ReceiveCallbacks
  /** To be called when git has ended, however it ended: settles what was begun. Never throws. */
  finish(failure?: unknown): Promise<void>
}

/**
 * Judges and records one push into a repository or its wiki. All updates are refused together: one line says why. What
 * was agreed to is written down before git moves anything, so that a crash in between is settled.
 */
export function receivePush(ctx: SignedInRepoCtx, repository: GitRepository, extras: PushExtras = {}): Push {
  const { repo } = ctx
  const { kind } = repository
  let journal: OpenJournal | undefined
  let settings: PushSettings = {}
  let leaveTurn: (() => void) | undefined

  async function refusal(check: PushCheck): Promise<string | undefined> {
    if (Object.keys(settings).length > 0) {
      const verdict = maySetByPush(repo, ctx.rights)
      if (!verdict.allowed) return verdict.reason
    }
    const addsContent = check.updates.some((update) => !isZeroOid(update.new))
    // Wikis are not counted (contract, wiki).
    if (kind === 'code' && addsContent && (await isOverQuota(ctx))) {
      return `quota exceeded by ${ctx.owner.name}`
    }
    for (const update of check.updates.filter(({ ref }) => !extras.isTopic?.(ref))) {
      const verdict = mayPushRef(repo, kind, ctx.rights, update)
      if (!verdict.allowed && !(await extras.allows?.(update))) return verdict.reason
    }
    // Protections are about branches and tags of the code.
    if (kind === 'wiki') return undefined
    const isDeployKey = ctx.viewer.credential.kind === 'deploy'
    const [refused] = await checkProtections(ctx, check.updates, { at: check.quarantine, isDeployKey })
    return refused ? `${refused.ref}: ${refused.reason}` : extras.refuse?.(check)
  }

  function endTurn(): void {
    leaveTurn?.()
    leaveTurn = undefined
  }

  return {
    callbacks: {
      customHooks: !ctx.config.security.disableGitHooks,
      async checkPush(check) {
        // Settings are those of the repository, which is not what is pushed to a wiki.
        const options = readPushOptions(check.pushOptions, kind === 'code' ? extras.knownOptions : undefined)
        settings = kind === 'code' ? options.settings : {}
        const said = (text: string): string => `${product}: ${text}`
        const reason = await refusal(check)
        if (reason !== undefined) return { ok: false, lines: [said(reason)] }
        // Topics move nothing here; who handles them records what they do.
        const moves = check.updates.filter(({ ref }) => !extras.isTopic?.(ref))
        const lines = options.problems.map(said)
        if (moves.length === 0) return { ok: true, lines }
        leaveTurn = await takeTurn(
          ctx,
          repository.gitKey,
          moves.map(({ ref }) => ref),
        )
        const late = await findLate(ctx, repository, moves)
        if (late !== undefined) return { ok: false, lines: [said(`${late} was changed meanwhile: fetch first`)] }
        const effect = await extras.follows?.(check)
        const origin = { doerId: ctx.viewer.id, via: 'push' } as const
        journal = await openJournal(ctx, repository, moves, origin, effect ? { effect } : {})
        return { ok: true, lines }
      },
      ...(extras.handleTopics ? { handleTopics: extras.handleTopics } : {}),
      async recordRefUpdates({ updates }) {
        if (journal) await settle(ctx, journal, updates)
        journal = undefined
        endTurn()
        const told = updates.length > 0 ? await applySettings(extras, settings) : []
        return { lines: [...told, ...((await extras.hints?.(updates)) ?? [])] }
      },
    },
    async finish(failure) {
      const left = journal
      journal = undefined
      if (left) await settleUnsure(ctx, left, failure)
      endTurn()
    },
  }
}

/** More references than this are read all at once. */
const maxSingleReads = 50

/** The first reference that is elsewhere than whoever pushes believes. */
async function findLate(
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

async function isOverQuota(ctx: SignedInRepoCtx): Promise<boolean> {
  try {
    await refuseOverQuota(ctx, ctx.owner, 'size:repos:all')
    return false
  } catch (error) {
    if (error instanceof OverQuota) return true
    throw error
  }
}

/** Changes what push options ask for. Gives the line that says why it cannot be. */
async function applySettings(extras: PushExtras, settings: PushSettings): Promise<string[]> {
  if (Object.keys(settings).length === 0) return []
  try {
    await extras.changeSettings?.(settings)
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // The references have moved, which a setting that may not be changed does not take back.
    return [`${product}: ${error.message}`]
  }
}

import { resolve as resolvePath } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { Refusal } from '../../lib/errors.ts'
import { withFullDisk } from '../../lib/full-disk.ts'
import type { HookAnswer, HookQuestion } from '../broker/protocol.ts'
import { commandsOf, peek, protocolVersion, pushAdvertisement } from './advertisement.ts'
import { awaitPush, startOnRequest } from './conversation.ts'
import { formatOf, type GitContext, locate } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import type { GitService, PushedUpdate, ReceivePackRequest, TopicOutcome, UploadPackRequest } from '../git-service.ts'
import { checkHooks } from '../git-settings.ts'
import { hidePaths } from './hide-paths.ts'
import { manyReferences } from '../files/flush.ts'
import { withSlot } from '../objects/with-slot.ts'
import { refuseLargeTexts } from './quarantined-texts.ts'
import { answeredService, mustExist, protocolEnvironment, serviceFlags, waitLimitsOf } from './service.ts'

/**
 * Serves a push. `checkPush` is called while the objects are in quarantine. After it accepts, a client that disconnects
 * no longer ends git. Then git hands all references to the proc-receive hook: `moveRefs` moves them, git none.
 */
export async function receivePack(context: GitContext, key: GitKey, request: ReceivePackRequest): Promise<GitService> {
  await mustExist(context, key)
  if (request.advertise === true && protocolVersion(request.protocol) !== 1) {
    return answeredService(await pushAdvertisement(context, key))
  }
  if (!request.stateless && request.body !== undefined && protocolVersion(request.protocol) !== 1) {
    return pushOver(context, key, request, request.body)
  }
  if (request.advertise === true || !request.stateless) return runReceivePack(context, key, request, small)
  const looked = await readPushStart(request)
  return runReceivePack(context, key, { ...request, body: looked.body }, looked)
}

/** Serves a whole push over one connection. */
async function pushOver(
  context: GitContext,
  key: GitKey,
  request: ReceivePackRequest,
  body: Readable,
): Promise<GitService> {
  const [greeting, hash] = await Promise.all([pushAdvertisement(context, key), formatOf(context, key)])
  const patience = waitLimitsOf(context, request)
  return startOnRequest(greeting, async (gone) => {
    const signal = AbortSignal.any([gone, patience.signal])
    const looked = await awaitPush(body, maxLoosePushBytes, hash, { ...patience, signal })
    // The beginning has arrived, so git reads it as a stateless request.
    return looked && runReceivePack(context, key, { ...request, stateless: true }, kindOfPush(looked))
  })
}

async function runReceivePack(
  context: GitContext,
  key: GitKey,
  request: ReceivePackRequest,
  { isSmall, isDivisible }: KindOfPush,
): Promise<GitService> {
  const cwd = await mustExist(context, key)
  const limit = Math.max(1, Math.floor(request.maxPackBytes ?? context.limits.maxPackBytes))
  const push = new Push(context, key, request, { isDivisible })
  const body = request.advertise === true ? undefined : request.body
  const args = isSmall && !context.home.isElsewhere ? [] : ['-c', 'transfer.unpackLimit=1']
  // git would skip hooks that it cannot execute.
  if (request.advertise !== true) await checkHooks(context.settings.hooksFolder)
  const service = await withSlot(request.share, request.signal, () =>
    context.broker.stream({
      args: ['-c', `receive.maxInputSize=${limit}`, ...args, 'receive-pack', ...serviceFlags(request), cwd],
      name: 'receive-pack',
      cwd,
      kind: 'push',
      environment: protocolEnvironment(request.protocol),
      input: body,
      idleMs: context.limits.transportIdleMs,
      signal: request.signal,
      ...(request.advertise === true
        ? {}
        : {
            onQuestion: (question: HookQuestion) => push.answer(question),
            mayCancel: () => !push.accepted,
            // git exits with 0 when it could not unpack the objects, and leaves them.
            isClean: () => push.accepted,
          }),
    }),
  )
  const finished = push.whenOver(service.finished)
  finished.catch(() => undefined)
  return { output: pipeline(service.output, hidePaths(context.root), () => undefined), finished }
}

/** Largest push that git unpacks into loose objects; a larger one stays a pack. */
const maxLoosePushBytes = 1 << 20

/** Properties of a push, read from its beginning. */
interface KindOfPush {
  /** Whether git unpacks its objects. */
  readonly isSmall: boolean
  /** Whether one reference can be refused and others moved. */
  readonly isDivisible: boolean
}

const small: KindOfPush = { isSmall: true, isDivisible: false }

function kindOfPush({ isWhole, start }: { readonly isWhole: boolean; readonly start: Buffer }): KindOfPush {
  const { count, isAtomic } = commandsOf(start)
  return { isSmall: isWhole && count <= manyReferences, isDivisible: count > 1 && !isAtomic }
}

/** Reads the beginning of a push; `body` continues it. */
async function readPushStart({ body }: UploadPackRequest): Promise<KindOfPush & { readonly body: Readable }> {
  const looked = await peek(body ?? Readable.from([]), maxLoosePushBytes)
  return { body: looked.body, ...kindOfPush({ isWhole: looked.whole, start: looked.start }) }
}

/** References of topics, which are no part of the repository. */
const topicPrefix = 'refs/for/'

/** State of a push between its hooks. */
class Push {
  accepted = false
  readonly #context: GitContext
  readonly #key: GitKey
  readonly #request: ReceivePackRequest
  readonly #kind: Pick<KindOfPush, 'isDivisible'>
  /** The updates that were judged, as lines; git hands no others to the next hook. */
  #judged: ReadonlySet<string> = new Set()
  /** References that are refused, with reasons. */
  #refused: ReadonlyMap<string, string> = new Map()
  #answering: Promise<unknown> = Promise.resolve()
  #topicLines: readonly string[] = []
  /** References that `moveRefs` moved. */
  #moved: readonly PushedUpdate[] = []

  constructor(context: GitContext, key: GitKey, request: ReceivePackRequest, kind: Pick<KindOfPush, 'isDivisible'>) {
    this.#context = context
    this.#key = key
    this.#request = request
    this.#kind = kind
  }

  get #custom(): boolean {
    return this.#request.callbacks.customHooks === true
  }

  answer(question: HookQuestion): Promise<HookAnswer> {
    const answer = this.#judge(question)
    this.#answering = answer
    return answer
  }

  async #judge(question: HookQuestion): Promise<HookAnswer> {
    try {
      if (question.hook === 'pre-receive') return await this.#check(question)
      if (question.hook === 'proc-receive') return await this.#judgeEach(question)
      return await this.#report()
    } catch (thrown) {
      const error = withFullDisk(thrown)
      if (error instanceof Refusal) return { accepted: false, lines: [error.message] }
      this.#context.log('error', 'checking or making a push failed', {
        hook: question.hook,
        error: String(error),
      })
      return { accepted: false, lines: ['internal error'] }
    }
  }

  async #check(question: HookQuestion): Promise<HookAnswer> {
    if (question.updates.length > this.#context.limits.maxRefUpdates) {
      return {
        accepted: false,
        lines: [`one push may change ${this.#context.limits.maxRefUpdates} references; push fewer at once`],
      }
    }
    const { directory } = locate(this.#context, this.#key)
    // git names the folder relative to the repository.
    const path = resolvePath(directory, question.quarantine)
    try {
      // A push that only deletes has no quarantine.
      if (question.quarantine !== '') {
        await refuseLargeTexts(this.#context, { key: this.#key, path })
      }
      const verdict = await this.#request.callbacks.checkPush({
        updates: question.updates as readonly PushedUpdate[],
        pushOptions: question.options,
        quarantine: { key: this.#key, path },
        isDivisible: this.#kind.isDivisible,
      })
      if (verdict.ok) {
        this.#refused = new Map(verdict.refused?.map(({ ref, reason }) => [ref, reason]))
        this.#judged = new Set(question.updates.map(lineOf))
        this.accepted = true
      }
      return { accepted: verdict.ok, lines: verdict.lines ?? [], custom: this.#custom }
    } finally {
      await this.#context.broker.release(directory, path)
    }
  }

  /** Moves the references that were not refused, and handles the topics. */
  async #judgeEach(question: HookQuestion): Promise<HookAnswer> {
    const updates = question.updates as readonly PushedUpdate[]
    const isJudged = this.accepted && updates.every((update) => this.#judged.has(lineOf(update)))
    if (!isJudged) throw new Error('git asks about references that were not judged')
    const topics = updates.filter(({ ref }) => ref.startsWith(topicPrefix))
    const topicsAnswer = topics.length === 0 ? undefined : await this.#handleTopics({ ...question, updates: topics })
    const others = updates.filter(({ ref }) => !ref.startsWith(topicPrefix))
    const refused = new Map(this.#refused)
    const left = others.filter(({ ref }) => !refused.has(ref))
    if (left.length > 0) for (const [ref, reason] of await this.#move(left)) refused.set(ref, reason)
    const outcomes = others.map(({ ref }) => (refused.has(ref) ? `ng ${ref} ${refused.get(ref)}` : `ok ${ref}`))
    return { accepted: true, lines: [], outcomes: [...(topicsAnswer?.outcomes ?? []), ...outcomes] }
  }

  /** @returns the references that did not move, with reasons */
  async #move(updates: readonly PushedUpdate[]): Promise<ReadonlyMap<string, string>> {
    try {
      const refused = await this.#request.callbacks.moveRefs({ updates, isDivisible: this.#kind.isDivisible })
      const reasons = new Map(refused.map(({ ref, reason }) => [ref, reason]))
      this.#moved = updates.filter(({ ref }) => !reasons.has(ref))
      return reasons
    } catch (error) {
      const reason = this.#reasonOf(error)
      return new Map(updates.map(({ ref }) => [ref, reason]))
    }
  }

  /** The error as the client reads it. */
  #reasonOf(thrown: unknown): string {
    const error = withFullDisk(thrown)
    if (error instanceof Refusal) return error.message
    this.#context.log('error', 'moving references of a push failed', { error: String(error) })
    return 'internal error'
  }

  async #handleTopics(question: HookQuestion): Promise<HookAnswer> {
    const { handleTopics } = this.#request.callbacks
    const updates = question.updates as readonly PushedUpdate[]
    if (handleTopics === undefined) {
      return {
        accepted: true,
        lines: [],
        outcomes: updates.map(({ ref }) => `ng ${ref} this repository takes no topic references`),
      }
    }
    try {
      const { outcomes, lines = [] } = await handleTopics({ updates, pushOptions: question.options })
      this.#topicLines = lines
      return { accepted: true, lines: [], outcomes: outcomes.flatMap(outcomeLines) }
    } catch (thrown) {
      const reason = this.#reasonOf(thrown)
      return { accepted: true, lines: [], outcomes: updates.map(({ ref }) => `ng ${ref} ${reason}`) }
    }
  }

  /** The lines for the client after the references moved. */
  async #report(): Promise<HookAnswer> {
    const hints = this.#moved.length > 0 ? await this.#request.callbacks.hints?.(this.#moved) : undefined
    return { accepted: true, lines: [...this.#topicLines, ...(hints ?? [])], custom: this.#custom }
  }

  /** Waits for git and for the answer to its last question: a callback of a killed git finishes before the push ends. */
  async whenOver<End>(finished: Promise<End>): Promise<End> {
    await Promise.allSettled([finished])
    await this.#answering
    return finished
  }
}

const lineOf = (update: HookQuestion['updates'][number]): string => `${update.old} ${update.new} ${update.ref}`

/** Formats an outcome for the proc-receive protocol (githooks(5)). */
function outcomeLines(outcome: TopicOutcome): string[] {
  if (!outcome.ok) return [`ng ${outcome.ref} ${outcome.message}`]
  const { reported } = outcome
  if (reported === undefined) return [`ok ${outcome.ref}`]
  return [
    `ok ${outcome.ref}`,
    `option refname ${reported.ref}`,
    ...(reported.old === undefined ? [] : [`option old-oid ${reported.old}`]),
    ...(reported.new === undefined ? [] : [`option new-oid ${reported.new}`]),
    ...(reported.forced === true ? ['option forced-update'] : []),
  ]
}

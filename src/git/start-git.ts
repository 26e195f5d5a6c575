import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../lib/make-folder.ts'
import { builtFile } from '../lib/assets.ts'
import { BrokerClient } from './broker/broker-client.ts'
import { CacheBudget } from '../lib/cache-budget.ts'
import { formatOf, type GitContext, locate, newCaches } from './context.ts'
import type { GitKey } from './git-key.ts'
import { copyCustomHooks, readCustomHook, writeCustomHook } from './transport/custom-hooks.ts'
import * as diff from './history/diff.ts'
import { archive } from './transport/archive.ts'
import * as dumb from './transport/dumb.ts'
import type { Git, ReadFrom, RepositoryPair, TreeChange } from './git.ts'
import type { GitLimits, GitOptions } from './git-options.ts'
import type { Oid } from '../lib/ids.ts'
import { findPaths, planEdits } from './objects/file-edits.ts'
import { writeGitSettings } from './git-settings.ts'
import * as history from './history/history.ts'
import * as lastCommits from './history/last-commits.ts'
import { findAbandoned, removeAbandoned, sweepTemporaries } from './files/leftovers.ts'
import { Sweeps } from './files/sweeps.ts'
import { measureTree } from './objects/measure-tree.ts'
import * as merge from './history/merge.ts'
import { divergence } from './history/divergence.ts'
import * as rangeDiffs from './history/range-diff.ts'
import * as search from './history/search.ts'
import * as objects from './objects/object-reader.ts'
import * as writer from './objects/object-writer.ts'
import * as references from './refs/ref-reader.ts'
import { flushObjects } from './files/flush.ts'
import { CopyBitmaps } from './repositories/copy-bitmaps.ts'
import { isOfMissingObject } from './copy-parts.ts'
import { explainRemoved, isForsaken, removeForsaken, using } from './repositories/copy-uses.ts'
import { openPacks, restore } from './repositories/backed-up.ts'
import { Evictions } from './repositories/evictions.ts'
import { dividePacks, takePacks } from './repositories/divide-packs.ts'
import { dropPacks, joinPacks } from './packs/join-packs.ts'
import { blobHome, packsOn } from './packs/blob-home.ts'
import { localHome } from './packs/local-home.ts'
import { advance, bringUp, doubt, ready } from './refs/ref-copy.ts'
import { checkUpdates, updateRefs } from './refs/ref-writer.ts'
import * as remote from './repositories/remote.ts'
import { maintain } from './repositories/maintenance.ts'
import * as repository from './repositories/repository.ts'
import * as unadopted from './repositories/unadopted.ts'
import { SharedFetches } from './transport/shared-fetch.ts'
import * as smallBlobs from './objects/small-blobs.ts'
import { treeChanges } from './objects/tree-changes.ts'
import { receivePack } from './transport/receive.ts'
import { uploadArchive, uploadPack } from './transport/upload.ts'
import { listTreeRecursive } from './objects/tree-listing.ts'
import { checkGitVersion } from './git-version.ts'

/** Limits for a small machine. */
export const defaultGitLimits: GitLimits = {
  readProcesses: 8,
  writeProcesses: 4,
  fetchProcesses: 16,
  pushProcesses: 16,
  archiveProcesses: 4,
  downloadProcesses: 32,
  waiting: 256,
  waitMs: 30_000,
  pooledProcesses: 32,
  pooledIdleMs: 60_000,
  brokerIdleMs: 5 * 60_000,
  readTimeoutMs: 15_000,
  commandTimeoutMs: 60_000,
  transportTimeoutMs: 60 * 60_000,
  transportIdleMs: 5 * 60_000,
  hookTimeoutMs: 120_000,
  maxPackBytes: 4 * 1024 ** 3,
  maxRefUpdates: 10_000,
  keptFetchBytes: 512 << 20,
  keptFetchIdleMs: 60_000,
}

/** Cache memory of a git layer without a shared budget. */
const defaultCacheBytes = 32 << 20

/**
 * Starts the git layer and writes its configuration below the repositories. Rejects when git is missing or older than
 * 2.39. The broker starts with the first request.
 */
export async function startGit(options: GitOptions): Promise<Git> {
  makeFolder(options.repositoriesRoot)
  // git compares real paths.
  const root = await realpath(options.repositoriesRoot)
  const limits = { ...defaultGitLimits, ...options.limits }
  const durable = options.durable !== false
  const log = options.log ?? (() => undefined)
  const settings = await writeGitSettings(root, durable)
  const gitBinary = options.gitBinary ?? 'git'
  await checkGitVersion(gitBinary, settings.environment)
  const sweeps = new Sweeps((key) => sweepTemporaries(context, key))
  const broker = new BrokerClient({
    brokerFile: options.brokerFile ?? builtFile('git-broker.js'),
    gitBinary,
    environment: settings.environment,
    limits,
    log,
    onCommand: options.onCommand ?? (() => undefined),
    onBegin: options.onBegin,
    onUncleanEnd: (cwd) => sweeps.after(cwd),
    spares: options.spares,
  })
  const context: GitContext = {
    root,
    broker,
    settings,
    limits,
    durable,
    shared: options.shared === true,
    // Copies of packs are in a folder of this machine.
    isFolderShared: options.shared === true && options.packs === undefined,
    lockAgeMs: options.lockAgeMs ?? 60_000,
    log,
    caches: newCaches(options.caches ?? new CacheBudget(defaultCacheBytes)),
    fetches: new SharedFetches(join(root, '.spool'), {
      maxBytes: limits.keptFetchBytes,
      idleMs: limits.keptFetchIdleMs,
      longestMs: 10 * limits.keptFetchIdleMs,
    }),
    source: options.source,
    copies: { working: new Map(), steps: new Map(), found: new WeakMap(), made: new Map(), failures: 0 },
    home: options.packs ? blobHome(options.packs, repository.createAgain) : localHome,
    uses: { counts: new Map(), lastMs: new Map() },
    copyBudget: options.copyBudget ?? { bytes: Infinity, idleMs: 0 },
    onGrowth: () => evictions.afterGrowth(),
    onCopied: (key) => bitmaps.afterChange(key),
    onFetch: ({ ms }) => options.onCommand?.({ name: 'fetch-packs', ms, exitCode: 0 }),
  }
  const evictions = new Evictions(context)
  const bitmaps = new CopyBitmaps(context)
  return bind(context, sweeps, { evictions, bitmaps })
}

/** The repositories that a place consists of. */
const keysOf = (at: ReadFrom): readonly GitKey[] =>
  typeof at === 'string' ? [at] : 'with' in at ? [at.key, at.with] : [at.key]

const isUndefined = (result: unknown): boolean => result === undefined
const isFilled = (result: readonly unknown[]): boolean => result.length > 0

interface CopyCare {
  readonly evictions: Evictions
  readonly bitmaps: CopyBitmaps
}

function bind(context: GitContext, sweeps: Sweeps, { evictions, bitmaps }: CopyCare): Git {
  const withContext =
    <Rest extends readonly unknown[], Result>(
      call: (context: GitContext, ...rest: Rest) => Result,
    ): ((...rest: Rest) => Result) =>
    (...rest) =>
      call(context, ...rest)
  const bringAll = async (keys: readonly GitKey[]): Promise<void> => {
    for (const key of keys) {
      const waiting = ready(context, key)
      if (waiting) await waiting
    }
  }
  const { isElsewhere } = context.home
  /**
   * Runs a call on copies that are brought up. Where several processes have copies of their own, a row that the request has read
   * after it compared one may name an object of another process: a call that lacks an object compares again, and runs again.
   */
  const onReady = async <Result>(
    keys: readonly GitKey[],
    call: () => Promise<Result>,
    isLacking: (result: Result) => boolean,
  ): Promise<Result> => {
    await bringAll(keys)
    if (!context.shared || !isElsewhere) return call()
    try {
      const result = await call()
      if (!isLacking(result)) return result
    } catch (error) {
      if (!isOfMissingObject(error)) throw error
    }
    for (const key of keys) doubt(context, key)
    await bringAll(keys)
    return call()
  }
  /** Runs a call on copies that may be evicted when it has ended. */
  const whileUsed = <Result>(keys: readonly GitKey[], call: () => Promise<Result>): Promise<Result> =>
    isElsewhere ? using(context, keys, call).catch((error: unknown) => explainRemoved(context, keys, error)) : call()
  /** For calls that read references: brings the copy up first. */
  const upToDate =
    <At extends ReadFrom, Rest extends readonly unknown[], Result>(
      call: (context: GitContext, at: At, ...rest: Rest) => Promise<Result>,
      isLacking: (result: Result) => boolean = () => false,
    ): ((at: At, ...rest: Rest) => Promise<Result>) =>
    (at, ...rest) => {
      const keys = keysOf(at)
      return whileUsed(keys, () => onReady(keys, () => call(context, at, ...rest), isLacking))
    }
  /** For calls that read objects only, which may be elsewhere. */
  const withObjects: typeof upToDate = (call, isLacking) =>
    isElsewhere ? upToDate(call, isLacking) : (at, ...rest) => call(context, at, ...rest)
  const close = async (): Promise<void> => {
    await evictions.close()
    await bitmaps.close()
    await Promise.allSettled(context.copies.working.values())
    context.fetches.close()
    await context.broker.close()
    await sweeps.close()
  }
  return {
    create: async (key, options) => {
      const made = await repository.create(context, key, options)
      // A new repository has the first generation.
      context.caches.upToDate.set(key, true)
      return made
    },
    remove: withContext(repository.remove),
    exists: async (key) =>
      repository.exists(context, key) || (isElsewhere && (await context.source?.generation(key)) !== undefined),
    sizeBytes: withObjects(repository.sizeBytes),
    looseBytes: withObjects(writer.looseBytes),
    bytesSince: withObjects(history.bytesSince),
    listKeys: withContext(repository.listKeys),
    ageMs: withContext(repository.ageMs),
    objectFormat: withObjects(formatOf),
    listUnadopted: withContext(unadopted.listUnadopted),
    adopt: withContext(unadopted.adopt),
    unadopt: withContext(unadopted.unadopt),
    removeUnadopted: withContext(unadopted.removeUnadopted),
    fork: upToDate(repository.fork),
    fetchObjects: (from, to, wants) =>
      withObjects((at: GitContext, pair: RepositoryPair) => repository.fetchObjects(at, pair.with, pair.key, wants))({
        key: to,
        with: from,
      }),
    fetchRemote: upToDate(remote.fetchRemote),
    pushRemote: upToDate(remote.pushRemote),
    fsck: upToDate(repository.fsck),
    removeLeftovers: withContext(repository.removeLeftovers),
    findDead: withContext(findAbandoned),
    removeDead: withContext(removeAbandoned),
    // A copy that is away has nothing to maintain.
    maintain: async (key, tasks, options) =>
      isElsewhere && !repository.exists(context, key) ? { done: [] } : upToDate(maintain)(key, tasks, options),

    openPacks: withContext(openPacks),
    restore: withContext(restore),

    resolve: upToDate(references.resolve, isUndefined),
    resolveRef: upToDate(references.resolveRef),
    readRef: upToDate(references.readRef),
    readRefs: upToDate(references.readRefs),
    listRefs: upToDate(references.listRefs),
    isEmpty: upToDate(references.isEmpty),
    readHead: upToDate(references.readHead),
    readCustomHook: withContext(readCustomHook),
    writeCustomHook: withContext(writeCustomHook),
    copyCustomHooks: withContext(copyCustomHooks),
    setHead: withContext(references.setHead),
    updateRefs: async (key, updates) => {
      await flushObjects(context, locate(context, key).directory)
      return updateRefs(context, key, updates)
    },
    checkUpdates: withObjects(checkUpdates, isFilled),
    keepObjects: (key) => whileUsed([key], () => context.home.keep(context, key)),
    packNames: (key) => packsOn(locate(context, key).directory),
    joinPacks: upToDate(joinPacks),
    dividePacks: (key, to, isExpired) =>
      whileUsed([key, to], async () => {
        await bringAll([key])
        return dividePacks(context, key, to, isExpired)
      }),
    takePacks: withContext(takePacks),
    isForsaken: withContext(isForsaken),
    removeForsaken: withContext(removeForsaken),
    dropPacks: withContext(dropPacks),
    ready: (key) => whileUsed([key], async () => ready(context, key)),
    advance: withContext(advance),
    bringUp: withContext(bringUp),
    doubt: withContext(doubt),
    readCopy: withObjects(async (at: GitContext, key: GitKey) => ({
      refs: await references.readRefs(at, key),
      head: (await references.readHead(at, key)).branch,
    })),

    objectInfo: withObjects(objects.objectInfo, isUndefined),
    readContents: withObjects(objects.readContents),
    missingObjects: withObjects(objects.missingObjects, isFilled),
    readCommit: withObjects(objects.readCommit),
    readCommits: withObjects(objects.readCommits),
    readTree: withObjects(objects.readTree),
    readTag: withObjects(objects.readTag),
    readTags: withObjects(objects.readTags),
    readBlob: withObjects(objects.readBlob),
    blobSizes: withObjects(objects.blobSizes),
    async *listSmallBlobs(key, query) {
      await ready(context, key)
      yield* smallBlobs.listSmallBlobs(context, key, query)
    },
    readSmallBlobs: withObjects(smallBlobs.readSmallBlobs),
    streamBlob: withObjects(objects.streamBlob),
    findPath: withObjects(objects.findPath),
    findPaths: withObjects(findPaths),
    listTreeRecursive: withObjects(listTreeRecursive),
    treeChanges: withObjects(treeChanges),
    measureTree: withObjects(measureTree),

    log: withObjects(history.log),
    logOids: withObjects(history.logOids),
    countCommits: withObjects(history.countCommits),
    isAncestor: withObjects(history.isAncestor),
    mergeBase: withObjects(history.mergeBase),
    isOnBranchOrTag: upToDate(history.isOnBranchOrTag),
    lastCommitsOfPaths: withObjects(lastCommits.lastCommitsOfPaths),
    eachChangedPath: withObjects(history.eachChangedPath),
    lastCommitOfPath: withObjects(lastCommits.lastCommitOfPath),
    blame: withObjects(history.blame),
    searchText: withObjects(search.searchText),

    divergence: withObjects(divergence),
    rangeDiff: withObjects(rangeDiffs.rangeDiff),
    diffFiles: withObjects(diff.diffFiles),
    commitChanges: withObjects(diff.commitChanges),
    diffText: withObjects(diff.diffText),
    patchSeries: withObjects(diff.patchSeries),
    patchId: withObjects(diff.patchId),

    writeBlob: withObjects(writer.writeBlob),
    planEdits: withObjects(planEdits),
    writeTree: withObjects(
      async (at: GitContext, key: GitKey, base: Oid | undefined, changes: readonly TreeChange[]) =>
        (await writer.writeTree(at, key, base, changes)).tree,
    ),
    writeCommit: withObjects(writer.writeCommit),
    writeTag: withObjects(writer.writeTag),
    applyPatch: withObjects(merge.applyPatch),
    mergeTree: withObjects(merge.mergeTree),
    replayChange: withObjects(merge.replayChange),
    rebaseCommits: withObjects(merge.rebaseCommits),

    uploadPack: withObjects(uploadPack),
    uploadArchive: withObjects(uploadArchive),
    receivePack: withObjects(receivePack),
    storedFile: withObjects(dumb.storedFile),
    listPacks: withObjects(dumb.listPacks),
    archive: withObjects(archive),

    close,
    [Symbol.asyncDispose]: close,
  }
}

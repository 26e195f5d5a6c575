import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../lib/make-folder.ts'
import { builtFile } from '../lib/assets.ts'
import { BrokerClient } from './broker/broker-client.ts'
import { CacheBudget } from '../lib/cache-budget.ts'
import { formatOf, type GitContext, locate, newCaches } from './context.ts'
import { copyCustomHooks, readCustomHook, writeCustomHook } from './transport/custom-hooks.ts'
import * as diff from './history/diff.ts'
import { archive } from './transport/archive.ts'
import * as dumb from './transport/dumb.ts'
import type { Git, ReadFrom } from './git.ts'
import type { GitLimits, GitOptions } from './git-options.ts'
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
import { advance, bringUp, ready } from './refs/ref-copy.ts'
import { checkUpdates, updateRefs } from './refs/ref-writer.ts'
import * as remote from './repositories/remote.ts'
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
    lockAgeMs: options.lockAgeMs ?? 60_000,
    log,
    caches: newCaches(options.caches ?? new CacheBudget(defaultCacheBytes)),
    fetches: new SharedFetches(join(root, '.spool'), {
      maxBytes: limits.keptFetchBytes,
      idleMs: limits.keptFetchIdleMs,
      longestMs: 10 * limits.keptFetchIdleMs,
    }),
    source: options.source,
    copies: { working: new Map(), steps: new Map(), found: new WeakMap(), failures: 0 },
  }
  return bind(context, sweeps)
}

function bind(context: GitContext, sweeps: Sweeps): Git {
  const withContext =
    <Rest extends readonly unknown[], Result>(
      call: (context: GitContext, ...rest: Rest) => Result,
    ): ((...rest: Rest) => Result) =>
    (...rest) =>
      call(context, ...rest)
  /** For calls that read references: brings the copy up first. */
  const upToDate =
    <At extends ReadFrom, Rest extends readonly unknown[], Result>(
      call: (context: GitContext, at: At, ...rest: Rest) => Promise<Result>,
    ): ((at: At, ...rest: Rest) => Promise<Result>) =>
    async (at, ...rest) => {
      const waiting = ready(context, typeof at === 'string' ? at : at.key)
      if (waiting) await waiting
      return call(context, at, ...rest)
    }
  const close = async (): Promise<void> => {
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
    exists: async (key) => repository.exists(context, key),
    sizeBytes: withContext(repository.sizeBytes),
    looseBytes: withContext(writer.looseBytes),
    listKeys: withContext(repository.listKeys),
    objectFormat: withContext(formatOf),
    listUnadopted: withContext(unadopted.listUnadopted),
    adopt: withContext(unadopted.adopt),
    unadopt: withContext(unadopted.unadopt),
    removeUnadopted: withContext(unadopted.removeUnadopted),
    fork: upToDate(repository.fork),
    fetchObjects: withContext(repository.fetchObjects),
    fetchRemote: upToDate(remote.fetchRemote),
    pushRemote: upToDate(remote.pushRemote),
    fsck: upToDate(repository.fsck),
    removeLeftovers: withContext(repository.removeLeftovers),
    findDead: withContext(findAbandoned),
    removeDead: withContext(removeAbandoned),
    maintain: upToDate(repository.maintain),

    resolve: upToDate(references.resolve),
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
    checkUpdates: withContext(checkUpdates),
    flushObjects: (key) => flushObjects(context, locate(context, key).directory),
    ready: async (key) => ready(context, key),
    advance: withContext(advance),
    bringUp: withContext(bringUp),
    readCopy: async (key) => ({
      refs: await references.readRefs(context, key),
      head: (await references.readHead(context, key)).branch,
    }),

    objectInfo: withContext(objects.objectInfo),
    readContents: withContext(objects.readContents),
    missingObjects: withContext(objects.missingObjects),
    readCommit: withContext(objects.readCommit),
    readCommits: withContext(objects.readCommits),
    readTree: withContext(objects.readTree),
    readTag: withContext(objects.readTag),
    readTags: withContext(objects.readTags),
    readBlob: withContext(objects.readBlob),
    blobSizes: withContext(objects.blobSizes),
    async *listSmallBlobs(key, query) {
      await ready(context, key)
      yield* smallBlobs.listSmallBlobs(context, key, query)
    },
    readSmallBlobs: withContext(smallBlobs.readSmallBlobs),
    streamBlob: withContext(objects.streamBlob),
    findPath: withContext(objects.findPath),
    findPaths: withContext(findPaths),
    listTreeRecursive: withContext(listTreeRecursive),
    treeChanges: withContext(treeChanges),
    measureTree: withContext(measureTree),

    log: withContext(history.log),
    logOids: withContext(history.logOids),
    countCommits: withContext(history.countCommits),
    isAncestor: withContext(history.isAncestor),
    mergeBase: withContext(history.mergeBase),
    isOnBranchOrTag: upToDate(history.isOnBranchOrTag),
    lastCommitsOfPaths: withContext(lastCommits.lastCommitsOfPaths),
    eachChangedPath: withContext(history.eachChangedPath),
    lastCommitOfPath: withContext(lastCommits.lastCommitOfPath),
    blame: withContext(history.blame),
    searchText: withContext(search.searchText),

    divergence: withContext(divergence),
    rangeDiff: withContext(rangeDiffs.rangeDiff),
    diffFiles: withContext(diff.diffFiles),
    commitChanges: withContext(diff.commitChanges),
    diffText: withContext(diff.diffText),
    patchSeries: withContext(diff.patchSeries),
    patchId: withContext(diff.patchId),

    writeBlob: withContext(writer.writeBlob),
    planEdits: withContext(planEdits),
    writeTree: async (key, base, changes) => (await writer.writeTree(context, key, base, changes)).tree,
    writeCommit: withContext(writer.writeCommit),
    writeTag: withContext(writer.writeTag),
    applyPatch: withContext(merge.applyPatch),
    mergeTree: withContext(merge.mergeTree),
    replayChange: withContext(merge.replayChange),
    rebaseCommits: withContext(merge.rebaseCommits),

    uploadPack: withContext(uploadPack),
    uploadArchive: withContext(uploadArchive),
    receivePack: withContext(receivePack),
    storedFile: withContext(dumb.storedFile),
    listPacks: withContext(dumb.listPacks),
    archive: withContext(archive),

    close,
    [Symbol.asyncDispose]: close,
  }
}

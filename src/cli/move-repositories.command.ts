import { Argument, Command } from 'commander'
import type { Services } from '../access/context.ts'
import { finishMove, noteMove } from '../admin/identity/identity.service.ts'
import { gitOptions } from '../app-options.ts'
import type { Config } from '../config/load-config.ts'
import { lockFolder } from '../db/folder-lock.ts'
import { hasLiveProcess } from '../db/process.store.ts'
import { startGit } from '../git/start-git.ts'
import {
  bringRepositories,
  checkRepositories,
  storeRepositories,
  verifyPacks,
} from '../refs/changes/move-repositories.service.ts'
import { refSource } from '../refs/changes/ref-source.ts'
import { openBlobs } from '../storage/open-blobs.ts'
import { CommandFailure, exitCodes } from './exit.ts'
import { readInstance, withInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import { createLog } from './log.ts'
import type { Terminal } from './terminal.ts'

type Place = Config['repository']['storage']

interface MoveOptions extends InstanceOptions {
  readonly finish?: boolean
  readonly verify?: boolean
}

/** Moves the objects of the repositories between the disk and a store of packs. Each run continues where the last one ended. */
export const moveRepositoriesCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('move-repositories'))
    .description(
      'move the objects of all repositories between the disk and [storage.repositories]; repeat it until little is left',
    )
    .addArgument(new Argument('<storage>', 'the new [repository].STORAGE').choices(['blobs', 'local']))
    .option('--finish', 'move the rest, while no server runs; then change [repository].STORAGE and start')
    .option('--verify', 'afterwards, read everything in its new place')
    .action((to: Place, options: MoveOptions) => move(terminal, to, options))

async function move(terminal: Terminal, to: Place, options: MoveOptions): Promise<void> {
  const { config } = readInstance(options)
  if (config.repository.storage === to) {
    throw new CommandFailure(`[repository].STORAGE is ${to} already; change it when the move is finished`)
  }
  const isLocked = options.finish === true && config.database.kind === 'sqlite3'
  const lock = isLocked ? lockFolder(config.paths.data) : undefined
  try {
    await withInstance(options, (services) => moveAll(terminal, to, options, services))
  } finally {
    lock?.release()
  }
}

async function moveAll(terminal: Terminal, to: Place, options: MoveOptions, services: Services): Promise<void> {
  const { config, db } = services
  // The lock of the data folder says so for SQLite.
  const isShared = config.database.kind === 'postgres'
  if (options.finish && isShared && (await hasLiveProcess(db, config.ingot.jobLease))) {
    throw new CommandFailure('a server runs on this database; stop it before --finish')
  }
  const own = services.packs ? undefined : await openBlobs(packStorageOf(options))
  const packs = services.packs ?? own!
  const log = createLog('warn')
  // What is brought to the disk stays there.
  const copyBudget = { bytes: Infinity, idleMs: 0 }
  const git = await startGit({ ...gitOptions(config, log), copyBudget, source: refSource(db), packs })
  const moving = { db, git, packs, onProgress: progressOn(terminal) }
  try {
    if (to === 'blobs') await noteMove(db)
    const moved =
      to === 'blobs' ? await storeRepositories(moving, options.finish === true) : await bringRepositories(moving)
    terminal.out(
      to === 'blobs'
        ? `${moved.repositories} repositories; stored ${moved.packs} packs, ${moved.sizeBytes} bytes\n`
        : `${moved.repositories} repositories are on the disk\n`,
    )
    if (options.verify) {
      const { problems } = await (to === 'blobs' ? verifyPacks(moving) : checkRepositories(moving))
      terminal.out(problems.length === 0 ? 'verified\n' : problems.map((problem) => `${problem}\n`).join(''))
      if (problems.length > 0) return terminal.fail(exitCodes.failure)
    }
    if (!options.finish) return
    await finishMove(services, to)
    terminal.out(`finished; set [repository].STORAGE = ${to}, and start the server\n`)
  } finally {
    await git.close()
    own?.close()
  }
}

/** Where packs would be with `STORAGE = blobs`. */
function packStorageOf(options: InstanceOptions) {
  const { config } = readInstance(options, { repositoryStorage: 'blobs' })
  return config.packStorage!
}

const progressOn =
  (terminal: Terminal) =>
  ({ repositories }: { readonly repositories: number }): void =>
    terminal.err(`${repositories} repositories\n`)

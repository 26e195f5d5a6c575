import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { BackupFolder } from '../admin/backup/backup-folder.ts'
import {
  checkKey,
  checkKnown,
  findBegun,
  removeSqlite,
  restoreAlone,
  type Place,
  type WholeBackup,
} from '../admin/backup/restore.service.ts'
import { namedStorages } from '../admin/identity/marked-storages.ts'
import { databaseOptions, gitOptions } from '../app-options.ts'
import type { Config } from '../config/load-config.ts'
import { lockFolder } from '../db/folder-lock.ts'
import { hasTables } from '../db/migrate.ts'
import { closeDatabase, openDatabase, type DatabaseOptions } from '../db/open.ts'
import { reachDatabase } from '../db/reach.ts'
import { startGit } from '../git/start-git.ts'
import { loadInstanceKeys } from '../secrets/instance-key.ts'
import { createSecrets } from '../secrets/secrets.ts'
import { closeToOthers } from '../site/private-paths.service.ts'
import { openBlobs, openStores } from '../storage/open-blobs.ts'
import { explained, readInstance, withInstanceOptions, withWarnings, type InstanceOptions } from './instance.ts'
import { createLog } from './log.ts'
import { CommandFailure } from './exit.ts'
import { makeFolders } from './start.ts'
import { stoppable, type Terminal } from './terminal.ts'

interface RestoreOptions extends InstanceOptions {
  readonly withoutKey?: boolean
}

export const restoreCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('restore'))
    .description('restore a backup into the empty database and storages that the settings name')
    .argument('<folder>', 'the folder of a backup')
    .option('--without-key', 'without the instance key of the backup: stored secrets cannot be read')
    .action(async (path: string, options: RestoreOptions) => {
      const { config, warnings } = readInstance(options)
      await withWarnings(warnings, async () => {
        const backup = await BackupFolder.openToRead(path)
        checkKnown(backup)
        const keyIds = await knownKeyIds(config)
        if (options.withoutKey !== true) checkKey(backup, keyIds, config.paths.secretKeyFile)
        await explained(config, () => restore(terminal, config, backup, keyIds.includes(backup.manifest.key.id)))
        const { instance, madeAt } = backup.manifest
        terminal.out(`restored instance ${instance} as it was at ${madeAt}; start it with \`ingot serve\`\n`)
      })
    })

/** One connection keeps the lock of the restore, and a part of them is for prepared queries. */
const forRestore = (options: DatabaseOptions): DatabaseOptions =>
  options.kind === 'postgres' ? { ...options, maxConnections: Math.max(4, options.maxConnections) } : options

/** Returns the ids of the keys that the settings name, without making one. */
async function knownKeyIds({ security, ingot, paths }: Config): Promise<readonly string[]> {
  if (security.secretKey === '' && !existsSync(paths.secretKeyFile)) return []
  const { secretKey } = security
  const keys = await loadInstanceKeys({
    secretKey,
    oldSecretKeys: ingot.oldSecretKeys,
    keyFile: paths.secretKeyFile,
  })
  return createSecrets(keys).keyIds
}

async function restore(terminal: Terminal, config: Config, backup: WholeBackup, hasKey: boolean): Promise<void> {
  const { database, packStorage, paths } = config
  const isSqlite = database.kind === 'sqlite3'
  const storages = await namedStorages(config, openBlobs)
  const exists = isSqlite && existsSync(paths.database)
  /** Whether the database has no rows; a file that was there is not removed before it was looked into. */
  let isEmpty = !exists
  if (exists && (await findBegun(storages)) === undefined) {
    throw new CommandFailure(`the database ${paths.database} exists; a backup is restored into an empty place`)
  }
  makeFolders(config)
  await using opened = new AsyncDisposableStack()
  const lock = isSqlite ? lockFolder(paths.data) : undefined
  opened.defer(() => lock?.release())
  try {
    await using parts = new AsyncDisposableStack()
    await closeToOthers(config)
    const db = openDatabase(forRestore(databaseOptions(config)))
    parts.defer(() => closeDatabase(db))
    const log = createLog('warn')
    await reachDatabase(db, { retries: 1, backoffMs: 0, log })
    const blobs = await openStores(config.storage)
    const packs = packStorage && (await openBlobs(packStorage))
    parts.defer(() => [...Object.values(blobs), packs].forEach((store) => store?.close()))
    const git = parts.use(await startGit({ ...gitOptions(config, log), packs }))
    try {
      const place: Place = { config, db, git, blobs, packs, storages, hasKey }
      await restoreAlone(place, backup, stoppable(terminal))
    } catch (error) {
      isEmpty = !(await hasTables(db).catch(() => true))
      throw error
    }
  } catch (error) {
    if (isSqlite && isEmpty) removeSqlite(paths.database)
    throw error
  }
}

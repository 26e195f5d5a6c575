import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import { sourceOf } from '../source.service.ts'
import { listActiveSources } from '../source.store.ts'
import { DirectoryError } from './directory.ts'
import { syncDirectory } from './sync.service.ts'

/**
 * Synchronizes the accounts of directories that request it. A directory without an answer changes nothing and does not
 * stop the others.
 */
export const syncExternalUsers = (config: Config) =>
  configuredTask('sync_external_users', config.cronSyncExternalUsers, async (ctx, run) => {
    const updates = config.cronSyncExternalUsers.updateExisting
    for (const row of await listActiveSources(ctx.db, 'ldap')) {
      const source = sourceOf<'ldap'>(row)
      if (!source.settings.synchronise) continue
      try {
        const synced = await syncDirectory(ctx, source, { updates, run })
        ctx.log('info', 'synchronized the accounts of a directory', { source: source.name, ...synced })
      } catch (error) {
        if (!(error instanceof DirectoryError)) throw error
        ctx.log('warn', 'the accounts of a directory could not be synchronized', {
          source: source.name,
          reason: error.message,
        })
      }
    }
  })

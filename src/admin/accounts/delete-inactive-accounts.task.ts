import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import { Refusal } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { deleteUnusedAccount } from './account.service.ts'
import { listUnusedAccounts } from './account.store.ts'

const batchSize = 100

/**
 * Deletes accounts that were created long ago (`[cron.delete_inactive_accounts].OLDER_THAN`), are inactive, never
 * signed in, and have no tokens or keys. Accounts that own something stay.
 */
export const deleteInactiveAccounts = (config: Config) =>
  configuredTask('delete_inactive_accounts', config.cronDeleteInactiveAccounts, async (ctx, run) => {
    const beforeUnix = nowUnix(ctx.clock) - Math.round(config.cronDeleteInactiveAccounts.olderThan / 1000)
    let deleted = 0
    for (let afterId = 0; ;) {
      run.signal.throwIfAborted()
      const accounts = await listUnusedAccounts(ctx.db, { beforeUnix, afterId, limit: batchSize })
      if (accounts.length === 0) return
      for (const account of accounts) {
        try {
          await deleteUnusedAccount(ctx, account, beforeUnix)
          run.progress({ done: ++deleted })
        } catch (error) {
          // The account owns something or was used meanwhile: it stays, and the task continues.
          if (!(error instanceof Refusal)) throw error
          ctx.log('info', 'kept an inactive account', { name: account.name, reason: error.message })
        }
        afterId = account.id
      }
    }
  })

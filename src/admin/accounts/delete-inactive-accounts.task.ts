import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import { Refusal } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { deleteUnusedAccount } from './account.service.ts'
import { listUnusedAccounts } from './account.store.ts'

const batchSize = 100

/**
 * Deletes accounts of people that were made long ago (`[cron.delete_inactive_accounts].OLDER_THAN`), are not active and
 * never were used: nobody signed in, and no token or key exists. One that was switched off after it was used stays, and so
 * does one that owns something.
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
          // It owns something, or somebody began to use it: it stays, and keeps no other from going.
          if (!(error instanceof Refusal)) throw error
          ctx.log('info', 'an account that is not active is kept', { name: account.name, reason: error.message })
        }
        afterId = account.id
      }
    }
  })

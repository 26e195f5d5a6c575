import { subscriber } from '../events/subscriber.ts'
import { nowUnix } from '../lib/time.ts'
import { copyHooks } from './hook.store.ts'

/** Every new repository gets copies of the instance's default webhooks. */
export const copyDefaultHooks = subscriber({
  name: 'copyDefaultHooks',
  on: 'repo.created',
  inTransaction: (tx, event, { clock }) => copyHooks(tx, 'default', event.data.repoId, nowUnix(clock)),
})

/** Webhooks of a template, where they were asked for. */
export const copyTemplateHooks = subscriber({
  name: 'copyTemplateHooks',
  on: 'repo.generated',
  async inTransaction(tx, event, { clock }) {
    const { templateId, repoId, takes } = event.data
    if (takes.webhooks) await copyHooks(tx, { repoId: templateId }, repoId, nowUnix(clock))
  },
})

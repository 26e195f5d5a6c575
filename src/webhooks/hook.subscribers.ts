import { subscriber } from '../events/subscriber.ts'
import { nowUnix } from '../lib/time.ts'
import { copyHooks } from './hook.store.ts'

/** Copies the default webhooks of the instance into each new repository. */
export const copyDefaultHooks = subscriber({
  name: 'copyDefaultHooks',
  on: 'repo.created',
  inTransaction: (tx, event, { clock }) => copyHooks(tx, 'default', event.data.repoId, nowUnix(clock)),
})

/** Copies the webhooks of a template into the generated repository when the request asks for them. */
export const copyTemplateHooks = subscriber({
  name: 'copyTemplateHooks',
  on: 'repo.generated',
  async inTransaction(tx, event, { clock }) {
    const { templateId, repoId, takes } = event.data
    if (takes.webhooks) await copyHooks(tx, { repoId: templateId }, repoId, nowUnix(clock))
  },
})
